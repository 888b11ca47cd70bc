"""Read the energy series that a spec names, on common epochs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.specs.days import HorizonSpec
from tailc.specs.series import (
    GreenSourceSpec,
    MeasuredYear,
    SeriesSpec,
    TableSeries,
    ToPeak,
    TypicalYear,
)
from tailc.traces.series.reading import SeriesReading, Stamp, likely_unit, units_of
from tailc.traces.series.resample import cut_series, on_epochs, scaled_to_peak
from tailc.traces.series.series import SeriesQuantity, TimeSeries
from tailc.traces.series.table_series import read_series
from tailc.traces.series.weather import Weather, read_nsrdb, read_tmy3
from tailc.traces.source import Format
from tailc.traces.zones import ADVICE, TimeError, utc_text, zone_of
from tailc.units import OTHER_CURRENCY, plural

MW_PER_W = 1_000
At = tuple[str | int, ...]
PlaceOf = Callable[..., Place]
PathOf = Callable[[str], str]


def read_on_epochs(
    spec: SeriesSpec,
    quantity: SeriesQuantity,
    at: At,
    horizon: tuple[HorizonSpec, int],
    place: PlaceOf,
    path: PathOf,
) -> TimeSeries:
    """Read a series of energy or prices, and merge its steps to the epochs of a plan.

    One of these epochs starts with the horizon (the time that the plan covers). horizon: its spec,
    and its start in Unix seconds. Raises TailcError for a unit that does not fit the quantity, and
    if no step of the series starts at the beginning of an epoch.
    """
    if isinstance(spec.source, TableSeries):
        _check_unit(spec.source.unit, quantity, place(*at, "unit"))
    if spec.zone is not None:
        _check_zone(spec.zone, place(*at, "zone"))
    series = _read(spec, quantity, place(*at, "column"), path)
    if isinstance(spec, GreenSourceSpec) and isinstance(spec.scale, ToPeak):
        series = scaled_to_peak(series, spec.scale.peak_mw / MW_PER_W)
    return _on_epochs(series, *horizon, place)


def _check_unit(unit: str, quantity: SeriesQuantity, at: Place) -> None:
    if unit not in units_of(quantity):
        known = ", ".join(f"`{one}`" for one in units_of(quantity))
        message = f"`{unit}` is not a unit of {quantity.noun}"
        help_ = f"use one of {known}"
        if (meant := likely_unit(unit, quantity)) is not None:
            help_ = f"did you mean `{meant}`? U{help_[1:]}"
        if meant is not None and quantity is SeriesQuantity.PRICE:
            help_ += OTHER_CURRENCY
        raise TailcError(Finding(Code.BAD_UNIT, message, at, help_))


def _check_zone(zone: str, at: Place) -> None:
    """Raise TailcError for an unknown zone, even if the times have offsets."""
    try:
        zone_of(zone)
    except TimeError as error:
        raise TailcError(Finding(Code.NO_ZONE, str(error), at, ADVICE)) from None


def _read(spec: SeriesSpec, quantity: SeriesQuantity, at: Place, path: PathOf) -> TimeSeries:
    """The series as in the file. at: location of its column name in the spec."""
    file = path(spec.trace)
    match spec.source:
        case TableSeries(unit=unit):
            return read_series(file, _reading(spec, unit, quantity), _format(spec))
        case TypicalYear(year=year):
            weather = read_tmy3(file, year)
        case MeasuredYear():
            weather = read_nsrdb(file)
    return _of_weather(weather, spec.column, quantity, at)


def _reading(spec: SeriesSpec, unit: str, quantity: SeriesQuantity) -> SeriesReading:
    return SeriesReading(
        time=spec.time,
        value=spec.column,
        quantity=quantity,
        unit=unit,
        zone=spec.zone,
        time_pattern=spec.time_pattern,
        stamp=Stamp(spec.timestamp),
        step_s=spec.step_s,
        fill_up_to_s=spec.fill_up_to_s,
        skip_longer_gaps=spec.skip_longer_gaps,
        where=tuple(sorted(spec.where.items())),
    )


def _format(spec: SeriesSpec) -> Format:
    assert spec.format not in ("tmy3", "nsrdb")
    return spec.format


def _of_weather(weather: Weather, column: str, quantity: SeriesQuantity, at: Place) -> TimeSeries:
    """A series of a weather file; irradiance serves as the power of panels, up to scaling."""
    series: TimeSeries = getattr(weather, column)
    given = SeriesQuantity.IRRADIANCE if quantity is SeriesQuantity.POWER else quantity
    if series.quantity is not given:
        message = f"`{column}` is a {series.quantity.noun}, but a {given.noun} is needed"
        hint = f"name a column that is a {given.noun}"
        raise TailcError(Finding(Code.BAD_VALUE, message, at, hint))
    return replace(series, quantity=quantity)


def cut_to_common(series: tuple[TimeSeries, ...]) -> tuple[TimeSeries, ...]:
    """Cut all series to the time that they have in common.

    Raises TailcError if there is no such time.
    """
    start_unix_s = max(one.start_unix_s for one in series)
    end_unix_s = min(one.end_unix_s for one in series)
    if start_unix_s >= end_unix_s:
        last = max(series, key=lambda one: one.start_unix_s)
        message = f"begins at `{utc_text(start_unix_s)}`, after another series has ended"
        hint = "give series of the same period"
        finding = Finding(Code.SHORT_HISTORY, f"the series {message}", Place(last.source), hint)
        raise TailcError(finding)
    return tuple(cut_series(one, start_unix_s, end_unix_s - start_unix_s) for one in series)


def constant_series(quantity: SeriesQuantity, value: float, like: TimeSeries) -> TimeSeries:
    """Make a series with one constant value, in the steps of the series `like`."""
    values = np.full(like.steps, value)
    known = np.ones(like.steps, dtype=np.bool_)
    return TimeSeries(quantity, like.start_unix_s, like.step_s, values, known, "a constant")


def without_negative_prices(price: TimeSeries) -> TimeSeries:
    """Set negative prices to 0, with a warning: a plan without `grid` earns nothing."""
    below = price.value < 0
    if not below.any():
        return price
    message = f"{plural(int(below.sum()), 'negative price')} counted as 0"
    hint = (
        "no change is needed, unless you are paid for power that is thrown away: then set `grid` "
        "of `supply`"
    )
    place = Place(price.source)
    warning = Finding(Code.NIGHT_CLAMPED, message, place, hint, Severity.WARNING)
    value = np.where(below, 0.0, price.value)
    return replace(price, value=value, warnings=(*price.warnings, warning))


def _on_epochs(
    series: TimeSeries, horizon: HorizonSpec, start_unix_s: int, place: PlaceOf
) -> TimeSeries:
    epoch_s = horizon.epoch_s
    # A step a whole number of epochs from the start; the pattern repeats after `epoch_s` steps.
    lead = (start_unix_s - series.step_unix_s[:epoch_s]) % epoch_s == 0
    if not lead.any():
        message = (
            f"no epoch of {epoch_s} s from this start begins with a step of `{series.source}`, "
            f"which has steps of {series.step_s} s from `{utc_text(series.start_unix_s)}` on"
        )
        hint = "start at a step of the series, or choose shorter epochs"
        raise TailcError(Finding(Code.CONFLICT, message, place("horizon", "start"), hint))
    return on_epochs(series.part(slice(int(np.argmax(lead)), None)), epoch_s)
