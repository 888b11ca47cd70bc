"""Measure how a server of core types responds to a controller's output: steady state and step.

Replications differ in their arrivals and in the order of requests, and are the same for every rate,
output and step (common random numbers), so differences are much more accurate than each number.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.experiment import Experiment
from tailc.experiment.replications import Replication, Replications
from tailc.experiment.scenario import Scenario
from tailc.forms.controller import scaled_ladder
from tailc.forms.ladder.table import Ladder
from tailc.models import streams
from tailc.models.arrivals import Poisson
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.outcome import NS_PER_US
from tailc.models.steering import OpenLoop
from tailc.models.streams import Purpose
from tailc.models.workload import NS_PER_MS, Workload
from tailc.percentiles import percentile_rank

# A larger backlog is overload, as for verdicts on a server of a hundred cores.
MOST_IN_SYSTEM = 4096
# Windows before the step in which the server and the window fill, and at least an epoch.
SETTLING_WINDOWS = 4


@dataclass(frozen=True, eq=False)
class TailSurface:
    """Measured percentile, mean and energy for each arrival rate and each controller output.

    Arrays (rates, outputs) of means of replications. energy: of a request; idle_energy: of free
    cores per request; in the ladder's unit of power times milliseconds. is_overloaded: the backlog
    grew without bound in some replication, so the numbers are meaningless.
    """

    rates_mrps: tuple[int, ...]
    outputs_ppm: tuple[int, ...]
    tail_us: NDArray[np.float64]
    mean_us: NDArray[np.float64]
    energy: NDArray[np.float64]
    idle_energy: NDArray[np.float64]
    is_overloaded: NDArray[np.bool_]


def tail_surface(  # noqa: PLR0913 - what is asked, and how thoroughly
    load: Workload,
    ladder: Ladder,
    rates_mrps: Sequence[int],
    outputs_ppm: Sequence[int],
    *,
    percentile_ppm: int,
    requests: int,
    repeats: int,
    seed: int,
    workers: Executor,
) -> TailSurface:
    """Replay a ladder at every arrival rate under every constant output of its controller.

    Each replication has `requests` Poisson arrivals, of which a twentieth is warm-up.
    """
    ladders = [scaled_ladder(ladder, output_ppm) for output_ppm in outputs_ppm]
    experiments = [
        _experiment(load, rate_mrps, requests, repeats, seed, workers) for rate_mrps in rates_mrps
    ]
    subjects = [CoreTypes("output", (scaled,)) for scaled in ladders]
    cells = itertools.product(experiments, subjects)

    def tail_and_energy(one: Replication, outcome: CoreTypesOutcome) -> tuple[float, ...]:  # noqa: ARG001
        return _measures(outcome, percentile_ppm)

    results = np.array([experiment.each(subject, tail_and_energy) for experiment, subject in cells])
    by_repeat = results.reshape(len(rates_mrps), len(outputs_ppm), repeats, -1)
    tail, mean, energy, idle = np.moveaxis(by_repeat[..., :-1].mean(axis=2), -1, 0)
    is_overloaded = by_repeat[..., -1].max(axis=2) > 0
    return TailSurface(
        tuple(rates_mrps), tuple(outputs_ppm), tail, mean, energy, idle, is_overloaded
    )


def _measures(outcome: CoreTypesOutcome, percentile_ppm: int) -> tuple[float, ...]:
    latency_ns = np.sort(outcome.latency_ns[outcome.measured])
    tail_ns = latency_ns[percentile_rank(percentile_ppm, len(latency_ns)) - 1]
    return (
        tail_ns / NS_PER_US,
        latency_ns.sum() / len(latency_ns) / NS_PER_US,
        outcome.mean_energy / NS_PER_MS,
        outcome.mean_idle_energy / NS_PER_MS,
        outcome.was_cut_off,
    )


def step_response(  # noqa: PLR0913 - what is asked, and how thoroughly
    load: Workload,
    ladder: Ladder,
    rate_mrps: int,
    from_ppm: int,
    to_ppm: int,
    *,
    epochs: int,
    epoch_requests: int,
    window_requests: int,
    percentile_ppm: int,
    repeats: int,
    seed: int,
    workers: Executor,
) -> NDArray[np.float64]:
    """Measured percentile [us] in each epoch after a step of a controller's output, (epochs + 1,).

    Entry k is what a controller measures k epochs after the step, over its window of latencies;
    entry 0 is measured at the step. Before the step the output is `from_ppm` for four windows, then
    `to_ppm`. Noise is reduced by pairs: each replication is replayed with and without the step. An
    entry is the mean difference of both, plus the mean without the step. So entry 0 has no noise.
    """
    settling = max(SETTLING_WINDOWS * -(-window_requests // epoch_requests), 1)
    # One epoch more, because the last requests of a replay meet a server that runs empty.
    requests = (settling + epochs + 1) * epoch_requests
    outputs = np.full(settling + epochs, from_ppm, np.int64)
    stepped = outputs.copy()
    stepped[settling:] = to_ppm
    laws = [
        OpenLoop(given, epoch_requests, window_requests, percentile_ppm)
        for given in (stepped, outputs)
    ]
    # A replay of a step ends with its requests, whatever the backlog, and all of it is measured.
    experiment = _experiment(
        load, rate_mrps, requests, repeats, seed, workers, most_in_system=requests + 1
    )
    with_step, without = (
        np.array(
            experiment.each(
                CoreTypes("step", (ladder,), steering=law, is_measured_from_start=True),
                lambda _one, outcome: _from_step(outcome, settling, epochs),
            )
        )
        for law in laws
    )
    return without.mean() + (with_step - without).mean(axis=0)


def _from_step(outcome: CoreTypesOutcome, settling: int, epochs: int) -> NDArray[np.float64]:
    """Measurements from the step on; the output of epoch k is set at the end of k - 1."""
    return outcome.steps.measured_us[settling - 1 : settling + epochs].astype(np.float64)


def _experiment(
    load: Workload,
    rate_mrps: int,
    requests: int,
    repeats: int,
    seed: int,
    workers: Executor,
    most_in_system: int = MOST_IN_SYSTEM,
) -> Experiment:
    """Replications whose gaps are the same at every rate, apart from their scale."""
    scenario = Scenario(load, Poisson(rate_mrps), requests, most_in_system, seed)
    drawn = tuple(workers.map(lambda number: _replication(scenario, number), range(repeats)))
    return Experiment(
        scenario, repeats, 0, workers, given_replications=Replications(scenario, drawn)
    )


def _replication(scenario: Scenario, number: int) -> Replication:
    """All requests of the workload equally often (to within one), in random order."""
    load, seed = scenario.workload, scenario.seed
    state = streams.stream(seed, Purpose.ORDER, number)
    place = np.empty(scenario.requests, np.int64)
    streams.shuffled_passes(state, np.arange(load.requests, dtype=np.int64), place)
    streams.shuffled_passes(state, place.copy(), place)
    order = np.searchsorted(load.last_request_of, place, side="right").astype(np.int32)
    times_ns = np.empty(len(order), np.int64)
    state = streams.stream(seed, Purpose.ARRIVALS, number)
    streams.poisson_arrivals(state, scenario.arrivals.rate_mrps, times_ns)
    return Replication(times_ns, order)
