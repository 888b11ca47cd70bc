"""Solar production from cloud cover, corrected by the last hour.

The method (Haque, Rutgers 2016, section A.4.5, after Goiri et al., EuroSys 2012): production is
E(t) = B(t) (1 - c(t)), with the ideal production B(t) and the cloud cover c(t), from 0 to 1. The
cover is either that of a weather forecast, or that of the previous hour, c = 1 - E / B. At the
start of each hour, the one that was more accurate for the previous hour is used for the whole
horizon.

Details that the source does not specify: c is limited to 0 to 1. If B or E of the previous hour is
unknown or B is 0, as at night, the weather forecast is used, and also if both were equally
accurate. The factor that makes forecasts conservative scales B in E = B (1 - c) but not in c = 1 -
E / B, where it would cancel itself.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tailc.forecasts.forecasts import Floats, Forecasts, Ints, Mask, targets
from tailc.traces.series.series import SeriesQuantity, TimeSeries


class Ideal(Protocol):
    """Interface: source of the production of solar panels without clouds."""

    def production_at(self, issue: Ints, target: Ints) -> Floats:
        """Ideal production [W] in steps `target`, as known at the start of steps `issue`."""
        ...


class Cover(enum.Enum):
    """Source of the cloud cover that a solar forecast uses."""

    WEATHER = "weather"
    LAST_HOUR = "last-hour"
    BETTER = "better"


@dataclass(frozen=True)
class SolarRule:
    """How to forecast solar production: the source of cloud cover, and a factor for caution.

    conservatism: multiplies the ideal production; 1, or less for caution.
    """

    cover: Cover = Cover.BETTER
    conservatism: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.conservatism <= 1:
            raise ValueError("`conservatism` of a solar forecast must be above 0 and at most 1")


def solar_forecasts(
    actual: TimeSeries,
    clouds: TimeSeries,
    ideal: Ideal,
    issue: Ints,
    steps: int,
    rule: SolarRule | None = None,
) -> Forecasts:
    """Forecast solar production from cloud cover, at the start of each step of `issue`.

    Each forecast is for `steps` steps. actual: the production; only steps before an issue are used.
    clouds: the cloud cover of a weather forecast with the same steps, up to the last forecast step;
    an unknown step has the cover of the nearest known one. ideal: production without clouds.
    """
    rule = rule or SolarRule()
    _check_grids(actual, clouds)
    known_cover = nearest_known(clouds)
    target = targets(issue, steps)
    if len(issue) and (issue.min() < 2 or target.max() >= len(known_cover)):
        raise ValueError(
            "a forecast needs two steps before it, and cloud cover up to its last step"
        )
    cover = known_cover[target]
    inferred, is_inferred = _infer_cover(actual, ideal, issue, issue - 1)
    uses_last = is_inferred & _prefers_last(actual, ideal, known_cover, issue, rule.cover)
    cover = np.where(uses_last[:, np.newaxis], inferred[:, np.newaxis], cover)
    value = rule.conservatism * ideal.production_at(issue[:, np.newaxis], target) * (1.0 - cover)
    return Forecasts(issue, value, actual.start_unix_s, actual.step_s, actual.source)


def nearest_known(clouds: TimeSeries) -> Floats:
    """Replace each unknown cloud cover by that of the nearest known step.

    Ties go to the earlier.
    """
    known = np.flatnonzero(clouds.known)
    if not len(known):
        raise ValueError("no cloud cover is known for the steps of the forecast")
    steps = np.arange(clouds.steps)
    after = np.searchsorted(known, steps).clip(0, len(known) - 1)
    before = (after - 1).clip(0)
    is_after = np.abs(known[after] - steps) < np.abs(steps - known[before])
    return clouds.value[known[np.where(is_after, after, before)]]


def _infer_cover(actual: TimeSeries, ideal: Ideal, issue: Ints, step: Ints) -> tuple[Floats, Mask]:
    """Cloud cover of the step before each issue, and whether it is known."""
    best = ideal.production_at(issue, step)
    tells = actual.known[step] & (best > 0)
    share = np.divide(actual.value[step], best, out=np.zeros_like(best), where=tells)
    return np.clip(1.0 - share, 0.0, 1.0), tells


def _prefers_last(
    actual: TimeSeries, ideal: Ideal, known_cover: Floats, issue: Ints, cover: Cover
) -> Mask:
    """Whether the cover of the previous hour is used, as the rule says or if it was more
    accurate."""
    if cover is not Cover.BETTER:
        return np.full(len(issue), cover is Cover.LAST_HOUR)
    before = issue - 1
    inferred, is_inferred = _infer_cover(actual, ideal, issue, before - 1)
    best, brought = ideal.production_at(issue, before), actual.value[before]
    missed_by_last = np.abs(best * (1.0 - inferred) - brought)
    missed_by_weather = np.abs(best * (1.0 - known_cover[before]) - brought)
    return is_inferred & actual.known[before] & (missed_by_last < missed_by_weather)


def _check_grids(actual: TimeSeries, clouds: TimeSeries) -> None:
    if (
        actual.quantity is not SeriesQuantity.POWER
        or clouds.quantity is not SeriesQuantity.CLOUD_COVER
    ):
        raise ValueError("a forecast needs a power and a cloud cover")
    if (actual.start_unix_s, actual.step_s) != (clouds.start_unix_s, clouds.step_s):
        raise ValueError("production and cloud cover must have the same start and steps")
