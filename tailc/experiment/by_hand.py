"""Settings that a user could pick by hand: which is best at each rate, and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from tailc.experiment.experiment import Experiment, experiment_for
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.server_use import load, usage_of
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


@dataclass(frozen=True)
class SettingReplay:
    """What a setting shows under one arrival process: the tail of each SLO, and its use."""

    name: str
    tails_us: tuple[int, ...]
    is_overloaded: bool
    drawn_us: int | None


def replayed_by_hand(
    subject: Subject,
    names: Sequence[str],
    profile: DemandProfile,
    slos: Sequence[Slo],
    arrivals: Arrivals,
    options: VerifyOptions,
    workers: Executor,
) -> tuple[SettingReplay, ...]:
    """Each setting on the repeats that `compared` replays the subject on, without replicates."""
    workload = subject.workload(profile)
    experiment = experiment_for(options, workload, arrivals, workers, subject)
    tails = [tail_of(slo, profile) for slo in slos]
    search = experiment.search(tails[0], slos[0].latency_us)

    def replayed(name: str) -> SettingReplay:
        setting = subject.baseline(name, workload, search)
        repeats = experiment.used(setting, tails)
        is_overloaded = load(arrivals, repeats.kept).is_overloaded
        drawn_us = usage_of(setting, repeats.kept).drawn_us
        return SettingReplay(setting.name, repeats.tails_us, is_overloaded, drawn_us)

    return tuple(map(replayed, names))


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
