"""Spec keys for the arrival process with which a table is tuned, if it is not Poisson."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic_core import CoreSchema

from tailc.errors import Code
from tailc.percentiles import PPM
from tailc.specs.clocked_demand import ClockedDemandSpec
from tailc.specs.common import DemandSpec
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Text,
    exact,
    value_text,
    with_short_form,
)
from tailc.units import LARGEST

# Keys of `search`, one of which may say how requests arrive.
NOT_POISSON = ("bursts", "diurnal", "recorded")
MOST_IDC = 1_000_000
# Of a day: fewer do not change, and more than one a minute are no curve.
_FEWEST_LEVELS, _MOST_LEVELS = 2, 1_440


def _idc(value: Any) -> int:
    ppm = round(exact(value) * PPM)
    if not PPM <= ppm <= MOST_IDC * PPM:
        message = f"must be from 1 (Poisson) to {MOST_IDC:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `8`"))
    return ppm


class BurstsSpec(SpecModel):
    """Arrivals in bursts at each rate: the rate switches between two levels."""

    idc_ppm: Annotated[
        int, BeforeValidator(_idc), WithJsonSchema({"type": "number", "minimum": 1})
    ] = Field(
        alias="idc",
        examples=[8],
        description="Index of dispersion of counts over long times; 1 is Poisson.",
    )
    spell_us: DurationUs = Field(
        alias="spell", examples=["2s"], description="Mean time of a busy spell."
    )
    busy_ppm: OpenPercentPpm | None = Field(
        default=None, alias="busy", description="Share of the time that is busy. Default: 20%."
    )


def _levels(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list):
        message = (
            f"must be a list of levels at equally spaced times of a day, not {value_text(value)}"
        )
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `[0.5, 1, 1.5]`"))
    if not _FEWEST_LEVELS <= len(value) <= _MOST_LEVELS:
        message = f"must be from {_FEWEST_LEVELS} to {_MOST_LEVELS:,} levels, not {len(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `[0.5, 1, 1.5]`"))
    levels_ppm = tuple(_level(level, place) for place, level in enumerate(value))
    if not any(levels_ppm):
        message, hint = "are all zero, so no requests arrive", "give a level above zero"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return levels_ppm


def _level(value: Any, place: int) -> int:
    ppm = round(exact(value, (place,)) * PPM)
    if not 0 <= ppm <= LARGEST:
        message = f"must be from 0 to {LARGEST // PPM:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `0.5`", (place,)))
    return ppm


DayLevelsPpm = Annotated[
    tuple[int, ...],
    BeforeValidator(_levels),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "number", "minimum": 0},
            "minItems": _FEWEST_LEVELS,
            "maxItems": _MOST_LEVELS,
        }
    ),
]


class RecordedSpec(SpecModel):
    """The column of the trace with the arrival times of requests."""

    column: Text = Field(examples=["at"], description="Column of the arrival times.")
    unit: Literal["ns", "us", "ms", "s"] | None = Field(
        default=None, description="Unit of a column of numbers; date-times need none."
    )
    gaps: Literal["error", "keep", "close"] = Field(
        default="error",
        description="Long silences: refuse, keep (the service was idle), close (the recording "
        "paused).",
    )

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: Any) -> Any:
        """`at` is short for `{column: at}`."""
        return {"column": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return with_short_form({"type": "string", "minLength": 1}, handler(core_schema))


Bursts = Annotated[
    BurstsSpec | None,
    Field(
        description="Method `simulation`: arrivals in bursts. Default: Poisson.",
        examples=[{"idc": 8, "spell": "2s"}],
    ),
]
DayPpm = Annotated[
    DayLevelsPpm | None,
    Field(
        alias="diurnal",
        description="Method `simulation`: relative levels of the rate at equally spaced times of "
        "a day.",
        examples=[[0.5, 1, 1.5]],
    ),
]
Recording = Annotated[
    RecordedSpec | None,
    Field(
        description="Method `simulation`: gaps between arrivals from a column of times in the "
        "trace.",
        examples=["at", {"column": "at", "unit": "s"}],
    ),
]


def is_given(search: SpecModel, name: str) -> bool:
    """Whether the user gave the key of a field; the field's name may end with a unit.

    name: of the field.
    """
    return not {name, f"{name}_ppm"}.isdisjoint(search.model_fields_set)


def conflict_complaints(search: SpecModel) -> Iterator[Complaint]:
    """Report keys that both define the arrival process, if the spec has several."""
    first, *others = [name for name in NOT_POISSON if is_given(search, name)] or [""]
    for other in others:
        message = f"and `search.{first}` both define how requests arrive"
        at, also = ("search", other), ("search", first)
        yield Complaint(Code.CONFLICT, message, "remove one", at, also)


def recorded_complaints(
    recorded: RecordedSpec | None, demand: DemandSpec | ClockedDemandSpec
) -> Iterator[Complaint]:
    """Report recorded arrivals whose times the trace cannot give in order."""
    if recorded is None:
        return
    at, held_out = ("search", "recorded"), demand.held_out
    if demand.trace == "-":
        message = "needs a trace file, because standard input can be read only once"
        yield Complaint(
            Code.CONFLICT, message, "write the trace to a file", at, ("demand", "trace")
        )
    if held_out is not None and held_out.by != "time":
        message = (
            "needs consecutive requests, but the held-out requests are taken from between them"
        )
        hint = "hold out the last requests: `held_out: {fraction: 20%, by: time, column: at}`"
        yield Complaint(Code.CONFLICT, message, hint, at, ("demand", "held_out"))
