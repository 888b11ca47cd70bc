"""Types of spec fields: check what a user writes, and convert it to whole numbers.

A `SpecModel` is a mapping of a spec. The type of a field raises `RefusalError` for a bad value;
errors of pydantic are rephrased by `tailc.specs.sentences`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Strict,
    StringConstraints,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import WithJsonSchema

from tailc.errors import Code
from tailc.specs.key_groups import group_keys
from tailc.specs.older_keys import OlderKey
from tailc.units import (
    COUNT,
    DURATION,
    PERCENT,
    RATE,
    Dimension,
    QuantityError,
    QuantityFault,
    number_text,
    parse,
    shorten,
)

PPM = 1_000_000


@dataclass(frozen=True)
class Complaint:
    """An error in a spec: a message, and advice on how to mend it.

    at: path of the error below the checked value. also: path of the part that the error conflicts
    with.
    """

    code: Code
    message: str
    help: str
    at: tuple[str | int, ...] = ()
    also: tuple[str | int, ...] | None = None

    def below(self, key: str) -> Complaint:
        """Put a key of the spec in front of the paths of the complaint.

        So the paths begin one level higher.
        """
        also = None if self.also is None else (key, *self.also)
        return replace(self, at=(key, *self.at), also=also)


class RefusalError(ValueError):
    """Error: a value in a spec is not accepted, for one or more reasons (complaints)."""

    def __init__(self, *complaints: Complaint) -> None:
        self.complaints = complaints
        super().__init__("; ".join(complaint.message for complaint in complaints))


# Keys that begin with it are the user's own, and have no effect.
OWN_KEY = "x-"


class SpecModel(BaseModel):
    """A mapping in a spec; immutable; refuses unknown keys, NaN and infinities."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True
    )
    # What specs of older versions had; in the order in which it is rewritten.
    older: ClassVar[tuple[OlderKey, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, value: Any) -> Any:
        """Put keys of a group into one value, without keys of the user's own."""
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if not str(key).startswith(OWN_KEY)}
        return group_keys(cls, value)

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """The checks of keys against each other, when each key is valid by itself.

        Each check returns complaints.
        """
        return ()

    @model_validator(mode="after")
    def _check_between(self) -> Self:
        complaints = [complaint for check in self.checks_between() for complaint in check()]
        if complaints:
            raise RefusalError(*complaints)
        return self


def or_absent(default: Any) -> WrapValidator:
    """Make a validator for a field with this default: a key without a value counts as absent."""
    return WrapValidator(lambda value, check: default if value is None else check(value))


def value_text(value: object) -> str:
    """Shorten a value of a spec for messages."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"`{str(value).lower()}`"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return f"`{shorten(str(value))}`"


_CODES = {QuantityFault.NO_UNIT: Code.MISSING_UNIT, QuantityFault.WRONG_UNIT: Code.BAD_UNIT}


def quantity(*dimensions: Dimension, positive: bool = True) -> Callable[[object], int]:
    """Make a validator of texts with a unit of `dimensions`; it returns a whole number."""
    wanted = " or ".join(dimension.noun for dimension in dimensions)
    example = " or ".join(f"`{dimension.example}`" for dimension in dimensions)

    def check(value: object) -> int:
        if value is None:
            raise RefusalError(Complaint(Code.BAD_VALUE, "has no value", f"for example {example}"))
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            message = f"must be {wanted}, not {value_text(value)}"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, f"for example {example}"))
        try:
            steps = parse(str(value), *dimensions)
        except QuantityError as fault:
            code = _CODES.get(fault.fault, Code.BAD_VALUE)
            raise RefusalError(Complaint(code, fault.message, fault.help)) from None
        if positive and steps == 0:
            message = f"must be more than zero, not {value_text(value)}"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, f"for example {example}"))
        return steps

    return check


def quantity_schema(description: str, *dimensions: Dimension) -> dict[str, Any]:
    """Make the JSON Schema of the texts that `quantity` accepts."""
    patterns = [{"pattern": dimension.pattern} for dimension in dimensions]
    shape = patterns[0] if len(patterns) == 1 else {"anyOf": patterns}
    examples = [dimension.example for dimension in dimensions]
    return {"type": "string", **shape, "description": description, "examples": examples}


def with_short_form(short: dict[str, Any], written_out: dict[str, Any]) -> dict[str, Any]:
    """Make the JSON Schema of a mapping that also has a short form."""
    return {"anyOf": [short, written_out]}


def _schema_of(description: str, *dimensions: Dimension) -> WithJsonSchema:
    return WithJsonSchema(quantity_schema(description, *dimensions))


DurationUs = Annotated[
    int, BeforeValidator(quantity(DURATION)), _schema_of("A duration with its unit.", DURATION)
]
RateMrps = Annotated[
    int, BeforeValidator(quantity(RATE)), _schema_of("A rate of requests with its unit.", RATE)
]


def _open_percentage(value: object) -> int:
    ppm = quantity(PERCENT)(value)
    if ppm >= PPM:
        message = f"must lie between 0 % and 100 %, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `99%`"))
    return ppm


PERCENT_SCHEMA = quantity_schema("Between 0 % and 100 %.", PERCENT)
OpenPercentPpm = Annotated[int, BeforeValidator(_open_percentage), WithJsonSchema(PERCENT_SCHEMA)]


@dataclass(frozen=True)
class SloWindow:
    """Accounting window of an SLO: a number of requests, or a duration in microseconds."""

    requests: int | None = None
    duration_us: int | None = None


def _window(value: object) -> SloWindow:
    if isinstance(value, SloWindow):
        return value
    steps = quantity(COUNT, DURATION)(value)
    counts = isinstance(value, str) and "request" in value
    return SloWindow(requests=steps) if counts else SloWindow(duration_us=steps)


WindowField = Annotated[
    SloWindow,
    BeforeValidator(_window),
    _schema_of("A number of requests or a duration.", COUNT, DURATION),
]


def exact(value: object, at: tuple[str | int, ...] = ()) -> Fraction:
    """Convert a number of a spec to the exact decimal as written.

    at: path below its key, for errors.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        message = f"must be a number, not {value_text(value)}"
        hint = "write a number without unit and quotes, such as `1.5`"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, at))
    if not math.isfinite(value):
        hint = "write a number such as `1.5`"
        message = f"must be a finite number, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, at))
    return Fraction(repr(value))


def _millionths(value: object, most: int) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 < ppm <= most * PPM:
        message = f"must be more than zero and at most {most:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `1.5`"))
    return ppm


MAX_SPEEDUP = 1_000_000
MAX_THREADS = 1_000_000


def _speedup(value: object) -> int:
    return _millionths(value, MAX_SPEEDUP)


def _threads(value: object) -> int:
    return _millionths(value, MAX_THREADS)


POSITIVE_SCHEMA = {"type": "number", "exclusiveMinimum": 0}
SpeedupPpm = Annotated[int, BeforeValidator(_speedup), WithJsonSchema(POSITIVE_SCHEMA)]
ThreadsPpm = Annotated[int, BeforeValidator(_threads), WithJsonSchema(POSITIVE_SCHEMA)]

Text = Annotated[str, Strict(), StringConstraints(min_length=1)]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Name = Annotated[str, Strict(), StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=64)]


def _cell(value: object) -> Any:
    """Text that a cell of a trace must equal; numbers and booleans in their canonical form."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return number_text(value)
    return value


Cell = Annotated[
    str,
    BeforeValidator(_cell),
    Strict(),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
