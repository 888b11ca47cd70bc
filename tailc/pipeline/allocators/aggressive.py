"""Plan the servers of malleable jobs again whenever something changes.

Each plan covers all running and waiting jobs and the expected energy. A new plan is made when a job
arrives or ends, when the forecast changes much, and when a job outlives its plan. Every plan keeps
the slowdown promised to each job. If a plan breaks a rule, it is rejected: the previous plan stays
in force, and new jobs also get the servers they request. If jobs would have to wait, and more of
them could start if all jobs had the requested servers, then all jobs get these.

Source: Haque, Rutgers 2016, sections B.3.1 and B.3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tailc_solvers.green.parallel.problem import MS_PER_S, ParallelProblem
from tailc_solvers.green.parallel.schedules import Column
from tailc_solvers.green.parallel.warm import carry_schedules

from tailc.models.datacentre.supply import PPM, Supply
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView
from tailc.models.malleable_jobs.jobs import MalleableJob, UnfinishedJob
from tailc.pipeline.allocators.epochs import Epochs, epochs_ahead
from tailc.pipeline.allocators.problem import (
    Aims,
    at_request,
    new_job,
    parallel_problem,
    running_job,
)
from tailc.pipeline.allocators.solving import Solve, checked_columns
from tailc.pipeline.allocators.steps import (
    ServerSchedule,
    planned_column,
    requested_column,
    server_schedule,
)

CHANGE_PPM = 100_000
"""Change of the expected energy that triggers a new plan: the source reports an error of 11 %
of forecasts for the next hour.
"""


def true_work_s(job: MalleableJob) -> int:
    """Actual run time of a job on one server [s]."""
    return job.work_s


@dataclass(frozen=True, eq=False)
class _Moment:
    """The planning problem at one time.

    `numbers` are job numbers, in the order of the problem's jobs.
    """

    active: tuple[UnfinishedJob, ...]
    epochs: Epochs
    problem: ParallelProblem

    @property
    def numbers(self) -> list[int]:
        return [one.job.number for one in self.active]

    def vms(self, job: int, shape: int) -> int:
        return self.problem.jobs[job].shapes[shape].vms


@dataclass(frozen=True, eq=False)
class _LastSearch:
    """The last problem that was solved, and the new schedules that its search generated."""

    moment: _Moment
    columns: tuple[Column, ...]


class Aggressive:
    """The allocator `aggressive` in one replay: it plans all jobs again at every change."""

    def __init__(
        self,
        solve: Solve,
        aims: Aims,
        *,
        expected_work_s: Callable[[MalleableJob], int] = true_work_s,
        change_ppm: int = CHANGE_PPM,
    ) -> None:
        self._solve = solve
        self._aims = aims
        self._expected_work_s = expected_work_s
        self._change_ppm = change_ppm
        self._steps: dict[int, ServerSchedule] = {}
        self._known: set[int] = set()
        self._planned_at: tuple[int, Supply] | None = None
        self._last_search: _LastSearch | None = None

    def allocate(self, view: ClusterView) -> Allocation:
        """Allocate servers by the current plan; plan again first if something has changed."""
        numbers = {one.job.number for one in view.active}
        if view.active and self._is_due(view, numbers):
            self._replan(view)
        elif numbers - self._steps.keys():
            self._put_in_force(moment := self._moment(view), self._fallback(moment))
        self._known = numbers
        steps = {number: self._steps[number] for number in numbers & self._steps.keys()}
        servers = {number: each.servers_at(view.now_s) for number, each in steps.items()}
        return Allocation(servers, {number: each.vms for number, each in steps.items()})

    def _is_due(self, view: ClusterView, numbers: set[int]) -> bool:
        running = [one for one in view.active if one.started_s is not None]
        return (
            numbers != self._known
            or any(not self._has_servers(one, view.now_s) for one in running)
            or self._has_changed(view)
        )

    def _has_servers(self, one: UnfinishedJob, now_s: int) -> bool:
        steps = self._steps.get(one.job.number)
        return steps is not None and steps.servers_at(now_s) > 0

    def _has_changed(self, view: ClusterView) -> bool:
        """Whether the energy expected until the plan's end changed by more than `change_ppm`."""
        assert self._planned_at is not None
        epoch, before = self._planned_at
        epoch_s = view.cluster.epoch_s
        here = view.now_s // epoch_s
        past_s = max((steps.past_s for steps in self._steps.values()), default=view.now_s)
        span = slice(0, max(-(-past_s // epoch_s) - here, 0))
        new, old = view.ahead.green_mw[span], before.green_mw[here - epoch :][span]
        change = int(np.abs(new - old).sum())
        return change * PPM > self._change_ppm * max(int(new.sum()), int(old.sum()))

    def _replan(self, view: ClusterView) -> None:
        moment = self._moment(view)
        columns = self._solve_columns(moment, view.now_s) if _has_room(moment) else None
        self._put_in_force(moment, self._fallback(moment) if columns is None else columns)
        self._planned_at = view.now_s // view.cluster.epoch_s, view.ahead

    def _solve_columns(self, moment: _Moment, now_s: int) -> list[Column] | None:
        warm = self._warm(moment, now_s)
        result = self._solve(moment.problem, warm)
        old = set(warm)
        new = tuple(column for column in result.columns if column not in old)
        self._last_search = _LastSearch(moment, new)
        return checked_columns(moment.problem, result)

    def _put_in_force(self, moment: _Moment, columns: Sequence[Column]) -> None:
        self._steps = {
            moment.numbers[column.job]: server_schedule(moment.problem, moment.epochs, column)
            for column in columns
        }

    def _moment(self, view: ClusterView) -> _Moment:
        active = tuple(sorted(view.active, key=lambda one: one.started_s is None))
        servers = view.cluster.servers
        jobs = [
            new_job(one.job, servers, self._expected_work_s(one.job))
            if one.started_s is None
            else running_job(one, servers, self._expected_work_s(one.job))
            for one in active
        ]
        longest_s = -(-max(job.deadline_ms for job in jobs) // MS_PER_S)
        epochs = epochs_ahead(view.cluster, view.now_s, view.ahead, view.now_s + longest_s)
        problem = parallel_problem(view.cluster, epochs, jobs, self._aims)
        return _Moment(active, epochs, problem)

    def _warm(self, moment: _Moment, now_s: int) -> list[Column]:
        """Schedules to start the search from: the plan in force, and those of the last search."""
        own = self._as_planned(moment)
        going_on = [column for column in own.values() if column is not None]
        if self._last_search is None:
            return going_on
        before = self._last_search.moment
        new_shapes = {
            (number, moment.vms(j, o)): (j, o)
            for j, number in enumerate(moment.numbers)
            for o in range(len(moment.problem.jobs[j].shapes))
        }
        renumbered = {
            (j, o): new_shapes[number, before.vms(j, o)]
            for j, number in enumerate(before.numbers)
            for o in range(len(before.problem.jobs[j].shapes))
            if (number, before.vms(j, o)) in new_shapes
        }
        return going_on + carry_schedules(
            self._last_search.columns, renumbered, before.epochs.epoch_at(now_s)
        )

    def _as_planned(self, moment: _Moment) -> dict[int, Column | None]:
        """The rest of each running job's schedule, by job.

        None without a plan or if it is too slow.
        """
        result: dict[int, Column | None] = {}
        for j, one in enumerate(moment.active):
            if one.started_s is not None:
                steps = self._steps.get(one.job.number)
                result[j] = steps and planned_column(moment.problem, moment.epochs, j, steps)
        return result

    def _fallback(self, moment: _Moment) -> list[Column]:
        """The plan in force or the requested servers: whichever lets more waiting jobs start.

        If neither is possible for some running job, every job keeps its present servers.
        """
        going_on = self._as_planned(moment)
        requested = {j: requested_column(moment.problem, j) or going_on[j] for j in going_on}
        ways = [_with_waiting(moment, list(way.values())) for way in (going_on, requested)]
        return max((way for way in ways if way is not None), key=len, default=_as_they_are(moment))


def _has_room(moment: _Moment) -> bool:
    """Whether waiting jobs fit with their requested servers if running jobs take their fewest."""
    problem = moment.problem
    least = sum(
        at_request(job) if one.started_s is None else int(job.shapes[0].servers[0])
        for job, one in zip(problem.jobs, moment.active, strict=True)
    )
    return least <= problem.servers


def _with_waiting(moment: _Moment, running: Sequence[Column | None]) -> list[Column] | None:
    """The schedules of running jobs, then those of waiting jobs in order, as many as fit.

    Waiting jobs get the servers they request. None if not even the running jobs fit.
    """
    problem = moment.problem
    columns = [column for column in running if column is not None]
    used = sum((column.row(problem.epochs) for column in columns), np.zeros(problem.epochs))
    if len(columns) < len(running) or used.max() > problem.servers:
        return None
    for j in range(len(running), len(moment.active)):
        column = requested_column(problem, j)
        if column is None or (used + column.row(problem.epochs)).max() > problem.servers:
            break
        columns.append(column)
        used = used + column.row(problem.epochs)
    return columns


def _as_they_are(moment: _Moment) -> list[Column]:
    """Each running job on its present servers, for the present epoch."""
    return [
        Column(j, 0, 0, (one.servers,))
        for j, one in enumerate(moment.active)
        if one.started_s is not None
    ]
