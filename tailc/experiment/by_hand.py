"""Settings that a user could pick by hand: which is best at each rate, and what each shows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from tailc.artifact.envelope import Policy
from tailc.experiment.experiment import Experiment, experiment_for
from tailc.experiment.options import VerifyOptions
from tailc.experiment.replications import Replication
from tailc.experiment.scenario import scenario_for
from tailc.experiment.server_use import ServerUse, load, server_use
from tailc.experiment.tail_sample import tail_of
from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject, Tried
from tailc.models.outcome import Outcome
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile


def best_by_hand(
    subject: Subject,
    profile: DemandProfile,
    slo: Slo,
    arrivals: Sequence[Arrivals],
    options: VerifyOptions,
    workers: Executor,
    *,
    by_cost: bool,
) -> tuple[str, ...]:
    """The name of the best setting under each arrival process, each once.

    by_cost: the best one costs least of those that meet the target, where requests cost something
    besides time; else it has the least tail. Each is replayed as the options say, without
    replicates.
    """
    workload, tail = subject.workload(profile), tail_of(slo, profile)

    def best(one: Arrivals) -> str:
        scenario = scenario_for(workload, one, options, subject)
        few = Experiment(scenario, options.repeats, 0, workers).with_draws()
        search = few.search(tail, slo.latency_us)

        def worth(name: str) -> Worth:
            tried = few.tried(subject.baseline(name, workload, search), tail)
            return worth_of(tried, slo.latency_us, by_cost=by_cost)

        return min(subject.hand_settings(workload), key=worth)

    return tuple(dict.fromkeys(map(best, arrivals)))


# Objectives of evidence that a tail is made small for, or kept for a higher rate.
_FOR_TAILS = ("tail", "rate")


def is_for_cost(policy: Policy) -> bool:
    """Whether the policy is to cost little, energy or batch work, within its SLOs."""
    return policy.evidence.objective not in _FOR_TAILS


# Whether the target is missed, and what is to be small.
Worth: TypeAlias = tuple[bool, float]


def worth_of(tried: Tried, target_us: int, *, by_cost: bool) -> Worth:
    """What a setting is ranked by, the best one first."""
    if tried.cost is None or not by_cost:
        return False, tried.tail_us
    misses = tried.tail_us > target_us
    return misses, tried.tail_us if misses else tried.cost


@dataclass(frozen=True)
class Replayed:
    """What a policy or a setting shows under one arrival process.

    tails_us: of each SLO. cost: of a request, in power or batch work times ns; None: it costs
    neither.
    """

    name: str
    tails_us: tuple[int, ...]
    is_overloaded: bool
    cost: float | None

    def tried(self, slo: int) -> Tried:
        """Its tail for one SLO, and its cost."""
        return Tried(self.tails_us[slo], self.cost)


def replayed_beside(
    subject: Subject,
    names: Sequence[str],
    profile: DemandProfile,
    slos: Sequence[Slo],
    arrivals: Arrivals,
    options: VerifyOptions,
    workers: Executor,
) -> tuple[Replayed, ...]:
    """The subject, then each setting, on the repeats that `compared` has, without replicates."""
    workload = subject.workload(profile)
    experiment = experiment_for(options, workload, arrivals, workers, subject)
    tails = [tail_of(slo, profile) for slo in slos]
    search = experiment.search(tails[0], slos[0].latency_us)

    def replayed(one: Subject) -> Replayed:
        def keep(drawn: Replication, outcome: Outcome) -> tuple[ServerUse, float | None]:
            use = server_use(one, outcome, workload.work_ns[drawn.order])
            return use, one.cost_of_request(outcome)

        repeats = experiment.repeated(one, tails, keep)
        uses, costs = zip(*repeats.kept, strict=True)
        known = [cost for cost in costs if cost is not None]
        is_overloaded = load(arrivals, uses).is_overloaded
        return Replayed(one.name, repeats.tails_us, is_overloaded, fmean(known) if known else None)

    settings = (subject.baseline(name, workload, search) for name in names)
    return tuple(map(replayed, (subject, *settings)))
