"""Settings of replays under one arrival process: workload, arrivals, sizes and seed."""

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
    """Extent of the data that a bootstrap replicate draws, and how uneven the data are.

    Attributes:
        units: number of independent draws in a replicate: requests, or blocks of arrivals.
        drawn_share: share of the data that a replicate draws.
        skewness: skewness of the mean demand of that many requests.
        freedom: degrees of freedom of the variance of that mean, far fewer than requests if a few
            of them are very long.
        is_recorded: whether arrivals are drawn too.
    """

    units: int
    drawn_share: float
    skewness: float
    freedom: float
    is_recorded: bool = False


@dataclass(frozen=True, eq=False)
class Scenario:
    """Settings of all replays under one arrival process.

    Attributes:
        workload, arrivals: requests to draw from, and law or recording of arrivals.
        requests: number of requests in a replay, including the warm-up.
        most_in_system: number of requests in the system at which a replay stops as overloaded.
        seed: random seed.
        cut_off_us: run time after which a request ends; None: never.
        settling: additional arrivals at a constant rate, not measured, until a controller has
            settled.
    """

    workload: Workload
    arrivals: Arrivals
    requests: int
    most_in_system: int
    seed: int
    cut_off_us: int | None = None
    settling: int = 0

    def warm_up(self, arrivals: int) -> int:
        """Number of arrivals at the start of a replay that are not measured."""
        return self.arrivals.warm_up(arrivals - self.settling) + self.settling

    @cached_property
    def pool_size(self) -> int:
        """Number of requests in the pool to draw from: held-out ones, at most one replay's."""
        return min(self.workload.requests, self.requests)

    @cached_property
    def by_demand(self) -> NDArray[np.int32]:
        """Numbers of the workload's records, sorted by speed-up curve and then by demand."""
        few = len(self.workload.speed) < _FEW_CURVES
        curve = self.workload.curve_of if few else np.zeros_like(self.workload.curve_of)
        return np.lexsort((self.workload.curve_of, self.workload.work_ns, curve)).astype(np.int32)

    @cached_property
    def recorded(self) -> int:
        """Number of arrivals in the recording that is replayed; 0 if arrivals are generated."""
        if not self.arrivals.is_recorded:
            return 0
        # A recording needs no random numbers.
        return len(self.arrivals.arrival_ns(np.zeros(1, np.uint64), self.requests))

    @property
    def drawn_arrivals(self) -> int:
        """Number of arrivals in a bootstrap replicate: the recorded ones, at most one replay's."""
        return min(self.recorded, self.requests)

    @property
    def block_length(self) -> int:
        """Number of arrivals in a block of the bootstrap.

        A block is longer than correlations between arrivals last.
        """
        return min(math.ceil(_BLOCK * math.sqrt(self.drawn_arrivals)), self.drawn_arrivals)

    @property
    def blocks(self) -> int:
        """Number of blocks of arrivals in a bootstrap replicate; the last may be cut."""
        return -(-self.drawn_arrivals // self.block_length)

    @cached_property
    def spread(self) -> Spread:
        """Extent of the data that a bootstrap replicate draws, and how uneven the demands are."""
        if self.arrivals.is_recorded:
            units, drawn_share = self.blocks, self.drawn_arrivals / self.recorded
        else:
            units, drawn_share = self.pool_size, self.pool_size / self.workload.requests
        return Spread(units, drawn_share, *_moments(self.workload), self.arrivals.is_recorded)

    def mean_work_ns(self, order: NDArray[np.int32]) -> float:
        """Mean work of the requests of one replay [ns].

        order: record of each request.
        """
        return float(self.workload.work_ns[order].mean())

    @cached_property
    def last_request_of(self) -> NDArray[np.int64]:
        """Running sum of the requests that each record represents, in the order of `by_demand`.

        Entry i is the number of requests that have at most the demand of the i-th record.
        """
        return np.cumsum(self.workload.weight[self.by_demand])


# The replay stops at this many requests in the system, plus this many for each core.
_MOST_IN_SYSTEM = 2048
_MOST_PER_CORE = 16


def scenario_for(
    workload: Workload, arrivals: Arrivals, options: VerifyOptions, *subjects: Subject
) -> Scenario:
    """Make the scenario for these policies on a workload, with the sizes of the options.

    Of several policies, the largest limit of requests in the system and the longest settling apply
    to all.
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
    """Number of requests in the system at which a replay stops as overloaded.

    `capacity_ppm`: millionths of a core; None if nothing is limited.
    """
    cores = -(-(capacity_ppm or 0) // PPM)
    return _MOST_IN_SYSTEM + _MOST_PER_CORE * cores


# Blocks have this many roots of the number of arrivals, so a longer recording has more and longer
# ones.
_BLOCK = 1.5
# Classes are few and differ. If each request has its own curve, only demand orders them.
_FEW_CURVES = 32


def _moments(workload: Workload) -> tuple[float, float]:
    """Skewness of the mean demand, and degrees of freedom of its variance.

    The variance of n values, estimated, has a relative variance of (kurtosis - 1) / n. Twice its
    inverse is the number of degrees of freedom by Satterthwaite.
    """
    share = workload.weight / workload.requests
    # Sums instead of vector products, whose rounding depends on the number of cores.
    work = workload.work_ns / float(np.sum(share * workload.work_ns)) - 1.0
    variance = float(np.sum(share * work**2))
    if variance <= 0:
        return 0.0, math.inf
    skewness = float(np.sum(share * work**3)) / variance**1.5
    excess = float(np.sum(share * work**4)) / variance**2 - 1.0
    freedom = 2.0 * workload.requests / excess if excess > 0 else math.inf
    return skewness / math.sqrt(workload.requests), freedom
