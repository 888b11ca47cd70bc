"""Solar production from clouds, corrected by the last hour.

The method (Haque, Rutgers 2016, section A.4.5, after Goiri et al., EuroSys 2012):
production is E(t) = B(t) (1 - c(t)) with B(t) that under ideal sun and c(t) the cloud cover, from 0
to 1. The cover is either that of a weather forecast, or what the hour before tells, c = 1 - E / B.
At the start of each hour, the one that would have been nearer for the hour that just ended is used
for all of the horizon.

Where the source is silent: c is kept within 0 and 1; where B or E of the hour before is not known
or B is 0, as at night, the weather forecast is kept, as it is where both were equally near. The
factor that makes forecasts conservative scales B in E = B (1 - c) and not in c = 1 - E / B, which
would take the caution back.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tailc.forecasts.forecasts import Floats, Forecasts, Ints, Mask, targets
from tailc.traces.series.series import Quantity, TimeSeries


class Ideal(Protocol):
    """Production under ideal sun, as it is known at a time."""

    def at(self, issue: Ints, target: Ints) -> Floats:
        """What the steps `target` would bring, as known at the start of `issue` [W]."""
        ...


class Cover(enum.Enum):
    """Whose cloud cover is used."""

    WEATHER = "weather"
    LAST_HOUR = "last-hour"
    BETTER = "better"


@dataclass(frozen=True)
class SolarRule:
    """conservatism scales the ideal production: 1, or 0.9, 0.8, 0.7 to be on the safe side."""

    cover: Cover = Cover.BETTER
    conservatism: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.conservatism <= 1:
            raise ValueError("a forecast is scaled by a part of 1")


def solar_forecasts(
    actual: TimeSeries,
    clouds: TimeSeries,
    ideal: Ideal,
    issue: Ints,
    steps: int,
    rule: SolarRule | None = None,
) -> Forecasts:
    """Forecasts made at the start of each step of `issue`, for `steps` from that one on.

    actual: the production, of which only steps before an issue are looked at. clouds: what a
    weather service said beforehand of each step, on the same grid, up to the last step asked for;
    a step of which it says nothing has the cover of the nearest one that it tells.
    """
    rule = rule or SolarRule()
    _check_grids(actual, clouds)
    told = nearest_known(clouds)
    target = targets(issue, steps)
    if len(issue) and (issue.min() < 2 or target.max() >= len(told)):
        raise ValueError("forecasts need two steps before them, and clouds up to their last")
    cover = told[target]
    inferred, is_inferred = _inferred(actual, ideal, issue, issue - 1)
    uses_last = is_inferred & _prefers_last(actual, ideal, told, issue, rule.cover)
    cover = np.where(uses_last[:, np.newaxis], inferred[:, np.newaxis], cover)
    value = rule.conservatism * ideal.at(issue[:, np.newaxis], target) * (1.0 - cover)
    return Forecasts(issue, value, actual.start_unix_s, actual.step_s, actual.source)


def nearest_known(clouds: TimeSeries) -> Floats:
    """The values, where one is not known that of the nearest known step, of two the earlier."""
    known = np.flatnonzero(clouds.known)
    if not len(known):
        raise ValueError("no cloud cover is known")
    steps = np.arange(clouds.steps)
    after = np.searchsorted(known, steps).clip(0, len(known) - 1)
    before = (after - 1).clip(0)
    is_after = np.abs(known[after] - steps) < np.abs(steps - known[before])
    return clouds.value[known[np.where(is_after, after, before)]]


def _inferred(actual: TimeSeries, ideal: Ideal, issue: Ints, step: Ints) -> tuple[Floats, Mask]:
    """The cover that a step before each issue tells, and whether it tells one."""
    best = ideal.at(issue, step)
    tells = actual.known[step] & (best > 0)
    share = np.divide(actual.value[step], best, out=np.zeros_like(best), where=tells)
    return np.clip(1.0 - share, 0.0, 1.0), tells


def _prefers_last(
    actual: TimeSeries, ideal: Ideal, told: Floats, issue: Ints, cover: Cover
) -> Mask:
    """Whether what the hour before tells is used: as the rule has it, or where it was nearer."""
    if cover is not Cover.BETTER:
        return np.full(len(issue), cover is Cover.LAST_HOUR)
    before = issue - 1
    inferred, is_inferred = _inferred(actual, ideal, issue, before - 1)
    best, brought = ideal.at(issue, before), actual.value[before]
    missed_by_last = np.abs(best * (1.0 - inferred) - brought)
    missed_by_weather = np.abs(best * (1.0 - told[before]) - brought)
    return is_inferred & actual.known[before] & (missed_by_last < missed_by_weather)


def _check_grids(actual: TimeSeries, clouds: TimeSeries) -> None:
    if actual.quantity is not Quantity.POWER or clouds.quantity is not Quantity.CLOUD_COVER:
        raise ValueError("forecasts are of a power, by a cloud cover")
    if (actual.start_unix_s, actual.step_s) != (clouds.start_unix_s, clouds.step_s):
        raise ValueError("production and clouds start together, and have the same steps")
