"""Write dataclasses (records) into a FlatBuffer (schemas/policy.fbs): equal values, equal bytes.

Tables and fields of the schema have the names of the records and fields, so one walk over the
shapes writes almost everything. Two parts differ: a ladder's rows are vectors of structs, which
runtimes search without following offsets, and rules and forms have their names next to their
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from flatbuffers import Builder

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.shapes import (
    EnumChoice,
    Many,
    OneForm,
    PairShape,
    RecordShape,
    Shape,
    Text,
    Whole,
)
from tailc.forms.ladder.table import Ladder, Row

Fields = dict[str, Any]


def write_table(
    builder: Builder, record: RecordShape, value: Any, more: Fields | None = None
) -> int:
    """Write the record `value` as a FlatBuffer table, and return its offset.

    more: additional fields of the table. Parts are written in the order of the record's fields,
    then `more`; no string or table is shared.
    """
    parts: Fields = {}
    own = _OWN_LAYOUT.get(record.cls, {})
    laid_out = record.fields_of(value)
    for slot in record.slots:
        part = getattr(laid_out, slot.name)
        if part is slot.absent:
            continue
        if slot.name in own:
            parts.update(own[slot.name](builder, part))
        else:
            parts[slot.name] = _write(builder, slot.shape, part)
    return _finish_table(builder, record.cls.__name__, {**parts, **(more or {})})


@cache
def camel(name: str) -> str:
    """Name that flatc gives to the accessor of a field of the FlatBuffers schema."""
    return "".join(part.capitalize() for part in name.split("_"))


def pair_table(shape: PairShape) -> str:
    """Return the table of the FlatBuffers schema for a pair: of texts, or text and number."""
    return "TextPair" if isinstance(shape.second, Text) else "NumberPair"


def _write(builder: Builder, shape: Shape, value: Any) -> int:  # noqa: PLR0911, a return a shape
    """Write a value and return its offset; a scalar is returned as it is."""
    match shape:
        case Whole():
            return value
        case EnumChoice():
            return getattr(getattr(fbs, shape.members.__name__), value.name)
        case Text():
            return builder.CreateString(value)
        case PairShape():
            first, second = (
                _write(builder, part, item)
                for part, item in zip((shape.first, shape.second), value, strict=True)
            )
            return _finish_table(builder, pair_table(shape), {"first": first, "second": second})
        case Many():
            return _vector(builder, shape.item, [_write(builder, shape.item, v) for v in value])
        case RecordShape():
            return write_table(builder, shape, value)
        case OneForm():
            return _form_box(builder, shape, value)


def _finish_table(builder: Builder, name: str, parts: Fields) -> int:
    getattr(fbs, f"{name}Start")(builder)
    for field, part in parts.items():
        _adder(name, field)(builder, part)
    return getattr(fbs, f"{name}End")(builder)


@cache
def _adder(table: str, field: str) -> Callable[[Builder, Any], None]:
    return getattr(fbs, f"{table}Add{camel(field)}")


def _vector(builder: Builder, item: Shape, parts: list[int]) -> int:
    if isinstance(item, EnumChoice):
        return builder.CreateByteVector(bytes(parts))
    wide = isinstance(item, Whole)
    size = 8 if wide else 4
    builder.StartVector(size, len(parts), size)
    prepend = builder.PrependInt64 if wide else builder.PrependUOffsetTRelative
    for part in reversed(parts):
        prepend(part)
    return builder.EndVector()


def _form_box(builder: Builder, shape: OneForm, value: Any) -> int:
    name, record = next(entry for entry in shape.records if entry[1].cls is type(value))
    form = write_table(builder, record, value)
    parts = {
        "form_type": getattr(fbs.Form, record.cls.__name__),
        "form": form,
        "form_name": builder.CreateString(name),
    }
    return _finish_table(builder, "FormBox", parts)


def _rules(builder: Builder, rules: Any) -> Fields:
    numbers = [getattr(fbs.Rule, rule.name) for rule in rules]
    names = [builder.CreateString(rule.value) for rule in rules]
    return {
        "rules": builder.CreateByteVector(bytes(numbers)),
        "rule_names": _vector(builder, Text(), names),
    }


def _rows(builder: Builder, rows: tuple[Row, ...]) -> Fields:
    """Rows and climbs as two vectors of structs; vectors are built from their end."""
    climbs = [climb for row in rows for climb in row.climbs]
    fbs.LadderStartClimbsVector(builder, len(climbs))
    for climb in reversed(climbs):
        fbs.CreateClimb(builder, climb.age_us, climb.rung)
    climb_vector = builder.EndVector()
    fbs.LadderStartRowsVector(builder, len(rows))
    first_climb = len(climbs)
    for row in reversed(rows):
        first_climb -= len(row.climbs)
        kind = getattr(fbs.AdmissionKind, row.admission.kind.name)
        fbs.CreateRow(
            builder, row.first_load, row.admission.delay_us, first_climb, len(row.climbs), kind
        )
    return {"rows": builder.EndVector(), "climbs": climb_vector}


_OWN_LAYOUT = {Ladder: {"rules": _rules, "rows": _rows}}
