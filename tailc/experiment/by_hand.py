"""Which of the settings that a user could pick by hand is best at each rate."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.sizes import BY_HAND
from tailc.experiment.tail_sample import Tail
from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject, Tried
from tailc.models.workload import Workload


def best_by_hand(
    subject: Subject,
    workload: Workload,
    arrivals: Sequence[Arrivals],
    tail: Tail,
    target_us: int,
    workers: Executor,
) -> tuple[str, ...]:
    """The name of the best setting under each arrival process, each once.

    That is the one that costs least of those that meet the target, where requests cost something
    besides time; else the one of the least tail.
    """
    names = subject.hand_settings(workload)
    found = dict.fromkeys(
        _best(names, subject, _few(subject, workload, one, workers), tail, target_us)
        for one in arrivals
    )
    return tuple(found)


def _few(subject: Subject, workload: Workload, arrivals: Arrivals, workers: Executor) -> Experiment:
    options = VerifyOptions(requests_per_replay=BY_HAND.requests, repeats=BY_HAND.repeats)
    scenario = scenario_for(workload, arrivals, options, subject)
    return Experiment(scenario, BY_HAND.repeats, 0, workers).with_draws()


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
