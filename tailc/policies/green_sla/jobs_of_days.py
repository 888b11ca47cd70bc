"""Jobs of a log as a plan sees them: those that have begun, those that come, and those expected.

A job begins with the first epoch that begins when it is submitted or later, as if there were no
queue, and takes whole epochs. What of it lies beyond the horizon is not planned.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.quote import RigidJob
from tailc.percentiles import PPM
from tailc.problems.rigid_jobs import NamedJob

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.traces.jobs.log import JobLog

Ints = NDArray[np.int64]
S_PER_DAY = 86_400
PPM_PER_PERCENT = PPM // 100


@dataclass(frozen=True)
class Known:
    """The jobs that a plan knows at its start.

    refused_before: how many of those before had no room when they came. renamed: names of the known
    ones whose number an earlier job of the log has too.
    """

    jobs: tuple[NamedJob, ...]
    refused_before: int
    renamed: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class JobsOfDays:
    """The jobs of some days, for a datacentre of so many servers.

    may_wait: so many epochs may the start of a job be put off, as far as it ends in the horizon.
    """

    days: Days
    servers: int
    may_wait: int

    def known(self, *, foresees: bool) -> Known:
        """The jobs known at the start.

        That is those that have begun and are not done, and those submitted since the last epoch
        began; if it `foresees`, all of the horizon. Raises TailcError (TOO_WIDE).
        """
        begun = self._begun()
        last = self.days.first + self.days.epochs - 1 if foresees else self.days.first
        come = (self._first >= self.days.first) & (self._first <= last)
        self._refuse_wide(begun | come)
        runs = begun & self._had_room()
        chosen = np.flatnonzero(runs | come)
        first, names = self._first - self.days.first, self._names()
        jobs = (self._named(at, int(first[at]), names[at]) for at in chosen.tolist())
        again = np.setdiff1d(chosen, np.unique(self._log.number, return_index=True)[1])
        renamed = (names[at] for at in again.tolist())
        return Known(tuple(jobs), int((begun & ~runs).sum()), tuple(renamed))

    def expected(self, spans: int) -> tuple[tuple[NamedJob, ...], ...]:
        """The jobs submitted in so many spans before the start, one set each, the last span first.

        Spans are as long as the horizon and begin whole days before the start, so that a job has
        the epoch of its time of day. Those that begin before the energy's series does are left out.
        Raises TailcError (TOO_WIDE).
        """
        days = self.days
        start_s = days.first * days.epoch_s
        length_s = days.epochs * days.epoch_s
        apart_s = -(-length_s // S_PER_DAY) * S_PER_DAY
        begins_s = [start_s - number * apart_s for number in range(1, spans + 1)]
        return tuple(self._submitted(begin_s) for begin_s in begins_s if begin_s >= 0)

    def _submitted(self, begin_s: int) -> tuple[NamedJob, ...]:
        first = -((begin_s - self._log.submit_s) // self.days.epoch_s)
        within = (first >= 0) & (first < self.days.epochs)
        self._refuse_wide(within)
        return tuple(
            self._named(at, int(first[at]), f"job-{self._log.number[at]}")
            for at in np.flatnonzero(within).tolist()
        )

    def _named(self, at: int, first: int, name: str) -> NamedJob:
        """A job from its first epoch in the horizon on; below 0, it has begun before."""
        log, begin = self._log, max(first, 0)
        left = min(first + int(self._epochs[at]), self.days.epochs) - begin
        green_ppm = 0 if log.green_percent is None else int(log.green_percent[at]) * PPM_PER_PERCENT
        job = RigidJob(begin, left, int(log.width[at]), green_ppm)
        if first < 0:
            return NamedJob(name, job, must_run=True)
        return NamedJob(name, job, min(self.may_wait, self.days.epochs - begin - left))

    def _begun(self) -> NDArray[np.bool_]:
        """Which jobs run on at the start."""
        return (self._first < self.days.first) & (self._first + self._epochs > self.days.first)

    def _had_room(self) -> NDArray[np.bool_]:
        """Which jobs of before the start found enough servers, one after another as they came."""
        past = np.minimum(self._first + self._epochs, self.days.first + 1)
        busy = np.zeros(self.days.first + 1, np.int64)
        had = np.zeros(self._log.jobs, dtype=np.bool_)
        for at in np.flatnonzero(self._first < self.days.first).tolist():
            taken = busy[int(self._first[at]) : int(past[at])]
            if int(taken.max()) + int(self._log.width[at]) <= self.servers:
                taken += self._log.width[at]
                had[at] = True
        return had

    def _names(self) -> list[str]:
        """By the numbers in the log; of jobs with one number the later ones are counted."""
        seen: Counter[int] = Counter()
        names = []
        for number in self._log.number.tolist():
            seen[number] += 1
            names.append(f"job-{number}" + (f"-{seen[number]}" if seen[number] > 1 else ""))
        return names

    def _refuse_wide(self, chosen: NDArray[np.bool_]) -> None:
        from tailc.traces.jobs.log import refuse_wide

        refuse_wide(self._log.part(chosen), self.servers)

    @property
    def _log(self) -> JobLog:
        return self.days.jobs

    @cached_property
    def _first(self) -> Ints:
        """First epoch of each job on the energy's grid."""
        return -(-self._log.submit_s // self.days.epoch_s)

    @cached_property
    def _epochs(self) -> Ints:
        """How many each takes."""
        return -(-self._log.run_s // self.days.epoch_s)
