"""Find the configuration of cores that meets a latency at a rate with the least energy.

For every configuration and rate, the climb ages of least energy at low load are multiplied by a
fraction and replayed, always on the same requests and times; this gives an energy and a tail per
fraction. The search tries fractions in steps of an eighth, and then, for every target, ever closer
to the best one, in steps down to a sixty-fourth. For each rate and target the answer is the replay
of least energy whose tail meets the target (after Haque et al., MICRO 2017, section 6.7, and Haque,
dissertation, Rutgers 2016, section 5.3.5). The ages are the same at all loads.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.sizes import SERVER, Seed
from tailc.models.arrivals import Poisson
from tailc.models.core_types.model import CoreTypes
from tailc.models.outcome import nearest_us
from tailc.progress import Progress, silent
from tailc.specs.cores import PowerUnit
from tailc.studies.core_configuration import (
    PARTS,
    Ages,
    Configuration,
    ages_at_low_load,
    capacity,
    never_climb,
    read_configurations,
    scaled_climbs,
    with_ages,
)
from tailc.threads import thread_count

# Energies are in thousandths of the unit of power times ms.
_NS_PER_STEP = 1_000
_MRPS_PER_MS = 1_000_000
# First step between parts of the ages; it is halved around the best part each time.
_FIRST_STEP = 8


@dataclass(frozen=True)
class SizingGrid:
    """The arrival rates [1/1000 s] and latency targets [us] to size cores for, both ascending."""

    rates_mrps: tuple[int, ...]
    targets_us: tuple[int, ...]

    def __post_init__(self) -> None:
        for values in (self.rates_mrps, self.targets_us):
            assert values
            assert all(a < b for a, b in itertools.pairwise(values))
            assert values[0] > 0


@dataclass(frozen=True)
class Server:
    """A compared configuration of cores: name, file of its spec, and peak power [1e-6]."""

    name: str
    path: str
    peak_ppm: int


@dataclass(frozen=True)
class ServerChoice:
    """How a configuration of cores meets a target: climb ages, tail, and energy per request.

    server: number of the configuration. energy: in thousandths of the unit of power times ms,
    including that of idle cores.
    """

    server: int
    climbs: Ages
    tail_us: int
    energy: int


@dataclass(frozen=True)
class CoreSizing:
    """The result of sizing cores: the best policy of each configuration, by rate and target.

    cells: indexed by rate, target and configuration (`servers`); None if the target is missed.
    """

    servers: tuple[Server, ...]
    unit: PowerUnit
    percentile_ppm: int
    grid: SizingGrid
    seed: int
    requests: int
    cells: tuple[tuple[tuple[ServerChoice | None, ...], ...], ...]

    def best(self, rate: int, target: int) -> ServerChoice | None:
        """The configuration with the least energy at a rate and a target; the first one on a tie.

        rate, target: numbers in the grid. None if every configuration misses the target.
        """
        met = [choice for choice in self.cells[rate][target] if choice is not None]
        return min(met, key=lambda choice: choice.energy, default=None)

    @property
    def peak_spread(self) -> float:
        """Relative difference between the highest and the lowest peak power of the servers."""
        peaks = [server.peak_ppm for server in self.servers]
        return max(peaks) / min(peaks) - 1


def size_cores(
    paths: Sequence[str],
    grid: SizingGrid,
    *,
    requests: int = SERVER.requests,
    seed: int = Seed.DESIGN,
    threads: int | None = None,
    progress: Progress = silent,
) -> CoreSizing:
    """Find the configuration of cores that uses the least energy, for each rate and target.

    The specs at `paths` describe the configurations. Replays the design part of the trace. threads:
    None means one per processor; the result does not depend on it. Raises TailcError for invalid
    specs, or specs of different services.
    """
    progress("reading the configurations", 0.0)
    configurations = read_configurations(paths)
    options = VerifyOptions(seed=seed, requests_per_replay=requests)
    by_server = []
    with ThreadPoolExecutor(thread_count(threads)) as workers:
        for number, one in enumerate(configurations):
            progress(f"replaying {one.name}", number / len(configurations))
            by_server.append(_cells(number, one, grid, options, workers))
    return CoreSizing(
        servers=tuple(Server(one.name, one.path, one.cores.peak_ppm) for one in configurations),
        unit=configurations[0].cores.unit,
        percentile_ppm=configurations[0].percentile_ppm,
        grid=grid,
        seed=seed,
        requests=requests,
        cells=tuple(tuple(zip(*row, strict=True)) for row in zip(*by_server, strict=True)),
    )


def _cells(
    number: int, one: Configuration, grid: SizingGrid, options: VerifyOptions, workers: Executor
) -> list[list[ServerChoice | None]]:
    """The best choices of one server, by rate and then target."""
    ages_us = [ages_at_low_load(one, target_us) for target_us in grid.targets_us]
    configurations = []
    for rate_mrps in grid.rates_mrps:
        candidates = _ServerReplays(number, one, rate_mrps, options, workers)
        candidates.add([never_climb(one)])
        for ages, target_us in zip(ages_us, grid.targets_us, strict=True):
            if ages is not None and not candidates.is_overloaded:
                _search(candidates, ages, target_us)
        configurations.append([candidates.least(target_us) for target_us in grid.targets_us])
    return configurations


def _search(candidates: _ServerReplays, ages_us: Sequence[int], target_us: int) -> None:
    """Try parts of the ages, then parts near the best one."""

    def best(parts: Sequence[int]) -> int:
        candidates.add([scaled_climbs(ages_us, part) for part in parts])
        return min(parts, key=lambda part: candidates.rank(scaled_climbs(ages_us, part), target_us))

    # From late to early, so that the latest wins a tie.
    part, step = best(range(PARTS, -1, -_FIRST_STEP)), _FIRST_STEP
    while step > 1:
        step //= 2
        part = best([near for near in (part + step, part, part - step) if 0 <= near <= PARTS])


class _ServerReplays:
    """Replays of one server at one rate, all on the same requests and times."""

    def __init__(
        self,
        number: int,
        one: Configuration,
        rate_mrps: int,
        options: VerifyOptions,
        workers: Executor,
    ) -> None:
        self._number = number
        self._one = one
        self._workers = workers
        server = CoreTypes(one.name, (one.ladder,))
        scenario = scenario_for(server.workload(one.profile), Poisson(rate_mrps), options, server)
        self._experiment = Experiment(scenario, SERVER.repeats, 0, workers).with_replications()
        self._choices: dict[Ages, ServerChoice | None] = {}
        self.is_overloaded = _is_overloaded(one, rate_mrps)

    def add(self, new_ages: Sequence[Ages]) -> None:
        """Replay new climbs; an overloaded server is not replayed."""
        new = [climbs for climbs in dict.fromkeys(new_ages) if climbs not in self._choices]
        if not self.is_overloaded:
            self._choices.update(zip(new, self._workers.map(self._choice, new), strict=True))

    def rank(self, climbs: Ages, target_us: int) -> tuple[int, int]:
        """Sort key, smaller is better: energy if the target is met, else tail, else overload."""
        choice = self._choices[climbs]
        if choice is None:
            return (2, 0)
        return (0, choice.energy) if choice.tail_us <= target_us else (1, choice.tail_us)

    def least(self, target_us: int) -> ServerChoice | None:
        """The replay of least energy that meets the target, the first on a tie."""
        met = [each for each in self._choices.values() if each and each.tail_us <= target_us]
        return min(met, key=lambda choice: choice.energy, default=None)

    def _choice(self, climbs: Ages) -> ServerChoice | None:
        subject = CoreTypes(self._one.name, (with_ages(self._one, climbs),))
        ((_, outcome),) = self._experiment.outcomes(subject)
        if outcome.was_cut_off:
            return None
        tail_us = nearest_us(outcome.tail_ns(self._one.percentile_ppm))
        energy = round((subject.cost_of_request(outcome) or 0.0) / _NS_PER_STEP)
        return ServerChoice(self._number, climbs, tail_us, energy)


def _is_overloaded(one: Configuration, rate_mrps: int) -> bool:
    """Whether more work arrives than all cores can do."""
    demand = one.profile
    mean_ms = float(np.average(demand.demand_ms, weights=demand.weight))
    return mean_ms * rate_mrps / _MRPS_PER_MS >= capacity(one)
