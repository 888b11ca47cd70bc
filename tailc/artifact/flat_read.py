"""Read a FlatBuffer into dataclasses (records); the inverse of `flat_write`.

The structure has been verified (`flat_structure`), so that accessors follow only valid offsets. The
records' constructors check the meaning of the values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.flat_write import camel, pair_table
from tailc.artifact.plain import build, member_named
from tailc.artifact.refusal import Refusal
from tailc.artifact.shapes import (
    EnumChoice,
    Many,
    OneForm,
    PairShape,
    RecordShape,
    Shape,
    Text,
    Whole,
    record_of,
)
from tailc.errors import Code
from tailc.forms.ladder.table import Admission, AdmissionKind, Climb, Ladder, Row, Rule

# A part; an absent one is its default, which constructors or the second encoding refuse if wrong.
_Part = Any


def read_table(record: RecordShape, table: Any) -> _Part:
    """Build the record that a FlatBuffer table represents; `table` is its generated accessor."""
    own = _OWN_LAYOUT.get(record.cls, {})
    values = {
        slot.name: own[slot.name](table)
        if slot.name in own
        else _field(slot.shape, table, camel(slot.name), slot.is_optional)
        for slot in record.slots
    }
    return build(record, values)


def _vector(table: Any, name: str) -> list[Any]:
    """The raw elements of the vector `name`."""
    element = getattr(table, name)
    return [element(index) for index in range(getattr(table, f"{name}Length")())]


def _field(shape: Shape, table: Any, name: str, is_optional: bool) -> _Part:
    if isinstance(shape, Many):
        return tuple(_value(shape.item, raw) for raw in _vector(table, name))
    raw = getattr(table, name)()
    return None if is_optional and raw is None else _value(shape, raw)


def _value(shape: Shape, raw: Any) -> _Part:
    match shape:
        case Whole():
            return raw
        case Text():
            return raw.decode()
        case EnumChoice():
            return _member(shape, raw)
        case PairShape():
            return _pair(shape, raw)
        case RecordShape():
            return read_table(shape, raw)
        case OneForm():
            return _form(shape, raw)
        case Many():
            raise AssertionError("FlatBuffers have no vectors of vectors")


def _pair(shape: PairShape, table: Any) -> tuple[_Part, _Part]:
    assert pair_table(shape) == type(table).__name__
    return _value(shape.first, table.First()), _value(shape.second, table.Second())


def _form(shape: OneForm, box: Any) -> _Part:
    name = box.FormName().decode()
    record = next(record for known, record in shape.records if known == name)
    return read_table(record, _union_member(box, record.cls.__name__))


def _union_member(box: Any, cls: str) -> Any:
    raw = box.Form()
    table = getattr(fbs, cls)()
    table.Init(raw.Bytes, raw.Pos)
    return table


def _member(shape: EnumChoice, number: int) -> Any:
    numbers = getattr(fbs, shape.members.__name__)
    for member in shape.members:
        if getattr(numbers, member.name) == number:
            return member
    message = f"unknown number `{number}` of {shape.members.__name__}"
    raise Refusal(Code.BAD_ARTIFACT, message)


def _rules(table: Any) -> tuple[Any, ...]:
    return tuple(
        member_named(EnumChoice(Rule), raw.decode()) for raw in _vector(table, "RuleNames")
    )


def _rows(table: Any) -> tuple[Row, ...]:
    """Rows with their climbs, which are consecutive; a row ends where the next begins."""
    of_climb = record_of(Climb)
    climbs = (
        build(of_climb, {"age_us": climb.AgeUs(), "rung": climb.Rung()})
        for climb in _vector(table, "Climbs")
    )
    raw = _vector(table, "Rows")
    ends = [following.FirstLoad() - 1 for following in raw[1:]]
    return tuple(
        build(
            record_of(Row),
            {
                "first_load": row.FirstLoad(),
                "last_load": last_load,
                "admission": _admission(row),
                "climbs": tuple(itertools.islice(climbs, row.ClimbCount())),
            },
        )
        for row, last_load in itertools.zip_longest(raw, ends)
    )


def _admission(row: Any) -> Admission:
    kind = _member(EnumChoice(AdmissionKind), row.Admission())
    return build(record_of(Admission), {"kind": kind, "delay_us": row.DelayUs()})


_OWN_LAYOUT: dict[type, dict[str, Callable[[Any], Any]]] = {
    Ladder: {"rules": _rules, "rows": _rows}
}
