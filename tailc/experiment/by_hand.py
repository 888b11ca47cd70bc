"""Replay fixed settings that a user could choose, and find the best one at each rate."""

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
from tailc.models.execution_model import CandidateResult, Subject
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
    """Find the best fixed setting that a user could choose, under each arrival process.

    Returns names of baselines without duplicates. by_cost: the best setting is the cheapest one
    that meets the target, if requests cost something other than time; otherwise it is the one with
    the smallest percentile of latency. Each setting is replayed with `options`, without bootstrap
    replicates.
    """
    workload, tail = subject.workload(profile), tail_of(slo, profile)

    def best(one: Arrivals) -> str:
        scenario = scenario_for(workload, one, options, subject)
        few = Experiment(scenario, options.repeats, 0, workers).with_replications()
        search = few.search(tail, slo.latency_us)

        def worth(name: str) -> Worth:
            result = few.evaluate(subject.baseline(name, workload, search), tail)
            return worth_of(result, slo.latency_us, by_cost=by_cost)

        return min(subject.hand_settings(workload), key=worth)

    return tuple(dict.fromkeys(map(best, arrivals)))


# Objectives in the evidence that minimise a tail, or keep it up to a higher rate.
_FOR_TAILS = ("tail", "rate")


def is_for_cost(policy: Policy) -> bool:
    """Whether the policy minimises a cost (energy or batch work) within its SLOs."""
    return policy.evidence.objective not in _FOR_TAILS


# Whether the target is missed, and the quantity to minimise.
Worth: TypeAlias = tuple[bool, float]


def worth_of(result: CandidateResult, target_us: int, *, by_cost: bool) -> Worth:
    """Sort key of a fixed setting by its replay; the best setting has the smallest key.

    by_cost: the cheapest setting that meets the target is best; otherwise the one with the smallest
    percentile of latency.
    """
    if result.cost is None or not by_cost:
        return False, result.tail_us
    misses = result.tail_us > target_us
    return misses, result.tail_us if misses else result.cost


@dataclass(frozen=True)
class SettingResult:
    """Result of replaying a policy or a fixed setting under one arrival process.

    name: name of the policy or setting. tails_us: latency percentile for each SLO. is_overloaded:
    whether the server cannot keep up. cost: mean cost of a request other than time, as in
    `ExecutionModel.cost_of_request`; None if requests cost only time.
    """

    name: str
    tails_us: tuple[int, ...]
    is_overloaded: bool
    cost: float | None

    def evaluate(self, slo: int) -> CandidateResult:
        """Percentile of latency for one SLO, given by its number, and cost of a request."""
        return CandidateResult(self.tails_us[slo], self.cost)


def replay_settings(
    subject: Subject,
    names: Sequence[str],
    profile: DemandProfile,
    slos: Sequence[Slo],
    arrivals: Arrivals,
    options: VerifyOptions,
    workers: Executor,
) -> tuple[SettingResult, ...]:
    """Replay a policy, then each fixed setting that a user could choose, on the same arrivals."""
    workload = subject.workload(profile)
    experiment = experiment_for(options, workload, arrivals, workers, subject)
    tails = [tail_of(slo, profile) for slo in slos]
    search = experiment.search(tails[0], slos[0].latency_us)

    def replay_setting(one: Subject) -> SettingResult:
        def extract(replication: Replication, outcome: Outcome) -> tuple[ServerUse, float | None]:
            use = server_use(one, outcome, workload.work_ns[replication.order])
            return use, one.cost_of_request(outcome)

        repeats = experiment.replay_repeats(one, tails, extract)
        uses, costs = zip(*repeats.results, strict=True)
        known = [cost for cost in costs if cost is not None]
        is_overloaded = load(arrivals, uses).is_overloaded
        return SettingResult(
            one.name, repeats.tails_us, is_overloaded, fmean(known) if known else None
        )

    settings = (subject.baseline(name, workload, search) for name in names)
    return tuple(map(replay_setting, (subject, *settings)))
