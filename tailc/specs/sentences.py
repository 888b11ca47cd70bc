"""Rephrase errors of pydantic for users: a message and advice for each type of error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from tailc.errors import Code, did_you_mean
from tailc.specs.fields import Complaint, RefusalError, SpecModel, value_text
from tailc.specs.key_groups import fields_of, models_in
from tailc.units import shorten

Step = str | int


@dataclass(frozen=True)
class Spot:
    """The place of an error of pydantic: a path to a key of a spec, with the model of the spec.

    It gives the keys or values that are accepted there. text: the value at this path as written;
    empty if there is none, or if it is not a scalar.
    """

    model: type[SpecModel]
    path: tuple[Step, ...]
    text: str = ""

    @property
    def siblings(self) -> list[str]:
        """Keys that the spec could have in place of the key with the error."""
        owner = _model_at(self.model, self.path[:-1])
        return list(fields_of(owner)) if owner else []

    @property
    def field(self) -> FieldInfo | None:
        """Field of the last key of the path; None if it is unknown."""
        keys = [position for position, step in enumerate(self.path) if isinstance(step, str)]
        if not keys:
            return None
        owner = _model_at(self.model, self.path[: keys[-1]])
        return fields_of(owner).get(str(self.path[keys[-1]])) if owner else None

    @property
    def choices(self) -> list[str]:
        """Words that the field of a spec accepts."""
        field = self.field
        return [str(word) for word in _literals(field.annotation)] if field else []

    @property
    def example(self) -> str | None:
        """Example value of the field, as a user would write it in a spec."""
        field = self.field
        return flow(field.examples[0]) if field and field.examples else None

    def accepts(self, text: str) -> bool:
        """Whether the field of a spec accepts this text; true for an entry of a list."""
        field = self.field
        if field is None or not isinstance(self.path[-1], str):
            return True
        try:
            create_model("Tried", value=(field.annotation or str, field)).model_validate(
                {"value": text}
            )
        except ValidationError:
            return False
        return True


def complaints_of(error: ErrorDetails, spot: Spot) -> Sequence[Complaint]:
    """Make complaints from an error of pydantic at `spot`."""
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, RefusalError):
        return cause.complaints
    if error["input"] is None and error["type"] != "extra_forbidden":
        return [Complaint(Code.BAD_VALUE, "has no value", _for_example(spot))]
    sentence = _SENTENCES.get(error["type"])
    if sentence is None:
        value = value_text(error["input"])
        return [Complaint(Code.BAD_VALUE, f"cannot be {value}", _for_example(spot))]
    return [sentence(error, spot)]


def flow(value: Any) -> str:
    """Format a value as YAML on one line, for a help line."""
    match value:
        case dict():
            return "{" + ", ".join(f"{key}: {flow(part)}" for key, part in value.items()) + "}"
        case list():
            return "[" + ", ".join(flow(part) for part in value) + "]"
        case bool():
            return str(value).lower()
        case _:
            return str(value)


def _model_at(model: type[BaseModel], path: Sequence[Step]) -> type[BaseModel] | None:
    """Model of the mapping at `path`; None in a mapping whose keys the user chooses."""
    owner: type[BaseModel] | None = model
    for step in path:
        if isinstance(step, int):
            continue
        field = fields_of(owner).get(step) if owner else None
        owner = next(models_in(field.annotation), None) if field else None
    return owner


def _literals(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for part in get_args(annotation):
            yield from _literals(part)


def _for_example(spot: Spot) -> str:
    """Advice with an example of the field, or else its description."""
    if spot.example:
        return f"for example `{spot.example}`"
    said = spot.field.description if spot.field else None
    return f"wanted: {said[0].lower()}{said[1:].rstrip('.')}" if said else "correct or remove it"


def _unknown_key(error: ErrorDetails, spot: Spot) -> Complaint:
    key = str(error["loc"][-1])
    name, colon, value = key.partition(":")
    if colon and name in spot.siblings:
        hint = f"write `{name}: {shorten(value)}`, with a space after the colon"
        return Complaint(Code.UNKNOWN_KEY, "is not a known key", hint)
    return Complaint(Code.UNKNOWN_KEY, "is not a known key", did_you_mean(key, spot.siblings))


def _missing(error: ErrorDetails, spot: Spot) -> Complaint:
    key = error["loc"][-1]
    hint = f"add `{key}: {spot.example}`" if spot.example else f"add `{key}:`"
    return Complaint(Code.MISSING_KEY, "is missing", hint)


def _expect(what: str) -> Callable[[ErrorDetails, Spot], Complaint]:
    def sentence(error: ErrorDetails, spot: Spot) -> Complaint:
        message = f"must be {what}, not {value_text(error['input'])}"
        return Complaint(Code.BAD_VALUE, message, _for_example(spot))

    return sentence


def _text(error: ErrorDetails, spot: Spot) -> Complaint:
    value = error["input"]
    hint = _for_example(spot)
    text = spot.text or flow(value)
    if isinstance(value, (int, float)) and spot.accepts(text):
        hint = f'put it in quotes: `"{shorten(text)}"`'
    shown = f"`{shorten(spot.text)}`" if spot.text else value_text(value)
    return Complaint(Code.BAD_VALUE, f"must be text, not {shown}", hint)


def _flag(error: ErrorDetails, _: Spot) -> Complaint:
    message = f"must be `true` or `false`, not {value_text(error['input'])}"
    hint = "write one of the two"
    if isinstance(error["input"], str):
        hint += ", unquoted: `yes`, `no`, `on` and `off` are text in YAML 1.2"
    return Complaint(Code.BAD_VALUE, message, hint)


def _choice(error: ErrorDetails, spot: Spot) -> Complaint:
    value = error["input"]
    word = value if isinstance(value, str) else ""
    message = f"cannot be {value_text(value)}"
    return Complaint(Code.BAD_VALUE, message, did_you_mean(word, spot.choices))


def _expect_bound(words: str, limit: str, verb: str) -> Callable[[ErrorDetails, Spot], Complaint]:
    def sentence(error: ErrorDetails, _: Spot) -> Complaint:
        bound = error.get("ctx", {}).get(limit)
        message = f"must be {words} {bound:,}, not {value_text(error['input'])}"
        return Complaint(Code.BAD_VALUE, message, f"{verb} it to {bound:,}")

    return sentence


def _empty(_: ErrorDetails, spot: Spot) -> Complaint:
    return Complaint(Code.BAD_VALUE, "is empty", _for_example(spot))


def _too_few(error: ErrorDetails, spot: Spot) -> Complaint:
    there, fewest = (error.get("ctx", {}).get(key) for key in ("actual_length", "min_length"))
    if not there:
        return _empty(error, spot)
    message = f"has {there} entries, but needs at least {fewest}"
    return Complaint(Code.BAD_VALUE, message, "add the missing entries")


def _name(error: ErrorDetails, spot: Spot) -> Complaint:
    message = f"cannot be {value_text(error['input'])}"
    hint = "use at most 64 lower-case letters, digits and hyphens, and no hyphen first, such as "
    return Complaint(Code.BAD_VALUE, message, f"{hint}`{spot.example or 'websearch-isn'}`")


_LIST = _expect("a list")
_MAPPING = _expect("a mapping")
_SENTENCES: dict[str, Callable[[ErrorDetails, Spot], Complaint]] = {
    "extra_forbidden": _unknown_key,
    "missing": _missing,
    "string_type": _text,
    "string_too_short": _empty,
    "string_too_long": _name,
    "string_pattern_mismatch": _name,
    "int_type": _expect("a whole number"),
    "bool_type": _flag,
    "literal_error": _choice,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _MAPPING,
    "model_type": _MAPPING,
    "too_short": _too_few,
    "greater_than_equal": _expect_bound("at least", "ge", "raise"),
    "less_than_equal": _expect_bound("at most", "le", "lower"),
}
