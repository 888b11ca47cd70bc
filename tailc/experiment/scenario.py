"""A scenario: a workload, how it arrives, and the sizes and seed of its replays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.options import VerifyOptions
from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject
from tailc.models.workload import Workload
from tailc.percentiles import PPM


@dataclass(frozen=True)
class Spread:
    """How much less a replicate draws than was measured, and how uneven what was measured is.

    units: how many independent things a replicate draws: requests, or blocks of arrivals.
    drawn_share: how much of all there is that is. is_recorded: whether arrivals are drawn too.
    skewness: of the mean demand of that many requests. freedom: degrees of freedom behind its
    variance, far fewer than there are requests if a few of them are very long.
    """

    units: int
    drawn_share: float
    skewness: float
    freedom: float
    is_recorded: bool = False


@dataclass(frozen=True, eq=False)
class Scenario:
    """What all replays under one arrival process share; `cut_off_us` ends a request's work.

    settling: so many more arrivals at a constant rate, which are not measured, until what steers a
    policy has settled.
    """

    workload: Workload
    arrivals: Arrivals
    requests: int
    most_in_system: int
    seed: int
    cut_off_us: int | None = None
    settling: int = 0

    def warm_up(self, arrivals: int) -> int:
        """How many of so many arrivals are not measured."""
        return self.arrivals.warm_up(arrivals - self.settling) + self.settling

    @cached_property
    def pool_size(self) -> int:
        """How many requests a pass takes: the held-out ones, or as many as a replay has."""
        return min(self.workload.requests, self.requests)

    @cached_property
    def by_demand(self) -> NDArray[np.int32]:
        """The records, curve by curve, in order of demand: neighbours are alike."""
        few = len(self.workload.speed) < _FEW_CURVES
        curve = self.workload.curve_of if few else np.zeros_like(self.workload.curve_of)
        return np.lexsort((self.workload.curve_of, self.workload.work_ns, curve)).astype(np.int32)

    @cached_property
    def recorded(self) -> int:
        """Number of recorded arrivals; 0 where they are generated."""
        if not self.arrivals.is_recorded:
            return 0
        # A recording needs no random numbers.
        return len(self.arrivals.arrival_ns(np.zeros(1, np.uint64), self.requests))

    @property
    def drawn_arrivals(self) -> int:
        """How many arrivals a replicate strings together: all, or as many as a replay has."""
        return min(self.recorded, self.requests)

    @property
    def block_length(self) -> int:
        """Arrivals in a block; longer than what they have to do with one another."""
        return min(math.ceil(_BLOCK * math.sqrt(self.drawn_arrivals)), self.drawn_arrivals)

    @property
    def blocks(self) -> int:
        """Number of blocks in a replicate; the last may be cut."""
        return -(-self.drawn_arrivals // self.block_length)

    @cached_property
    def spread(self) -> Spread:
        """What a replicate draws, and what the demands are like."""
        if self.arrivals.is_recorded:
            units, drawn_share = self.blocks, self.drawn_arrivals / self.recorded
        else:
            units, drawn_share = self.pool_size, self.pool_size / self.workload.requests
        return Spread(units, drawn_share, *_moments(self.workload), self.arrivals.is_recorded)

    def mean_work_ns(self, order: NDArray[np.int32]) -> float:
        """Of the requests of a replay, by their records."""
        return float(self.workload.work_ns[order].mean())

    @cached_property
    def last_request_of(self) -> NDArray[np.int64]:
        """Running sum of the weights, in that order."""
        return np.cumsum(self.workload.weight[self.by_demand])


# The replay is given up at this many requests in the system, and so many more for each core.
_MOST_IN_SYSTEM = 2048
_MOST_PER_CORE = 16


def scenario_for(
    workload: Workload, arrivals: Arrivals, options: VerifyOptions, *subjects: Subject
) -> Scenario:
    """What replays of these subjects on a workload share, as thoroughly as the options ask.

    The largest of their limits and the slowest of what steers them count for all.
    """
    limits_ppm = [one.capacity_ppm for one in subjects if one.capacity_ppm is not None]
    settling = max((one.settling_requests for one in subjects), default=0)
    return Scenario(
        workload,
        arrivals,
        options.requests_for(workload.requests),
        most_in_system(max(limits_ppm, default=None)),
        options.seed,
        options.cut_off_us,
        settling if arrivals.has_constant_rate else 0,
    )


def most_in_system(capacity_ppm: int | None) -> int:
    """The backlog at which a server counts as overloaded without looking further.

    `capacity_ppm`: millionths of a core; None where nothing is limited.
    """
    cores = -(-(capacity_ppm or 0) // PPM)
    return _MOST_IN_SYSTEM + _MOST_PER_CORE * cores


# In blocks of this many roots of the number of arrivals, so that there are more of them, and longer
# ones, in a longer recording.
_BLOCK = 1.5
# Classes are few and differ; where each request has a curve of its own, only demand orders them.
_FEW_CURVES = 32


def _moments(workload: Workload) -> tuple[float, float]:
    """Skewness of the mean demand, and degrees of freedom behind its variance.

    The variance of n values, estimated, has a relative variance of (kurtosis - 1) / n, and 2 over
    that is what Satterthwaite calls its degrees of freedom.
    """
    share = workload.weight / workload.requests
    # Sums, not products of vectors: those depend on the number of cores.
    work = workload.work_ns / float(np.sum(share * workload.work_ns)) - 1.0
    variance = float(np.sum(share * work**2))
    if variance <= 0:
        return 0.0, math.inf
    skewness = float(np.sum(share * work**3)) / variance**1.5
    excess = float(np.sum(share * work**4)) / variance**2 - 1.0
    freedom = 2.0 * workload.requests / excess if excess > 0 else math.inf
    return skewness / math.sqrt(workload.requests), freedom
