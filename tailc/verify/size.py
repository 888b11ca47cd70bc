"""The highest arrival rate at which a policy meets an SLO, and the servers of a fleet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeAlias

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.baseline_names import choose_baselines
from tailc.experiment.compatibility import check
from tailc.experiment.experiment import Experiment, no_tick
from tailc.experiment.feasibility_boundary import last_met
from tailc.experiment.interval import Interval, interval
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.server_use import ServerUse, is_overloaded
from tailc.experiment.sizes import GLANCE_REPEATS
from tailc.experiment.tail_sample import Repeats, tail_of
from tailc.forms.controller import Actuator
from tailc.models.arrivals import Poisson
from tailc.models.execution_model import Subject
from tailc.models.subjects import subject_of
from tailc.percentiles import PPM
from tailc.specs.slo import Slo
from tailc.tasks.engine import results_of
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile

# Rates are on a grid of this many steps up to the rate that fills the server under any policy.
STEPS = 200
# The first search takes this many steps at a time, on a few replays, to find the crossing roughly.
STRIDE = 20
# The limits of the interval are found on every such step: they are ten times as far apart.
LIMIT_STEPS = 2
# Their margin decreases about this many times as fast, because intervals widen with load.
LIMITS_FALL = 1.25
# Lower bound on the margin's decrease in a step, to divide by it.
_LEAST_FALL = 1e-4
# About how many evaluations with an interval a subject takes; only the progress depends on it.
_USUAL_INTERVALS = 6

# A policy, and the name of a baseline on its server, or None for the policy itself.
_Subject: TypeAlias = tuple[Policy, str | None]


@dataclass(frozen=True)
class Capacity:
    """The highest arrival rate at which one server meets the SLO under a policy or a baseline.

    Rates are tried on a grid of step `step_mrps`. rate_mrps: the highest rate at which, as at all
    lower ones, the estimated percentile meets the SLO; None if there is none. low_mrps: the same
    for the upper end of the percentile's 95 % interval, and high_mrps: for its lower end.
    compiled_mrps: the highest rate that a policy is compiled for; None without rates and for
    baselines.
    """

    subject: str
    note: str
    rate_mrps: int | None
    low_mrps: int | None
    high_mrps: int | None
    step_mrps: int
    compiled_mrps: int | None = None

    def __post_init__(self) -> None:
        low, rate, high = (found or 0 for found in (self.low_mrps, self.rate_mrps, self.high_mrps))
        assert low <= rate <= high

    @property
    def exceeded_mrps(self) -> int | None:
        """The highest rate that the policy is compiled for, if its capacity is higher, or None."""
        compiled = self.compiled_mrps
        return compiled if compiled is not None and (self.rate_mrps or 0) > compiled else None


def servers(fleet_mrps: int, rate_mrps: int | None) -> int | None:
    """Number of servers for the arrival rate of a fleet; None if the rate of one server is None."""
    return -(-fleet_mrps // rate_mrps) if rate_mrps else None


@dataclass(frozen=True)
class Sizing:
    """Capacities of several policies and baselines under one SLO; the first is the reference."""

    slo: Slo
    held_out_digest: str
    held_out_requests: int
    seed: int
    requests_per_replay: int
    replicates: int
    cut_off_us: int | None
    capacities: tuple[Capacity, ...]


def size(
    policies: Sequence[Policy],
    held_out: DemandProfile,
    options: VerifyOptions | None = None,
    slo: Slo | None = None,
) -> Sizing:
    """Find the highest arrival rate at which each policy, then each baseline, meets an SLO.

    slo: None for the first SLO of the first policy. Baselines run on the first policy's server; one
    with a searched threshold searches it at each rate. Arrivals are Poisson. Raises TailcError if a
    policy and the requests do not fit, for a server without a stated capacity, and for a controller
    that holds the tail at its target.
    """
    options = replace(options or VerifyOptions(), arrivals=(Poisson(PPM),))
    for policy in policies:
        check(policy, held_out, options)
        _check_open(policy)
    slo = slo or policies[0].slos[0]
    subjects = _subjects(policies, held_out, options)
    found = _capacities(subjects, held_out, options, slo)
    of_policies = [
        replace(capacity, compiled_mrps=max(policy.rates_mrps, default=None))
        for capacity, policy in zip(found, policies, strict=False)
    ]
    found[: len(policies)] = of_policies
    return Sizing(
        slo,
        held_out.digest,
        held_out.total_weight,
        options.seed,
        options.requests_for(held_out.total_weight),
        options.replicates,
        options.cut_off_us,
        tuple(found),
    )


def _capacities(
    subjects: Sequence[_Subject], held_out: DemandProfile, options: VerifyOptions, slo: Slo
) -> list[Capacity]:
    if options.engine is not None:
        work = partial(_capacity_alone, held_out, options.of_task, slo)
        return results_of(options.engine, work, subjects, options.progress)
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        return [
            _capacity(_Trial(*subject, held_out, options, slo, workers, tick))
            for number, subject in enumerate(subjects)
            for tick in (_progress(options, number, len(subjects)),)
        ]


def _capacity_alone(
    held_out: DemandProfile, options: VerifyOptions, slo: Slo, subject: _Subject
) -> Capacity:
    with ThreadPoolExecutor(options.threads) as workers:
        return _capacity(_Trial(*subject, held_out, options, slo, workers, no_tick))


def _check_open(policy: Policy) -> None:
    """Raise TailcError for a policy that keeps the tail on its target at every rate.

    That is one with a controller of the bound, or with a rule for overload.
    """
    law = policy.controller
    if law is not None and law.acts_on is Actuator.LATENCY_BOUND:
        message = (
            f"the controller of policy `{policy.name}` keeps the tail at its target at every rate "
            "that the server can serve, so the highest rate that meets the SLO depends on chance"
        )
        hint = "compile the policy without its controller, and give the new policy"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))
    if any(ladder.overload is not None for ladder in policy.ladders):
        message = (
            f"policy `{policy.name}` has a rule for overload: at a higher rate it refuses or "
            "shortens more requests, so that the others still meet the SLO"
        )
        hint = "compile the policy without `overload`, and give the new policy"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


def _subjects(
    policies: Sequence[Policy], held_out: DemandProfile, options: VerifyOptions
) -> list[_Subject]:
    """Each policy, and the names of baselines on the first policy's server."""
    first = subject_of(policies[0], held_out)
    names = choose_baselines(options.baselines, first, first.workload(held_out))
    named = [(policies[0], name) for name in names]
    return [*((policy, None) for policy in policies), *named]


