"""Shapes of a policy's records, read from their annotations.

Both encodings and the JSON Schema use these shapes: a field is in all of them or in none.
"""

from __future__ import annotations

import enum
import types
import typing
from dataclasses import Field, dataclass, fields
from functools import cache
from typing import Any

from tailc.artifact.envelope import InputRole
from tailc.artifact.reading_record import Reading, reading_of, record_of_reading
from tailc.forms.budget_table import BudgetTable
from tailc.forms.controller import Actuator, Controller
from tailc.forms.ladder.table import Ladder, Rule
from tailc.forms.plan.plan import Plan
from tailc.forms.shares import Shares
from tailc.forms.tail_table import TailTable
from tailc.specs.slo import Metric
from tailc.traces.profile import Measure
from tailc.traces.reading import TraceReading

# Largest whole number that is exact in every JSON reader (RFC 8785, section 3.2.2.3).
LARGEST_WHOLE = 2**53 - 1

FORM_NAMES: dict[type, str] = {
    Ladder: "ladder",
    Controller: "controller",
    TailTable: "tail-table",
    Shares: "shares",
    Plan: "plan",
    BudgetTable: "budget-table",
}

# Minor version of the schema that added a member of an older enumeration. For fields, this is in
# their metadata.
MEMBERS_SINCE: dict[enum.Enum, int] = {
    Rule.CORE_PER_REQUEST: 2,
    Rule.MAKE_ROOM: 2,
    Rule.WAITED_START_LAST: 3,
    Rule.BUSY_PERIOD_AGE: 3,
    Actuator.LATENCY_BOUND: 3,
    Measure.THROUGHPUT: 3,
    Measure.RUN_TIME: 4,
    InputRole.SUPPLY: 4,
    Rule.SHED: 6,
    Rule.CUT_OFF: 6,
    Rule.DEGRADE: 6,
    Rule.START_BELOW: 6,
    Rule.GIVE_UP: 6,
    Measure.TOKENS: 11,
    Metric.TTFT: 11,
    Metric.ITL: 11,
    Metric.TPOT: 11,
}


_READINGS = typing.get_args(TraceReading)


@dataclass(frozen=True)
class Whole:
    """Shape of a whole number from -LARGEST_WHOLE to LARGEST_WHOLE."""


@dataclass(frozen=True)
class Text:
    """Shape of a text: a Unicode string."""


@dataclass(frozen=True)
class EnumChoice:
    """Shape of a value of an enumeration, represented by its text."""

    members: type[enum.Enum]


@dataclass(frozen=True)
class PairShape:
    """Shape of a pair: two values in a fixed order."""

    first: Shape
    second: Shape


@dataclass(frozen=True)
class Many:
    """Shape of a list: any number of values of the same shape, in order."""

    item: Shape


@dataclass(frozen=True)
class Slot:
    """Shape of a field of a record.

    since: minor version of the schema that added the field. absent: value with which the field is
    left out of every encoding. Both are in the metadata of the dataclass's field; `absent` only if
    it is a member of an enumeration.
    """

    name: str
    shape: Shape
    is_optional: bool
    since: int = 0
    absent: enum.Enum | None = None


@dataclass(frozen=True)
class RecordShape:
    """Shape of a record: a frozen dataclass with a slot for each of its fields."""

    cls: type
    slots: tuple[Slot, ...]

    def fields_of(self, value: Any) -> Any:
        """Return the object whose attributes are the fields of the record `value`.

        This is `value` itself, except for the reading of a trace, which is converted to its record.
        """
        return record_of_reading(value) if self.cls is Reading else value

    def value_of(self, values: dict[str, Any]) -> Any:
        """Build the dataclass of this record from the values of its fields, by name.

        Raises ValueError if the values are invalid.
        """
        made = self.cls(**values)
        return reading_of(made) if self.cls is Reading else made


@dataclass(frozen=True)
class OneForm:
    """Shape of a value that is one of a policy's forms, such as a ladder, distinguished by name."""

    records: tuple[tuple[str, RecordShape], ...]


Shape = Whole | Text | EnumChoice | PairShape | Many | RecordShape | OneForm


@cache
def record_of(cls: type) -> RecordShape:
    """Derive the shape of a record from the annotations of a dataclass."""
    hints = typing.get_type_hints(cls)
    return RecordShape(cls, tuple(_slot(field, hints[field.name]) for field in fields(cls)))


def oldest_minor(shape: Shape, value: Any) -> int:
    """Return the oldest minor version of the schema that can represent `value`."""
    if not _newest_minor(shape):
        return 0
    match shape:
        case EnumChoice():
            return MEMBERS_SINCE.get(value, 0)
        case Many():
            return max((oldest_minor(shape.item, item) for item in value), default=0)
        case RecordShape():
            laid_out = shape.fields_of(value)
            parts = ((slot, getattr(laid_out, slot.name)) for slot in shape.slots)
            return max(_slot_minor(slot, part) for slot, part in parts)
        case OneForm():
            record = next(record for _, record in shape.records if record.cls is type(value))
            return oldest_minor(record, value)
        case _:
            return 0


def _slot_minor(slot: Slot, part: Any) -> int:
    return 0 if part is slot.absent else max(slot.since, oldest_minor(slot.shape, part))


@cache
def _newest_minor(shape: Shape) -> int:
    """The newest minor version that a value of this shape may need."""
    match shape:
        case EnumChoice():
            return max(MEMBERS_SINCE.get(member, 0) for member in shape.members)
        case Many():
            return _newest_minor(shape.item)
        case RecordShape():
            return max(max(slot.since, _newest_minor(slot.shape)) for slot in shape.slots)
        case OneForm():
            return max(_newest_minor(record) for _, record in shape.records)
        case _:
            return 0


def _slot(field: Field[Any], hint: object) -> Slot:
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    required = [part for part in parts if part is not type(None)]
    shape = _form_of(required) if required[0] in FORM_NAMES else _shape_of(required[0])
    since, absent = field.metadata.get("since", 0), field.metadata.get("absent")
    is_optional = absent is not None or len(required) < len(parts)
    return Slot(field.name, shape, is_optional, since, absent)


def _shape_of(hint: typing.Any) -> Shape:
    if typing.get_origin(hint) is tuple:
        return _tuple_of(typing.get_args(hint))
    if isinstance(hint, types.UnionType):
        return _form_of(list(typing.get_args(hint)))
    if hint in (int, str):
        return Whole() if hint is int else Text()
    if issubclass(hint, enum.Enum):
        return EnumChoice(hint)
    if hint in _READINGS:
        return record_of(Reading)
    return _form_of([hint]) if hint in FORM_NAMES else record_of(hint)


def _tuple_of(items: tuple[typing.Any, ...]) -> Shape:
    if items[1] is Ellipsis:
        return Many(_shape_of(items[0]))
    return PairShape(_shape_of(items[0]), _shape_of(items[1]))


def _form_of(classes: list[typing.Any]) -> OneForm:
    return OneForm(tuple((FORM_NAMES[cls], record_of(cls)) for cls in classes))
