"""Check every constraint of a plan in integers, without relying on a solver."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from tailc_solvers.green.parallel.plan import ServerPlan
from tailc_solvers.green.parallel.problem import MS_PER_S, ParallelProblem, Shape
from tailc_solvers.green.parallel.schedules import Column


class ServerPlanFault(StrEnum):
    """A constraint that a plan of malleable jobs violates."""

    WRONG_SIZE = "the plan is not whole numbers of all jobs and epochs"
    NO_SUCH_SHAPE = "the job has no such shape"
    TOO_MANY_SERVERS = "more servers are given than there are"
    NEVER_STARTED = "the job does not run"
    OUTSIDE_WINDOW = "the job starts outside its window"
    INTERRUPTED = "the job pauses"
    COUNT_NOT_ALLOWED = "the job cannot run on so many servers"
    UNFINISHED = "the job does not end"
    RUNS_ON = "the job runs on after its end"
    TOO_LATE = "the job ends after its deadline"


class LocatedFault(NamedTuple):
    """A constraint that a plan violates (`fault`), with its job and epoch.

    job, epoch: None if the constraint concerns several jobs or epochs.
    """

    fault: ServerPlanFault
    job: int | None = None
    epoch: int | None = None


def faults_of(problem: ParallelProblem, plan: ServerPlan) -> list[LocatedFault]:
    """List the constraints that a plan violates, by job and then by epoch; empty if none."""
    if not _has_size(problem, plan):
        return [LocatedFault(ServerPlanFault.WRONG_SIZE)]
    found: list[LocatedFault] = []
    for j in range(len(problem.jobs)):
        found += _of_job(problem, j, plan.servers[j].tolist(), int(plan.shape[j]))
    given = plan.servers.sum(axis=0)
    over = np.flatnonzero(given > problem.servers).tolist()
    return found + [LocatedFault(ServerPlanFault.TOO_MANY_SERVERS, epoch=t) for t in over]


def faults_of_column(problem: ParallelProblem, column: Column) -> list[LocatedFault]:
    """List the constraints that the schedule of one job violates; other jobs are not considered."""
    ends = column.start + len(column.servers)
    if not (0 <= column.job < len(problem.jobs) and 0 <= column.start < ends <= problem.epochs):
        return [LocatedFault(ServerPlanFault.WRONG_SIZE)]
    return _of_job(problem, column.job, column.row(problem.epochs).tolist(), column.shape)


def _has_size(problem: ParallelProblem, plan: ServerPlan) -> bool:
    J, T = len(problem.jobs), problem.epochs
    arrays = (plan.servers, plan.shape)
    are_whole = all(np.issubdtype(array.dtype, np.integer) for array in arrays)
    return are_whole and plan.servers.shape == (J, T) and plan.shape.shape == (J,)


def _of_job(problem: ParallelProblem, j: int, servers: list[int], at: int) -> list[LocatedFault]:
    job = problem.jobs[j]
    if not 0 <= at < len(job.shapes):
        return [LocatedFault(ServerPlanFault.NO_SUCH_SHAPE, j)]
    allowed = set(job.shapes[at].servers.tolist())
    runs = [t for t, n in enumerate(servers) if n != 0]
    if not runs:
        return [LocatedFault(ServerPlanFault.NEVER_STARTED, j)]
    first, last = runs[0], runs[-1]
    if odd := [t for t in runs if servers[t] not in allowed]:
        return [LocatedFault(ServerPlanFault.COUNT_NOT_ALLOWED, j, t) for t in odd]
    found = []
    if not job.earliest <= first <= job.latest:
        found.append(LocatedFault(ServerPlanFault.OUTSIDE_WINDOW, j, first))
    found += [
        LocatedFault(ServerPlanFault.INTERRUPTED, j, t)
        for t in range(first, last)
        if servers[t] == 0
    ]
    return found + _of_work(problem, j, servers, job.shapes[at], first, last)


def _of_work(
    problem: ParallelProblem, j: int, servers: list[int], shape: Shape, first: int, last: int
) -> list[LocatedFault]:
    """Faults of the work: it must end in the last epoch, and by the deadline."""
    job = problem.jobs[j]
    speed = dict(zip(shape.servers.tolist(), shape.speed_ppt.tolist(), strict=True))
    left, ran_ms = job.work_left, 0
    for t in range(first, last + 1):
        if left <= 0:
            return [LocatedFault(ServerPlanFault.RUNS_ON, j, t)]
        v, length = speed.get(servers[t], 0), MS_PER_S * int(problem.length_s[t])
        if left <= v * length:
            is_late = ran_ms * v + left > v * job.deadline_ms
            left = 0
            if is_late:
                return [LocatedFault(ServerPlanFault.TOO_LATE, j, t)]
        left -= v * length
        ran_ms += length
    return [LocatedFault(ServerPlanFault.UNFINISHED, j, last)] if left > 0 else []
