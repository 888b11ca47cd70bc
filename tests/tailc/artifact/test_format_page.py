"""docs/artifact-format.md lists every field of every record, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from flatbuffers import Builder
from tailc_runtime._generated import policy_generated

from tailc.artifact.envelope import (
    DIGEST_NAMES,
    PROOFS,
    SCHEMA_MAJOR,
    SCHEMA_MINOR,
    Policy,
)
from tailc.artifact.json_form import FORMAT
from tailc.artifact.seal import MAGIC
from tailc.artifact.shapes import MEMBERS_SINCE, Many, OneForm, RecordShape, Shape, record_of
from tailc.forms.ladder.table import Rule
from tests.tailc.artifact.published import ROOT, VECTORS

PAGE = (ROOT / "docs" / "artifact-format.md").read_text(encoding="utf-8")
_FIELD = re.compile(r"`(\w+)`(\??)")


def records_in(shape: Shape) -> dict[str, RecordShape]:
    match shape:
        case Many():
            return records_in(shape.item)
        case OneForm():
            return {n: r for _, form in shape.records for n, r in records_in(form).items()}
        case RecordShape():
            inner = [records_in(slot.shape) for slot in shape.slots]
            return {shape.cls.__name__: shape} | {n: r for part in inner for n, r in part.items()}
        case _:
            return {}


def later_parts() -> Iterator[tuple[str, int]]:
    """Names of fields that a minor version brought; of a form, whose first one tells, its own."""
    records = records_in(record_of(Policy))
    forms = next(slot.shape for slot in records["Policy"].slots if slot.name == "forms")
    assert isinstance(forms, Many)
    assert isinstance(forms.item, OneForm)
    named = {record.cls.__name__: form for form, record in forms.item.records}
    for name, record in records.items():
        for number, slot in enumerate(record.slots):
            if slot.since:
                yield named[name] if name in named and number == 0 else slot.name, slot.since


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


def test_the_page_says_which_version_brought_what() -> None:
    brought = dict(re.findall(rf"^\| {SCHEMA_MAJOR}\.(\d+) \| (.+) \|$", PAGE, re.MULTILINE))
    assert list(brought) == [str(minor) for minor in range(SCHEMA_MINOR + 1)]
    later = set(MEMBERS_SINCE.items()) | set(later_parts())
    assert len(later) > len(MEMBERS_SINCE) + 5
    for part, minor in later:
        name = getattr(part, "value", part)
        assert re.search(rf"[`.]{name}`", brought[str(minor)]), f"{name} came with 1.{minor}"


def test_the_page_names_what_computed_the_examples() -> None:
    section = PAGE.split("## Where a policy comes from")[1].split("\n## ")[0]
    told = set(
        re.findall(r"`([\w-]+)`", "".join(re.findall(r"^\| (.+?) \|", section, re.MULTILINE)))
    )
    for path in ROOT.glob("examples/*/expected.json"):
        names = {name for name, _ in json.loads(path.read_text())["evidence"]["versions"]}
        assert {"tailc", "compiled-spec"} <= names <= told, path


def test_the_page_names_every_proof_and_every_digest_among_versions() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| | `proof` |"))
    assert re.findall(r"`([\w-]+)`(?=:|;|$| \|)", row)[1:] == list(PROOFS)
    section = PAGE.split("## Where a policy comes from")[1].split("\n## ")[0]
    digests = re.findall(r"^\| (.+?) \| .*(?:SHA-256|digest before).*$", section, re.MULTILINE)
    assert re.findall(r"`([\w-]+)`", "".join(digests)) == list(DIGEST_NAMES)


@pytest.mark.parametrize("name", ["Climb", "Row"])
def test_the_page_has_the_places_in_each_struct(name: str) -> None:
    """A struct that the generated accessors write with a number of its own in every field."""
    table = PAGE.split("| struct | bytes |")[1].split("\n\n")[0]
    (line,) = [line for line in table.splitlines() if f"| `{name}` |" in line]
    size, fields = (cell.strip() for cell in line.strip().strip("|").split("|")[1:])
    places = [int(place) for place in re.findall(r"`\w+` (\d+)", fields)]
    builder = Builder()
    numbers = range(1, len(places) + 1)
    getattr(policy_generated, f"Create{name}")(builder, *numbers)
    data = bytes(builder.Bytes[builder.Head() :])
    assert len(data) == int(size)
    assert [data[place] for place in places] == list(numbers)
    assert sum(map(bool, data)) == len(places)


def test_every_folder_of_vectors_is_of_one_level() -> None:
    section = PAGE.split("These are the levels")[1].split("\n\n")[1]
    named = re.findall(r"`(\w+)`", section.replace("output_ppm", "").replace("NAME.csv", ""))
    folders = {path.name for path in VECTORS.iterdir() if path.is_dir()}
    assert sorted(named) == sorted(folders)
