"""The number of servers of a job over time, and schedules built without a solver."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tailc_solvers.green.parallel.check import faults_of_column
from tailc_solvers.green.parallel.problem import MS_PER_S, ParallelProblem
from tailc_solvers.green.parallel.schedules import Column

from tailc.pipeline.allocators.epochs import Epochs
from tailc.pipeline.allocators.problem import at_request, speed_ppt


@dataclass(frozen=True)
class ServerSchedule:
    """The servers of one job over time: `servers[i]` from `begin_s[i]` on, none from `past_s` on.

    vms: its number of virtual machines.
    """

    vms: int
    begin_s: tuple[int, ...]
    servers: tuple[int, ...]
    past_s: int

    def servers_at(self, moment_s: int) -> int:
        """Number of servers of the job at the time `moment_s` [s]."""
        step = bisect_right(self.begin_s, moment_s) - 1
        return self.servers[step] if step >= 0 and moment_s < self.past_s else 0


def server_schedule(problem: ParallelProblem, epochs: Epochs, column: Column) -> ServerSchedule:
    """Convert a solver's schedule of a job, by epoch, to times in seconds."""
    shape = problem.jobs[column.job].shapes[column.shape]
    begin_s = epochs.begin_s[column.start : column.start + len(column.servers) + 1].tolist()
    return ServerSchedule(shape.vms, tuple(begin_s[:-1]), column.servers, begin_s[-1])


def columns_of(servers: np.ndarray, shape: np.ndarray) -> list[Column]:
    """Convert a plan to one schedule per job.

    servers: server counts, int (jobs, epochs). shape: number of the job's virtual machine choice,
    int (jobs,).
    """
    columns = []
    for j, row in enumerate(servers.tolist()):
        runs = [t for t, count in enumerate(row) if count]
        columns.append(Column(j, int(shape[j]), runs[0], tuple(row[runs[0] : runs[-1] + 1])))
    return columns


def requested_column(problem: ParallelProblem, job: int) -> Column | None:
    """Schedule of a job on the servers that it requests, to its end.

    None if the job would miss its limit on slowdown.
    """
    count = at_request(problem.jobs[job])
    return _schedule(problem, job, lambda _: count)


def planned_column(
    problem: ParallelProblem, epochs: Epochs, job: int, steps: ServerSchedule
) -> Column | None:
    """Make a running job's schedule: its planned servers, then the number that it requests.

    None if the job would miss its limit on slowdown.
    """
    requested = at_request(problem.jobs[job])
    begin_s = epochs.begin_s.tolist()
    return _schedule(problem, job, lambda epoch: steps.servers_at(begin_s[epoch]) or requested)


def _schedule(problem: ParallelProblem, job: int, count_at: Callable[[int], int]) -> Column | None:
    one = problem.jobs[job]
    left = one.work_left
    servers: list[int] = []
    for length_s in problem.length_s.tolist()[one.earliest :]:
        servers.append(count_at(one.earliest + len(servers)))
        left -= speed_ppt(one, 0, servers[-1]) * length_s * MS_PER_S
        if left <= 0:
            break
    column = Column(job, 0, one.earliest, tuple(servers))
    return None if faults_of_column(problem, column) else column
