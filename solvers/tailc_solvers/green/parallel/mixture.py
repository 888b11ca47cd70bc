"""What a linear program mixes of each job's schedules, and how rules part it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.schedules import ANY, Column, Rule

Rules = Mapping[int, Rule]

MIXED = 1e-4
"""Share of a job: mixtures of less are taken to be none."""

LENGTH_FIRST = 0.05
"""Share of an epoch: where no job's mean length is as far from whole, shapes come first."""


@dataclass
class _OfJob:
    """The mean length in epochs, how much of each shape, and the schedule of most."""

    length: float = 0.0
    shapes: dict[int, float] = field(default_factory=dict)
    most: tuple[float, Column | None] = (0.0, None)

    def add(self, column: Column, share: float) -> None:
        self.length += share * len(column.servers)
        self.shapes[column.shape] = self.shapes.get(column.shape, 0.0) + share
        if share > self.most[0]:
            self.most = share, column

    @property
    def by_length(self) -> float:
        """How far the mean length is from whole."""
        return abs(self.length - round(self.length))

    @property
    def by_shape(self) -> float:
        """How much is not of the commonest shape."""
        return 1.0 - max(self.shapes.values(), default=1.0)


class Mixture:
    """Shares of schedules.

    Args:
        problem: the jobs.
        columns: schedules.
        shares: how much of each there is, as long as `columns`.
    """

    def __init__(
        self, problem: ParallelProblem, columns: Sequence[Column], shares: Sequence[float]
    ) -> None:
        self._problem = problem
        self._jobs = [_OfJob() for _ in problem.jobs]
        for column, share in zip(columns, shares, strict=True):
            if share > 0:
                self._jobs[column.job].add(column, share)

    def most(self) -> list[Column] | None:
        """The schedule that has most of each job; None where a job has none."""
        found = [job.most[1] for job in self._jobs]
        return [column for column in found if column is not None] if None not in found else None

    def parted(self, rules: Rules) -> list[Rules]:
        """Rules, beside those given, that part the mixture; empty where none does.

        The job whose mean length is farthest from whole is to be shorter or longer; where all are
        close, the job of most shapes is to have one or another. Of equal jobs the first is taken.
        """
        j, job = max(enumerate(self._jobs), key=lambda at: (at[1].by_length, -at[0]))
        rule = rules.get(j, ANY)
        if job.by_length >= LENGTH_FIRST:
            upto = math.floor(job.length)
            kids = [replace(rule, most_epochs=upto), replace(rule, least_epochs=upto + 1)]
            return [{**rules, j: kid} for kid in kids]
        j, job = max(enumerate(self._jobs), key=lambda at: (at[1].by_shape, -at[0]))
        if job.by_shape < MIXED:
            return []
        rule = rules.get(j, ANY)
        shapes = range(len(self._problem.jobs[j].shapes))
        return [{**rules, j: replace(rule, shape=o)} for o in shapes]
