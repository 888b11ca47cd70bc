"""Replays of the design sample on lanes of SMT cores, on the same requests at the same times."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean

from tailc.experiment.estimate import Tail, repeated
from tailc.experiment.load import is_overloaded
from tailc.experiment.options import VerifyOptions
from tailc.experiment.setting import Draw, Draws, draw, setting_for
from tailc.forms.ladder.lanes import (
    AT_ONCE_AWAKE,
    Lanes,
    Plan,
    Waking,
    at_any_load,
    lane_ladder,
)
from tailc.models.arrivals import Poisson
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.shared_cores.arrays import NS_PER_US
from tailc.models.smt.baselines.no_batch import no_batch
from tailc.models.subject import Subject
from tailc.models.workload import workload
from tailc.order_statistics import rank_limits
from tailc.percentiles import PPM, percentile_rank
from tailc.traces.profile import DemandProfile

# As many as where candidates of a sweep are compared.
REQUESTS_PER_REPLAY = 20_000
REPLAYS = 10
# A tail that grows as long as one looks.
NO_END_US = 1 << 60


@dataclass(frozen=True)
class Seen:
    """What the replays of a plan at one rate show.

    Limits of the tail as if latencies were independent; `high_us` None where the design sample is
    too small. `given_up_us`: of batch work, by request. `batch_ppm`: batch work by core, relative
    to that beside a free core.
    """

    tail_us: int
    low_us: int
    high_us: int | None
    mean_us: int
    given_up_us: int
    batch_ppm: int

    @property
    def is_overloaded(self) -> bool:
        """Whether there is no tail."""
        return self.tail_us == NO_END_US

    @property
    def tail_or_none_us(self) -> int | None:
        """The tail, None where there is none."""
        return None if self.is_overloaded else self.tail_us


_OVERLOADED = Seen(NO_END_US, NO_END_US, None, NO_END_US, NO_END_US, 0)


class LaneReplays:
    """Replays of one design sample; `seed` makes requests and times, the same for every plan."""

    def __init__(
        self,
        profile: DemandProfile,
        percentile_ppm: int,
        seed: int,
        workers: Executor,
        waking: Waking = AT_ONCE_AWAKE,
    ) -> None:
        self._profile = profile
        self._tail = Tail(percentile_ppm)
        self._waking = waking
        self._options = VerifyOptions(requests_per_replay=REQUESTS_PER_REPLAY, seed=seed)
        self._workers = workers
        self._draws: dict[int, Draws] = {}
        self.evaluations = 0

    def seen(self, lanes: Lanes, plan: Plan, rate_mrps: int) -> Seen:
        """What the plan does on these lanes at a rate."""
        subject = Subject("plan", (lane_ladder(lanes, plan),), waking=self._waking)
        return self._seen(lanes, subject, rate_mrps)

    def _seen(self, lanes: Lanes, subject: Subject, rate_mrps: int) -> Seen:
        self.evaluations += 1
        (ladder,) = subject.ladders
        load = workload(self._profile, ladder)
        setting = setting_for(load, Poisson(rate_mrps), (ladder,), self._options)
        if rate_mrps not in self._draws:
            self._draws[rate_mrps] = draw(setting, REPLAYS, 0, self._workers)
        parts = (setting, self._draws[rate_mrps], subject, (self._tail,), self._workers)
        found = repeated(*parts, _no_tick, _kept)
        if is_overloaded(setting.arrivals, found.kept):
            return _OVERLOADED
        limits = rank_limits(self._tail.percentile_ppm, self._profile.total_weight)
        total = self._profile.total_weight
        sorted_ns = found.law_ns[0]

        def at(rank: int) -> int:
            return nearest_us(
                int(sorted_ns[percentile_rank(rank * PPM // total, len(sorted_ns)) - 1])
            )

        tail_us = nearest_us(found.limits_ns[0])
        return Seen(
            tail_us,
            min(at(max(limits.low, 1)), tail_us),
            limits.high and max(at(limits.high), tail_us),
            nearest_us(round(float(sorted_ns.mean()))),
            round(fmean(_given_up_ns(one, lanes) for one in found.kept) / NS_PER_US),
            _batch_ppm(found.kept, lanes),
        )

    def draws(self, rate_mrps: int) -> Draws:
        """What was replayed at a rate: at least one plan has been."""
        return self._draws[rate_mrps]

    def alone(self, lanes: Lanes, rate_mrps: int) -> Seen:
        """Requests without batch work."""
        return self._seen(lanes, no_batch(lanes, self._waking), rate_mrps)

    def shared(self, lanes: Lanes, rate_mrps: int) -> Seen:
        """Requests that never are."""
        return self.seen(lanes, at_any_load(None, lanes.cores), rate_mrps)


def _batch_ppm(repeats: Sequence[Outcome], lanes: Lanes) -> int:
    """Batch work by core over some replays, relative to that beside a free core."""
    given_up = fmean(one.mean_power + lanes.lost_waking(*one.mean_waking) for one in repeats)
    return PPM - round(given_up * PPM / lanes.cores)


def _given_up_ns(outcome: Outcome, lanes: Lanes) -> float:
    """Batch work by request that is given up for it, or for waking up after it."""
    return outcome.mean_energy + outcome.by_request(lanes.lost_waking(*outcome.mean_waking))


def _kept(one: Draw, outcome: Outcome) -> Outcome:  # noqa: ARG001 - what is kept of a repeat
    return outcome


def _no_tick() -> None:
    pass
