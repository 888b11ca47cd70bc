"""The problem of a tail table, from which a core chooses its frequency, and its solution.

Requests with compute cycles C and memory time M are served one after another. Find quantiles of the
work until request i of a core ends, by the work that the running one has had, such that the lowest
frequency f >= c_i / (L - t_i - m_i) for all i keeps the percentile of latency within L.
"""

from __future__ import annotations

import enum
import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.forms.tail_table import Level, TailRow, Transition
from tailc.percentiles import PPM
from tailc.problems.colocation import BatchPair, BatchWork, Host, PowerLimitEffect
from tailc.problems.schedule import SolvedRow
from tailc.traces.profile import NS_PER_MS, DemandProfile

# A thousandth of a request per second, times nanoseconds.
_MRPS_NS = 10**12


class TailObjective(enum.Enum):
    """The objective of a tail table: the lowest frequency, at every moment."""

    FREQUENCY = "frequency"


class Distribution(enum.Enum):
    """How a tail table combines the quantiles of cycles and of memory time.

    They are added, or the table bounds the quantile of their sum.
    """

    SEPARATE = "separate"
    JOINT = "joint"


@dataclass(frozen=True, eq=False)
class TailProblem:
    """The problem of a tail table for requests with compute cycles and memory time.

    Attributes:
        profile: demands; cycles at `clock_khz` plus memory time.
        percentile_ppm, bound_us: the SLO.
        levels: frequencies, with their power.
        buckets: number of buckets of each distribution.
        rows: number of rows, which begin at even quantiles of elapsed work.
        positions, most_positions: queue positions computed exactly; and all, the rest by a
            Gaussian.
        method: how cycles and memory time are combined.
        host, batch: the server, and the batch work of cores without requests; None: such cores
            sleep.
        rates_mrps: arrival rates of the whole server, in the order of the spec.
        transition: cost of a change of frequency; None: nothing.
    """

    profile: DemandProfile
    clock_khz: int
    percentile_ppm: int
    bound_us: int
    levels: tuple[Level, ...]
    buckets: int
    rows: int
    positions: int
    most_positions: int
    method: Distribution
    objective: TailObjective = TailObjective.FREQUENCY
    host: Host | None = None
    batch: BatchWork | None = None
    rates_mrps: tuple[int, ...] = ()
    transition: Transition | None = None

    def __post_init__(self) -> None:
        assert self.profile.memory_ms is not None
        assert self.batch is None or self.host is not None
        assert self.batch is None or len(self.batch.power_mw) == len(self.levels)
        assert self.levels
        assert 1 <= self.positions <= self.most_positions

    @property
    def quantile(self) -> float:
        """The percentile as a fraction, such as 0.99."""
        return self.percentile_ppm / PPM

    @cached_property
    def memory_ns(self) -> NDArray[np.float64]:
        """Memory time of each request, in whole nanoseconds."""
        assert self.profile.memory_ms is not None
        return np.rint(self.profile.memory_ms * NS_PER_MS)

    @cached_property
    def cycles(self) -> NDArray[np.float64]:
        """Compute cycles of each request, in whole cycles."""
        compute_ns = np.rint(self.profile.demand_ms * NS_PER_MS) - self.memory_ns
        # A kHz is a cycle per ms.
        return np.rint(compute_ns * self.clock_khz / NS_PER_MS)

    def service_ns(self, frequency_khz: int) -> NDArray[np.float64]:
        """Service time of each request alone at a frequency [ns]."""
        return self.cycles * NS_PER_MS / frequency_khz + self.memory_ns

    @property
    def halt_ns(self) -> int:
        """Time for which a core halts at a change of frequency [ns]."""
        return self.transition.halt_ns if self.transition else 0

    @property
    def highest_khz(self) -> int:
        """The highest frequency that a core of the problem has [kHz]."""
        return self.levels[-1].frequency_khz

    def highest_mrps(self, cores: int) -> int:
        """The highest rate at which `cores` cores at the highest frequency are not overloaded."""
        service_ns = self.service_ns(self.highest_khz)
        mean_ns = float(np.average(service_ns, weights=self.profile.weight))
        return math.ceil(_MRPS_NS * cores / mean_ns) - 1


@dataclass(frozen=True)
class Shortfall:
    """An entry of a tail table at which the sum of two quantiles is below the quantile of the sum.

    The quantiles are of compute time and memory time; the entry is then too low. frequency_khz,
    position: level and position in the queue. added_us: sum of the quantiles. sum_us: quantile of
    the sum.
    """

    frequency_khz: int
    position: int
    added_us: int
    sum_us: int

    def __post_init__(self) -> None:
        assert self.added_us <= self.sum_us


@dataclass(frozen=True)
class RequestMoments:
    """Mean and standard deviation of the demand of one request, rounded to whole units."""

    mean_cycles: int
    deviation_cycles: int
    mean_memory_ns: int
    deviation_memory_ns: int


@dataclass(frozen=True)
class TailSolution:
    """The rows of a tail table, with how they were computed and what they guarantee.

    cycles, memory_ns: rows of the table. least_us: latency percentile of requests that never queue,
    at the highest frequency. moments: mean and deviation of demand. shortfalls: entries that are
    too low. pair: the frequencies with batch work, None without any. throttled: effect of the
    chip's power limit, empty without one. `rows` is empty: the solution does not depend on load.
    """

    cycles: tuple[TailRow, ...]
    memory_ns: tuple[TailRow, ...]
    least_us: int
    moments: RequestMoments
    shortfalls: tuple[Shortfall, ...]
    proof: str
    solver: str
    evaluations: int = 0
    pair: BatchPair | None = None
    throttled: tuple[PowerLimitEffect, ...] = ()
    rows: tuple[SolvedRow, ...] = ()

    def __post_init__(self) -> None:
        for rows in (self.cycles, self.memory_ns):
            assert all(a.from_elapsed < b.from_elapsed for a, b in itertools.pairwise(rows))
