"""What a replay observes besides latencies: use of rungs, energy, and steps of a controller."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RungTimes:
    """How requests used the rungs: threads of a request over its execution, in the mean.

    threads: of all requests; longest, shortest: of the twentieth with most and with least work,
    and of all that have as much or as little as the last of those. left_on: (rungs,), share of the
    requests that left on each rung.
    """

    threads: float
    longest: float
    shortest: float
    left_on: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Energy:
    """What requests and free cores drew, where rungs are cores.

    of_request: in units of power times nanoseconds, as the rungs say. drawn: (phases,), the same of
    all requests by phase. idle_ppm: what a free core of each pool draws, in millionths.
    """

    of_request: NDArray[np.float64]
    drawn: NDArray[np.float64]
    idle_ppm: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Steps:
    """What steered did, one entry a step, at the exit that ended an epoch; none: nothing steers.

    measured_us: the percentile of the window; rate_mrps: arrivals since the step before;
    output_ppm: from then on.
    """

    time_ns: NDArray[np.int64]
    measured_us: NDArray[np.int64]
    rate_mrps: NDArray[np.int64]
    output_ppm: NDArray[np.int64]
