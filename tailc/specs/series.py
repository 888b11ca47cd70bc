"""Spec keys for a time series in a table or a raw weather file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from tailc.errors import Code
from tailc.specs.fields import (
    Cell,
    Complaint,
    Flag,
    RefusalError,
    SpecModel,
    Text,
    Whole,
    or_absent,
)
from tailc.specs.one_of import AtMostOne, ByValue, OneOf, Stray
from tailc.specs.plan_units import PowerMw, Seconds

WEATHER_COLUMNS = ("ghi", "dni", "dhi", "cloud_cover")
Year = Annotated[Whole, Field(ge=1970, le=9998)]


class TableSeries(SpecModel):
    """A series in a column of a table, whose unit the spec must state."""

    unit: Text = Field(
        examples=["kW"],
        description="Unit of the values: see the page on jobs, energy and weather. Not for "
        "weather files, whose units are fixed.",
    )


class TypicalYear(SpecModel):
    """A weather file of a typical year, whose months are from several years."""

    year: Year = Field(
        examples=[2012],
        description="Year to use for the typical year of a `tmy3` file.",
    )


class MeasuredYear(SpecModel):
    """A weather file of a real year."""


def _source(series: Mapping[str, Any]) -> type[TableSeries | TypicalYear | MeasuredYear]:
    match series.get("format"):
        case "nsrdb":
            return MeasuredYear
        case "tmy3":
            message = "is a typical year, which needs a year for its dates"
            _refuse_without(series, "year", message, "add `year: 2012`", "format")
            return TypicalYear
        case _:
            message = "has values without a unit"
            _refuse_without(
                series, "unit", message, "add the unit, for example `unit: kW`", "column"
            )
            return TableSeries


def _refuse_without(series: Mapping[str, Any], key: str, message: str, hint: str, at: str) -> None:
    """Refuse a missing key if the key that needs it is given."""
    if series.get(key) is None:
        missing = Complaint(Code.MISSING_KEY, message, hint, (at,))
        raise RefusalError(*((missing,) if at in series else ()))


_BY_FORMAT = ByValue(
    _source,
    {
        "unit": Stray("has no effect: the units of a weather file are fixed", "remove it"),
        "year": Stray("applies only to `format: tmy3`", "remove it"),
    },
    also="format",
)


class SeriesSpec(SpecModel):
    """A series in a column of a file with a column of times, or in a weather file."""

    trace: Text = Field(
        examples=["roof.csv"], description="Path of the file, relative to the spec."
    )
    format: Literal["auto", "parquet", "csv", "ndjson", "tmy3", "nsrdb"] = Field(
        default="auto",
        description="Format of the file; `auto` goes by its name and first bytes. Raw weather "
        "files are `tmy3` and `nsrdb`.",
    )
    time: Text = Field(default="time", description="Column of times.")
    column: Text = Field(
        examples=["kw"],
        description="Column of values; for a weather file `ghi`, `dni`, `dhi` or `cloud_cover`.",
    )
    source: Annotated[TableSeries | TypicalYear | MeasuredYear, OneOf(_BY_FORMAT)] = Field(
        alias="<source>"
    )
    zone: Text | None = Field(
        default=None, examples=["America/Denver"], description="Time zone of times without one."
    )
    time_pattern: Text | None = Field(
        default=None,
        examples=["%d.%m.%Y %H:%M"],
        description="Pattern of times that are not ISO 8601.",
    )
    timestamp: Literal["start", "end"] = Field(
        default="start", description="Whether a row's time is that of its step's start or end."
    )
    step_s: Seconds | None = Field(
        default=None, alias="step", description="Length of a step. Default: the most common length."
    )
    fill_up_to_s: Annotated[Seconds, or_absent(0)] = Field(
        default=0,
        alias="fill_up_to",
        description="Fill gaps up to this length by linear interpolation.",
        json_schema_extra={"default": "0s"},
    )
    skip_longer_gaps: Flag = Field(
        default=False, description="Days in longer gaps are left out, instead of refused."
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that a weather file has the named column."""
        return (self._weather,)

    @property
    def is_weather(self) -> bool:
        """Whether the file is a raw weather file."""
        return not isinstance(self.source, TableSeries)

    def _weather(self) -> list[Complaint]:
        if not self.is_weather or self.column in WEATHER_COLUMNS:
            return []
        hint = "use one of " + ", ".join(f"`{name}`" for name in WEATHER_COLUMNS)
        message = "is not a column of a weather file"
        return [Complaint(Code.BAD_VALUE, message, hint, ("column",))]


class AsMeasured(SpecModel):
    """A power as it is in the file."""


class ToPeak(SpecModel):
    """Scaling of a series so that its largest value is a given peak power."""

    peak_mw: PowerMw = Field(
        alias="peak",
        examples=["176.2kW"],
        description="Scale the series to this largest value; this converts irradiance to power.",
    )


class GreenSourceSpec(SeriesSpec):
    """Green power of sun or wind: a series of power, unchanged or scaled to a peak."""

    scale: Annotated[AsMeasured | ToPeak, OneOf(AtMostOne())] = Field(alias="<scale>")

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that a source in units of irradiance states a peak power."""
        return (self._weather, self._peak)

    def _peak(self) -> list[Complaint]:
        if self.is_weather and isinstance(self.scale, AsMeasured):
            message = "has irradiance, which needs a peak power to become a power"
            return [Complaint(Code.MISSING_KEY, message, "add `peak: 176.2kW`", ("trace",))]
        return []
