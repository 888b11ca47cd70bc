"""Local search: reschedule one job at a time, with all others fixed, until none can be improved.

The cost is a sum over epochs. So the best schedule of a job against the others is the exact search
of `schedules`, with costs that include the others' energy and servers. A missing server costs more
than any available one, so a plan with too many servers is corrected first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.plan import ServerPlan
from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    PPM,
    S_PER_H,
    ParallelProblem,
    Whole,
)
from tailc_solvers.green.parallel.schedules import Column, OtherJobs, Schedules

Vector = NDArray[np.float64]

LACKING = 20
"""Cost of a missing server-epoch, in units of one on brown energy plus a waiting job."""

LAST = ((0, 0), (0, 1))
"""Padding by one epoch at the end."""


class _PlacedSchedule(NamedTuple):
    """A schedule, its servers and energy in each epoch [T], and the cost of its run time."""

    column: Column
    servers: Whole
    energy_mj: Whole
    waiting: float


class PlacedJobs:
    """A plan of malleable jobs under construction: at most one schedule per job, and their sums.

    The sums are servers and energy in each epoch.
    """

    def __init__(self, schedules: Schedules) -> None:
        self._schedules = schedules
        self.problem = schedules.problem
        self._placed: dict[int, _PlacedSchedule] = {}
        self._servers = np.zeros(self.problem.epochs, dtype=np.int64)
        # One more epoch after the last, in which nothing is counted.
        self._over_mj = np.pad(-self.problem.green_mj, LAST)
        self._brown_cost = np.pad(brown_cost_of(self.problem), LAST)
        self._lacking = lacking_of(self.problem)

    @property
    def columns(self) -> list[Column]:
        """The schedules of all placed jobs, one for each job."""
        return [placed.column for placed in self._placed.values()]

    @property
    def jobs(self) -> list[int]:
        """Numbers of the jobs that have a schedule, ascending."""
        return sorted(self._placed)

    def put(self, column: Column) -> None:
        """Add the schedule of a job that does not have one yet."""
        servers = column.row(self.problem.epochs)
        energy_mj = energy_of(self.problem, column)
        placed = _PlacedSchedule(column, servers, energy_mj, waiting_of(self.problem, column))
        self._placed[column.job] = placed
        self._servers += servers
        self._over_mj[:, :-1] += energy_mj

    def take(self, job: int) -> Column:
        """Remove the schedule of a job from the placed ones and return it."""
        placed = self._placed.pop(job)
        self._servers -= placed.servers
        self._over_mj[:, :-1] -= placed.energy_mj
        return placed.column

    def best(self, job: int) -> Column | None:
        """The schedule of a job not yet placed that adds least to the cost.

        None if there is none.
        """
        free = np.maximum(self.problem.servers - self._servers, 0)
        others = OtherJobs(free, self._over_mj, self._brown_cost, self._lacking)
        return self._schedules.cheapest_next_to(job, others)

    def cost(self) -> float:
        """Cost of the schedules of all placed jobs, in billionths.

        It includes a penalty for missing servers.
        """
        lack = np.maximum(self._servers - self.problem.servers, 0)
        brown = np.maximum(self._over_mj[:, :-1], 0)
        waiting = sum(placed.waiting for placed in self._placed.values())
        energy = float((self._brown_cost[:, :-1] * brown).sum())
        return energy + NANO * waiting + self._lacking * int(lack.sum())

    def fits(self) -> bool:
        """Whether the schedules of all placed jobs together need no more servers than there are."""
        return bool((self._servers <= self.problem.servers).all())

    def plan(self) -> ServerPlan:
        """The plan that consists of the schedules of all jobs; every job must be placed."""
        return plan_of(self.problem, [self._placed[j].column for j in self.jobs])


def improve_schedules(site: PlacedJobs, passes: int) -> None:
    """Reschedule jobs one after another while that lowers the cost, at most `passes` times."""
    least = site.cost()
    for _ in range(passes):
        before = least
        for job in site.jobs:
            least = _better(site, job, least)
        if least >= before:
            return


def _better(site: PlacedJobs, job: int, least: float) -> float:
    old = site.take(job)
    new = site.best(job)
    if new is None or new == old:
        site.put(old)
        return least
    site.put(new)
    if (cost := site.cost()) < least:
        return cost
    site.take(job)
    site.put(old)
    return least


def plan_of(problem: ParallelProblem, columns: Sequence[Column]) -> ServerPlan:
    """The plan that consists of these schedules, one for each job in the order of the jobs."""
    servers = np.stack([column.row(problem.epochs) for column in columns])
    return ServerPlan(servers, np.array([column.shape for column in columns], dtype=np.int64))


def energy_of(problem: ParallelProblem, column: Column) -> Whole:
    """Energy that a schedule uses in each epoch [mJ; T]."""
    row = column.row(problem.epochs)
    before = np.concatenate([[problem.jobs[column.job].present], row[:-1]])
    return problem.power_mw[row] * problem.length_s + problem.moves_mj[before, row]


def waiting_of(problem: ParallelProblem, column: Column) -> float:
    """Cost of the run time of a job's schedule, in micro-units."""
    begin = problem.begin_s
    run_s = int(begin[column.start + len(column.servers)] - begin[column.start])
    return problem.run_cost * run_s / (S_PER_H * len(problem.jobs))


def brown_cost_of(problem: ParallelProblem) -> Vector:
    """Cost of brown energy in a plan of malleable jobs, by forecast and epoch [S, T].

    In billionths per mJ.
    """
    per_mj = NANO * problem.brown_cost / MJ_PER_KWH
    return per_mj * problem.weight_ppm[:, None] / PPM


def lacking_of(problem: ParallelProblem) -> float:
    """Penalty for one missing server of a plan in one epoch, in billionths of the cost unit."""
    return LACKING * _dearest(problem)


def _dearest(problem: ParallelProblem) -> float:
    """Cost of a server on brown energy and of a job's waiting in the most expensive epoch."""
    brown = int(problem.power_mw.max()) * (problem.length_s * problem.brown_cost) / MJ_PER_KWH
    waiting = problem.run_cost * problem.length_s / (S_PER_H * len(problem.jobs))
    return NANO * float((brown + waiting).max()) + 1.0
