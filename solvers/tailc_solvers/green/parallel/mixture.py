"""What a linear program mixes of each job's schedules, and how rules part it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.schedules import ANY, Column, Count, Rules

MIXED = 1e-4
"""Share of a job: mixtures of less are taken to be none."""

LENGTH_FIRST = 0.05
"""Share of a job: where less of it is shorter or longer than the rest, shapes come first."""


@dataclass
class _OfJob:
    """Schedules and their shares, the mean of their servers, and how much of each shape."""

    parts: list[tuple[Column, float]] = field(default_factory=list)
    servers: float = 0.0
    shapes: dict[int, float] = field(default_factory=dict)

    def add(self, column: Column, share: float) -> None:
        self.parts.append((column, share))
        self.servers += share * sum(column.servers) / len(column.servers)
        self.shapes[column.shape] = self.shapes.get(column.shape, 0.0) + share

    @property
    def most(self) -> Column | None:
        """The schedule of the largest share, the first of equal ones."""
        return max(self.parts, key=lambda part: part[1])[0] if self.parts else None

    def by_length(self) -> tuple[float, int]:
        """The evenest division by length: its smaller part, and what one side has at most."""
        shares: dict[int, float] = {}
        for column, share in self.parts:
            length = len(column.servers)
            shares[length] = shares.get(length, 0.0) + share
        return _evenest(shares)

    @property
    def by_shape(self) -> float:
        """How much is not of the commonest shape."""
        return 1.0 - max(self.shapes.values(), default=1.0)

    def by_count(self) -> tuple[float, int, int]:
        """The evenest division by servers in one epoch: its smaller part, the epoch, the count.

        At most that count is one side; the smaller part is 0 where no epoch divides the mixture.
        """
        best = 0.0, 0, 0
        first = min((column.start for column, _ in self.parts), default=0)
        last = max((column.start + len(column.servers) for column, _ in self.parts), default=0)
        for epoch in range(first, last):
            shares: dict[int, float] = {}
            for column, share in self.parts:
                shares[column.at(epoch)] = shares.get(column.at(epoch), 0.0) + share
            smaller, count = _evenest(shares)
            if smaller > best[0] + MIXED:
                best = smaller, epoch, count
        return best


def _evenest(shares: Mapping[int, float]) -> tuple[float, int]:
    """The first of the evenest divisions of shares by a number: its smaller part, and the number.

    At most that number is one side; the smaller part is 0 where there is one number only.
    """
    best, below, total = (0.0, 0), 0.0, sum(shares.values())
    for number in sorted(shares)[:-1]:
        below += shares[number]
        smaller = min(below, total - below)
        if smaller > best[0] + MIXED:
            best = smaller, number
    return best


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

    @property
    def shares(self) -> dict[Column, float]:
        """How much there is of each schedule."""
        return dict(part for job in self._jobs for part in job.parts)

    def most(self) -> list[Column] | None:
        """The schedule that has most of each job; None where a job has none."""
        found = [job.most for job in self._jobs]
        return [column for column in found if column is not None] if None not in found else None

    def parted(self, rules: Rules) -> list[Rules]:
        """Rules, beside those given, that part the mixture; empty where none does.

        A job is to be shorter or longer: that which has most servers in the smaller part of its
        evenest division. Where that is small, the job of most shapes is to have one or another; and
        where none mixes shapes, the job whose counts differ most in an epoch is to have few or
        many. Of equal jobs the first.
        """
        by_length = [job.by_length() for job in self._jobs]
        weight = [part * job.servers for (part, _), job in zip(by_length, self._jobs, strict=True)]
        j = weight.index(max(weight))
        smaller, upto = by_length[j]
        rule = rules.get(j, ANY)
        if smaller >= LENGTH_FIRST:
            kids = [replace(rule, most_epochs=upto), replace(rule, least_epochs=upto + 1)]
            return [{**rules, j: kid} for kid in kids]
        j, job = max(enumerate(self._jobs), key=lambda at: (at[1].by_shape, -at[0]))
        if job.by_shape < MIXED:
            return self._parted_by_count(rules)
        rule = rules.get(j, ANY)
        shapes = range(len(self._problem.jobs[j].shapes))
        return [{**rules, j: replace(rule, shape=o)} for o in shapes]

    def _parted_by_count(self, rules: Rules) -> list[Rules]:
        found = [(job.by_count(), -j) for j, job in enumerate(self._jobs)]
        (smaller, epoch, count), at = max(found, key=lambda one: (one[0][0], one[1]))
        if smaller < MIXED:
            return []
        rule = rules.get(-at, ANY)
        few = Count(epoch, 0, count), Count(epoch, count + 1, self._problem.servers)
        return [{**rules, -at: replace(rule, counts=(*rule.counts, one))} for one in few]
