"""Types of spec fields for cores: powers, frequencies, and durations that may be 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from tailc.errors import Code
from tailc.specs.cores import PowerUnit
from tailc.specs.fields import (
    PPM,
    Complaint,
    RefusalError,
    exact,
    quantity,
    quantity_schema,
    value_text,
)
from tailc.units import DURATION, FREQUENCY, PERCENT, POWER

# Grid steps of a power with a unit are milliwatts, and powers are kept in millionths of a watt.
_PPM_PER_MILLIWATT = 1_000
_MOST_POWER = 1_000_000
_HINT = "for example `2.5W`, or `6.8` for 6.8 times the power of a slow core"


@dataclass(frozen=True)
class PowerQuantity:
    """A power in millionths of its unit, watts or the power of a slow core."""

    ppm: int
    unit: PowerUnit


def _power(value: object) -> PowerQuantity:
    if isinstance(value, PowerQuantity):
        return value
    power = _skip_check(value)
    if not 0 <= power.ppm <= _MOST_POWER * PPM:
        raise _outside("at least zero", value)
    return power


def _outside(least: str, value: object) -> RefusalError:
    message = f"must be {least} and at most {_MOST_POWER:,}, not {value_text(value)}"
    return RefusalError(Complaint(Code.BAD_VALUE, message, _HINT))


def _skip_check(value: object) -> PowerQuantity:
    return _watts(value) if isinstance(value, str) else _slow_cores(value)


def _watts(value: str) -> PowerQuantity:
    return PowerQuantity(
        quantity(POWER, positive=False)(value) * _PPM_PER_MILLIWATT, PowerUnit.WATT
    )


def _slow_cores(value: object) -> PowerQuantity:
    if value is None:
        raise RefusalError(Complaint(Code.BAD_VALUE, "has no value", _HINT))
    return PowerQuantity(round(exact(value) * PPM), PowerUnit.SLOW_CORE)


def _positive_power(value: object) -> PowerQuantity:
    """Check a power that is at least the smallest accepted one."""
    if isinstance(value, str):
        least, least_ppm = "at least 0.001 W", _PPM_PER_MILLIWATT
    else:
        least, least_ppm = "at least 0.000001 of a slow core's", 1
    power = value if isinstance(value, PowerQuantity) else _skip_check(value)
    if not least_ppm <= power.ppm <= _MOST_POWER * PPM:
        raise _outside(least, value)
    return power


def _schema(minimum: dict[str, int], what: str) -> dict[str, Any]:
    watts = quantity_schema(what, POWER)
    return {"anyOf": [{"type": "number", **minimum}, watts], "description": what}


_POSITIVE = _schema({"exclusiveMinimum": 0}, "A power in watts, or relative to a slow core.")
_IDLE = _schema({"minimum": 0}, "A power in watts, or relative to a slow core; it may be 0.")
_ONE_OR_MORE = {"anyOf": [_POSITIVE, {"type": "array", "items": _POSITIVE, "minItems": 1}]}

PowerField = Annotated[PowerQuantity, BeforeValidator(_positive_power), WithJsonSchema(_POSITIVE)]
IdlePowerField = Annotated[PowerQuantity, BeforeValidator(_power), WithJsonSchema(_IDLE)]
# One power is short for a list of it.
PowersField = Annotated[
    tuple[PowerField, ...],
    BeforeValidator(lambda value: value if isinstance(value, (list, tuple)) else [value]),
    WithJsonSchema(_ONE_OR_MORE),
]
FrequencyKhz = Annotated[
    int,
    BeforeValidator(quantity(FREQUENCY)),
    WithJsonSchema(quantity_schema("A frequency with its unit.", FREQUENCY)),
]
PauseUs = Annotated[
    int,
    BeforeValidator(quantity(DURATION, positive=False)),
    WithJsonSchema(quantity_schema("A duration with its unit; it may be 0.", DURATION)),
]


def _share(value: object) -> int:
    ppm = quantity(PERCENT, positive=False)(value)
    if ppm >= PPM:
        message = f"must be less than 100 %, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `20%`"))
    return ppm


SharePpm = Annotated[
    int,
    BeforeValidator(_share),
    WithJsonSchema(quantity_schema("From 0 % to less than 100 %.", PERCENT)),
]
