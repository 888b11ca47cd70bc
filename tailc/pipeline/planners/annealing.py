"""Move running jobs by simulated annealing: the SA policy of Haque, 2016, section A.4.4.

An arriving job is placed as by `on_arrival`. If that refuses it, simulated annealing searches for a
plan of higher value that includes it, by moving running jobs. Once per epoch the running jobs are
annealed again, if jobs were admitted or the newest forecast breaks more promises than the current
plan. A search starts from the current plan, which stays if no better plan passes the checks.

A search may move jobs that miss green slots, have more than were promised, or move too often; the
schedule limits their number, and a seed selects them. All other jobs stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tailc_solvers.green.sla.anneal import AnnealingSchedule, anneal
from tailc_solvers.green.sla.check import figures_of
from tailc_solvers.green.sla.problem import Groups, Job, Placement, Plan
from tailc_solvers.green.sla.solution import PlacementSolution

from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import RunningJob, SubmittedJob
from tailc.models.rigid_jobs.planner import View
from tailc.pipeline.planners.current_schedule import (
    free_places,
    previous_places,
    remaining_places,
    with_intended_places,
)
from tailc.pipeline.planners.on_arrival import OnArrival
from tailc.pipeline.planners.planner_state import Epsilons, expected_green, planner_state
from tailc.pipeline.planners.rack_assignment import GroupServers, assign_racks
from tailc.pipeline.planners.remaining_sla import arriving_job, remaining_green_slots, running_job

Searching = Callable[[Groups, Sequence[Job], Plan, AnnealingSchedule], PlacementSolution]
"""Searches for a better plan of some jobs than the given one."""

Places = dict[int, Whole]
"""Servers of each job, by its number, from the present epoch on."""


class Annealing:
    """The planner `annealing` in one replay: places jobs, and moves them by simulated annealing."""

    def __init__(
        self,
        schedule: AnnealingSchedule | None = None,
        search: Searching = anneal,
        epsilons: Epsilons | None = None,
    ) -> None:
        self._schedule = schedule or AnnealingSchedule()
        self._search = search
        self._epsilons = epsilons
        self._on_arrival = OnArrival(epsilons=epsilons)
        self._epoch = -1
        self._meant: Places = {}
        self._foreseen: dict[int, int] = {}

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Decide the servers on which a new job starts now; None: refuse the job.

        Servers by rack and epoch, int64 (racks, epochs). If the planner prefers servers that are
        not free yet, `revise` moves the job there.
        """
        self._begin(view.epoch)
        now = with_intended_places(view, self._meant)
        places = self._on_arrival.admit(now, job)
        result = self._search_places(now, job) if places is None else {job.number: places}
        if job.number not in result:
            return None
        self._meant |= result
        return free_places(view.free(job.epochs(view.site.epoch_s)), result[job.number])

    def revise(self, view: View) -> Places:
        """Decide new places for the running jobs that the newest plan moves."""
        self._begin(view.epoch)
        now = with_intended_places(view, self._meant)
        if self._has_news(now):
            self._meant |= self._search_places(now, None)
        then = with_intended_places(view, self._meant)
        self._foreseen = _missing(then)
        pairs = zip(view.running, then.running, strict=True)
        return {
            new.job.number: remaining_places(new, view.epoch)
            for old, new in pairs
            if (old.places != new.places).any()
        }

    def _begin(self, epoch: int) -> None:
        if epoch != self._epoch:
            self._epoch, self._meant = epoch, {}

    def _has_news(self, view: View) -> bool:
        """Whether jobs were admitted, or more green slots are expected to be missed than before."""
        if any(one.first_epoch == view.epoch for one in view.running):
            return True
        missing = _missing(view)
        return any(slots > self._foreseen.get(number, 0) for number, slots in missing.items())

    def _search_places(self, view: View, arriving: SubmittedJob | None) -> Places:
        """Places in a better plan; empty if none is found."""
        seed = self._search_seed(view.epoch, arriving)
        schedule = self._schedule
        running = jobs_to_replan(view, schedule.most_jobs, schedule.moves_a_server, seed)
        if not running and arriving is None:
            return {}
        problem = _JointProblem(view, running, arriving, self._epsilons)
        return problem.places(self._search, replace(schedule, seed=seed, most_jobs=None))

    def _search_seed(self, epoch: int, arriving: SubmittedJob | None) -> int:
        """A different seed for each search of a replay."""
        number = 0 if arriving is None else arriving.number + 1
        return (self._schedule.seed << 96) + (epoch << 64) + number


