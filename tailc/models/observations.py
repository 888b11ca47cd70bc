"""What a replay measures in addition to latencies: rungs, energy, and control steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RungTimes:
    """Threads of a request as a mean over its execution, and the rungs on which requests left.

    threads: mean number of threads over all requests. longest, shortest: over the 5 % of the
    requests with the most and with the least work, ties included. left_on: share of the requests
    that left on each rung (rungs,).
    """

    threads: float
    longest: float
    shortest: float
    left_on: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RequestEnergy:
    """Energy of requests and of free cores in a replay, if rungs are cores.

    of_request: energy of each request, in units of power times nanoseconds. drawn: energy of all
    requests in each phase of the replay, float64 (phases,). idle_ppm: power of a free core of each
    pool [1e-6].
    """

    of_request: NDArray[np.float64]
    drawn: NDArray[np.float64]
    idle_ppm: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ControlSteps:
    """All steps of a controller in a replay, at the end of each epoch; empty without a controller.

    time_ns: when the step was made. measured_us: the percentile of latency in the window.
    rate_mrps: arrival rate since the step before. output_ppm: output from then on. Each is
    (steps,).
    """

    time_ns: NDArray[np.int64]
    measured_us: NDArray[np.int64]
    rate_mrps: NDArray[np.int64]
    output_ppm: NDArray[np.int64]
