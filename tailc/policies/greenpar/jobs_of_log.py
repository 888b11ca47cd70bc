"""Select the malleable jobs of a log that a plan needs: known jobs, and those of earlier days."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tailc.errors import Code, Finding, TailcError
from tailc.forecasts.days import Days, Whole
from tailc.forms.plan.state import BegunJob, PlanState
from tailc.policies.greenpar.spec import GreenParSpec
from tailc.problems.malleable_jobs import BegunRun, NamedMalleable
from tailc.problems.resumption import Resumption
from tailc.specs.fields import PPM
from tailc.traces.jobs.log import refuse_same_numbers, refuse_wide
from tailc.units import plural

Curves = dict[int, dict[int, int]]


@dataclass(frozen=True)
class KnownMalleableJobs:
    """The malleable jobs to plan; left_out: number of jobs that would start after the horizon."""

    jobs: tuple[NamedMalleable, ...]
    left_out: int


@dataclass(frozen=True, eq=False)
class LoggedJobs:
    """The jobs of some days, with the epochs in which they would start in order of submission."""

    spec: GreenParSpec
    days: Days

    def known_jobs(self) -> KnownMalleableJobs:
        """Collect the jobs of a log that were submitted before the plan's start and have not ended.

        If the spec knows all jobs, those submitted within the horizon are included. Raises
        TailcError if two have one number, or one is wider than the cluster.
        """
        first, epoch_s = self.days.first, self.days.epoch_s
        upto_s = first * epoch_s
        if self.spec.horizon.known_jobs == "all":
            upto_s += self.days.epochs * epoch_s
        is_known = self.days.jobs.submit_s[: len(self._turns)] < upto_s
        is_left = (self._ends_s > first * epoch_s) & is_known
        is_late = is_left & (self._turns >= first + self.days.epochs)
        chosen = np.flatnonzero(is_left & ~is_late)
        refuse_same_numbers(self.days.jobs.part(chosen))
        self._refuse_wide(chosen)
        return KnownMalleableJobs(
            tuple(self._job(int(index), first) for index in chosen), int(is_late.sum())
        )

    def jobs_after(self, resumption: Resumption) -> KnownMalleableJobs:
        """Collect the jobs that run in a plan's state, and those that the plan may still start.

        Raises TailcError (BAD_STATE) if the log does not have a job of the state, or has other
        values.
        """
        days, state = self.days, resumption.state
        names = [f"job-{number}" for number in days.jobs.number.tolist()]
        index_of = {name: index for index, name in enumerate(names)}
        stated = [self._begun_job(state, one, index_of.get(one.name)) for one in state.running]
        running = [one for one in stated if one is not None]
        chosen = np.array(self._undecided(state, names), np.int64)
        refuse_same_numbers(days.jobs.part(chosen))
        self._refuse_wide(chosen)
        free = self._free_after(running)
        new = [self._new_job(index, free) for index in chosen.tolist()]
        known = [one for one in new if one.submit_s < days.epochs * days.epoch_s]
        return KnownMalleableJobs((*running, *known), len(new) - len(known))

    def _undecided(self, state: PlanState, names: list[str]) -> list[int]:
        """Jobs that the plan may start: they wait, or were submitted since the last decision."""
        days = self.days
        epochs = days.epochs if self.spec.horizon.known_jobs == "all" else 0
        upto_s = (days.first + epochs) * days.epoch_s
        decided_s = state.decided_unix_s - days.energy.power.start_unix_s
        gone = {*state.refused, *(one.name for one in state.running)}
        known = int(np.searchsorted(days.jobs.submit_s, upto_s))
        return [
            index
            for index in range(known)
            if names[index] not in gone
            and (days.jobs.submit_s[index] >= decided_s or names[index] in state.waiting)
        ]

    def _free_after(self, running: list[NamedMalleable]) -> _Free:
        """Free servers in each epoch from now on, next to running jobs on their requested ones."""
        servers = self.spec.cluster.servers
        free = _Free(1, servers)
        for job in running:
            longest = -(-job.work_left // (job.requested_ppm * self.days.epoch_s))
            free.take(0, longest, min(job.requested, servers))
        return free

    def _new_job(self, index: int, free: _Free) -> NamedMalleable:
        """A job whose turn comes when its requested servers are free, from now on."""
        log, days = self.days.jobs, self.days
        arrived = -(-int(log.submit_s[index]) // days.epoch_s) - days.first
        length = -(-int(log.run_s[index]) // days.epoch_s)
        turn = free.take(max(arrived, 0), length, int(log.width[index]))
        named = self._job(index, days.first, turn=days.first + turn)
        return replace(named, may_wait=max(named.may_wait - (turn - arrived), 0))

    def _begun_job(
        self, state: PlanState, one: BegunJob, index: int | None
    ) -> NamedMalleable | None:
        """The rest of a job that is running according to the state; None if it has ended.

        A job that ran before the first plan has the work that it had then, as in that plan.
        """
        curves = {} if index is None else self._speedups(index)
        vms = min(curves, default=0) if one.machines is None else one.machines
        counts = {len(one.servers), *(count for count, _ in one.ran_s)}
        if index is None or not counts <= curves.get(vms, {}).keys():
            message = (
                f"job `{one.name}` has {plural(len(one.servers), 'server')} in the state, but "
            )
            message += "the log has no such job" if index is None else "no speed-up for them"
            hint = "give the log that has all jobs of the state, and the spec of this policy"
            raise TailcError(Finding(Code.BAD_STATE, message, help=hint))
        width, run_s = int(self.days.jobs.width[index]), int(self.days.jobs.run_s[index])
        if one.begun_unix_s is None:
            first_s = state.first_unix_s(one) - self.days.energy.power.start_unix_s
            run_s = min(run_s, int(self._ends_s[index]) - first_s)
        work_s = max(run_s * curves[min(curves)][width] // PPM, 1)
        done = sum(curves[vms][count] * seconds for count, seconds in one.ran_s)
        if done >= work_s * PPM:
            return None
        begun = BegunRun(vms, len(one.servers), done, sum(seconds for _, seconds in one.ran_s))
        return NamedMalleable(one.name, 0, work_s, width, curves, begun=begun)

    def jobs_of_span(self, first: int) -> tuple[NamedMalleable, ...]:
        """Collect the jobs that would run in an earlier period, which begins with epoch `first`.

        The period is as long as the horizon. Raises TailcError if a job is wider than the cluster.
        """
        is_there = self._ends_s > first * self.days.epoch_s
        is_there &= self._turns < first + self.days.epochs
        chosen = np.flatnonzero(is_there)
        self._refuse_wide(chosen)
        return tuple(self._job(int(index), first) for index in chosen)

    def _refuse_wide(self, chosen: Whole) -> None:
        refuse_wide(self.days.jobs.part(chosen), self.spec.cluster.servers)

    @cached_property
    def _turns(self) -> Whole:
        """Turn of each job submitted before the plan's end; later jobs are unknown to the plan."""
        log, epoch_s = self.days.jobs, self.days.epoch_s
        end_s = (self.days.first + self.days.epochs) * epoch_s
        jobs = slice(0, int(np.searchsorted(log.submit_s, end_s)))
        servers = self.spec.cluster.servers
        return assign_turns(log.submit_s[jobs], log.run_s[jobs], log.width[jobs], epoch_s, servers)

    @cached_property
    def _ends_s(self) -> Whole:
        return self._turns * self.days.epoch_s + self.days.jobs.run_s[: len(self._turns)]

    @cached_property
    def _job_names(self) -> list[str]:
        return self.days.jobs.application_of_job

    @cached_property
    def _curves_by_application(self) -> dict[tuple[str, int], Curves]:
        return {}

    def _job(self, index: int, first: int, turn: int | None = None) -> NamedMalleable:
        """Build the job, or its remaining part in epoch `first` as a job of its own.

        turn: the epoch in which its turn comes; None: as if all jobs ran in order.
        """
        log, epoch_s = self.days.jobs, self.days.epoch_s
        width = int(log.width[index])
        turn = int(self._turns[index]) if turn is None else turn
        curves, wait = self._speedups(index), self._wait(index)
        run_s = int(log.run_s[index])
        if turn < first:
            fewest = min(curves)
            curves, wait = {fewest: curves[fewest]}, 0
            run_s = int(self._ends_s[index]) - first * epoch_s
        requested_ppm = curves[min(curves)][width]
        return NamedMalleable(
            name=f"job-{log.number[index]}",
            submit_s=max(turn - first, 0) * epoch_s,
            work_s=max(run_s * requested_ppm // PPM, 1),
            requested=width,
            speedup_ppm=curves,
            may_wait=wait // epoch_s,
        )

    def _wait(self, index: int) -> int:
        """Time by which the start of a job may be delayed [s]: so that it meets its deadline even
        with its longest run time, if it has one."""
        if self.days.jobs.deadline_s is None:
            return self.spec.deferral_s or 0
        begin_s = int(self._turns[index]) * self.days.epoch_s
        longest_s = -(-int(self.days.jobs.run_s[index]) * self.spec.slowdown_ppm // PPM)
        return max(int(self.days.jobs.deadline_s[index]) - begin_s - longest_s, 0)

    def _speedups(self, index: int) -> Curves:
        """Speed-ups by virtual machines and servers; equal jobs share one mapping."""
        alike = self._job_names[index], int(self.days.jobs.width[index])
        if alike not in self._curves_by_application:
            servers = self.spec.cluster.servers
            self._curves_by_application[alike] = self.spec.speedups.speedup_ppm(*alike, servers)
        return self._curves_by_application[alike]


def assign_turns(submit_s: Whole, run_s: Whole, width: Whole, epoch_s: int, servers: int) -> Whole:
    """The epoch in which each job starts if jobs start in order of submission; int64 (jobs,).

    A job waits until its servers are free. A job wider than the cluster gets the epoch of its
    submission, and no other job waits for it. O(jobs epochs) in the worst case.
    """
    first = -(-submit_s // epoch_s)
    length = -(-run_s // epoch_s)
    # After all earlier jobs are done, there is room for any job.
    epochs = int(first.max(initial=0) + length.sum()) + 1
    free = _Free(min(epochs, int(first.max(initial=0) + length.max(initial=0)) + 1), servers)
    requests = zip(first.tolist(), length.tolist(), width.tolist(), strict=True)
    return np.array([free.take(*request) for request in requests], np.int64)


class _Free:
    """Free servers in each epoch; the array grows when later epochs are used."""

    def __init__(self, epochs: int, servers: int) -> None:
        self._servers = servers
        self._free = np.full(epochs, servers, np.int64)

    def take(self, first: int, length: int, width: int) -> int:
        """Reserve `width` servers for `length` epochs, from `first` or later; return the first
        epoch.
        """
        if width > self._servers:
            return first
        start = first
        while True:
            self._reach(start + length)
            short = np.flatnonzero(self._free[start : start + length] < width)
            if not len(short):
                self._free[start : start + length] -= width
                return start
            start += int(short[-1]) + 1

    def _reach(self, epochs: int) -> None:
        if (lacking := epochs - len(self._free)) > 0:
            more = np.full(lacking + len(self._free), self._servers, np.int64)
            self._free = np.concatenate([self._free, more])
