"""Servers of each job over time, as areas that stand on one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import Plan
from tailc.report.plan_shown import Shown, shown_of

if TYPE_CHECKING:
    from tailc.models.malleable_jobs.outcome import ClusterOutcome

Whole = NDArray[np.int64]


class Run(NamedTuple):
    """So many servers from one interval to before another, besides those of other runs."""

    first: int
    past: int
    servers: int


@dataclass(frozen=True)
class Stack:
    """Jobs by name with their runs, in intervals that follow one another.

    edges_s: where each interval begins, and where the last ends [s since start_unix_s]. servers: as
    many are there.
    """

    start_unix_s: int
    edges_s: tuple[int, ...]
    servers: int
    jobs: tuple[tuple[str, tuple[Run, ...]], ...]

    @cached_property
    def shown(self) -> Shown:
        """Which jobs are named: those with most servers times seconds."""
        slots = [
            sum(run.servers * (self.edges_s[run.past] - self.edges_s[run.first]) for run in runs)
            for _, runs in self.jobs
        ]
        return shown_of(slots, [min(run.first for run in runs) for _, runs in self.jobs])

    def heights(self, jobs: Sequence[int]) -> Whole:
        """Servers of these jobs together; int64 (intervals,)."""
        total = np.zeros(len(self.edges_s) - 1, np.int64)
        for job in jobs:
            for run in self.jobs[job][1]:
                total[run.first : run.past] += run.servers
        return total


def stack_of(plan: Plan) -> Stack:
    """The jobs of a plan, each on the servers that it has in all pools."""
    jobs = [
        (job.name, tuple(Run(span.first_epoch, span.past, span.servers) for span in job.spans))
        for job in plan.jobs
    ]
    edges_s = tuple(epoch * plan.epoch_s for epoch in range(len(plan.epochs) + 1))
    return Stack(plan.start_unix_s, edges_s, plan.servers, tuple(jobs))


def stack_of_replay(
    start_unix_s: int, length_s: int, servers: int, outcome: ClusterOutcome
) -> Stack:
    """The jobs of a replay of a cluster of so many servers, which took `length_s`, by number."""
    edges_s = (*(from_s for from_s, _ in outcome.history), length_s)
    if edges_s[0] != 0:
        raise ValueError("a replay has its first event at its start")
    runs: dict[int, list[Run]] = {}
    for interval, (_, given) in enumerate(outcome.history):
        for job, count in given.items():
            runs.setdefault(job, []).append(Run(interval, interval + 1, count))
    jobs = [(f"job {number}", tuple(runs[number])) for number in sorted(runs)]
    return Stack(start_unix_s, edges_s, servers, tuple(jobs))
