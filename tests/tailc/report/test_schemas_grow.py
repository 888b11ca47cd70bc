"""Schemas of reports only grow, so that programs that read an old document read a new one.

`members.txt` lists what documents have had: a line for each member, required member, and value of
a list. `python -m tests.tailc.report.test_schemas_grow` adds the new ones before a release.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tailc.artifact.published import ROOT

SCHEMAS = sorted((ROOT / "schemas" / "report").glob("*.schema.json"))
LISTED = Path(__file__).with_name("members.txt")


def lines_of(schema: Any, at: str = "") -> Iterator[str]:
    """Members of a schema: `path`, `path required` and `path = value`."""
    if isinstance(schema, list):
        for part in schema:
            yield from lines_of(part, at)
    if not isinstance(schema, dict):
        return
    for name, part in schema.get("properties", {}).items():
        yield f"{at}/{name}"
        yield from lines_of(part, f"{at}/{name}")
    yield from (f"{at}/{name} required" for name in schema.get("required", ()))
    yield from (f"{at} = {value}" for value in schema.get("enum", ()))
    for name, part in schema.items():
        if name == "$defs":
            for definition, of_it in part.items():
                yield from lines_of(of_it, f"#{definition}")
        elif name not in ("properties", "required", "enum", "if"):
            yield from lines_of(part, at)


def lost_of(schema: Any, listed: set[str]) -> set[str]:
    """Lines of the list that a schema no longer has: its reader misses something."""
    return listed - set(lines_of(schema))


def everything() -> dict[str, set[str]]:
    return {path.name: set(lines_of(json.loads(path.read_text()))) for path in SCHEMAS}


def listing() -> dict[str, set[str]]:
    lines = [line.split(" ", 1) for line in LISTED.read_text().splitlines()]
    return {name: {text for of, text in lines if of == name} for name, _ in lines}


def test_no_schema_loses_a_member_a_requirement_or_a_value() -> None:
    now = everything()
    lost = {name: sorted(listed - now.get(name, set())) for name, listed in listing().items()}
    assert not any(lost.values()), {name: lines for name, lines in lost.items() if lines}


OLD = {"required": ["a"], "properties": {"a": {"enum": [1, 2]}, "b": {"type": "string"}}}


@pytest.mark.parametrize(
    ("new", "lost"),
    [
        (OLD, set()),
        (OLD | {"properties": {**OLD["properties"], "c": {}}}, set()),
        (OLD | {"required": ["a", "b"]}, set()),
        (OLD | {"required": []}, {"/a required"}),
        (OLD | {"properties": {"a": {"enum": [1, 2]}}}, {"/b"}),
        (OLD | {"properties": {"a": {"enum": [2, 3]}, "b": {}}}, {"/a = 1"}),
    ],
)
def test_what_is_lost_is_found(new: Any, lost: set[str]) -> None:
    assert lost_of(new, set(lines_of(OLD))) == lost


if __name__ == "__main__":
    known = listing()
    every = {name: lines | known.get(name, set()) for name, lines in everything().items()}
    rows = [f"{name} {line}\n" for name, lines in every.items() for line in sorted(lines)]
    LISTED.write_text("".join(rows))
