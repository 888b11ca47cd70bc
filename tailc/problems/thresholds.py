"""The problem of the ages at which requests climb between cores, and its solution.

    objective ENERGY:       minimise   mean energy of a request over ages t_1 <= ... <= t_(n-1)
                            such that  the percentile of execution times <= target
    objective TAIL:         all ages are 0
    objective EFFICIENCY:   all ages are never

with t_i the age at which a request leaves rung i for the next. A core of every kind is assumed to
be free when needed: the problem at low load (Haque et al., MICRO 2017, section 4.4).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.percentiles import PPM, percentile_rank
from tailc.problems.schedule import RowStatus, Schedule, SolvedRow
from tailc.traces.profile import DemandProfile


class ThresholdObjective(enum.Enum):
    """The objective of climb thresholds: energy, the latency percentile, or power per work."""

    ENERGY = "energy"
    TAIL = "tail"
    EFFICIENCY = "efficiency"


class ThresholdMethod(enum.Enum):
    """Method by which climb ages are computed.

    It is an exact dual, a convex solver, a mixed-integer solver, or a grid.
    """

    DUAL = "dual"
    CONVEX = "convex"
    MIP = "mip"
    GRID = "grid"
    FIXED = "fixed"


@dataclass(frozen=True)
class SolverLimits:
    """Limits of solvers that run in their own process.

    time_s: wall time. memory_mb: memory. step_us: step of a grid of ages; None for the default.
    """

    time_s: float
    memory_mb: int
    step_us: int | None = None


@dataclass(frozen=True, eq=False)
class ThresholdProblem:
    """The problem of the climb ages between cores of different type or frequency.

    Rung i is column i of the profile's curves, and a request on it draws `power_ppm[i]`. Powers are
    millionths of a watt, or of the power of a slow core. static_ppm: power drawn in addition at all
    times. target_us: limit of the percentile, for the objective ENERGY. solver: general solver, for
    the method MIP. dropped: names of rungs that the spec has and the ladder has not.
    """

    profile: DemandProfile
    power_ppm: tuple[int, ...]
    static_ppm: int
    is_in_watts: bool
    objective: ThresholdObjective
    percentile_ppm: int
    target_us: int | None
    method: ThresholdMethod
    solver: str | None
    limits: SolverLimits
    dropped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.power_ppm) == self.profile.degrees
        assert (self.objective is ThresholdObjective.ENERGY) == (self.target_us is not None)
        assert (self.objective is ThresholdObjective.ENERGY) == (
            self.method is not ThresholdMethod.FIXED
        )

    @property
    def rank(self) -> int:
        """Rank of the request whose time is the SLO's percentile, from 1, weights counted."""
        return percentile_rank(self.percentile_ppm, self.profile.total_weight)

    @cached_property
    def speed_ppm(self) -> NDArray[np.int64]:
        """Speeds of requests by speed-up curve and rung, in millionths; int64 (curves, rungs)."""
        return np.rint(self.profile.curves * PPM).astype(np.int64)


@dataclass(frozen=True)
class ThresholdSolution:
    """The climb ages, as a schedule, with their proof and predictions.

    The evidence's objective and bound are energies, in millionths of the unit of power times us,
    and its `cost_time_us` is in the unit times us. `gap_before` is the gap of the ages before
    rounding to whole microseconds, None without a bound.
    """

    schedule: Schedule
    evidence: RowEvidence
    gap_before: int | None
    proof: str
    solver: str
    evaluations: int

    @property
    def rows(self) -> tuple[SolvedRow, ...]:
        """The rows of the solution: a single one, because climb ages do not depend on load."""
        return (SolvedRow(self.evidence.load, RowStatus.OPTIMAL, self.schedule, self.evidence),)

    @property
    def age_us(self) -> tuple[int | None, ...]:
        """The age at which a request leaves each rung but the last [us]; None: never."""
        ages: list[int | None] = []
        age_us: int | None = 0
        for stay_us in self.schedule.stay_us:
            age_us = None if age_us is None or stay_us is None else age_us + stay_us
            ages.append(age_us)
        return tuple(ages)
