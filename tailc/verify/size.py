"""The highest arrival rate at which a policy meets an SLO, and the servers that a fleet needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.percentiles import PPM
from tailc.replay.arrivals import Poisson
from tailc.replay.baselines import baseline, default_names
from tailc.replay.outcome import nearest_us
from tailc.replay.subject import Subject
from tailc.replay.workload import NS_PER_MS, Workload, workload
from tailc.specs.slo import Slo
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.verify.estimate import TailSample, replayed_us, sample
from tailc.verify.interval import Interval, interval
from tailc.verify.judge import SEARCH_REPEATS, subject_of, tail_of
from tailc.verify.load import load, most_in_system
from tailc.verify.options import VerifyOptions
from tailc.verify.setting import Setting, draw
from tailc.verify.unfit import check

# Rates are tried on a grid of this many steps up to the one that would fill the server if every
# request ran on the first rung.
STEPS = 200
# First every so many steps, on a few replays, to find about where it begins to miss.
STRIDE = 20
GLANCE_REPEATS = 8
# An interval's limits usually lie a few such strides from the estimate.
FIRST_STRIDE = 4
# One request a millisecond.
MRPS_PER_MS = 1_000_000


@dataclass(frozen=True)
class Capacity:
    """How much one server carries under one subject.

    rate_mrps: the highest rate of the grid at which the estimated percentile meets the target, and
    so at every lower one that was tried; None if it meets it nowhere. low_mrps: the highest at
    which the whole 95 % interval meets it, None where none does; high_mrps: the highest at which
    any of it does.
    """

    subject: str
    note: str
    rate_mrps: int | None
    low_mrps: int | None
    high_mrps: int | None

    def servers(self, fleet_mrps: int) -> int | None:
        """How many servers carry that much together."""
        return servers(fleet_mrps, self.rate_mrps)


def servers(fleet_mrps: int, rate_mrps: int | None) -> int | None:
    """Servers that carry a fleet's rate at so much each; None where one carries nothing."""
    return -(-fleet_mrps // rate_mrps) if rate_mrps else None


@dataclass(frozen=True)
class Sizing:
    """Every subject's capacity at one SLO; the first is what the others are compared with."""

    slo: Slo
    held_out_digest: str
    held_out_requests: int
    seed: int
    requests_per_replay: int
    replicates: int
    capacities: tuple[Capacity, ...]


def size(
    policies: Sequence[Policy],
    held_out: DemandProfile,
    options: VerifyOptions | None = None,
    slo: Slo | None = None,
) -> Sizing:
    """The capacity of each policy, then of each baseline that the options name.

    `slo` None: the first of the first policy. Baselines run on the first policy's server, and one
    whose threshold is searched is searched at each rate. Arrivals are Poisson. Raises TailcError
    where a policy and the requests do not fit, and for a server without a stated capacity.
    """
    options = replace(options or VerifyOptions(), arrivals=(Poisson(PPM),))
    for policy in policies:
        check(policy, held_out, options)
    slo = slo or policies[0].slos[0]
    subjects = _subjects(policies, held_out, options)
    found = []
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        for number, (policy, name) in enumerate(subjects):
            if options.progress is not None:
                options.progress(number, len(subjects))
            found.append(_capacity(policy, name, held_out, options, slo, workers))
    return Sizing(
        slo,
        held_out.digest,
        held_out.total_weight,
        options.seed,
        options.requests_for(held_out.total_weight),
        options.replicates,
        tuple(found),
    )


def _subjects(
    policies: Sequence[Policy], held_out: DemandProfile, options: VerifyOptions
) -> list[tuple[Policy, str | None]]:
    """Each policy, and the names of baselines on the first one's server."""
    names = options.baselines
    if names is None:
        first = subject_of(policies[0], held_out)
        names = default_names(first, workload(held_out, len(first.ladders[0].rungs)))
    named = [(policies[0], name) for name in names]
    return [*((policy, None) for policy in policies), *named]


def _capacity(
    policy: Policy,
    name: str | None,
    held_out: DemandProfile,
    options: VerifyOptions,
    slo: Slo,
    workers: Executor,
) -> Capacity:
    trial = _Trial(policy, name, held_out, options, slo, workers)
    best = _last_around(trial.meets, max(_first_miss(trial.seems_to_meet) - STRIDE, 1))
    start = max(best, 1)
    low, high = _last_around(trial.surely_meets, start), _last_around(trial.may_meet, start)
    shown = trial.subject_at(start)
    rates = [trial.rate_mrps(step) if step else None for step in (best, low, high)]
    return Capacity(shown.name, shown.note, *rates)


class _Trial:
    """One subject at rates of the grid, each replayed once for each of the questions below."""

    def __init__(
        self,
        policy: Policy,
        name: str | None,
        held_out: DemandProfile,
        options: VerifyOptions,
        slo: Slo,
        workers: Executor,
    ) -> None:
        self._name = name
        self._policy = subject_of(policy, held_out)
        self._load = workload(held_out, len(self._policy.ladders[0].rungs))
        self._capacity_ppm, self._most_mrps = _most(policy, self._load)
        self._options = options
        self._requests = options.requests_for(held_out.total_weight)
        self._tail = tail_of(slo, held_out)
        self._target_us = slo.latency_us
        self._workers = workers
        self._estimated_us = cache(self._estimate_us)
        self._judged = cache(self._interval)

    def rate_mrps(self, step: int) -> int:
        """The rate at a step of the grid."""
        return max(self._most_mrps * step // STEPS, 1)

    def seems_to_meet(self, step: int) -> bool:
        """As `meets`, at a glance."""
        return self._estimated_us(step, GLANCE_REPEATS) <= self._target_us

    def meets(self, step: int) -> bool:
        """Whether the estimate meets the target."""
        return self._estimated_us(step, self._options.repeats) <= self._target_us

    def surely_meets(self, step: int) -> bool:
        """Whether the whole interval does."""
        found = self._judged(step)
        return found is not None and found.high_us is not None and found.high_us <= self._target_us

    def may_meet(self, step: int) -> bool:
        """Whether any of the interval does."""
        found = self._judged(step)
        return found is not None and found.low_us <= self._target_us

    def subject_at(self, step: int) -> Subject:
        """The subject; a baseline with a searched threshold is another at every rate."""
        if self._name is None:
            return self._policy
        setting = self._setting(step)

        def tail_us(candidate: Subject) -> int:
            return replayed_us(setting, candidate, self._tail, SEARCH_REPEATS, self._workers)

        return baseline(self._name, self._policy, self._load, tail_us)

    def _estimate_us(self, step: int, repeats: int) -> float:
        """The percentile at that rate; infinite where the server is overloaded."""
        found = self._replayed(step, repeats, 0)
        return math.inf if found is None else nearest_us(found.estimate_ns)

    def _interval(self, step: int) -> Interval | None:
        """The percentile and its limits; None where the server is overloaded."""
        found = self._replayed(step, self._options.repeats, self._options.replicates)
        return None if found is None else interval(found)

    def _replayed(self, step: int, repeats: int, replicates: int) -> TailSample | None:
        setting, subject = self._setting(step), self.subject_at(step)
        draws = draw(setting, repeats, replicates, self._workers)
        found = sample(setting, draws, subject, (self._tail,), self._workers, _no_tick)
        is_overloaded = load(setting, draws, found.outcomes).is_overloaded
        return None if is_overloaded else found.tails[0]

    def _setting(self, step: int) -> Setting:
        return Setting(
            self._load,
            Poisson(self.rate_mrps(step)),
            self._requests,
            most_in_system(self._capacity_ppm),
            self._options.seed,
            self._options.cut_off_us,
        )


def _most(policy: Policy, load: Workload) -> tuple[int, int]:
    """The server's capacity, and the rate that fills it if each request runs on the first rung."""
    ladder = policy.forms[0]
    limited = [i for i, unit in enumerate(ladder.cost_units) if unit.capacity_ppm is not None]
    if not limited:
        message = f"policy `{policy.name}` states no capacity of its server"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help="state `server.cores`"))
    capacity_ppm = max(ladder.cost_units[i].capacity_ppm or 0 for i in limited)
    first = sum(ladder.rungs[0].cost_ppm[i] for i in limited)
    work_ns = load.work_ns / load.speed[load.curve_of, 0]
    mean_ms = float(np.average(work_ns, weights=load.weight)) / NS_PER_MS
    return capacity_ppm, round(capacity_ppm / first / mean_ms * MRPS_PER_MS)


def _first_miss(meets: Callable[[int], bool]) -> int:
    """The first of the coarse steps that misses; one beyond the grid if none does."""
    return next((step for step in range(STRIDE, STEPS + 1, STRIDE) if not meets(step)), STEPS + 1)


def _last_around(holds: Callable[[int], bool], start: int) -> int:
    """The last step at which `holds`, 0 if none, sought from `start` in growing strides."""
    stride = FIRST_STRIDE
    if holds(start):
        inside = start
        while inside + stride <= STEPS and holds(inside + stride):
            inside, stride = inside + stride, 2 * stride
        return _last(holds, inside, min(inside + stride, STEPS + 1))
    outside = start
    while outside - stride > 0 and not holds(outside - stride):
        outside, stride = outside - stride, 2 * stride
    return _last(holds, max(outside - stride, 0), outside)


def _last(holds: Callable[[int], bool], inside: int, outside: int) -> int:
    """The last step that holds, between one that does (or 0) and one that does not."""
    while outside - inside > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def _no_tick() -> None:
    pass
