"""Replays of one fitted workload under many subjects and rates, on common random numbers.

Repetition number i has the same requests at the same times for every subject, so differences
between subjects are taken repetition by repetition.
"""

from __future__ import annotations

import functools
import math
import re
import statistics
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tailc
from tailc.artifact.envelope import Policy
from tailc.forms.ladder.table import ON_EXIT, Climb, Guard, Row, collapse
from tailc.models import streams
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.model import SharedCores
from tailc.models.streams import Purpose
from tailc.models.workload import Workload, workload
from tailc.percentiles import percentile_rank
from tailc.threads import thread_count
from tailc.traces.trace import read_trace

P99_PPM = 990_000
MOST_IN_SYSTEM = 4096
SEED = 2015
# Half-width of a normal 95 % interval in standard deviations.
Z_95 = 1.96
SINGLE_RUNS = 200
SEARCH_REPETITIONS = 4


@dataclass(frozen=True)
class Run:
    """One repetition: latency, occupancy, and threads of a request over its execution."""

    p99_ms: float
    mean_ms: float
    threads: float
    utilization: float
    degree: float
    degree_longest: float
    degree_shortest: float
    left_on: tuple[float, ...]
    stretch_p99_ms: tuple[float, ...]


Measure = Callable[[Run], float]


@dataclass(frozen=True)
class Figure:
    """A mean over repetitions and the half-width of its 95 % interval."""

    mean: float
    half: float

    @classmethod
    def build(cls, values: Sequence[float]) -> Figure:
        """An infinite value, a replay that was given up, makes the mean infinite."""
        mean = statistics.fmean(values)
        if not math.isfinite(mean):
            return cls(math.inf, 0.0)
        return cls(mean, Z_95 * statistics.stdev(values) / math.sqrt(len(values)))

    def text(self, digits: int = 1, *, sign: str = "") -> str:
        if not math.isfinite(self.mean):
            return "no end"
        return f"{self.mean:{sign}.{digits}f} ± {self.half:.{digits}f}"

    def is_below(self, limit: float) -> bool:
        """Whether the whole interval is."""
        return self.mean + self.half < limit


class Study:
    """A workload, the server of a policy (called `fm`), and every replay asked for so far.

    Other subjects are those added, and baselines by name.
    """

    def __init__(
        self,
        policy: Policy,
        load: Workload,
        *,
        repetitions: int,
        requests: int,
        searched_rps: int,
        cut_off_us: int | None = None,
    ) -> None:
        self._load = load
        self._repetitions = repetitions
        self._requests = requests
        self._searched_at = Poisson(searched_rps * 1000)
        self._cut_off_us = cut_off_us
        self._target_us = policy.slos[0].latency_us
        self._subjects = {"fm": SharedCores(policy.name, policy.ladders)}
        self.runs = functools.cache(self._runs)

    def add(self, name: str, subject: SharedCores) -> None:
        self._subjects[name] = subject

    @property
    def demand_ms(self) -> NDArray[np.float64]:
        return self._load.work_ns / 1e6

    def note(self, name: str) -> str:
        """What was chosen for a subject."""
        return self.subject(name).note

    def runs_at(self, name: str, rate_rps: float) -> tuple[Run, ...]:
        """All repetitions of a subject at a Poisson rate."""
        arrivals = Poisson(round(rate_rps * 1000))
        return self.runs(name, arrivals, self._requests, self._repetitions)

    def figure(self, of: Measure, name: str, rate_rps: float) -> Figure:
        return Figure.build([of(run) for run in self.runs_at(name, rate_rps)])

    def change(self, of: Measure, name: str, other: str, rate_rps: float) -> Figure:
        """By how many percent a subject has more than another; negative if it has less."""
        return Figure.build(
            _changes(of, self.runs_at(name, rate_rps), self.runs_at(other, rate_rps))
        )

    def single_runs(
        self, of: Measure, name: str, other: str, rate_rps: float, requests: int
    ) -> list[float]:
        """The same in many short runs, ascending."""
        arrivals = Poisson(round(rate_rps * 1000))
        ours, theirs = (
            self.runs(subject, arrivals, requests, SINGLE_RUNS) for subject in (name, other)
        )
        return sorted(_changes(of, ours, theirs))

    def _runs(
        self, name: str, arrivals: Arrivals, requests: int, repetitions: int
    ) -> tuple[Run, ...]:
        one = functools.partial(self._run, self.subject(name), arrivals, requests)
        with ThreadPoolExecutor(thread_count(None)) as workers:
            return tuple(workers.map(one, range(repetitions)))

    def subject(self, name: str) -> SharedCores:
        """One that was added, or a baseline by name."""
        if name not in self._subjects:
            self._subjects[name] = self._subjects["fm"].baseline(name, self._load, self._search)
        return self._subjects[name]

    @property
    def _search(self) -> BaselineSearch:
        """By the tail alone: no baseline here has an energy."""
        return BaselineSearch(self._try_candidate, P99_PPM, 0)

    def _try_candidate(self, subject: SharedCores) -> CandidateResult:
        runs = [
            self._run(subject, self._searched_at, self._requests, number)
            for number in range(SEARCH_REPETITIONS)
        ]
        return CandidateResult(round(1000 * statistics.fmean(run.p99_ms for run in runs)), None)

    def _run(self, subject: SharedCores, arrivals: Arrivals, requests: int, number: int) -> Run:
        arrival_ns = arrivals.arrival_ns(_stream(arrivals, number, Purpose.ARRIVALS), requests)
        order = np.empty(len(arrival_ns), np.int32)
        pool = np.arange(len(self._load.work_ns), dtype=np.int32)
        streams.shuffled_passes(_stream(arrivals, number, Purpose.ORDER), pool, order)
        engine = subject.engine(arrivals.rate_mrps, MOST_IN_SYSTEM, self._cut_off_us)
        outcome = engine.replay(self._load, order, arrival_ns, arrivals.warm_up(len(order)))
        return _summary(outcome, self._load.work_ns[order], arrivals)


