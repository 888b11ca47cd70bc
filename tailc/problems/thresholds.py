"""The threshold problem of rungs that are cores, and its answer, in the form's own words.

    objective ENERGY:       minimise   mean energy of a request over ages t_1 <= ... <= t_(n-1)
                            such that  the percentile of execution times <= target
    objective TAIL:         all ages are 0
    objective EFFICIENCY:   all ages are never

with t_i the age at which a request leaves rung i for the next, and a core of every kind free
whenever one is wanted: the problem at low load (Haque et al., MICRO 2017, section 4.4).
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


class Aim(enum.Enum):
    """What is minimised."""

    ENERGY = "energy"
    TAIL = "tail"
    EFFICIENCY = "efficiency"


class ThresholdMethod(enum.Enum):
    """Who finds the ages: the exact dual, a convex solver, a mixed-integer one, or a grid."""

    DUAL = "dual"
    CONVEX = "convex"
    MIP = "mip"
    GRID = "grid"
    FIXED = "fixed"


@dataclass(frozen=True)
class SolverLimits:
    """For solvers that run in a process of their own; `step_us`: of a grid, None for a default."""

    time_s: float
    memory_mb: int
    step_us: int | None = None


@dataclass(frozen=True, eq=False)
class ThresholdProblem:
    """Rung i is column i of the profile's curves; a request on it draws `power_ppm[i]`.

    Powers are millionths of a watt, or of what a slow core draws. `static_ppm` is drawn besides,
    whatever runs. `target_us` is for the objective ENERGY, `solver` the backend of the method MIP.
    `dropped` names the rungs that the spec has besides.
    """

    profile: DemandProfile
    power_ppm: tuple[int, ...]
    static_ppm: int
    is_in_watts: bool
    objective: Aim
    percentile_ppm: int
    target_us: int | None
    method: ThresholdMethod
    solver: str | None
    limits: SolverLimits
    dropped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.power_ppm) == self.profile.degrees
        assert (self.objective is Aim.ENERGY) == (self.target_us is not None)
        assert (self.objective is Aim.ENERGY) == (self.method is not ThresholdMethod.FIXED)

    @property
    def rank(self) -> int:
        """1-based rank of the SLO's request among the profile's, weights counted."""
        return percentile_rank(self.percentile_ppm, self.profile.total_weight)

    @cached_property
    def speed_ppm(self) -> NDArray[np.int64]:
        """Speeds in millionths, (curves, rungs)."""
        return np.rint(self.profile.curves * PPM).astype(np.int64)


@dataclass(frozen=True)
class ThresholdSolution:
    """Ages as stays, with what is proved and predicted.

    The evidence's objective and bound are energies, in millionths of the unit of power times us,
    and its `cost_time_us` is in the unit times us. `gap_before` is the gap of the ages before they
    were rounded to whole microseconds, None where there is no bound.
    """

    schedule: Schedule
    evidence: RowEvidence
    gap_before: int | None
    proof: str
    solver: str
    evaluations: int

    @property
    def rows(self) -> tuple[SolvedRow, ...]:
        """The one row that holds at any load."""
        return (SolvedRow(self.evidence.load, RowStatus.OPTIMAL, self.schedule, self.evidence),)

    @property
    def age_us(self) -> tuple[int | None, ...]:
        """The age at which each rung but the last is left; None: never."""
        ages: list[int | None] = []
        age_us: int | None = 0
        for stay_us in self.schedule.stay_us:
            age_us = None if age_us is None or stay_us is None else age_us + stay_us
            ages.append(age_us)
        return tuple(ages)
