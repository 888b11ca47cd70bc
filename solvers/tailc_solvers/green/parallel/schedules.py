"""The cheapest schedule of each job at given prices, by exact search over a grid of work.

The work of each epoch is rounded to the grid. If it is rounded down, a schedule that finishes on
the grid also finishes in exact work. If it is rounded up, every schedule is on the grid at its own
cost or less, so the least cost is a lower bound. If the grid represents all work exactly, both
results are the same.

Costs are whole billionths of a unit (thousandths of micro-units), rounded down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.parallel.batch import batch_of
from tailc_solvers.green.parallel.kernels import NEVER, find_next_to_others, find_priced
from tailc_solvers.green.parallel.parts import ScheduleRequests, ScheduleResults
from tailc_solvers.green.parallel.problem import MJ_PER_KWH, ParallelProblem, Whole
from tailc_solvers.green.parallel.runs import runs_of

Vector = NDArray[np.float64]

ROUNDING = 1e-12
"""Relative reduction of costs before they are rounded down; more than rounding errors."""


@dataclass(frozen=True, eq=False)
class SchedulePrices:
    """Nonnegative prices in billionths: of each server-epoch and of each kWh, by epoch [T].

    `blocks` has prices of whole blocks by size, in addition to those of the servers, [T] each.
    """

    server: Whole
    energy: Whole
    blocks: tuple[tuple[int, Whole], ...] = ()

    @cached_property
    def sizes(self) -> Whole:
        """Number of servers in each priced block, beginning with one server [B]."""
        return np.array([1, *(size for size, _ in self.blocks)], dtype=np.int64)

    @cached_property
    def each(self) -> Whole:
        """Price of a whole block of servers, by block size and epoch, in billionths [B, T]."""
        return np.stack([self.server, *(price for _, price in self.blocks)])

    @cached_property
    def per_mj(self) -> NDArray[np.float64]:
        """Price of a mJ of energy in each epoch, 0 after the last epoch [T + 1]."""
        return np.append(self.energy, 0) / MJ_PER_KWH


@dataclass(frozen=True)
class Column:
    """A schedule of one job: its shape, first epoch and server count in each epoch from then on."""

    job: int
    shape: int
    start: int
    servers: tuple[int, ...]

    def servers_at(self, epoch: int) -> int:
        """Number of servers of the job in an epoch; 0 if the job does not run."""
        k = epoch - self.start
        return self.servers[k] if 0 <= k < len(self.servers) else 0

    def row(self, epochs: int) -> Whole:
        """Number of servers of the job in each epoch of the problem [T]; 0 outside the schedule."""
        row = np.zeros(epochs, dtype=np.int64)
        row[self.start : self.start + len(self.servers)] = self.servers
        return row


class Count(NamedTuple):
    """Branching rule for the number of servers of a job in one epoch.

    least, most: limits of the number, which is 0 if the job does not run then.
    """

    epoch: int
    least: int
    most: int


@dataclass(frozen=True)
class ScheduleRule:
    """Branching rule of one job in a search tree: the schedules that a node allows.

    shape: required shape; None: any. least_epochs, most_epochs: limits of its run time. counts:
    limits of its server counts in single epochs.
    """

    shape: int | None = None
    least_epochs: int = 1
    most_epochs: int = 1 << 30
    counts: tuple[Count, ...] = ()


ANY = ScheduleRule()
Rules = Mapping[int, ScheduleRule]


class OtherJobs(NamedTuple):
    """Servers and green energy that the fixed schedules of other jobs leave for one job.

    Attributes:
        free: number of servers that no other job uses [T].
        over_mj: energy of the other jobs minus the green energy [S, T + 1].
        brown_cost: cost of a mJ of brown energy in billionths, 0 after the last epoch [S, T + 1].
        lacking: cost of a missing server in an epoch, in billionths.
    """

    free: Whole
    over_mj: Whole
    brown_cost: Vector
    lacking: float


class Least(NamedTuple):
    """The cheapest schedule of a job at some prices, with its cost and a lower bound.

    cost: of the schedule. bound: lower bound on the cost of every schedule of the job. Both in
    billionths, and NEVER if the job has no schedule. column: the schedule; None if none was found.
    """

    cost: int
    bound: int
    column: Column | None


class Schedules:
    """The possible runs of jobs, prepared for repeated searches for cheap schedules.

    Args:
        problem: the jobs.
        most_cells: units of work of one job; more are more accurate and slower.
        only: the jobs to search for; None for all.
    """

    def __init__(
        self, problem: ParallelProblem, most_cells: int, only: Sequence[int] | None = None
    ) -> None:
        self.problem = problem
        jobs = range(len(problem.jobs))
        wanted = jobs if only is None else only
        runs = [list(runs_of(problem, j)) if j in wanted else [] for j in jobs]
        self.never = [j for j in wanted if not runs[j]]
        """Jobs that cannot end by their deadline and within the epochs."""
        self._batch = batch_of(problem, runs, most_cells)
        self._all = _schedule_requests(jobs, {})
        longest = int(self._batch.epochs.max(initial=0))
        least, bound, run, length = np.empty((4, len(jobs)), dtype=np.int64)
        servers = np.empty((len(jobs), longest), dtype=np.int64)
        self._answers = ScheduleResults(least, bound, run, length, servers)

    def cheapest(
        self, prices: SchedulePrices, rules: Rules, jobs: Sequence[int] | None = None
    ) -> list[Least]:
        """The cheapest schedule of each job (or of `jobs`) at the prices, under the rules."""
        requests = self._all if jobs is None and not rules else self._requests_of(jobs, rules)
        costs = prices.sizes, prices.each, prices.per_mj, 1 - ROUNDING
        find_priced(self._batch, requests, *costs, self._answers)
        return self._results_of(requests)

    def cheapest_next_to(self, job: int, others: OtherJobs) -> Column | None:
        """The schedule of a job that adds least to the cost, while the other jobs are fixed.

        None if the job has no schedule.
        """
        requests = self._requests_of([job], {})
        find_next_to_others(self._batch, requests, *others, self._answers)
        return self._results_of(requests)[0].column

    def _requests_of(self, jobs: Sequence[int] | None, rules: Rules) -> ScheduleRequests:
        return _schedule_requests(range(len(self.problem.jobs)) if jobs is None else jobs, rules)

    def _results_of(self, requests: ScheduleRequests) -> list[Least]:
        *parts, servers = (part[: requests.job.size].tolist() for part in self._answers)
        return [
            Least(cost, bound, None if cost >= NEVER else self._column(job, run, row[:length]))
            for job, cost, bound, run, length, row in zip(
                requests.job.tolist(), *parts, servers, strict=True
            )
        ]

    def _column(self, job: int, run: int, servers: list[int]) -> Column:
        batch = self._batch
        return Column(job, int(batch.shape[run]), int(batch.start[run]), tuple(servers))


def _schedule_requests(jobs: Sequence[int], rules: Rules) -> ScheduleRequests:
    of = [rules.get(j, ANY) for j in jobs]
    return ScheduleRequests(
        job=np.array(jobs, dtype=np.int64),
        shape=np.array([-1 if rule.shape is None else rule.shape for rule in of], np.int64),
        least_epochs=np.array([rule.least_epochs for rule in of], np.int64),
        most_epochs=np.array([rule.most_epochs for rule in of], np.int64),
        counted=np.cumsum([0, *(len(rule.counts) for rule in of)]),
        counts=np.array([c for rule in of for c in rule.counts], np.int64).reshape(-1, 3),
    )
