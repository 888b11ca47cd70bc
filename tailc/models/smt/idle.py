"""Idle time of cores, by the length of idle periods.

An idle period is the time from a request's exit to the next request's start on the same core. Among
several free cores, the one that was used last takes the next request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.outcome import NS_PER_US
from tailc.models.smt.outcome import SmtOutcome
from tailc.percentiles import PPM


@dataclass(frozen=True)
class IdlePeriods:
    """Idle periods of cores with lengths in one range: their share of the idle time and number.

    up_to_us: longest length of the range, which begins at that of the entry before; None for all
    longer ones. time_ppm: time in these periods / all idle time. count_ppm: number of these periods
    / number of all idle periods.
    """

    up_to_us: int | None
    time_ppm: int
    count_ppm: int


@dataclass(frozen=True)
class IdleUse:
    """Idle time of cores, and its division into periods.

    `share_ppm`: share of core time without a request. `periods`: shortest first, without empty
    entries.
    """

    share_ppm: int
    periods: tuple[IdlePeriods, ...]


# Lengths up to 10 us, 15 us, 20 us and so on, up to 70 s, and longer.
_MANTISSAS = (10, 15, 20, 30, 50, 70)
_DECADES = 7
EDGES_US = tuple(mantissa * 10**decade for decade in range(_DECADES) for mantissa in _MANTISSAS)


@dataclass(frozen=True, eq=False)
class IdleTimes:
    """Idle time [ns] and number of periods in one replay, by length up to each of `EDGES_US`."""

    time_ns: NDArray[np.float64]
    count: NDArray[np.int64]


def idle_times(outcome: SmtOutcome) -> IdleTimes:
    """Measure the idle periods of SMT cores that end with a measured request."""
    periods_ns = outcome.idle_periods_ns
    place = np.searchsorted(np.array(EDGES_US) * NS_PER_US, periods_ns)
    size = len(EDGES_US) + 1
    time_ns = np.bincount(place, periods_ns, size).astype(np.float64)
    return IdleTimes(time_ns, np.bincount(place, minlength=size))


def idle_use(share: float, repeats: Sequence[IdleTimes]) -> IdleUse:
    """Combine the idle periods of all replications.

    share: share of core time without a request.
    """
    time_ns = np.sum([one.time_ns for one in repeats], axis=0)
    count = np.sum([one.count for one in repeats], axis=0)
    times, counts = _shares_ppm(time_ns), _shares_ppm(count)
    parts = zip((*EDGES_US, None), times, counts, count.tolist(), strict=True)
    periods = tuple(IdlePeriods(edge, time, many) for edge, time, many, some in parts if some)
    return IdleUse(round(share * PPM), periods)


def _shares_ppm(parts: NDArray[np.float64] | NDArray[np.int64]) -> list[int]:
    """Parts of the sum in millionths; all 0 if the sum is 0."""
    whole = float(parts.sum())
    return [round(float(part) * PPM / whole) if whole else 0 for part in parts]
