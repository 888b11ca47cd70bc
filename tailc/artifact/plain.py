"""Convert records to and from plain values: dicts, lists, strings and whole numbers.

A record is a dict with one member per field, without absent ones; a pair is a list of two; a form
has its name as member `form`.
"""

from __future__ import annotations

import enum
from typing import Any

from tailc.artifact.refusal import Refusal
from tailc.artifact.shapes import (
    LARGEST_WHOLE,
    EnumChoice,
    Many,
    OneForm,
    PairShape,
    RecordShape,
    Shape,
    Slot,
    Text,
    Whole,
)
from tailc.errors import Code, did_you_mean
from tailc.forms.ladder.table import Rule

Plain = dict[str, Any]


def to_plain(shape: Shape, value: Any) -> Any:
    """Convert a record to plain values: dicts, lists, strings and whole numbers.

    shape: the shape of the record or of its part.
    """
    match shape:
        case Whole() | Text():
            return value
        case EnumChoice():
            return value.value
        case PairShape():
            return [to_plain(shape.first, value[0]), to_plain(shape.second, value[1])]
        case Many():
            return [to_plain(shape.item, item) for item in value]
        case RecordShape():
            return _record_to_plain(shape, value)
        case OneForm():
            name, record = next(entry for entry in shape.records if entry[1].cls is type(value))
            return {"form": name, **_record_to_plain(record, value)}


def from_plain(shape: Shape, plain: Any, ignore_unknown: bool) -> Any:  # noqa: PLR0911, a return a shape
    """Convert plain values to the value of a record; raises Refusal if they are invalid.

    Unknown members are ignored if the policy is of a newer minor version of the schema.
    """
    match shape:
        case Whole():
            return _whole(plain)
        case Text():
            return _text(plain)
        case EnumChoice():
            return member_named(shape, _text(plain))
        case PairShape():
            return _pair(shape, plain, ignore_unknown)
        case Many():
            _expect(plain, list, "a list")
            return tuple(
                _inside(str(index), shape.item, item, ignore_unknown)
                for index, item in enumerate(plain)
            )
        case RecordShape():
            return _record(shape, plain, ignore_unknown)
        case OneForm():
            return _form(shape, plain, ignore_unknown)


def member_named(shape: EnumChoice, text: str) -> enum.Enum:
    """Return the enumeration member with the value `text`; raises Refusal if there is none."""
    for member in shape.members:
        if member.value == text:
            return member
    if shape.members is Rule:
        raise unknown_rule(text)
    names = [str(member.value) for member in shape.members]
    raise Refusal(Code.BAD_ARTIFACT, f"unknown value `{text}`", did_you_mean(text, names))


def unknown_rule(name: str) -> Refusal:
    """Make the Refusal of a rule that this version of tailc does not know."""
    return Refusal(
        Code.UNKNOWN_RULE,
        f"unknown rule `{name}`",
        "use a newer version of tailc: a reader must know every rule",
    )


def unknown_form(name: str) -> Refusal:
    """Make the Refusal of a form that this version of tailc does not know."""
    return Refusal(
        Code.UNKNOWN_FORM,
        f"unknown form `{name}`",
        "use a newer version of tailc",
    )


def build(record: RecordShape, values: dict[str, Any]) -> Any:
    """Build a record from the values of its fields; an error of its constructor is a Refusal."""
    try:
        return record.value_of(values)
    except ValueError as error:
        raise Refusal(Code.BAD_ARTIFACT, str(error)) from error


def _record_to_plain(record: RecordShape, value: Any) -> Plain:
    plain: Plain = {}
    laid_out = record.fields_of(value)
    for slot in record.slots:
        part = getattr(laid_out, slot.name)
        if part is not slot.absent:
            plain[slot.name] = to_plain(slot.shape, part)
    return plain


def _record(record: RecordShape, plain: Any, ignore_unknown: bool) -> Any:
    _expect(plain, dict, "an object")
    if not ignore_unknown:
        _refuse_unknown(record, plain)
    values: dict[str, Any] = {}
    for slot in record.slots:
        if slot.name in plain:
            values[slot.name] = _optional_member(slot, plain[slot.name], ignore_unknown)
        elif slot.is_optional:
            values[slot.name] = slot.absent
        else:
            raise Refusal(Code.BAD_STRUCTURE, f"member `{slot.name}` is missing")
    return build(record, values)


def _optional_member(slot: Slot, plain: Any, ignore_unknown: bool) -> Any:
    """The value of a present member; refused if it equals the default, which must be left out."""
    value = _inside(slot.name, slot.shape, plain, ignore_unknown)
    if value is slot.absent:
        raise Refusal(
            Code.BAD_STRUCTURE,
            f"member `{slot.name}` has its default value `{plain}`, and must be left out",
        )
    return value


def _refuse_unknown(record: RecordShape, plain: Plain) -> None:
    known = [slot.name for slot in record.slots]
    for name in plain:
        if name not in known:
            message = f"member `{name}` does not exist"
            raise Refusal(Code.BAD_STRUCTURE, message, did_you_mean(name, known))


def _form(shape: OneForm, plain: Any, ignore_unknown: bool) -> Any:
    _expect(plain, dict, "an object")
    name = _text(plain.get("form"))
    for known, record in shape.records:
        if known == name:
            rest = {key: part for key, part in plain.items() if key != "form"}
            return _record(record, rest, ignore_unknown)
    raise unknown_form(name)


def _pair(shape: PairShape, plain: Any, ignore_unknown: bool) -> tuple[Any, Any]:
    _expect(plain, list, "a list")
    if len(plain) != 2:
        raise Refusal(Code.BAD_STRUCTURE, f"a pair must have 2 parts, not {len(plain)}")
    return (
        _inside("0", shape.first, plain[0], ignore_unknown),
        _inside("1", shape.second, plain[1], ignore_unknown),
    )


def _inside(step: str, shape: Shape, plain: Any, ignore_unknown: bool) -> Any:
    """`from_plain` one step down, so that a refusal can name the place."""
    try:
        return from_plain(shape, plain, ignore_unknown)
    except Refusal as refusal:
        refusal.steps.append(step)
        raise


def _whole(plain: Any) -> int:
    _expect(plain, int, "a whole number")
    if abs(plain) > LARGEST_WHOLE:
        raise Refusal(Code.BAD_STRUCTURE, f"`{plain}` is outside -(2^53 - 1) to 2^53 - 1")
    return plain


def _text(plain: Any) -> str:
    _expect(plain, str, "a string")
    return plain


def _expect(plain: Any, wanted: type, words: str) -> None:
    # Not isinstance: True is an int in Python, but not a whole number in JSON.
    if type(plain) is not wanted:
        shown = repr(plain)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        raise Refusal(Code.BAD_STRUCTURE, f"`{shown}` should be {words}")