class _JointProblem:
    """Running jobs, and possibly an arriving one, to place together."""

    def __init__(
        self,
        view: View,
        running: tuple[RunningJob, ...],
        arriving: SubmittedJob | None,
        epsilons: Epsilons | None,
    ) -> None:
        site, epoch = view.site, view.epoch
        epochs = [one.past_epoch - epoch for one in running]
        epochs += [] if arriving is None else [arriving.epochs(site.epoch_s)]
        self._state = planner_state(view, max(epochs), epsilons, running)
        self._jobs = [running_job(site, self._state, one, epoch) for one in running]
        self._before = [previous_places(one, epoch) for one in running]
        self._numbers = [one.job.number for one in running]
        lefts = (remaining_places(one, epoch) for one in running)
        start: list[Placement | None] = [Placement(0, self._state.by_group(left)) for left in lefts]
        if arriving is not None:
            self._jobs.append(arriving_job(site, arriving))
            self._before.append(None)
            self._numbers.append(arriving.number)
            start.append(None)
        self._start = tuple(start)

    def places(self, search: Searching, schedule: AnnealingSchedule) -> Places:
        """Places by rack in a plan of higher value than the one in force.

        Empty if none is found.
        """
        result = search(self._state.groups, self._jobs, self._start, schedule)
        before = figures_of(self._state.groups, self._jobs, self._start)
        if result.plan is None or result.figures is None or result.figures.value <= before.value:
            return {}
        rows = zip(self._numbers, self._jobs, self._before, result.plan, strict=True)
        granted = {
            number: GroupServers(one.servers, before, job.green_slots > 0)
            for number, job, before, one in rows
            if one is not None
        }
        placed = assign_racks(self._state, list(granted.values()))
        return dict(zip(granted, placed, strict=True))


def _missing(view: View) -> dict[int, int]:
    """Promised green slots that are expected to be missed, by job."""
    return {one.job.job.number: one.missing for one in outlooks(view)}


@dataclass(frozen=True)
class Outlook:
    """Outlook of a running job: its promised and expected green server-epochs, and its moves.

    owed: green server-epochs that were promised and are still to come. green: those expected under
    the current places and forecast. moves: number of moves to come.
    """

    job: RunningJob
    owed: int
    green: int
    moves: int

    @property
    def missing(self) -> int:
        """Promised green server-epochs of the job that it is expected not to get."""
        return max(0, self.owed - self.green)


def outlooks(view: View) -> Iterator[Outlook]:
    """Yield the outlook of each running job: expected green energy, and planned moves."""
    longest = max((one.past_epoch for one in view.running), default=view.epoch) - view.epoch
    if not longest:
        return
    is_green = expected_green(view, longest)
    for one in view.running:
        left = remaining_places(one, view.epoch)
        green = int(left[is_green[:, : left.shape[1]]].sum())
        moves = int(np.maximum(np.diff(left, axis=1), 0).sum())
        yield Outlook(one, remaining_green_slots(one, view.epoch), green, moves)


def jobs_to_replan(
    view: View, most: int | None, moves_a_server: int, seed: int
) -> tuple[RunningJob, ...]:
    """Select the running jobs for which a new placement is worth a search.

    Such jobs miss green slots, have more than promised, or move more than `moves_a_server` times
    per server. most: limit of their number, selected by the seed; None: all.
    """
    worth = [
        one.job
        for one in outlooks(view)
        if one.green != one.owed or one.moves > moves_a_server * one.job.width
    ]
    drawn = np.random.Generator(np.random.PCG64(seed)).permutation(len(worth))[:most]
    return tuple(worth[number] for number in sorted(drawn.tolist()))
