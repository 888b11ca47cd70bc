"""Growing arrays of all schedules that a search has found, with their servers and energy."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.parallel.problem import ParallelProblem, Whole
from tailc_solvers.green.parallel.rows import Allowed
from tailc_solvers.green.parallel.schedules import Column, Rules, ScheduleRule
from tailc_solvers.green.parallel.search import energy_of, waiting_of

Vector = NDArray[np.float64]


class KnownSchedules:
    """The schedules that a search has found, in order, without duplicates."""

    def __init__(self, problem: ParallelProblem) -> None:
        self.columns: list[Column] = []
        self._problem = problem
        self._there: set[Column] = set()
        self._of: Whole = np.empty((0, 3), dtype=np.int64)
        self._taken: Whole = np.empty((0, 2, problem.epochs), dtype=np.int64)
        self._waiting: Vector = np.empty(0)

    def add(self, columns: Iterable[Column]) -> slice:
        """Add the schedules that are not yet known; return the range of their numbers."""
        before = len(self.columns)
        new = [column for column in dict.fromkeys(columns) if column not in self._there]
        self.columns += new
        self._there.update(new)
        self._grow(len(self.columns))
        for k, column in enumerate(new, before):
            self._of[k] = column.job, column.shape, len(column.servers)
            self._taken[k, 0] = column.row(self._problem.epochs)
            self._taken[k, 1] = energy_of(self._problem, column)
            self._waiting[k] = waiting_of(self._problem, column)
        return slice(before, len(self.columns))

    @property
    def job(self) -> Whole:
        """Number of the job that each known schedule belongs to [K]."""
        return self._of[: len(self.columns), 0]

    @property
    def servers(self) -> Whole:
        """Number of servers of each known schedule in each epoch [K, T]."""
        return self._taken[: len(self.columns), 0]

    @property
    def energy_mj(self) -> Whole:
        """Energy of each known schedule in each epoch [mJ; K, T]."""
        return self._taken[: len(self.columns), 1]

    @property
    def waiting(self) -> Vector:
        """Cost of the run time of each schedule, in micro-units [K]."""
        return self._waiting[: len(self.columns)]

    def obeying(self, rules: Rules) -> Allowed:
        """Whether each known schedule obeys the branching rules on its job."""
        allowed = np.ones(len(self.columns), dtype=np.bool_)
        for job, rule in rules.items():
            mine = np.flatnonzero(self.job == job)
            allowed[mine] = self._admit(mine, rule)
        return allowed

    def _admit(self, mine: Whole, rule: ScheduleRule) -> Allowed:
        """Which schedules of a job obey the rule on that job."""
        _, shape, length = self._of[mine].T
        admitted = (rule.least_epochs <= length) & (length <= rule.most_epochs)
        if rule.shape is not None:
            admitted &= shape == rule.shape
        for count in rule.counts:
            servers = self.servers[mine, count.epoch]
            admitted &= (count.least <= servers) & (servers <= count.most)
        return admitted

    def _grow(self, most: int) -> None:
        """Enlarge the arrays, at least to twice their size."""
        if most > self._waiting.size:
            more = max(most, 2 * self._waiting.size) - self._waiting.size
            pad = ((0, more),)
            self._of = np.pad(self._of, (*pad, (0, 0)))
            self._taken = np.pad(self._taken, (*pad, (0, 0), (0, 0)))
            self._waiting = np.pad(self._waiting, pad)
