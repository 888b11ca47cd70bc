"""Select the jobs of a log that a plan needs: running, submitted and expected jobs.

A job starts with the first epoch that begins at or after its submission, as if there were no queue,
and occupies whole epochs. Epochs of the job beyond the horizon are not planned.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.forms.plan.quote import RigidJob
from tailc.problems.rigid_jobs import NamedJob, RackPlaces
from tailc.units import plural

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.forms.plan.state import BegunJob, PlanState
    from tailc.problems.resumption import Resumption
    from tailc.traces.jobs.log import JobLog

Ints = NDArray[np.int64]
S_PER_DAY = 86_400


@dataclass(frozen=True)
class KnownRigidJobs:
    """The rigid jobs that are known at the start of a plan.

    refused_before: number of earlier jobs that found no free servers. renamed: names of known jobs
    whose number another, earlier job of the log has, too.
    """

    jobs: tuple[NamedJob, ...]
    refused_before: int
    renamed: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class JobsOfDays:
    """Collects the jobs of some days from a log, for a datacentre of equal racks.

    may_wait: number of epochs by which a start may be delayed, within the horizon.
    """

    days: Days
    racks: int
    rack_servers: int
    may_wait: int

    @property
    def servers(self) -> int:
        """Number of servers of all racks."""
        return self.racks * self.rack_servers

    def known_jobs(self, *, foresees: bool) -> KnownRigidJobs:
        """Collect the jobs of a log that are known at the start of a plan.

        These are running jobs, and jobs submitted since the last epoch began. foresees: also
        include all jobs of the horizon. Raises TailcError (TOO_WIDE).
        """
        begun = self._running_mask()
        last = self.days.first + self.days.epochs - 1 if foresees else self.days.first
        come = (self._first >= self.days.first) & (self._first <= last)
        self._refuse_wide(begun | come)
        runs = begun & self._had_room()
        chosen = np.flatnonzero(runs | come)
        first, names = self._first - self.days.first, self._names()
        jobs = (
            self._named_job(index, int(first[index]), names[index]) for index in chosen.tolist()
        )
        again = np.setdiff1d(chosen, np.unique(self._log.number, return_index=True)[1])
        renamed = (names[index] for index in again.tolist())
        return KnownRigidJobs(tuple(jobs), int((begun & ~runs).sum()), tuple(renamed))

    def jobs_after(self, resumption: Resumption, *, foresees: bool) -> KnownRigidJobs:
        """Collect the jobs from which a plan continues: running, waiting and undecided jobs.

        resumption: the state of the plan. foresees: also include all jobs of the horizon. Raises
        TailcError if the log does not have a job of the state, or has other values (BAD_STATE), and
        for wide jobs (TOO_WIDE).
        """
        state = resumption.state
        names = self._names()
        index_of = {name: index for index, name in enumerate(names)}
        running = [self._running_job(state, one, index_of.get(one.name)) for one in state.running]
        decided_s = state.decided_unix_s - self.days.energy.power.start_unix_s
        last = self.days.first + self.days.epochs - 1 if foresees else self.days.first
        gone = {*state.refused, *(one.name for one in state.running)}
        known = np.zeros(self._log.jobs, np.bool_)
        for name, index in index_of.items():
            is_open = self._log.submit_s[index] > decided_s or name in state.waiting
            known[index] = is_open and name not in gone and self._first[index] <= last
        self._refuse_wide(known)
        new = (self._undecided_job(index, names[index]) for index in np.flatnonzero(known).tolist())
        return KnownRigidJobs((*(one for one in running if one is not None), *new), 0, ())

    def _undecided_job(self, index: int, name: str) -> NamedJob:
        """A job that begins now at the earliest, and at the latest when it could have begun."""
        late = max(self.days.first - int(self._first[index]), 0)
        named = self._named_job(index, max(int(self._first[index]) - self.days.first, 0), name)
        wait = max(self._wait(index) - late, 0)
        return replace(named, may_wait=min(named.may_wait, wait))

    def _running_job(self, state: PlanState, one: BegunJob, index: int | None) -> NamedJob | None:
        """The rest of a job that is running according to the state; None if it has ended.

        It is owed the slots promised to it until it ends, or until the horizon does.
        """
        if index is None or len(one.servers) != self._log.width[index]:
            message = (
                f"job `{one.name}` has {plural(len(one.servers), 'server')} in the state, but "
            )
            message += (
                "the log has no such job" if index is None else "it has another width in the log"
            )
            hint = "give the log that has all jobs of the state, with the same number and width"
            raise TailcError(Finding(Code.BAD_STATE, message, help=hint))
        days, width = self.days, int(self._log.width[index])
        passed = -(-(days.start_unix_s - state.first_unix_s(one)) // days.epoch_s)
        left = int(self._epochs[index]) - passed
        if one.begun_unix_s is None:
            left = int(self._first[index] + self._epochs[index]) - days.first
        if left <= 0:
            return None
        within = min(left, days.epochs)
        green_ppm = 0 if self._log.green_ppm is None else int(self._log.green_ppm[index])
        owed = RigidJob(0, passed + within, width, green_ppm).green_slots - one.green_slots
        racks = np.bincount(np.array(one.servers) // self.rack_servers, minlength=self.racks)
        return NamedJob(
            one.name,
            RigidJob(0, within, width, green_ppm),
            must_run=True,
            owed=min(max(owed, 0), within * width),
            racks=tuple(racks.tolist()),
        )

    def places_in_force(self, resumption: Resumption) -> dict[str, RackPlaces]:
        """Servers of jobs in the current plan from now until the horizon's end, by rack."""
        schedule = resumption.schedule.by_epoch[resumption.passed :][: self.days.epochs]
        places: dict[str, RackPlaces] = {}
        for name in dict.fromkeys(name for servers in schedule for name in servers):
            rows = [
                (epoch, np.bincount(np.array(at[name]) // self.rack_servers, minlength=self.racks))
                for epoch, at in enumerate(schedule)
                if name in at
            ]
            servers = np.stack([row for _, row in rows], axis=1).astype(np.int64)
            places[name] = RackPlaces(rows[0][0], servers)
        return places

    def expected_jobs(self, spans: int) -> tuple[tuple[NamedJob, ...], ...]:
        """Collect the jobs of earlier days, from which a plan derives its prices.

        There is one tuple for each of `spans` periods, the latest period first. Periods are as long
        as the horizon and begin whole days before the start, so that a job has the epoch of its
        time of day. Periods before the energy series are omitted. Raises TailcError (TOO_WIDE).
        """
        days = self.days
        start_s = days.first * days.epoch_s
        length_s = days.epochs * days.epoch_s
        period_s = -(-length_s // S_PER_DAY) * S_PER_DAY
        begins_s = [start_s - number * period_s for number in range(1, spans + 1)]
        return tuple(self._submitted_jobs(begin_s) for begin_s in begins_s if begin_s >= 0)

    def _submitted_jobs(self, begin_s: int) -> tuple[NamedJob, ...]:
        first = -((begin_s - self._log.submit_s) // self.days.epoch_s)
        within = (first >= 0) & (first < self.days.epochs)
        self._refuse_wide(within)
        return tuple(
            self._named_job(index, int(first[index]), f"job-{self._log.number[index]}")
            for index in np.flatnonzero(within).tolist()
        )

    def _named_job(self, index: int, first: int, name: str) -> NamedJob:
        """Build a job from its first epoch in the horizon; a negative epoch means it is running."""
        log, begin = self._log, max(first, 0)
        epochs_left = min(first + int(self._epochs[index]), self.days.epochs) - begin
        green_ppm = 0 if log.green_ppm is None else int(log.green_ppm[index])
        job = RigidJob(begin, epochs_left, int(log.width[index]), green_ppm)
        if first < 0:
            return NamedJob(name, job, must_run=True)
        return NamedJob(name, job, min(self._wait(index), self.days.epochs - begin - epochs_left))

    def _wait(self, index: int) -> int:
        """Number of epochs by which the start of a job may be delayed: until its deadline, if it
        has one."""
        if self._log.deadline_s is None:
            return self.may_wait
        last_end = int(self._log.deadline_s[index]) // self.days.epoch_s
        return max(last_end - int(self._first[index]) - int(self._epochs[index]), 0)

    def _running_mask(self) -> NDArray[np.bool_]:
        """Mask of jobs that are running at the start."""
        return (self._first < self.days.first) & (self._first + self._epochs > self.days.first)

    def _had_room(self) -> NDArray[np.bool_]:
        """Mask of earlier jobs that found enough free servers, in order of submission."""
        past = np.minimum(self._first + self._epochs, self.days.first + 1)
        busy = np.zeros(self.days.first + 1, np.int64)
        had = np.zeros(self._log.jobs, dtype=np.bool_)
        for index in np.flatnonzero(self._first < self.days.first).tolist():
            busy_then = busy[int(self._first[index]) : int(past[index])]
            if int(busy_then.max()) + int(self._log.width[index]) <= self.servers:
                busy_then += self._log.width[index]
                had[index] = True
        return had

    def _names(self) -> list[str]:
        """Names from the numbers in the log; later jobs with the same number get a suffix."""
        counts: Counter[int] = Counter()
        names = []
        for number in self._log.number.tolist():
            counts[number] += 1
            names.append(f"job-{number}" + (f"-{counts[number]}" if counts[number] > 1 else ""))
        return names

    def _refuse_wide(self, chosen: NDArray[np.bool_]) -> None:
        from tailc.traces.jobs.log import refuse_wide

        refuse_wide(self._log.part(chosen), self.servers)

    @property
    def _log(self) -> JobLog:
        return self.days.jobs

    @cached_property
    def _first(self) -> Ints:
        """First epoch of each job on the grid of the energy series."""
        return -(-self._log.submit_s // self.days.epoch_s)

    @cached_property
    def _epochs(self) -> Ints:
        """Number of epochs of each job."""
        return -(-self._log.run_s // self.days.epoch_s)
