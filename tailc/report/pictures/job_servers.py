"""Servers of each job over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import Plan
from tailc.report.pictures.job_groups import JobGroup, job_groups

if TYPE_CHECKING:
    from tailc.models.malleable_jobs.outcome import ClusterOutcome

Whole = NDArray[np.int64]


class ServerRun(NamedTuple):
    """The number of servers that a job uses in the intervals `first` to `past` - 1 of a picture."""

    first: int
    past: int
    servers: int


@dataclass(frozen=True)
class JobStack:
    """Jobs by name with the servers that they use, in consecutive intervals.

    edges_s: start of each interval and end of the last [s since start_unix_s].
    servers: number of servers of the cluster.
    """

    start_unix_s: int
    edges_s: tuple[int, ...]
    servers: int
    jobs: tuple[tuple[str, tuple[ServerRun, ...]], ...]

    @cached_property
    def groups(self) -> list[JobGroup]:
        """Group the jobs for colours: those with the most server-seconds, and all others."""
        slots = [
            sum(run.servers * (self.edges_s[run.past] - self.edges_s[run.first]) for run in runs)
            for _, runs in self.jobs
        ]
        begins = [min(run.first for run in runs) for _, runs in self.jobs]
        return job_groups([name for name, _ in self.jobs], slots, begins)

    def heights(self, jobs: Sequence[int]) -> Whole:
        """Total number of servers of these jobs in each interval; int64 (intervals,)."""
        total = np.zeros(len(self.edges_s) - 1, np.int64)
        for job in jobs:
            for run in self.jobs[job][1]:
                total[run.first : run.past] += run.servers
        return total


def stack_from_plan(plan: Plan) -> JobStack:
    """Build the data of a picture of a plan: each job with its servers in all pools, over time."""
    jobs = [
        (
            job.name,
            tuple(ServerRun(span.first_epoch, span.past, span.servers) for span in job.spans),
        )
        for job in plan.jobs
    ]
    edges_s = tuple(epoch * plan.epoch_s for epoch in range(len(plan.epochs) + 1))
    return JobStack(plan.start_unix_s, edges_s, plan.servers, tuple(jobs))


def stack_from_replay(
    start_unix_s: int, length_s: int, servers: int, outcome: ClusterOutcome
) -> JobStack:
    """Build the data of a picture of replayed jobs in a cluster, named by number.

    length_s: duration of the replay. servers: number of servers of the cluster.
    """
    edges_s = (*(from_s for from_s, _ in outcome.history), length_s)
    if edges_s[0] != 0:
        raise ValueError("the first event of a replay must be at its start")
    runs: dict[int, list[ServerRun]] = {}
    for interval, (_, allocation) in enumerate(outcome.history):
        for job, count in allocation.items():
            runs.setdefault(job, []).append(ServerRun(interval, interval + 1, count))
    jobs = [(f"job {number}", tuple(runs[number])) for number in sorted(runs)]
    return JobStack(start_unix_s, edges_s, servers, tuple(jobs))
