"""Checks of series of power, irradiance and carbon intensity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Sighting, check
from tailc.lint.views import SeriesSteps
from tailc.traces.series.series import SECONDS_PER_DAY, SeriesQuantity
from tailc.traces.zones import utc_text
from tailc.units import plural

_NIGHT = (22.5, 2.5)
_NIGHT_SHARE, _DAYS = 0.05, 2
_NOON = (9.5, 14.5)
_STUCK_STEPS = 8
_RISES, _SPIKE, _CARBON = 0.98, 5.0, 1_500.0
# Irradiance above the atmosphere, plus reflection by nearby clouds.
_SUN_W_M2 = 1_600.0
_DARK = 0.01


def _days(steps: SeriesSteps) -> float:
    return steps.series.steps * steps.series.step_s / SECONDS_PER_DAY


def _is_sunny(steps: SeriesSteps) -> bool:
    has_days = steps.column.is_of_the_sun and _days(steps) >= _DAYS
    return has_days and bool((steps.series.value > 0).any())


def _time_text(steps: SeriesSteps, index: int) -> str:
    return utc_text(steps.series.start_unix_s + index * steps.series.step_s)


def _top(steps: SeriesSteps) -> float:
    return float(np.percentile(steps.series.value[steps.series.known], 99))


def _middle_hour(steps: SeriesSteps) -> float:
    """Hour of the day around which production is centred (circular mean)."""
    turn = np.exp(2j * np.pi * steps.local_hour / 24)
    return float(np.angle((turn * steps.series.value).sum()) / (2 * np.pi) * 24 % 24)


def _is_shifted(steps: SeriesSteps) -> bool:
    return not _NOON[0] <= _middle_hour(steps) <= _NOON[1]


def _noon(steps: SeriesSteps) -> Iterator[Sighting]:
    if _is_sunny(steps) and steps.is_local and _is_shifted(steps):
        message = f"solar production is centred at {_middle_hour(steps):.1f} h instead of noon"
        yield Sighting(message, column=steps.column.name)


def _nights(steps: SeriesSteps) -> Iterator[Sighting]:
    hour, value = steps.local_hour, steps.series.value
    if not _is_sunny(steps) or _is_shifted(steps):
        return
    found = ((hour > _NIGHT[0]) | (hour < _NIGHT[1])) & (value > _NIGHT_SHARE * _top(steps))
    if found.any():
        first = _time_text(steps, int(np.argmax(found)))
        message = f"{int(found.sum())} steps at night have solar production, the first at {first}"
        yield Sighting(message, column=steps.column.name)


def _stuck(steps: SeriesSteps) -> Iterator[Sighting]:
    """Runs of many steps with the same value above 0."""
    value = steps.series.value
    changes = np.flatnonzero(np.diff(value) != 0) + 1
    starts = np.concatenate([[0], changes])
    lengths = np.diff(np.concatenate([starts, [len(value)]]))
    long = (lengths >= _STUCK_STEPS) & (value[starts] > 0) & (value[starts] < value.max())
    if long.any() and not _is_meter(steps):
        at = int(starts[np.argmax(long)])
        length = lengths[np.argmax(long)]
        begin = _time_text(steps, at)
        message = f"the value {value[at]:g} does not change for {length} steps from {begin}"
        yield Sighting(message, int(long.sum()), column=steps.column.name)


def _known_values(steps: SeriesSteps) -> np.ndarray:
    return steps.series.value[steps.series.known]


def _is_meter(steps: SeriesSteps) -> bool:
    """Whether values almost never fall, and rise to many times the first."""
    value = _known_values(steps)
    rises = np.diff(value) >= 0
    return bool(len(value) > 20 and rises.mean() >= _RISES and value.max() > 0)


def _meter(steps: SeriesSteps) -> Iterator[Sighting]:
    if steps.column.quantity is SeriesQuantity.POWER and _is_meter(steps):
        values = _known_values(steps)
        message = f"the values never decrease: they rise from {values[0]:g} to {values.max():g}"
        yield Sighting(message, column=steps.column.name)


def _meter_reset(steps: SeriesSteps) -> Iterator[Sighting]:
    value = _known_values(steps)
    drops = np.flatnonzero(np.diff(value) < -0.5 * value.max()) if len(value) else []
    if len(drops) and steps.column.quantity is SeriesQuantity.POWER and _is_meter(steps):
        first = _time_text(steps, int(drops[0]) + 1)
        message = f"a meter reading decreases {plural(len(drops), 'time')}, first at {first}"
        yield Sighting(message, column=steps.column.name)


def _spikes(steps: SeriesSteps) -> Iterator[Sighting]:
    found = steps.series.value > _SPIKE * _top(steps)
    if _top(steps) > 0 and found.any():
        at = int(np.argmax(found))
        times = steps.series.value[at] / _top(steps)
        message = f"the value at {_time_text(steps, at)} is {times:.0f} times the 99th percentile "
        message += "of the series"
        yield Sighting(message, int(found.sum()), column=steps.column.name)


def _dark_days(steps: SeriesSteps) -> Iterator[Sighting]:
    if not _is_sunny(steps):
        return
    per_day = SECONDS_PER_DAY // steps.series.step_s
    days = steps.series.steps // per_day
    sums = steps.series.value[: days * per_day].reshape(days, -1).sum(axis=1)
    all_known = steps.series.known[: days * per_day].reshape(days, -1).all(axis=1)
    dark = (sums < _DARK * np.median(sums)) & all_known
    if dark.any():
        first = _time_text(steps, int(np.argmax(dark)) * per_day)
        message = (
            f"{plural(int(dark.sum()), 'day')} without solar production, the first from {first}"
        )
        yield Sighting(message, int(dark.sum()), column=steps.column.name)


def _too_bright(steps: SeriesSteps) -> Iterator[Sighting]:
    if (
        steps.column.quantity is SeriesQuantity.IRRADIANCE
        and _known_values(steps).max() > _SUN_W_M2
    ):
        message = f"irradiance reaches {_known_values(steps).max():g} W/m2, more than the sun gives"
        yield Sighting(message, column=steps.column.name)


def _odd_carbon(steps: SeriesSteps) -> Iterator[Sighting]:
    if steps.column.quantity is SeriesQuantity.CARBON:
        median = float(np.median(_known_values(steps)))
        if not 1 <= median <= _CARBON:
            yield Sighting(f"the median carbon is {median:g} g/kWh", column=steps.column.name)


_check = partial(check, SeriesSteps, 1600)

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

CHECKS = (
    _check(
        1,
        "shifted-noon",
        _WARNING,
        _noon,
        "the solar day is not centred on noon",
        "the time zone is wrong, so plans run work at night",
        "give the time zone with `--zone`, and in the spec",
    ),
    _check(
        2,
        "sun-at-night",
        _WARNING,
        _nights,
        "there is solar power at night",
        "plans use power that does not exist",
        "check the sensor and the time zone, and empty those cells",
    ),
    _check(
        3,
        "stuck-sensor",
        _WARNING,
        _stuck,
        "a value stays the same for a long time",
        "a logger that hangs repeats its last value",
        "empty those cells, so that they count as gaps",
    ),
    _check(
        4,
        "meter-as-power",
        _ERROR,
        _meter,
        "the values only increase, as those of a meter",
        "energy since the start counts as power",
        "use differences of successive readings, as the energy of each step",
    ),
    _check(
        5,
        "meter-reset",
        _WARNING,
        _meter_reset,
        "a meter decreases",
        "a difference across it is a large negative energy",
        "leave out the step where it decreases",
    ),
    _check(
        6,
        "spike",
        _WARNING,
        _spikes,
        "a value is many times all others",
        "limits and forecasts depend on the largest power",
        "empty the cell if such power is impossible",
    ),
    _check(
        7,
        "dark-day",
        _WARNING,
        _dark_days,
        "a whole day has no solar power",
        "an outage of the logger or the inverter counts as weather",
        "empty those cells, unless the day was really dark",
    ),
    _check(
        8,
        "too-bright",
        _ERROR,
        _too_bright,
        "irradiance is above that of the sun",
        "forecasts expect power that no panel can produce",
        "check the unit, and that cells are means and not sums",
    ),
    _check(
        9,
        "odd-carbon",
        _WARNING,
        _odd_carbon,
        "carbon is outside the range of all grids",
        "plans weigh carbon a thousand times too much or too little",
        "check the unit: a grid has about 1 to 1500 g/kWh",
    ),
)
