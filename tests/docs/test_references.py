"""What pages list by hand is all that the code has."""

from __future__ import annotations

import csv
import re

import pytest

from tailc.cli import BELOW, COMMANDS
from tailc.cli.output_option import FORMATS
from tailc.ingest.formats import find_formats
from tailc.pipeline.spec import DOCUMENT_MODELS
from tests.docs.blocks import ROOT

DOCS = ROOT / "docs"
VECTORS = ROOT / "schemas" / "vectors" / "v1"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_the_page_of_commands_has_the_help_of_each_and_of_no_other() -> None:
    text = page("cli")
    commands = sorted([*COMMANDS, *map(" ".join, BELOW)])
    # The blocks are run, so that every option is there with its text.
    assert sorted(re.findall(r"^\$ tailc (.+) --help$", text, re.MULTILINE)) == commands
    assert sorted(re.findall(r"^## tailc (.+)$", text, re.MULTILINE)) == commands


def test_the_page_of_commands_tells_every_form_of_output() -> None:
    told = re.findall(r"^- `(\w+)`", page("cli"), re.MULTILINE)
    assert sorted(told) == sorted(FORMATS)


def test_the_page_of_specs_has_the_keys_of_every_kind_of_document() -> None:
    tables = re.findall(r"<!-- table: (.+) -->", page("spec"))
    assert sorted(tables) == sorted([*DOCUMENT_MODELS, "quantities"])


def test_the_page_of_measurements_has_every_format_that_is_read() -> None:
    rows = [line for line in page("ingest").splitlines() if line.startswith("| ")]
    for format_ in find_formats():
        tool = format_.name.split()[0]
        assert any(tool in row for row in rows), f"{format_.name} is in no row"


@pytest.mark.parametrize("folder", ["refused", "signed"])
def test_the_page_of_the_format_names_every_word_that_a_file_is_refused_as(folder: str) -> None:
    lines = (VECTORS / folder / "expected.csv").read_text(encoding="utf-8").splitlines()
    words = {row["error"] for row in csv.DictReader(lines[1:])} - {""}
    assert len(words) >= 8
    text = " ".join(page("artifact-format").split())
    assert [word for word in sorted(words) if word.replace("-", " ") not in text] == []
