"""docs/artifact-format.md lists every field of every record, and no other."""

from __future__ import annotations

import re

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import FORMAT
from tailc.artifact.seal import MAGIC
from tailc.artifact.shapes import Many, OneForm, Record, Shape, record_of
from tailc.forms.ladder.table import Rule
from tests.tailc.artifact.published import ROOT

PAGE = (ROOT / "docs" / "artifact-format.md").read_text(encoding="utf-8")
_FIELD = re.compile(r"`(\w+)`(\??)")


def records_in(shape: Shape) -> dict[str, Record]:
    match shape:
        case Many():
            return records_in(shape.item)
        case OneForm():
            return {n: r for _, form in shape.records for n, r in records_in(form).items()}
        case Record():
            inner = [records_in(slot.shape) for slot in shape.slots]
            return {shape.cls.__name__: shape} | {n: r for part in inner for n, r in part.items()}
        case _:
            return {}


def listed_fields() -> dict[str, set[tuple[str, bool]]]:
    """Record to (field, is optional), from the tables under "What is in a policy"."""
    section = PAGE.split("## What is in a policy")[1].split("\n## ")[0]
    listed: dict[str, set[tuple[str, bool]]] = {}
    name = ""
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"`[A-Z]\w+`", cells[0]):
            name = cells[0].strip("`")
        fields = cells[1] if len(cells) == 3 else cells[0]
        for field, mark in _FIELD.findall(fields if line.startswith("|") else ""):
            if field[0].islower():
                listed.setdefault(name, set()).add((field, bool(mark)))
    return listed


def test_the_page_lists_exactly_the_fields_there_are() -> None:
    wanted = {
        name: {(slot.name, slot.is_optional) for slot in record.slots}
        for name, record in records_in(record_of(Policy)).items()
    }
    assert listed_fields() == wanted


def test_the_page_names_every_rule_the_format_and_the_trailer() -> None:
    for rule in Rule:
        assert f"| `{rule.value}` |" in PAGE
    assert f'"{FORMAT}"' in PAGE
    assert f"`{MAGIC.decode()}`" in PAGE
