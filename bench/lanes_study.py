"""Replays of one workload on lanes of SMT cores, under many plans, on common random numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.study import Figure, p99_of
from tailc.forms.ladder.lanes import (
    AT_ONCE_AWAKE,
    Lanes,
    SharingPlan,
    Waking,
    lane_ladder,
    plan_at_any_load,
)
from tailc.models import streams
from tailc.models.arrivals import Poisson
from tailc.models.smt.baselines.no_batch import no_batch
from tailc.models.smt.model import Smt
from tailc.models.smt.outcome import SmtOutcome
from tailc.models.smt.usage import batch_work, busy_threads, smt_times
from tailc.models.streams import Purpose
from tailc.problems.borrowing import Borrowing, budget_age_us, sharing_plan
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile

SEED = 2016
REPETITIONS = 20
REQUESTS, WARM_UP = 42_000, 2_000
MOST_IN_SYSTEM = 4_096
NS_PER_MS = 1e6
BUDGETED = (Borrowing.FIXED, Borrowing.REFRESH, Borrowing.DYNAMIC, Borrowing.SAFE)


@dataclass(frozen=True)
class Run:
    """One repetition: p99, mean, busy lanes of a core, of requests alone and of both, batch work.

    `idle_ns`: lengths of the times in which a core had no request.
    """

    p99_ms: float
    mean_ms: float
    requests_busy: float
    busy: float
    batch: float
    idle_ns: NDArray[np.int64]


Measure = Callable[[Run], float]


class LanesStudy:
    """A demand profile on lanes, and every replay asked for so far."""

    def __init__(
        self,
        profile: DemandProfile,
        lanes: Lanes,
        requests: int = REQUESTS,
        waking: Waking = AT_ONCE_AWAKE,
    ) -> None:
        self.lanes = lanes
        self._waking = waking
        self.profile = profile
        self._requests = requests
        self.runs_at = functools.cache(self._simulate)

    def figure(self, of: Measure, plan: SharingPlan, rate_rps: float) -> Figure:
        return Figure.build([of(run) for run in self.runs_at(plan, rate_rps)])

    def more(self, of: Measure, plan: SharingPlan, other: SharingPlan, rate_rps: float) -> Figure:
        """How much more a plan has than another, repetition by repetition."""
        pairs = zip(self.runs_at(plan, rate_rps), self.runs_at(other, rate_rps), strict=True)
        return Figure.build([of(ours) - of(theirs) for ours, theirs in pairs])

    @property
    def alone(self) -> SharingPlan:
        return plan_at_any_load(0, self.lanes.cores)

    @property
    def shared(self) -> SharingPlan:
        return plan_at_any_load(None, self.lanes.cores)

    def headroom_us(self, rate_rps: float, target_ms: float) -> int:
        """What requests alone leave of the target, at least nothing."""
        alone_ms = self.figure(lambda run: run.p99_ms, self.alone, rate_rps).mean
        return max(round(1_000 * (target_ms - alone_ms)), 0)

    def budgeted(self, borrowing: Borrowing, budget_us: int) -> SharingPlan:
        """A policy with a budget; `dynamic` charges harm."""
        harm = borrowing is Borrowing.DYNAMIC
        age_us = budget_age_us(budget_us, self.lanes, charges_harm=harm)
        return sharing_plan(borrowing, ((0, age_us),), self.lanes)

    def without_batch(self, rate_rps: float) -> tuple[Run, ...]:
        """Requests on cores that have no batch work."""
        return self._all(no_batch(self.lanes, self._waking), rate_rps)

    def _simulate(self, plan: SharingPlan, rate_rps: float) -> tuple[Run, ...]:
        ladder = lane_ladder(self.lanes, plan)
        return self._all(Smt("plan", (ladder,), waking=self._waking), rate_rps)

    def _all(self, subject: Smt, rate_rps: float) -> tuple[Run, ...]:
        one = functools.partial(self._run, subject, Poisson(round(rate_rps * 1_000)))
        with ThreadPoolExecutor(thread_count(None)) as workers:
            return tuple(workers.map(one, range(REPETITIONS)))

    def _run(self, subject: Smt, arrivals: Poisson, number: int) -> Run:
        load = subject.workload(self.profile)
        arrival_ns = arrivals.arrival_ns(
            _stream(arrivals, number, Purpose.ARRIVALS), self._requests
        )
        order = np.empty(len(arrival_ns), np.int32)
        pool = np.arange(len(load.work_ns), dtype=np.int32)
        streams.shuffled_passes(_stream(arrivals, number, Purpose.ORDER), pool, order)
        engine = subject.engine(arrivals.rate_mrps, MOST_IN_SYSTEM)
        warm_up = min(WARM_UP, self._requests // 20)
        return self._summary(engine.replay(load, order, arrival_ns, warm_up))

    def _summary(self, outcome: SmtOutcome) -> Run:
        times = smt_times(outcome)
        ended = not outcome.was_cut_off
        latency_ns = outcome.latency_ns[outcome.measured]
        return Run(
            p99_of(latency_ns / NS_PER_MS) if ended else np.inf,
            float(latency_ns.mean() / NS_PER_MS) if ended else np.inf,
            times.requests,
            busy_threads(times, self.lanes),
            batch_work(times, self.lanes),
            outcome.idle_periods_ns,
        )


def idle_share(periods_ns: NDArray[np.int64], low_ms: float, high_ms: float) -> float:
    """Share of all idle time that is in periods longer than `low_ms`, up to `high_ms`."""
    length_ms = periods_ns / NS_PER_MS
    chosen = (low_ms < length_ms) & (length_ms <= high_ms)
    return float(length_ms[chosen].sum() / length_ms.sum())


def _stream(arrivals: Poisson, number: int, purpose: Purpose) -> NDArray[np.uint64]:
    return streams.stream(SEED, arrivals.rate_mrps, number, purpose)
