"""Retired words are not in what users read first, each with the word to use instead."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import click
import pytest

import tailc
from tailc.cli import BELOW, COMMANDS
from tailc.errors import Code
from tailc.report.explanations import EXPLANATIONS
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "vocabulary.md").read_text(encoding="utf-8")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.stem != "vocabulary"),
    *sorted((ROOT / "runtimes").glob("*/README.md")),
]


def table_below(heading: str) -> list[list[str]]:
    """The rows of the page's table below a heading, without its own head."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:2] == "| "]
    return rows[2:]


RETIRED = {
    word: instead for words, instead in table_below("Retired words") for word in words.split(", ")
}


RETIRED_NAMES = {name for names, _ in table_below("Retired names") for name in names.split(", ")}


def keys_of(schema: Any) -> Iterator[str]:
    """The names of all properties in a JSON schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            yield from keys_of(part)


def descriptions_of(schema: Any) -> Iterator[str]:
    """The descriptions in a JSON schema."""
    if isinstance(schema, dict) and isinstance(schema.get("description"), str):
        yield schema["description"]
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            yield from descriptions_of(part)


def retired_names(names: Iterable[str]) -> list[str]:
    """The names that contain a retired part."""
    return [name for name in names if RETIRED_NAMES & set(re.split(r"[-_]+", name.lower()))]


def retired_in(text: str) -> list[str]:
    """Each retired word of a text, with what to write instead."""
    return [
        f"`{word}`: write {instead}"
        for word, instead in RETIRED.items()
        if re.search(rf"\b{word}\b", text, re.IGNORECASE)
    ]


def prose_of(markdown: str) -> str:
    """Without blocks and names of code."""
    return re.sub(r"`[^`]*`", "", re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.M))


def helps_of(command: click.Command) -> Iterator[str]:
    yield command.help or ""
    yield command.short_help or ""
    yield from (option.help or "" for option in command.params if isinstance(option, click.Option))


def test_the_words_are_read_from_the_page() -> None:
    assert RETIRED["told"].startswith("printed")
    assert retired_in("as you were told") == [f"`told`: write {RETIRED['told']}"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: "/".join(page.parts[-2:]))
def test_a_page_has_no_retired_word(page) -> None:
    assert retired_in(prose_of(page.read_text(encoding="utf-8"))) == []


FILES = [*(name.replace("-", "_") for name in COMMANDS), *BELOW.values()]


@pytest.mark.parametrize("file", FILES)
def test_the_help_of_a_command_has_no_retired_word(file: str) -> None:
    command = importlib.import_module(f"tailc.cli.{file}_command").command
    assert retired_in("\n".join(helps_of(command))) == []


@pytest.mark.parametrize("code", Code, ids=lambda code: code.ident)
def test_a_finding_is_explained_without_retired_words(code: Code) -> None:
    assert retired_in(f"{code.title}. {EXPLANATIONS[code]}") == []


def test_every_execution_model_is_in_the_vocabulary() -> None:
    folders = {path.parent.name for path in (ROOT / "tailc" / "models").glob("*/model.py")}
    assert folders <= {row[0].strip("`") for row in table_below("Execution models")}


SCHEMAS = [
    *(ROOT / "schemas" / "spec").glob("*.json"),
    *(ROOT / "schemas" / "report").glob("*.json"),
]


@pytest.mark.parametrize("schema", sorted(SCHEMAS), ids=lambda path: path.stem)
def test_a_schema_describes_without_retired_words(schema) -> None:
    texts = list(descriptions_of(json.loads(schema.read_text(encoding="utf-8"))))
    assert retired_in("\n".join(texts)) == []


@pytest.mark.parametrize("schema", sorted(SCHEMAS), ids=lambda path: path.stem)
def test_no_key_has_a_retired_name(schema) -> None:
    keys = set(keys_of(json.loads(schema.read_text(encoding="utf-8"))))
    assert keys
    assert retired_names(keys) == []


def test_no_exported_name_is_retired() -> None:
    names = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name) for name in tailc.__all__]
    assert retired_names(names) == []
    assert retired_names(["asked_rate"]) == ["asked_rate"]


@pytest.mark.parametrize("file", FILES)
def test_no_option_has_a_retired_name(file: str) -> None:
    command = importlib.import_module(f"tailc.cli.{file}_command").command
    assert retired_names(name for option in command.params for name in option.opts) == []