def _changes(of: Measure, ours: Sequence[Run], theirs: Sequence[Run]) -> list[float]:
    return [100 * (of(a) / of(b) - 1) for a, b in zip(ours, theirs, strict=True)]


def _stream(arrivals: Arrivals, number: int, purpose: Purpose) -> NDArray[np.uint64]:
    return streams.stream(SEED, arrivals.rate_mrps, number, purpose)


def _summary(outcome: Outcome, work_ns: NDArray[np.int64], arrivals: Arrivals) -> Run:
    latency_ms = outcome.latency_ns[outcome.measured] / 1e6
    used = outcome.rung_times(work_ns)
    ended = not outcome.was_cut_off
    return Run(
        p99_of(latency_ms) if ended else math.inf,
        float(latency_ms.mean()) if ended else math.inf,
        outcome.mean_threads,
        outcome.utilization or 0.0,
        used.threads,
        used.longest,
        used.shortest,
        tuple(used.left_on.tolist()),
        tuple(p99_of(outcome.latency_ns[first:end] / 1e6) for first, end in arrivals.stretches),
    )


def p99_of(latency_ms: NDArray[np.float64]) -> float:
    rank = percentile_rank(P99_PPM, len(latency_ms))
    return float(np.partition(latency_ms, rank - 1)[rank - 1])


def study_of(
    spec: Path,
    policy: Policy,
    *,
    repetitions: int,
    requests: int,
    searched_rps: int,
    cut_off_us: int | None = None,
) -> Study:
    """A policy on all requests of the trace of a spec."""
    profile = read_trace(str(spec.parent / "demand.parquet"), policy.reading).profile
    load = workload(profile, policy.forms[0])
    return Study(
        policy,
        load,
        repetitions=repetitions,
        requests=requests,
        searched_rps=searched_rps,
        cut_off_us=cut_off_us,
    )


def published_policy(spec: str) -> Policy:
    """The policy of a spec as the paper has it: the best rows, and exits beyond the searched loads.

    `tailc` takes smooth rows that are nearly as good, and ends with the leanest rung at once.
    """
    policy = tailc.compile_policy(spec, overrides={"tolerance_ppm": 0}).policy
    (ladder,) = policy.ladders
    last = policy.evidence.rows[-1].load
    rows = [row for row in ladder.rows if row.first_load <= last]
    rows[-1] = replace(rows[-1], last_load=last)
    beyond = Row(last + 1, None, ON_EXIT, (Climb(0, 0), *rows[-1].climbs[1:]))
    here = replace(ladder, rows=collapse([*rows, beyond]), guard=Guard(1, last))
    return replace(policy, forms=(here,))


def with_target(spec: Path, target_p: int) -> Policy:
    """The policy of a spec under another target parallelism."""
    text = spec.read_text(encoding="utf-8")
    text = text.replace("trace: demand", f"trace: {spec.parent.resolve()}/demand")
    changed = re.sub(r"target_parallelism: \d+", f"target_parallelism: {target_p}", text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "service.yaml"
        path.write_text(changed, encoding="utf-8")
        return published_policy(str(path))
