"""Which of the settings that a user could pick by hand is best at each rate."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.tail_sample import Tail, tail_of
from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject, Tried
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile


def best_by_hand(
    subject: Subject,
    profile: DemandProfile,
    slo: Slo,
    arrivals: Sequence[Arrivals],
    options: VerifyOptions,
    workers: Executor,
) -> tuple[str, ...]:
    """The name of the best setting under each arrival process, each once.

    That is the one that costs least of those that meet the target, where requests cost something
    besides time; else the one of the least tail. Each is replayed as the options say, without
    replicates.
    """
    workload, tail = subject.workload(profile), tail_of(slo, profile)

    def best(one: Arrivals) -> str:
        scenario = scenario_for(workload, one, options, subject)
        few = Experiment(scenario, options.repeats, 0, workers).with_draws()
        return _best(subject.hand_settings(workload), subject, few, tail, slo.latency_us)

    return tuple(dict.fromkeys(map(best, arrivals)))


def _best(
    names: Sequence[str], subject: Subject, few: Experiment, tail: Tail, target_us: int
) -> str:
    search = few.search(tail, target_us)
    workload = few.scenario.workload
    tried = [(name, few.tried(subject.baseline(name, workload, search), tail)) for name in names]
    return min(tried, key=lambda pair: _rank(pair[1], target_us))[0]


def _rank(tried: Tried, target_us: int) -> tuple[bool, float]:
    if tried.cost is None:
        return False, tried.tail_us
    misses = tried.tail_us > target_us
    return misses, tried.tail_us if misses else tried.cost
