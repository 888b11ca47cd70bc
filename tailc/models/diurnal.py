"""Arrivals whose rate follows the time of day: Poisson, with a piecewise linear daily rate.

Counts over a time are Poisson, and their mean is the integral of the rate over it. So over equal
windows of a day with means L, counts have an index of dispersion of 1 + var(L) / mean(L).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.models import streams
from tailc.models.arrivals import WARM_UP_PART
from tailc.percentiles import PPM
from tailc.units import format_mrps, plain_ppm

# One level for each minute.
MOST_LEVELS = 1_440
_HOURS, _HOUR_NS = 24, 3_600 * 10**9
# A fitted level is rounded to thousandths of the mean.
_GRID_PPM = 1_000


@dataclass(frozen=True)
class DayCurve:
    """The arrival rate over a day: levels at equal intervals, with straight lines between.

    levels_ppm: relative to each other, none negative. After the last level the first one follows.
    Raises TailcError for levels that do not describe a day.
    """

    levels_ppm: tuple[int, ...]

    def __post_init__(self) -> None:
        assert all(level >= 0 for level in self.levels_ppm)
        for message, hint in self._faults():
            raise TailcError(Finding(Code.USAGE, message, help=hint))

    def _faults(self) -> Iterator[tuple[str, str]]:
        count = len(self.levels_ppm)
        if not 2 <= count <= MOST_LEVELS:
            levels = "1 level is" if count == 1 else f"{count} levels are"
            yield (
                f"{levels} no day",
                (f"give from 2 to {MOST_LEVELS:,} levels, at equally spaced times of the day"),
            )
        elif not any(self.levels_ppm):
            yield "all levels are 0, so no requests arrive", "give a level above zero"

    def __str__(self) -> str:
        return f"{len(self.levels_ppm)} levels of a day"

    @property
    def words(self) -> str:
        """Format the daily curve as the option `--arrivals` accepts it."""
        return "diurnal:" + ",".join(map(plain_ppm, self.levels_ppm))

    @property
    def relative(self) -> NDArray[np.float64]:
        """Levels of the daily curve, scaled to a mean of 1."""
        levels = np.array(self.levels_ppm, np.float64)
        return levels / levels.mean()

    @property
    def peak(self) -> float:
        """Highest rate of a daily curve relative to its mean rate."""
        return float(self.relative.max())

    def with_rate(self, rate_mrps: int) -> Diurnal:
        """The arrival process with this daily curve and this mean rate."""
        return Diurnal(rate_mrps, self)


def fitted_day(times_ns: NDArray[np.int64]) -> DayCurve | None:
    """Fit the hourly rate of recorded arrivals, starting at the hour of the first arrival.

    Uses all whole days of the recording. Each level is the mean rate of the hour around it. None if
    the recording has no whole day.
    """
    since_ns = times_ns - times_ns[0]
    days = int(since_ns[-1]) // (_HOURS * _HOUR_NS)
    if not days:
        return None
    kept_ns = since_ns[since_ns < days * _HOURS * _HOUR_NS]
    hour = (kept_ns + _HOUR_NS // 2) // _HOUR_NS % _HOURS
    counts = np.bincount(hour, minlength=_HOURS)
    levels = np.rint(counts / counts.mean() * PPM / _GRID_PPM).astype(np.int64) * _GRID_PPM
    return DayCurve(tuple(levels.tolist()))


@dataclass(frozen=True)
class Diurnal:
    """Poisson arrivals whose rate follows a daily curve, scaled so that a day lasts one replay.

    So for any number of requests, the measured ones arrive over exactly one day.
    """

    rate_mrps: int
    curve: DayCurve
    is_recorded = False
    has_constant_rate = False
    record_of = None
    stretches = ()

    def __post_init__(self) -> None:
        assert self.rate_mrps > 0

    @property
    def name(self) -> str:
        """Name of the arrival process in reports: its mean, lowest and highest rate."""
        least, most = (round(self.rate_mrps * end) for end in self._ends)
        span = f"{format_mrps(least)} to {format_mrps(most)}"
        return f"diurnal {format_mrps(self.rate_mrps)}, {span} in {self.curve}"

    @property
    def _ends(self) -> tuple[float, float]:
        relative = self.curve.relative
        return float(relative.min()), float(relative.max())

    @property
    def words(self) -> str:
        """Format the arrival process in the syntax of the option `--arrivals`."""
        return f"{self.curve.words},rate={format_mrps(self.rate_mrps)}"

    def day_ns(self, requests: int) -> float:
        """Length of the day in a replay of this number of requests [ns]."""
        return (requests - self.warm_up(requests)) * streams.NS_PER_S_IN_MRPS / self.rate_mrps

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """Draw the arrival times of `requests` requests from the start of the day on [ns].

        They continue into the next day.
        """
        times_ns = np.empty(requests, np.int64)
        levels_mrps = self.rate_mrps * self.curve.relative
        step_ns = self.day_ns(requests) / len(levels_mrps)
        streams.sloping_arrivals(state, levels_mrps, step_ns, times_ns)
        return times_ns

    def warm_up(self, requests: int) -> int:
        """Number of warm-up requests, one twentieth; a whole day of measured requests follows."""
        return requests // WARM_UP_PART
