"""How requests arrive at the rates that a table is tuned for, where that is not Poisson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic_core import CoreSchema

from tailc.errors import Code
from tailc.percentiles import PPM
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Text,
    exact,
    with_short_form,
    written,
)
from tailc.units import LARGEST

if TYPE_CHECKING:
    from tailc.replay.modulated import Burstiness
    from tailc.traces.arrivals import ArrivalColumn

MOST_IDC = 1_000_000
# Of a day: fewer do not change, and more than one a minute are no curve.
_FEWEST_LEVELS, _MOST_LEVELS = 2, 1_440


def _idc(value: Any) -> int:
    ppm = round(exact(value) * PPM)
    if not PPM <= ppm <= MOST_IDC * PPM:
        message = f"must be from 1 (Poisson) to {MOST_IDC:,}, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `8`"))
    return ppm


class BurstsSpec(SpecModel):
    """How requests come in bursts at each of the rates: the rate switches between two levels."""

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
        default=None, alias="busy", description="Share of the time that is busy; 20%, if absent."
    )

    @property
    def burstiness(self) -> Burstiness:
        """The same for a replay."""
        # The replay takes half a second to import, which most specs can do without.
        from tailc.replay.modulated import BUSY_PPM, Burstiness

        return Burstiness(self.idc_ppm, self.spell_us, self.busy_ppm or BUSY_PPM)


def _levels(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list):
        message = f"must be a list of levels at equal times round the day, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `[0.5, 1, 1.5]`"))
    if not _FEWEST_LEVELS <= len(value) <= _MOST_LEVELS:
        message = f"must be from {_FEWEST_LEVELS} to {_MOST_LEVELS:,} levels, not {len(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `[0.5, 1, 1.5]`"))
    levels_ppm = tuple(_level(level, place) for place, level in enumerate(value))
    if not any(levels_ppm):
        message, hint = "are all zero: nothing arrives", "give a level above zero"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return levels_ppm


def _level(value: Any, place: int) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 <= ppm <= LARGEST:
        message = f"must not be less than zero, nor above {LARGEST // PPM:,}: {written(value)}"
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
    """The column of the trace with the time at which each request arrived."""

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

    @property
    def arrivals(self) -> ArrivalColumn:
        """The same for whoever reads the trace."""
        from tailc.traces.arrivals import ArrivalColumn, Gaps
        from tailc.traces.reading import TimeUnit

        unit = None if self.unit is None else TimeUnit(self.unit)
        return ArrivalColumn(self.column, unit, Gaps(self.gaps), is_rescaled=True)
