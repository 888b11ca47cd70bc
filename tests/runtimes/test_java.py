"""The Java runtime beyond what every reader is asked: what it verifies, and drawn nonsense."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from tailc.artifact.seal import seal
from tests.runtimes import java
from tests.runtimes.conformance import Reader, python_says
from tests.runtimes.damage import contradictory_payloads
from tests.tailc.artifact.published import ROOT, VECTORS

SOURCES = java.RUNTIME / "src" / "main" / "java" / "dev" / "tailc" / "runtime"
SCALARS = {"long": "8", "ushort": "2"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return java.reader(tmp_path_factory)


def test_the_layout_that_is_verified_is_that_of_the_schema() -> None:
    """`Layout.java` says of every table what lies in each field, by id."""
    schema = (ROOT / "schemas" / "policy.fbs").read_text()
    sizes = {**SCALARS, "Form": "Form", "string": "text", "Row": "32", "Climb": "16"}
    sizes |= dict.fromkeys(re.findall(r"enum (\w+) : ubyte", schema), "1")
    text = (SOURCES / "Layout.java").read_text().replace('"\n        + "', "")
    said = re.findall(r'^    "(\w+ .+)",$', text, re.MULTILINE)
    assert sorted(said) == sorted(tables_of(schema, sizes))


def tables_of(schema: str, sizes: dict[str, str]) -> list[str]:
    found = []
    for table, body in re.findall(r"^table (\w+) \{\n(.*?)^\}", schema, re.MULTILINE | re.DOTALL):
        fields = {}
        for kind, of, number, required in re.findall(
            r"^  \w+: (\[?)(\w+)\]?(?: = \w+)? \(id: (\d+)(, required)?\);", body, re.MULTILINE
        ):
            brackets = "[{}]" if kind else "{}"
            bang = "!" if required else ""
            fields[int(number)] = brackets.format(sizes.get(of, of)) + bang
            if of == "Form":
                fields[int(number) - 1] = "1"
        found.append(" ".join([table, *(fields[id_] for id_ in range(len(fields)))]))
    return found


@pytest.mark.fuzz
def test_nonsense_is_refused_or_safe_to_ask(built: Reader) -> None:
    """Nothing but a refusal stops an opening, and what is opened answers."""
    opened, *refused = built.run("nonsense", VECTORS, 1, 300_000)
    assert int(opened.removeprefix("opened ")) > 10_000
    words = {line.split()[0] for line in refused}
    assert {"bad-structure", "bad-meaning", "unknown-rule", "unknown-form"} <= words
    assert words.isdisjoint({"truncated", "hash-mismatch"})


@pytest.mark.fuzz
def test_many_contradictions_are_refused_alike(built: Reader, tmp_path: Path) -> None:
    (tmp_path / "sealed").mkdir()
    files = [seal(payload) for payload in contradictory_payloads(Random(6), 6_000, tmp_path)]
    said = built.classified(tmp_path / "sealed", files)
    wanted = [python_says(data) for data in files]
    differ = [at for at in range(len(files)) if said[at] != wanted[at]]
    assert not differ, [(at, said[at], wanted[at]) for at in differ[:5]]
