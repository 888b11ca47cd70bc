"""What a policy does at the rates that it is for, replayed on what it was compiled from."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.estimate import Tail
from tailc.experiment.load import Load, ServerUse, load
from tailc.experiment.subjects import subject_of, tail_of
from tailc.forms.ladder.lanes import is_on_lanes
from tailc.models.arrivals import Poisson
from tailc.models.core_queues.usage import ClockUse, clock_use
from tailc.models.core_types.usage import CoreUse, core_use
from tailc.models.outcome import nearest_us
from tailc.models.smt.usage import LaneUse, lane_use
from tailc.models.subject import Subject, workload_for
from tailc.models.workload import Workload
from tailc.pipeline.design_replays import design_repeats
from tailc.traces.profile import DemandProfile


@dataclass(frozen=True)
class AtRate:
    """Of the first SLO the tail at a rate, None where the server is overloaded, and how busy it is.

    cores, lanes, clocks: where requests have a core, a lane or a clock.
    """

    rate_mrps: int
    percentile_ppm: int
    tail_us: int | None
    load: Load
    cores: CoreUse | None
    lanes: LaneUse | None
    clocks: ClockUse | None


def at_rates(policy: Policy, design: object, threads: int) -> tuple[AtRate, ...]:
    """At each of its rates; nothing of a policy that no requests come to."""
    if not policy.rates_mrps or not isinstance(design, DemandProfile):
        return ()
    subject = subject_of(policy, design)
    replays = _Replays(subject, workload_for(design, subject), tail_of(policy.slos[0], design))
    with ThreadPoolExecutor(threads) as workers:
        return tuple(replays.at(rate, workers) for rate in policy.rates_mrps)


@dataclass(frozen=True, eq=False)
class _Replays:
    """A policy, the requests that it was compiled from, and the percentile that is asked for."""

    subject: Subject
    requests: Workload
    tail: Tail

    def at(self, rate_mrps: int, workers: Executor) -> AtRate:
        arrivals = Poisson(rate_mrps)
        found = design_repeats(self.subject, self.requests, arrivals, (self.tail,), workers)
        busy = load(arrivals, found.kept)
        tail_us = None if busy.is_overloaded else nearest_us(found.limits_ns[0])
        parts = (self._cores(found.kept), self._lanes(found.kept), self._clocks(found.kept))
        return AtRate(rate_mrps, self.tail.percentile_ppm, tail_us, busy, *parts)

    @property
    def _has_lanes(self) -> bool:
        return any(map(is_on_lanes, self.subject.ladders))

    def _cores(self, kept: tuple[ServerUse, ...]) -> CoreUse | None:
        cores = [one.cores for one in kept if one.cores is not None]
        ladder = self.subject.ladders[0] if self.subject.ladders else None
        return core_use(ladder, cores) if cores and not self._has_lanes else None

    def _lanes(self, kept: tuple[ServerUse, ...]) -> LaneUse | None:
        lanes = [one.lanes for one in kept if one.lanes is not None]
        return lane_use(self.subject, lanes) if self._has_lanes else None

    def _clocks(self, kept: tuple[ServerUse, ...]) -> ClockUse | None:
        clocks = [one.clocks for one in kept if one.clocks is not None]
        return clock_use(clocks, self.subject.clocks) if self.subject.clocks is not None else None
