"""Replays of one workload on servers of cores, under many policies, on common random numbers.

Repetition number i has the same requests at the same times for every policy and every server, so
differences between them are taken repetition by repetition. What comes before a controller has
settled is not measured, for any of them.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.study import Figure, p99_of
from tailc.artifact.envelope import Policy
from tailc.models import streams
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.core_types.baselines.best_share import SHARES_PPM
from tailc.models.core_types.baselines.fixed_ages import fixed_ages
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.models.streams import Purpose
from tailc.models.workload import workload
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile

SEED = 2017
MOST_IN_SYSTEM = 4_096
# Sixteen epochs of 500 requests pass before anything is measured, and thirty-two are.
SETTLING, MEASURED = 8_000, 16_000
REPETITIONS = 12
SEARCH_REPETITIONS = 4
NS_PER_MS = 1e6
OVERLOADED = CandidateResult(2**62, np.inf)
OWN = "eetl"
# The best fixed share of the ages at each rate: what a controller could settle to.
KNOWN = "best-share"


@dataclass(frozen=True)
class Run:
    """One repetition; energy of a request in ms of the unit of power. `outcome` has the rest."""

    p99_ms: float
    mean_ms: float
    energy: float
    outcome: CoreTypesOutcome


Measure = Callable[[Run], float]


class CoreStudy:
    """A policy on its server (called `eetl`), and every replay asked for so far.

    Other subjects are baselines by name, those with a free parameter searched at each rate.
    """

    def __init__(self, policy: Policy, profile: DemandProfile) -> None:
        self.policy = policy
        self.load = workload(profile, policy.ladders[0])
        self.own = CoreTypes(policy.name, policy.ladders, steering=policy.controller)
        self.target_us = policy.slos[0].latency_us
        self._added: dict[str, CoreTypes] = {}
        self.runs_at = functools.cache(self._simulate)
        self.subject = functools.cache(self._subject)

    def add(self, name: str, subject: CoreTypes) -> None:
        self._added[name] = subject

    def figure(self, of: Measure, name: str, rate_rps: float) -> Figure:
        return Figure.build([of(run) for run in self.runs_at(name, rate_rps)])

    def ratio(self, of: Measure, name: str, other: str, rate_rps: float) -> Figure:
        """How many times as much a subject has as another."""
        pairs = zip(self.runs_at(name, rate_rps), self.runs_at(other, rate_rps), strict=True)
        return Figure.build([of(ours) / of(theirs) for ours, theirs in pairs])

    def against(
        self, of: Measure, name: str, rate_rps: float, other: CoreStudy, theirs: str
    ) -> Figure:
        """The same against a subject on another server at the same rate."""
        pairs = zip(self.runs_at(name, rate_rps), other.runs_at(theirs, rate_rps), strict=True)
        return Figure.build([of(ours) / of(those) for ours, those in pairs])

    def capacity(self, most_rps: int = 200) -> int:
        """The highest whole rate at which some share of the ages meets the target; 0: at none."""
        low, high = 0, most_rps
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._meets(middle) else (low, middle)
        return low

    def _meets(self, rate_rps: float) -> bool:
        some = (fixed_ages(self.own, share) for share in SHARES_PPM[::4])
        return any(self._try_candidate(rate_rps, one).tail_us <= self.target_us for one in some)

    def note(self, name: str, rate_rps: float) -> str:
        return self.subject(name, rate_rps).note

    def spikes(self, name: str, arrivals: Arrivals, repetitions: int) -> tuple[Run, ...]:
        """A subject under arrivals whose rate changes, from an empty server on."""
        subject = self.subject(name, arrivals.rate_mrps / 1000)
        with ThreadPoolExecutor(thread_count(None)) as workers:
            one = functools.partial(self._run, subject, arrivals, 0)
            return tuple(workers.map(one, range(repetitions)))

    def _simulate(self, name: str, rate_rps: float) -> tuple[Run, ...]:
        subject = self.subject(name, rate_rps)
        return self.repeated(subject, rate_rps, REPETITIONS)

    def repeated(self, subject: CoreTypes, rate_rps: float, repetitions: int) -> tuple[Run, ...]:
        one = functools.partial(self._run, subject, Poisson(round(rate_rps * 1000)), SETTLING)
        with ThreadPoolExecutor(thread_count(None)) as workers:
            return tuple(workers.map(one, range(repetitions)))

    def _subject(self, name: str, rate_rps: float) -> CoreTypes:
        if name == OWN:
            return self.own
        if name in self._added:
            return self._added[name]
        slo = self.policy.slos[0]
        evaluate = functools.partial(self._try_candidate, rate_rps)
        search = BaselineSearch(evaluate, slo.percentile_ppm, slo.latency_us)
        return self.own.baseline(name, self.load, search)

    def _try_candidate(self, rate_rps: float, subject: CoreTypes) -> CandidateResult:
        runs = self.repeated(subject, rate_rps, SEARCH_REPETITIONS)
        if any(run.outcome.was_cut_off for run in runs):
            return OVERLOADED
        tail_us = round(1000 * statistics.fmean(run.p99_ms for run in runs))
        return CandidateResult(tail_us, statistics.fmean(run.energy for run in runs) * NS_PER_MS)

    def _run(self, subject: CoreTypes, arrivals: Arrivals, settling: int, number: int) -> Run:
        state = _stream(arrivals, number, Purpose.ARRIVALS)
        arrival_ns = arrivals.arrival_ns(state, SETTLING + MEASURED)
        order = np.empty(len(arrival_ns), np.int32)
        pool = np.arange(len(self.load.work_ns), dtype=np.int32)
        streams.shuffled_passes(_stream(arrivals, number, Purpose.ORDER), pool, order)
        engine = subject.engine(arrivals.rate_mrps, MOST_IN_SYSTEM)
        return _summary(engine.replay(self.load, order, arrival_ns, settling))


def _stream(arrivals: Arrivals, number: int, purpose: Purpose) -> NDArray[np.uint64]:
    return streams.stream(SEED, arrivals.rate_mrps, number, purpose)


def _summary(outcome: CoreTypesOutcome) -> Run:
    if outcome.was_cut_off:
        return Run(np.inf, np.inf, np.inf, outcome)
    latency_ms = outcome.latency_ns[outcome.measured] / NS_PER_MS
    energy = (outcome.mean_energy + outcome.mean_idle_energy) / NS_PER_MS
    return Run(p99_of(latency_ms), float(latency_ms.mean()), energy, outcome)
