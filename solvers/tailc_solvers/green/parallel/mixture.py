"""The mixture of schedules in a linear program's solution, and branching rules that exclude it."""

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
    """Schedules of one job with their shares, mean servers, and share of each shape."""

    parts: list[tuple[Column, float]] = field(default_factory=list)
    servers: float = 0.0
    shapes: dict[int, float] = field(default_factory=dict)

    def add(self, column: Column, share: float) -> None:
        self.parts.append((column, share))
        self.servers += share * sum(column.servers) / len(column.servers)
        self.shapes[column.shape] = self.shapes.get(column.shape, 0.0) + share

    @property
    def most(self) -> Column | None:
        """The schedule of the largest share; ties go to the first."""
        return max(self.parts, key=lambda part: part[1])[0] if self.parts else None

    def by_length(self) -> tuple[float, int]:
        """The most even split by length: its smaller part, and the largest length of one side."""
        shares: dict[int, float] = {}
        for column, share in self.parts:
            length = len(column.servers)
            shares[length] = shares.get(length, 0.0) + share
        return _evenest(shares)

    @property
    def by_shape(self) -> float:
        """The share outside the most frequent shape."""
        return 1.0 - max(self.shapes.values(), default=1.0)

    def by_count(self) -> tuple[float, int, int]:
        """The most even split by servers in one epoch: its smaller part, the epoch, the count.

        One side has at most that count; the smaller part is 0 if no epoch splits the mixture.
        """
        best = 0.0, 0, 0
        first = min((column.start for column, _ in self.parts), default=0)
        last = max((column.start + len(column.servers) for column, _ in self.parts), default=0)
        for epoch in range(first, last):
            shares: dict[int, float] = {}
            for column, share in self.parts:
                shares[column.servers_at(epoch)] = shares.get(column.servers_at(epoch), 0.0) + share
            smaller, count = _evenest(shares)
            if smaller > best[0] + MIXED:
                best = smaller, epoch, count
        return best


def _evenest(shares: Mapping[int, float]) -> tuple[float, int]:
    """The first of the most even splits of shares by a number: its smaller part, and the number.

    One side has at most that number; the smaller part is 0 if there is only one number.
    """
    best, below, total = (0.0, 0), 0.0, sum(shares.values())
    for number in sorted(shares)[:-1]:
        below += shares[number]
        smaller = min(below, total - below)
        if smaller > best[0] + MIXED:
            best = smaller, number
    return best


class Mixture:
    """A fractional solution of the linear program: several schedules of a job, with shares.

    Args:
        problem: the jobs.
        columns: the schedules that are mixed.
        shares: share of each schedule, 0 to 1; those of one job sum to 1.
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
        """Share of each schedule in the mixture, by schedule."""
        return dict(part for job in self._jobs for part in job.parts)

    def most(self) -> list[Column] | None:
        """For each job the schedule with the largest share; None if some job has no schedule."""
        found = [job.most for job in self._jobs]
        return [column for column in found if column is not None] if None not in found else None

    def splitting_rules(self, rules: Rules) -> list[Rules]:
        """Two sets of branching rules, each of which excludes this mixture.

        Empty if no job is mixed. Every plan obeys one of the two sets, which also contain `rules`.
        The first rule that applies: a job that mixes run lengths gets a shorter or a longer run,
        the job with the most servers in the smaller part of its most even split. If that part is
        small, the job with the most shapes gets one of them or the others. If no job mixes shapes,
        the job whose server counts differ most in an epoch gets few or many servers in it. Ties go
        to the first.
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
