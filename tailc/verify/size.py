"""The highest arrival rate at which a policy meets an SLO, and the servers that a fleet needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.compatibility import check
from tailc.experiment.estimate import Repeats, repeated, sample, whole
from tailc.experiment.feasibility_boundary import last_met
from tailc.experiment.interval import Interval, interval
from tailc.experiment.load import is_overloaded
from tailc.experiment.options import VerifyOptions
from tailc.experiment.setting import Setting, draw, setting_for
from tailc.experiment.subjects import subject_of, tail_of
from tailc.forms.controller import Actuator
from tailc.models.arrivals import Poisson
from tailc.models.baselines import baseline, chosen_names
from tailc.models.core_queues.clocked import WHOLE
from tailc.models.core_queues.clocks import Clocks
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.pools import NEVER_NS, pools
from tailc.models.shared_cores.arrays import NS_PER_US
from tailc.models.subject import Subject, workload_for
from tailc.models.workload import NS_PER_MS, Workload
from tailc.percentiles import PPM
from tailc.specs.slo import Slo
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.verify.judge import search_for

# Rates are tried on a grid of this many steps up to the one that fills the server however requests
# are run.
STEPS = 200
# First every so many steps, on a few replays, to find about where it begins to miss.
STRIDE = 20
GLANCE_REPEATS = 8
# The limits of the interval are sought on every so many steps: they are ten times as wide apart.
LIMIT_STEPS = 2
# Their margin falls so many times as fast as the estimate's, about, for intervals widen with load.
LIMITS_FALL = 1.25
# The margin falls by at least so much in a step, for the sake of division.
_LEAST_FALL = 1e-4
# About how many evaluations with an interval a subject takes; only the progress depends on it.
_USUAL_INTERVALS = 6
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

    def __post_init__(self) -> None:
        low, rate, high = (found or 0 for found in (self.low_mrps, self.rate_mrps, self.high_mrps))
        assert low <= rate <= high


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
    cut_off_us: int | None
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
    where a policy and the requests do not fit, for a server without a stated capacity, and for a
    controller that keeps the tail on its target.
    """
    options = replace(options or VerifyOptions(), arrivals=(Poisson(PPM),))
    for policy in policies:
        check(policy, held_out, options)
        _check_open(policy)
    slo = slo or policies[0].slos[0]
    subjects = _subjects(policies, held_out, options)
    found = []
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        for number, (policy, name) in enumerate(subjects):
            tick = _progress(options, number, len(subjects))
            found.append(_capacity(_Trial(policy, name, held_out, options, slo, workers, tick)))
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


def _check_open(policy: Policy) -> None:
    """Raise TailcError for what keeps the tail on its target at every rate: a controller of the
    bound, or a rule for overload.
    """
    law = policy.controller
    if law is not None and law.acts_on is Actuator.LATENCY_BOUND:
        message = (
            f"the controller of policy `{policy.name}` keeps the tail on its target at every rate "
            "that the server carries: which of these meets it is a matter of chance"
        )
        hint = "compile the policy without its controller, and size that"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))
    if any(ladder.overload is not None for ladder in policy.ladders):
        message = (
            f"policy `{policy.name}` has a rule for overload, under which requests lose more at a "
            "higher rate, and those that are served are still in time"
        )
        hint = "compile the policy without `overload`, and size that"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


def _subjects(
    policies: Sequence[Policy], held_out: DemandProfile, options: VerifyOptions
) -> list[tuple[Policy, str | None]]:
    """Each policy, and the names of baselines on the first one's server."""
    first = subject_of(policies[0], held_out)
    load = workload_for(held_out, first)
    names = chosen_names(options.baselines, first, load)
    named = [(policies[0], name) for name in names]
    return [*((policy, None) for policy in policies), *named]


def _progress(options: VerifyOptions, number: int, subjects: int) -> Callable[[], None]:
    """To be called after each replay of a subject. How many it takes is not known before."""
    usual = _USUAL_INTERVALS * (options.repeats + options.replicates)
    done = 0

    def tick() -> None:
        nonlocal done
        done = min(done + 1, usual)
        if options.progress is not None:
            options.progress(number * usual + done, subjects * usual)

    return tick


def _capacity(trial: _Trial) -> Capacity:
    begin, fall = _crossing(trial.glanced)
    best = last_met(trial.estimated, begin, fall, STEPS)
    low = _last_limit(lambda step: trial.judged(step, _high_us), best, fall)
    high = _last_limit(lambda step: trial.judged(step, _low_us), best, fall)
    shown = trial.subject_at(max(best, 1))
    # Limits come from a coarser grid than the estimate, and are as far apart as they must be.
    steps = (best, min(low, best), max(high, best))
    rates = [trial.rate_mrps(step) if step else None for step in steps]
    return Capacity(shown.name, shown.note, *rates)


def _low_us(found: Interval) -> int:
    return found.low_us


def _high_us(found: Interval) -> int | None:
    return found.high_us


