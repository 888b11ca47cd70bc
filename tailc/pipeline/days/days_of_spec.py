"""Read the days that a spec names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from tailc.errors import Code, Finding, TailcError
from tailc.forecasts.days import MG_PER_G, UDOLLARS, Days, Energy
from tailc.pipeline.days.energy import (
    At,
    PathOf,
    PlaceOf,
    constant_series,
    cut_to_common,
    read_on_epochs,
    without_negative_prices,
)
from tailc.pipeline.days.energy_forecasts import ForecastInputs, forecasts_of, scenarios_of
from tailc.pipeline.days.log import read_log
from tailc.specs.days import DaysSettings, HorizonSpec
from tailc.specs.series import SeriesSpec
from tailc.traces.series.resample import sum_series
from tailc.traces.series.series import SECONDS_PER_DAY, SeriesQuantity, TimeSeries
from tailc.traces.zones import ADVICE, TimeError, instant, utc_text, zone_of

PERIODS_BEFORE = 8
"""Number of periods of the horizon's length before the plan for which forecasts are made too."""


def open_days(spec: DaysSettings, spec_path: str, place: PlaceOf) -> Days:
    """Read the days of jobs and energy that a spec names; paths are relative to its folder.

    place: gives the location of a path of the spec. Raises TailcError for files that cannot be
    read, a start outside of the series, and hours of the horizon without data.
    """
    reader = _SeriesReader(
        spec, place, _relative_paths(spec_path), start_unix_s(spec.horizon, place)
    )
    sources, clouds, price, carbon = reader.series()
    power = sum_series(sources)
    first = (reader.start_unix_s - power.start_unix_s) // power.step_s
    epochs = spec.horizon.length_s // power.step_s
    _check_horizon(first, epochs, power, place)
    earlier = PERIODS_BEFORE * -(-spec.horizon.length_s // SECONDS_PER_DAY) * SECONDS_PER_DAY
    sun = ForecastInputs(
        sources, clouds, _midnight_s(spec.horizon), first, epochs, earlier // power.step_s
    )
    forecasts = forecasts_of(spec.supply.forecast, sun)
    energy = Energy(power, price, carbon, forecasts)
    _check_known(energy, slice(first, first + epochs), place)
    within = (power.start_unix_s, power.end_unix_s)
    jobs = read_log(spec.jobs, reader.start_unix_s, within, place, reader.path)
    scenarios = scenarios_of(spec.supply.forecast, power, forecasts, sun)
    warnings = dict.fromkeys((*jobs.warnings, *power.warnings, *price.warnings, *carbon.warnings))
    return Days(jobs, energy, first, epochs, scenarios, tuple(warnings))


@dataclass(frozen=True)
class _SeriesReader:
    spec: DaysSettings
    place: PlaceOf
    path: PathOf
    start_unix_s: int

    def series(
        self,
    ) -> tuple[tuple[TimeSeries, ...], TimeSeries | None, TimeSeries, TimeSeries]:
        """Green sources, clouds, price and carbon intensity, on their common epochs."""
        supply = self.spec.supply
        sources = [
            self._read(each, SeriesQuantity.POWER, ("supply", "green", number))
            for number, each in enumerate(supply.green)
        ]
        optional = {
            "price": self._maybe(supply.price, SeriesQuantity.PRICE, ("supply", "price")),
            "carbon": self._maybe(supply.carbon, SeriesQuantity.CARBON, ("supply", "carbon")),
            "clouds": self._maybe(
                supply.forecast.clouds, SeriesQuantity.CLOUD_COVER, ("supply", "forecast", "clouds")
            ),
        }
        there = [name for name, one in optional.items() if one is not None]
        lists = cut_to_common((*sources, *(one for one in optional.values() if one is not None)))
        cut = dict(zip(there, lists[len(sources) :], strict=True))
        green = lists[: len(sources)]
        price, carbon = supply.price, supply.carbon
        prices = (
            cut["price"]
            if isinstance(price, SeriesSpec)
            else constant_series(SeriesQuantity.PRICE, price / UDOLLARS, green[0])
        )
        return (
            green,
            cut.get("clouds"),
            without_negative_prices(prices) if supply.grid_mw is None else prices,
            cut["carbon"]
            if isinstance(carbon, SeriesSpec)
            else constant_series(SeriesQuantity.CARBON, carbon / MG_PER_G, green[0]),
        )

    def _maybe(
        self, spec: SeriesSpec | int | None, quantity: SeriesQuantity, at: At
    ) -> TimeSeries | None:
        return self._read(spec, quantity, at) if isinstance(spec, SeriesSpec) else None

    def _read(self, spec: SeriesSpec, quantity: SeriesQuantity, at: At) -> TimeSeries:
        horizon = (self.spec.horizon, self.start_unix_s)
        return read_on_epochs(spec, quantity, at, horizon, self.place, self.path)


def _relative_paths(spec_path: str) -> PathOf:
    def path(named: str) -> str:
        return named if "-" in (named, spec_path) else str(Path(spec_path).parent / named)

    return path


def start_unix_s(horizon: HorizonSpec, place: PlaceOf) -> int:
    """Start of the plan in Unix seconds.

    Raises TailcError, with the place in the spec, for anything but a time with a time zone.
    """
    try:
        # Checked even if the start has an offset, to find misspelled zones.
        if horizon.zone is not None:
            zone_of(horizon.zone)
    except TimeError as error:
        at = place("horizon", "zone")
        raise TailcError(Finding(Code.NO_ZONE, str(error), at, ADVICE)) from None
    try:
        return instant(horizon.start, horizon.zone)
    except TimeError as error:
        code = Code.NO_ZONE if error.lacks_zone else Code.BAD_VALUE
        hint = ADVICE if error.lacks_zone else "for example `2012-07-01T00:00-06:00`"
        raise TailcError(Finding(code, str(error), place("horizon", "start"), hint)) from None


def _midnight_s(horizon: HorizonSpec) -> int:
    """Seconds from midnight UTC to local midnight, by the zone's offset at the horizon's start."""
    time = datetime.fromisoformat(horizon.start)
    if time.tzinfo is None:
        assert horizon.zone is not None
        time = time.replace(tzinfo=zone_of(horizon.zone))
    offset = time.utcoffset()
    assert offset is not None
    return int(-offset.total_seconds()) % SECONDS_PER_DAY


def _check_horizon(first: int, epochs: int, power: TimeSeries, place: PlaceOf) -> None:
    if first >= 0 and first + epochs <= power.steps:
        return
    there = f"`{utc_text(power.start_unix_s)}` to `{utc_text(power.end_unix_s)}`"
    does, epoch = ("begin", first) if first < 0 else ("end", first + epochs)
    at = utc_text(power.start_unix_s + epoch * power.step_s)
    message = f"the plan would {does} at `{at}`, but the energy series covers only {there}"
    hint = "start within the series, or choose a shorter `length`"
    raise TailcError(Finding(Code.SHORT_HISTORY, message, place("horizon", "start"), hint))


def _check_known(energy: Energy, within: slice, place: PlaceOf) -> None:
    for one in energy.series:
        unknown = np.flatnonzero(~one.known[within])
        if len(unknown):
            at = one.start_unix_s + (within.start + int(unknown[0])) * one.step_s
            message = f"the {one.quantity.noun} of `{one.source}` is unknown at `{utc_text(at)}`"
            hint = "start at another time, or fill gaps with `fill_up_to`"
            raise TailcError(Finding(Code.SERIES_GAP, message, place("horizon", "start"), hint))
