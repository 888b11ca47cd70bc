"""Replays of one service on a core with a clock, under many rules, on common random numbers."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.rubik_workloads import NOMINAL_KHZ, Service
from bench.study import Figure
from tailc.models import streams
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.models.streams import Purpose
from tailc.percentiles import percentile_rank
from tailc.threads import thread_count

SEED = 2015
REPETITIONS = 8
MEASURED = 20_000
# Steps until the feedback has settled: where the tail moves a tenth as much as its bound, it goes a
# 75th of the way at each.
SETTLING_EPOCHS = 300
MOST_IN_SYSTEM = 4_096
P95_PPM = 950_000
NS_PER_US, NS_PER_S = 1_000, 1e9
FIXED, STATIC, DYNAMIC = "fixed", "static-oracle", "dynamic-oracle"
OPEN, OWN = "open-loop", "feedback"


@dataclass(frozen=True)
class Run:
    """One repetition: p95, what a request drew while it was served, and how busy the core was.

    power_w: of requests, over time; levels: share of busy time at each level; output: mean share
    of the bound that the feedback set; None where there is none.
    """

    p95_us: float
    energy_mj: float
    power_w: float
    busy: float
    levels: tuple[float, ...]
    output: float | None


Measure = Callable[[Run], float]
_Found = TypeVar("_Found")


class ClocksStudy:
    """A service with a bound, and every replay asked for so far.

    Subjects are the policy itself (`OWN`), baselines by name, and those added.
    """

    def __init__(
        self, service: Service, bound_us: int, loads: Sequence[float], **changes: str
    ) -> None:
        self.service, self.bound_us = service, bound_us
        policy, profile = service.compiled(bound_us, loads, **changes)
        assert policy.tail_table is not None
        self.table = policy.tail_table
        clocks = Clocks(policy.tail_table, NOMINAL_KHZ)
        self.own = CoreQueues(OWN, clocks, policy.controller)
        self.load = self.own.workload(profile)
        self._added: dict[str, CoreQueues] = {}
        self.subject = functools.cache(self._subject)
        self.runs_at = functools.cache(self._simulate)

    def add(self, name: str, subject: CoreQueues) -> None:
        self._added[name] = subject

    def figure(self, of: Measure, name: str, load: float) -> Figure:
        return Figure.build([of(run) for run in self.runs_at(name, load)])

    def ratio(self, of: Measure, name: str, other: str, load: float) -> Figure:
        """What a subject has over what another has, repetition by repetition."""
        pairs = zip(self.runs_at(name, load), self.runs_at(other, load), strict=True)
        return Figure.build([of(ours) / of(theirs) for ours, theirs in pairs])

    def tail(self, name: str, load: float) -> Figure:
        """Of the bound."""
        return self.figure(lambda run: run.p95_us / self.bound_us, name, load)

    def energy(self, name: str, load: float) -> Figure:
        """Of a request while it is served, over that at the nominal clock."""
        return self.ratio(lambda run: run.energy_mj, name, FIXED, load)

    def outcomes(self, name: str, arrivals: Arrivals, repetitions: int) -> list[CoreQueuesOutcome]:
        """Under arrivals of their own, all measured."""
        subject = self.subject(name, arrivals.rate_mrps * 1e-3 / self.service.rate_rps(1))
        return self.each(lambda outcome: outcome, subject, arrivals, 0, 0, repetitions)

    def each(
        self,
        of: Callable[[CoreQueuesOutcome], _Found],
        subject: CoreQueues,
        arrivals: Arrivals,
        settling: int,
        measured: int,
        repetitions: int,
    ) -> list[_Found]:
        """What is asked of each repetition."""

        def one(number: int) -> _Found:
            return of(self._replayed(subject, arrivals, settling, measured, number))

        with ThreadPoolExecutor(thread_count(None)) as workers:
            return list(workers.map(one, range(repetitions)))

    def _simulate(self, name: str, load: float) -> tuple[Run, ...]:
        return self._repeated(self.subject(name, load), load)

    def _repeated(self, subject: CoreQueues, load: float) -> tuple[Run, ...]:
        arrivals = Poisson(round(1_000 * self.service.rate_rps(load)))
        steering = self.own.steering
        settling = SETTLING_EPOCHS * steering.epoch_requests if steering else MEASURED // 20
        found = self.each(_summary, subject, arrivals, settling, MEASURED, REPETITIONS)
        return tuple(found)

    def _subject(self, name: str, load: float) -> CoreQueues:
        if name == OWN:
            return self.own
        if name in self._added:
            return self._added[name]
        if name == OPEN and self.own.steering is None:
            return self.own
        search = BaselineSearch(
            functools.partial(self._try_candidate, load), P95_PPM, self.bound_us
        )
        return self.own.baseline(name, self.load, search)

    def _try_candidate(self, load: float, subject: CoreQueues) -> CandidateResult:
        runs = self._repeated(subject, load)
        return CandidateResult(round(statistics.fmean(run.p95_us for run in runs)), None)

    def _replayed(
        self, subject: CoreQueues, arrivals: Arrivals, settling: int, measured: int, number: int
    ) -> CoreQueuesOutcome:
        arrival_ns = arrivals.arrival_ns(
            _stream(arrivals, number, Purpose.ARRIVALS), settling + measured
        )
        order = np.empty(len(arrival_ns), np.int32)
        pool = np.arange(len(self.load.work_ns), dtype=np.int32)
        streams.shuffled_passes(_stream(arrivals, number, Purpose.ORDER), pool, order)
        engine = subject.engine(arrivals.rate_mrps, MOST_IN_SYSTEM)
        return engine.replay(self.load, order, arrival_ns, settling)


def _stream(arrivals: Arrivals, number: int, purpose: Purpose) -> NDArray[np.uint64]:
    return streams.stream(SEED, arrivals.rate_mrps, number, purpose)


def _summary(outcome: CoreQueuesOutcome) -> Run:
    if outcome.was_cut_off:
        return Run(np.inf, np.inf, np.inf, 1.0, (), None)
    return Run(
        p95_ns(outcome.latency_ns[outcome.measured]) / NS_PER_US,
        outcome.mean_energy * 1_000 / NS_PER_S,
        outcome.mean_power,
        outcome.utilization or 0.0,
        outcome.level_shares,
        _mean_output(outcome),
    )


def _mean_output(outcome: CoreQueuesOutcome) -> float | None:
    outputs_ppm = outcome.outputs_ppm
    return float(outputs_ppm.mean()) / 1e6 if len(outputs_ppm) else None


def p95_ns(latency_ns: NDArray[np.int64]) -> float:
    rank = percentile_rank(P95_PPM, len(latency_ns))
    return float(np.partition(latency_ns, rank - 1)[rank - 1])


def fixed_p95_us(service: Service, load: float, loads: Sequence[float] | None = None) -> int:
    """p95 of requests at the nominal clock, to the nearest microsecond.

    A study of `loads` then measures the very same requests.
    """
    one = ClocksStudy(service, LONGEST_US, loads or [load])
    return round(one.figure(lambda run: run.p95_us, FIXED, load).mean)


# No bound: of a policy that is asked for its fixed clock only.
LONGEST_US = 10_000_000
