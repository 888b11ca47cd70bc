"""One job after another given its best schedule beside all others, until none has a better one.

What a job adds to the cost is what it adds in each epoch, so its best schedule against the others
is the exact search of `schedules`, with costs that know the others' energy and servers. Servers
that are lacking cost more than any that are there, so a plan with too many is mended first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.parallel.kernels import price_beside
from tailc_solvers.green.parallel.plan import Plan
from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    PPM,
    S_PER_H,
    ParallelProblem,
    Whole,
)
from tailc_solvers.green.parallel.schedules import NANO, Column, Costs, Run, Schedules

Vector = NDArray[np.float64]

LACKING = 20
"""What a server-epoch that is not there costs, by what one on brown energy and a waiting job do."""

LAST = ((0, 0), (0, 1))
"""One more epoch."""


class Site:
    """The jobs that have a schedule, and the servers and the energy that they take together."""

    def __init__(self, schedules: Schedules) -> None:
        self._schedules = schedules
        self.problem = schedules.problem
        self.columns: dict[int, Column] = {}
        self._servers = np.zeros(self.problem.epochs, dtype=np.int64)
        self._energy_mj = np.zeros(self.problem.epochs, dtype=np.int64)
        self._brown_cost = np.pad(brown_cost_of(self.problem), LAST)
        self._lacking = lacking_of(self.problem)

    def put(self, column: Column) -> None:
        """Give a job without a schedule this one."""
        self.columns[column.job] = column
        self._servers += column.row(self.problem.epochs)
        self._energy_mj += energy_of(self.problem, column)

    def take(self, job: int) -> Column:
        """Take a job's schedule away."""
        column = self.columns.pop(job)
        self._servers -= column.row(self.problem.epochs)
        self._energy_mj -= energy_of(self.problem, column)
        return column

    def best(self, job: int) -> Column | None:
        """The least schedule of a job without one beside all others; None if it has none."""
        found = self._schedules.best(job, self._beside)
        return None if found is None else found.column

    def cost(self) -> float:
        """Of all schedules and of lacking servers, in billionths."""
        lack = np.maximum(self._servers - self.problem.servers, 0)
        brown = np.maximum(self._energy_mj - self.problem.green_mj, 0)
        waiting = sum(waiting_of(self.problem, column) for column in self.columns.values())
        energy = float((self._brown_cost[:, :-1] * brown).sum())
        return energy + NANO * waiting + self._lacking * int(lack.sum())

    def fits(self) -> bool:
        """Whether there are enough servers."""
        return bool((self._servers <= self.problem.servers).all())

    def plan(self) -> Plan:
        """All schedules; every job must have one."""
        return plan_of(self.problem, [self.columns[j] for j in range(len(self.problem.jobs))])

    def _beside(self, run: Run) -> Costs:
        """What a run adds to the cost of all others; after the last epoch nothing is counted."""
        here, after = run.epochs, slice(run.start, run.epochs.stop + 1)
        free = np.maximum(self.problem.servers - self._servers[here], 0)
        over = np.pad(self._energy_mj - self.problem.green_mj, LAST)[:, after]
        costs = run.uncosted()
        price_beside(run.parts, free, over, self._brown_cost[:, after], self._lacking, costs)
        return costs


def improved(site: Site, passes: int) -> None:
    """Take and put jobs in turn while that lowers the cost, at most `passes` times round."""
    least = site.cost()
    for _ in range(passes):
        before = least
        for job in sorted(site.columns):
            least = _better(site, job, least)
        if least >= before:
            return


def _better(site: Site, job: int, least: float) -> float:
    old = site.take(job)
    new = site.best(job)
    site.put(old if new is None else new)
    if site.cost() < least:
        return site.cost()
    site.take(job)
    site.put(old)
    return least


def plan_of(problem: ParallelProblem, columns: Sequence[Column]) -> Plan:
    """The plan of one schedule for each job, in order."""
    servers = np.stack([column.row(problem.epochs) for column in columns])
    return Plan(servers, np.array([column.shape for column in columns], dtype=np.int64))


def energy_of(problem: ParallelProblem, column: Column) -> Whole:
    """Energy of a schedule in each epoch [T]."""
    row = column.row(problem.epochs)
    before = np.concatenate([[problem.jobs[column.job].present], row[:-1]])
    return problem.power_mw[row] * problem.length_s + problem.moves_mj[before, row]


def waiting_of(problem: ParallelProblem, column: Column) -> float:
    """Cost of the time that a schedule runs, in micro-units."""
    begin = problem.begin_s
    run_s = int(begin[column.start + len(column.servers)] - begin[column.start])
    return problem.run_cost * run_s / (S_PER_H * len(problem.jobs))


def brown_cost_of(problem: ParallelProblem) -> Vector:
    """Of brown energy under each forecast, in billionths for each mJ [S, T]."""
    per_mj = NANO * problem.brown_cost / MJ_PER_KWH
    return per_mj * problem.weight_ppm[:, None] / PPM


def lacking_of(problem: ParallelProblem) -> float:
    """Of a server-epoch that is not there, in billionths."""
    return LACKING * _dearest(problem)


def _dearest(problem: ParallelProblem) -> float:
    """Of a server on brown energy, and a job's waiting, for the dearest epoch, in billionths."""
    brown = int(problem.power_mw.max()) * (problem.length_s * problem.brown_cost) / MJ_PER_KWH
    waiting = problem.run_cost * problem.length_s / (S_PER_H * len(problem.jobs))
    return NANO * float((brown + waiting).max()) + 1.0
