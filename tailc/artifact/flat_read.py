"""A FlatBuffer back into records; the inverse of flat_write, for bytes that nobody vouches for.

FlatBuffers has no verifier for Python. Here every vector and string is charged against the size
of the buffer before it is walked, so a hostile one cannot make a small file look endless, and the
accessors' complaints about offsets become refusals in one place (`flat_form.decode_flat`), which
also demands that writing the policy again gives the same bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.flat_write import camel, pair_table
from tailc.artifact.plain import build, chosen, unknown_form, unknown_rule
from tailc.artifact.refusal import Refusal
from tailc.artifact.shapes import Choice, Many, OneForm, Pair, Record, Shape, Text, Whole, record_of
from tailc.errors import Code
from tailc.forms.ladder.table import Admission, AdmissionKind, Climb, Ladder, Row, Rule

# What an absent part reads as; the constructors and the second writing refuse it where it counts.
_Part = Any


class FlatReader:
    """Reads records from one buffer and refuses to read more than it can hold."""

    def __init__(self, size: int) -> None:
        self._left = size

    def table(self, record: Record, table: Any) -> _Part:
        """The record behind the accessor `table`, which is None where an offset is missing."""
        if table is None:
            raise _broken(f"table {record.cls.__name__} is missing")
        own = _OWN_LAYOUT.get(record.cls, {})
        values = {
            slot.name: own[slot.name](self, table)
            if slot.name in own
            else self._field(slot.shape, table, camel(slot.name), slot.is_optional)
            for slot in record.slots
        }
        return build(record, values)

    def vector(self, table: Any, name: str) -> list[Any]:
        """The raw elements of the vector `name`."""
        length = getattr(table, f"{name}Length")()
        self.spend(length)
        element = getattr(table, name)
        return [element(index) for index in range(length)]

    def text(self, raw: bytes | None) -> str:
        """A string that must be there."""
        if raw is None:
            raise _broken("a string is missing")
        self.spend(len(raw))
        return raw.decode("utf-8")

    def spend(self, count: int) -> None:
        """Charge `count` elements, each of at least one byte, to the buffer's size."""
        self._left -= count
        if self._left < 0:
            raise _broken("the buffer claims more than it can hold")

    def _field(self, shape: Shape, table: Any, name: str, is_optional: bool) -> _Part:
        if isinstance(shape, Many):
            return tuple(self._value(shape.item, raw) for raw in self.vector(table, name))
        raw = getattr(table, name)()
        return None if is_optional and raw is None else self._value(shape, raw)

    def _value(self, shape: Shape, raw: Any) -> _Part:
        match shape:
            case Whole():
                return raw
            case Text():
                return self.text(raw)
            case Choice():
                return _member(shape, raw)
            case Pair():
                return self._pair(shape, raw)
            case Record():
                return self.table(shape, raw)
            case OneForm():
                return self._form(shape, raw)
            case Many():
                raise AssertionError("FlatBuffers have no vectors of vectors")

    def _pair(self, shape: Pair, table: Any) -> tuple[_Part, _Part]:
        assert pair_table(shape) == type(table).__name__
        return (
            self._value(shape.first, table.First()),
            self._value(shape.second, table.Second()),
        )

    def _form(self, shape: OneForm, box: Any) -> _Part:
        name = self.text(box.FormName())
        for known, record in shape.records:
            cls = record.cls.__name__
            if box.FormType() == getattr(fbs.Form, cls):
                if known != name:
                    raise _broken(f"form `{known}` is called `{name}`")
                return self.table(record, _union_member(box, cls))
        raise unknown_form(name)


def _union_member(box: Any, cls: str) -> Any:
    raw = box.Form()
    if raw is None:
        return None
    table = getattr(fbs, cls)()
    table.Init(raw.Bytes, raw.Pos)
    return table


def _member(shape: Choice, number: int) -> Any:
    numbers = getattr(fbs, shape.members.__name__)
    for member in shape.members:
        if getattr(numbers, member.name) == number:
            return member
    message = f"{shape.members.__name__} number `{number}` is not known here"
    raise Refusal(Code.BAD_ARTIFACT, message)


def _rules(reader: FlatReader, table: Any) -> tuple[Any, ...]:
    numbers = reader.vector(table, "Rules")
    names = [reader.text(raw) for raw in reader.vector(table, "RuleNames")]
    rules = tuple(chosen(Choice(Rule), name) for name in names)
    if len(numbers) != len(names):
        raise _broken("rules and their names differ in number")
    for rule, number in zip(rules, numbers, strict=True):
        if number != getattr(fbs.Rule, rule.name):
            raise unknown_rule(f"number {number}, called {rule.value}")
    return rules


def _rows(reader: FlatReader, table: Any) -> tuple[Row, ...]:
    of_climb = record_of(Climb)
    climbs = [
        build(of_climb, {"age_us": c.AgeUs(), "rung": c.Rung()}) for c in _climbs(reader, table)
    ]
    raw = reader.vector(table, "Rows")
    ends = [following.FirstLoad() - 1 for following in raw[1:]]
    rows: list[Row] = []
    first = 0
    for row, last_load in itertools.zip_longest(raw, ends):
        if row.FirstClimb() != first or row.ClimbCount() > len(climbs) - first:
            raise _broken("rows do not follow each other in the climbs")
        first += row.ClimbCount()
        values = {
            "first_load": row.FirstLoad(),
            "last_load": last_load,
            "admission": _admission(row),
            "climbs": tuple(climbs[row.FirstClimb() : first]),
        }
        rows.append(build(record_of(Row), values))
    return tuple(rows)


def _climbs(reader: FlatReader, table: Any) -> list[Any]:
    return reader.vector(table, "Climbs")


def _admission(row: Any) -> Admission:
    kind = _member(Choice(AdmissionKind), row.Admission())
    return build(record_of(Admission), {"kind": kind, "delay_us": row.DelayUs()})


def _broken(message: str) -> Refusal:
    return Refusal(Code.BAD_STRUCTURE, message)


_OWN_LAYOUT: dict[type, dict[str, Callable[[FlatReader, Any], Any]]] = {
    Ladder: {"rules": _rules, "rows": _rows}
}
