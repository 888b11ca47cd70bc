"""Jobs of a log as a cluster may run them: known at a plan's start, or brought by a day before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tailc.forecasts.days import Days, Whole
from tailc.policies.greenpar.spec import GreenParSpec
from tailc.policies.greenpar.turns import turns_of
from tailc.problems.malleable_jobs import NamedMalleable
from tailc.specs.fields import PPM
from tailc.traces.jobs.log import refuse_same_numbers, refuse_wide

Curves = dict[int, dict[int, int]]


@dataclass(frozen=True)
class Known:
    """Jobs to be planned. left_out: others whose turn comes after the horizon."""

    jobs: tuple[NamedMalleable, ...]
    left_out: int


@dataclass(frozen=True, eq=False)
class LoggedJobs:
    """The jobs of the days, each with the epoch in which its turn comes (`turns`)."""

    spec: GreenParSpec
    days: Days

    def known(self) -> Known:
        """Those submitted before the plan's start that are not done, and of an oracle also those
        submitted within the horizon.

        Raises TailcError where two have one number, or one is wider than the cluster.
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
        return Known(tuple(self._job(int(at), first) for at in chosen), int(is_late.sum()))

    def of_span(self, first: int) -> tuple[NamedMalleable, ...]:
        """Those that would run in as many epochs as the horizon has, from this one on.

        Raises TailcError where one is wider than the cluster.
        """
        is_there = self._ends_s > first * self.days.epoch_s
        is_there &= self._turns < first + self.days.epochs
        chosen = np.flatnonzero(is_there)
        self._refuse_wide(chosen)
        return tuple(self._job(int(at), first) for at in chosen)

    def _refuse_wide(self, chosen: Whole) -> None:
        refuse_wide(self.days.jobs.part(chosen), self.spec.cluster.servers)

    @cached_property
    def _turns(self) -> Whole:
        """Of the jobs submitted until the plan's end: none after that is known to it."""
        log, epoch_s = self.days.jobs, self.days.epoch_s
        end_s = (self.days.first + self.days.epochs) * epoch_s
        jobs = slice(0, int(np.searchsorted(log.submit_s, end_s)))
        servers = self.spec.cluster.servers
        return turns_of(log.submit_s[jobs], log.run_s[jobs], log.width[jobs], epoch_s, servers)

    @cached_property
    def _ends_s(self) -> Whole:
        return self._turns * self.days.epoch_s + self.days.jobs.run_s[: len(self._turns)]

    @cached_property
    def _named(self) -> list[str]:
        return self.days.jobs.named

    @cached_property
    def _found(self) -> dict[tuple[str, int], Curves]:
        return {}

    def _job(self, at: int, first: int) -> NamedMalleable:
        """The job, or what is left of it in epoch `first`, as one of its own."""
        log, epoch_s = self.days.jobs, self.days.epoch_s
        width, turn = int(log.width[at]), int(self._turns[at])
        curves, wait = self._speedups(at), self.spec.deferral_s or 0
        run_s = int(log.run_s[at])
        if turn < first:
            fewest = min(curves)
            curves, wait = {fewest: curves[fewest]}, 0
            run_s = int(self._ends_s[at]) - first * epoch_s
        requested_ppm = curves[min(curves)][width]
        return NamedMalleable(
            name=f"job-{log.number[at]}",
            submit_s=max(turn - first, 0) * epoch_s,
            work_s=max(run_s * requested_ppm // PPM, 1),
            requested=width,
            speedup_ppm=curves,
            may_wait=wait // epoch_s,
        )

    def _speedups(self, at: int) -> Curves:
        """By virtual machines and servers; the same mapping for all jobs that are alike."""
        alike = self._named[at], int(self.days.jobs.width[at])
        if alike not in self._found:
            servers = self.spec.cluster.servers
            self._found[alike] = self.spec.speedups.speedup_ppm(*alike, servers)
        return self._found[alike]