def _progress(options: VerifyOptions, number: int, subjects: int) -> Callable[[], None]:
    """A function to call after each replay of a subject, whose number is not known before."""
    usual = _USUAL_INTERVALS * (options.repeats + options.replicates)
    done = 0

    def tick() -> None:
        nonlocal done
        done = min(done + 1, usual)
        if options.progress is not None:
            options.progress(number * usual + done, subjects * usual)

    return tick


def _capacity(trial: _Trial) -> Capacity:
    begin, fall = _crossing(trial.rough_margin)
    best = last_met(trial.estimate_margin, begin, fall, STEPS)
    low = _last_limit(lambda step: trial.limit_margin(step, _high_us), best, fall)
    high = _last_limit(lambda step: trial.limit_margin(step, _low_us), best, fall)
    subject = trial.subject_at(max(best, 1))
    # Limits are on a coarser grid than the estimate, and only as far apart as necessary.
    steps = (best, min(low, best), max(high, best))
    rate, least, most = (trial.rate_mrps(step) if step else None for step in steps)
    return Capacity(subject.name, subject.note, rate, least, most, trial.rate_mrps(1))


def _low_us(found: Interval) -> int:
    return found.low_us


def _high_us(found: Interval) -> int | None:
    return found.high_us


class _Trial:
    """One subject at rates of the grid; each is replayed once for each question below.

    A margin is the target over a latency, less 1: 0 or more if the target is met, -1 if the server
    is overloaded. The reciprocal of a percentile decreases almost linearly with the rate, in M/M/1
    exactly.
    """

    def __init__(
        self,
        policy: Policy,
        name: str | None,
        held_out: DemandProfile,
        options: VerifyOptions,
        slo: Slo,
        workers: Executor,
        tick: Callable[[], None],
    ) -> None:
        self._name = name
        self._policy = subject_of(policy, held_out)
        self._workload = self._policy.workload(held_out)
        self._most_mrps = self._policy.filling_mrps(self._workload, options.cut_off_us)
        self._options = options
        self._tail = tail_of(slo, held_out)
        self._slo = slo
        self._target_us = slo.latency_us
        self._workers = workers
        self._tick = tick
        self.subject_at = cache(self._subject_at)
        self._repeats = cache(self._replay)
        self._interval_at = cache(self._interval)

    def rate_mrps(self, step: int) -> int:
        """The rate at a step of the grid."""
        return max(self._most_mrps * step // STEPS, 1)

    def rough_margin(self, step: int) -> float:
        """The margin of an estimate from a few replays."""
        return self._of_estimate(self._repeats(step, GLANCE_REPEATS))

    def estimate_margin(self, step: int) -> float:
        """The margin of the estimate."""
        return self._of_estimate(self._repeats(step, self._options.repeats))

    def limit_margin(self, step: int, limit_us: Callable[[Interval], int | None]) -> float:
        """The margin of a limit of the interval, -1 if there is none."""
        found = self._interval_at(step)
        return self._margin(None if found is None else limit_us(found))

    def _of_estimate(self, found: Repeats[ServerUse] | None) -> float:
        return self._margin(None if found is None else found.tails_us[0])

    def _margin(self, latency_us: int | None) -> float:
        return -1.0 if latency_us is None else self._target_us / max(latency_us, 1) - 1

    def _subject_at(self, step: int) -> Subject:
        """The subject; a baseline with a searched threshold differs between rates."""
        if self._name is None:
            return self._policy
        search = self._experiment(step, 0).search(self._tail, self._target_us)
        return self._policy.baseline(self._name, self._workload, search)

    def _interval(self, step: int) -> Interval | None:
        """The percentile and its limits; None if the server is overloaded."""
        repeats = self._repeats(step, self._options.repeats)
        if repeats is None:
            return None
        experiment = self._experiment(step, self._options.repeats, self._options.replicates)
        (found,) = experiment.sample(self.subject_at(step), (self._tail,), repeats)
        return interval(found)

    def _replay(self, step: int, repeats: int) -> Repeats[ServerUse] | None:
        """Repeats without replicates; None if the server is overloaded."""
        experiment = self._experiment(step, repeats)
        found = experiment.replay_with_use(self.subject_at(step), (self._tail,))
        if is_overloaded(experiment.scenario.arrivals, found.results):
            return None
        # The results of single repeats are no longer needed.
        return replace(found, results=())

    def _experiment(self, step: int, repeats: int, replicates: int = 0) -> Experiment:
        arrivals = Poisson(self.rate_mrps(step))
        scenario = scenario_for(self._workload, arrivals, self._options, self._policy)
        return Experiment(scenario, repeats, replicates, self._workers, self._tick)


def _crossing(margin: Callable[[int], float]) -> tuple[int, float]:
    """A coarse step before the first that misses, and the margin's decrease per step there."""
    inside, at, fall = 1, margin(1), _LEAST_FALL
    for step in range(STRIDE, STEPS + 1, STRIDE):
        if at < 0:
            break
        found = margin(step)
        fall = max((at - found) / (step - inside), _LEAST_FALL)
        if found < 0:
            return inside + int(at / fall), fall
        inside, at = step, found
    return inside, fall


def _last_limit(margin: Callable[[int], float], best: int, fall: float) -> int:
    """As `last_met`, on the coarser grid of limits."""
    every = LIMIT_STEPS
    begin, fall = max(best // every, 1), LIMITS_FALL * every * fall
    return last_met(lambda place: margin(place * every), begin, fall, STEPS // every) * every