class _Trial:
    """One subject at rates of the grid, each replayed once for each of the questions below.

    A margin is the target over a latency, less 1: 0 or more where the target is met, -1 where the
    server is overloaded. The reciprocal of a percentile falls nearly on a line with the rate: in
    M/M/1 exactly.
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
        self._load = workload_for(held_out, self._policy)
        self._most_mrps = _most(self._policy, self._load, options.cut_off_us)
        self._options = options
        self._tail = tail_of(slo, held_out)
        self._slo = slo
        self._target_us = slo.latency_us
        self._workers = workers
        self._tick = tick
        self.subject_at = cache(self._subject_at)
        self._repeats = cache(self._replayed)
        self._interval_at = cache(self._interval)

    def rate_mrps(self, step: int) -> int:
        """The rate at a step of the grid."""
        return max(self._most_mrps * step // STEPS, 1)

    def glanced(self, step: int) -> float:
        """As `estimated`, at a glance."""
        return self._of_estimate(self._repeats(step, GLANCE_REPEATS))

    def estimated(self, step: int) -> float:
        """The margin of the estimate."""
        return self._of_estimate(self._repeats(step, self._options.repeats))

    def judged(self, step: int, limit_us: Callable[[Interval], int | None]) -> float:
        """The margin of a limit of the interval, -1 where there is none."""
        found = self._interval_at(step)
        return self._margin(None if found is None else limit_us(found))

    def _of_estimate(self, found: Repeats[Outcome] | None) -> float:
        return self._margin(None if found is None else nearest_us(found.limits_ns[0]))

    def _margin(self, latency_us: int | None) -> float:
        return -1.0 if latency_us is None else self._target_us / max(latency_us, 1) - 1

    def _subject_at(self, step: int) -> Subject:
        """The subject; a baseline with a searched threshold is another at every rate."""
        if self._name is None:
            return self._policy
        search = search_for(self._setting(step), self._slo, self._tail, self._workers)
        return baseline(self._name, self._policy, self._load, search)

    def _interval(self, step: int) -> Interval | None:
        """The percentile and its limits; None where the server is overloaded."""
        repeats = self._repeats(step, self._options.repeats)
        if repeats is None:
            return None
        setting, subject, tails = self._setting(step), self.subject_at(step), (self._tail,)
        draws = draw(setting, self._options.repeats, self._options.replicates, self._workers)
        found = sample(setting, draws, subject, tails, self._workers, self._tick, repeats)
        return interval(found.tails[0])

    def _replayed(self, step: int, repeats: int) -> Repeats[Outcome] | None:
        """What is known without replicates; None where the server is overloaded."""
        setting, subject, tails = self._setting(step), self.subject_at(step), (self._tail,)
        draws = draw(setting, repeats, 0, self._workers)
        found = repeated(setting, draws, subject, tails, self._workers, self._tick, whole)
        if is_overloaded(setting.arrivals, found.kept):
            return None
        # They take the most memory, and have said all they had to say.
        return replace(found, kept=())

    def _setting(self, step: int) -> Setting:
        arrivals = Poisson(self.rate_mrps(step))
        return setting_for(
            self._load,
            arrivals,
            self._policy.ladders,
            self._options,
            self._policy.steering,
            self._policy.clocks,
        )


def _most(policy: Subject, load: Workload, cut_off_us: int | None) -> int:
    """The rate [thousandths a second] that fills the server however requests are run."""
    if policy.clocks is not None:
        return _most_of_clocks(policy.clocks, load)
    ladder = policy.ladders[0]
    shared = pools(ladder)
    capacity_ppm, cost_ppm = int(shared.capacity_ppm[shared.pool_of[0]]), int(shared.cost_ppm[0])
    if capacity_ppm >= NEVER_NS or cost_ppm <= 0:
        message = (
            f"policy `{policy.name}` states no capacity of its server that the first rung draws on"
        )
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help="state `server.cores`"))
    filling: dict[int, float] = {}
    for rung, pool in enumerate(shared.pool_of.tolist()):
        if shared.capacity_ppm[pool] < NEVER_NS and shared.cost_ppm[rung] > 0:
            at_once = shared.capacity_ppm[pool] / shared.cost_ppm[rung]
            per_ms = at_once / _mean_ms(load, rung, cut_off_us)
            filling[pool] = max(filling.get(pool, 0.0), per_ms)
    return max(round(sum(filling.values()) * MRPS_PER_MS), 1)


def _most_of_clocks(clocks: Clocks, load: Workload) -> int:
    """Of all cores at the highest frequency."""
    assert load.clocked is not None
    alone_ns = WHOLE / load.clocked.rate[:, -1]
    mean_ms = float(np.average(alone_ns, weights=load.weight)) / NS_PER_MS
    return max(round(clocks.table.cores / mean_ms * MRPS_PER_MS), 1)


def _mean_ms(load: Workload, rung: int, cut_off_us: int | None) -> float:
    """How long a request runs on that rung alone, in the mean."""
    ran_ns = load.work_ns / load.speed[load.curve_of, rung]
    if cut_off_us is not None:
        ran_ns = np.minimum(ran_ns, cut_off_us * NS_PER_US)
    return float(np.average(ran_ns, weights=load.weight)) / NS_PER_MS


def _crossing(margin: Callable[[int], float]) -> tuple[int, float]:
    """About the last step before the first of the coarse steps that misses, and about how much
    the margin falls in a step there.
    """
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
    """As `last_met`, on the steps on which limits are sought."""
    every = LIMIT_STEPS
    begin, fall = max(best // every, 1), LIMITS_FALL * every * fall
    return last_met(lambda place: margin(place * every), begin, fall, STEPS // every) * every
