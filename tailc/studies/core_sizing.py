"""Which configuration of cores meets a latency at a load with the least energy.

For every configuration and rate parts of the ages of least energy at low load are replayed, on the
same requests at the same times, which gives an energy and a tail each: first every eighth part, and
then, for every target, those around the best so far, to a sixty-fourth. A cell of the answer, a
rate and a target, has the least energy among all whose tail meets the target (after Haque et al.,
MICRO 2017, section 6.7, and Haque, dissertation, Rutgers 2016, section 5.3.5). So
thresholds are held at what suits a load best, as a controller would settle to; they do not follow
it.
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
    never,
    part_of,
    read_configurations,
    with_ages,
)
from tailc.threads import thread_count

# Energies are told in thousandths of the unit of power times ms.
_NS_PER_STEP = 1_000
_MRPS_PER_MS = 1_000_000
# Parts of the ages: first those so far apart, then around the best of them at half that, and so on.
_FIRST_STEP = 8


@dataclass(frozen=True)
class Grid:
    """Rates [thousandths of a request per second] and targets [us], both ascending."""

    rates_mrps: tuple[int, ...]
    targets_us: tuple[int, ...]

    def __post_init__(self) -> None:
        for values in (self.rates_mrps, self.targets_us):
            assert values
            assert all(a < b for a, b in itertools.pairwise(values))
            assert values[0] > 0


@dataclass(frozen=True)
class Server:
    """A configuration by its name, the file of its spec, and its peak power in millionths."""

    name: str
    path: str
    peak_ppm: int


@dataclass(frozen=True)
class Choice:
    """How a server meets a target: its ages, the tail, and energy by request.

    `energy` is in thousandths of the unit of power times ms; what free cores draw is in it.
    """

    server: int
    climbs: Ages
    tail_us: int
    energy: int


@dataclass(frozen=True)
class CoreSizing:
    """`cells`: by rate and then target, the best that each server does, None where it misses."""

    servers: tuple[Server, ...]
    unit: PowerUnit
    percentile_ppm: int
    grid: Grid
    seed: int
    requests: int
    cells: tuple[tuple[tuple[Choice | None, ...], ...], ...]

    def best(self, rate: int, target: int) -> Choice | None:
        """The least energy in a cell, the first server of those alike; None if all miss."""
        met = [choice for choice in self.cells[rate][target] if choice is not None]
        return min(met, key=lambda choice: choice.energy, default=None)

    @property
    def peak_spread(self) -> float:
        """How much more the hungriest server draws at peak than the thriftiest, in parts of it."""
        peaks = [server.peak_ppm for server in self.servers]
        return max(peaks) / min(peaks) - 1


def size_cores(
    paths: Sequence[str],
    grid: Grid,
    *,
    requests: int = SERVER.requests,
    seed: int = Seed.DESIGN,
    threads: int | None = None,
    progress: Progress = silent,
) -> CoreSizing:
    """The best of the configurations in the specs at `paths`, for each cell of the grid.

    Replays the part of the trace that policies are compiled from. `threads` None is one a
    processor; the answer does not depend on it. Raises TailcError for specs that are wrong or of
    different services.
    """
    progress("reading the configurations", 0.0)
    found = read_configurations(paths)
    options = VerifyOptions(seed=seed, requests_per_replay=requests)
    by_server = []
    with ThreadPoolExecutor(thread_count(threads)) as workers:
        for number, one in enumerate(found):
            progress(f"replaying {one.name}", number / len(found))
            by_server.append(_cells(number, one, grid, options, workers))
    return CoreSizing(
        servers=tuple(Server(one.name, one.path, one.cores.peak_ppm) for one in found),
        unit=found[0].cores.unit,
        percentile_ppm=found[0].percentile_ppm,
        grid=grid,
        seed=seed,
        requests=requests,
        cells=tuple(tuple(zip(*row, strict=True)) for row in zip(*by_server, strict=True)),
    )


def _cells(
    number: int, one: Configuration, grid: Grid, options: VerifyOptions, workers: Executor
) -> list[list[Choice | None]]:
    """The best that one server does, by rate and then target."""
    ages_us = [ages_at_low_load(one, target_us) for target_us in grid.targets_us]
    found = []
    for rate_mrps in grid.rates_mrps:
        candidates = _Candidates(number, one, rate_mrps, options, workers)
        candidates.add([never(one)])
        for ages, target_us in zip(ages_us, grid.targets_us, strict=True):
            if ages is not None and not candidates.is_overloaded:
                _search(candidates, ages, target_us)
        found.append([candidates.least(target_us) for target_us in grid.targets_us])
    return found


def _search(candidates: _Candidates, ages_us: Sequence[int], target_us: int) -> None:
    """Try parts of the ages, and then around the best of them."""

    def best(parts: Sequence[int]) -> int:
        candidates.add([part_of(ages_us, part) for part in parts])
        return min(parts, key=lambda part: candidates.rank(part_of(ages_us, part), target_us))

    # From late to early, so that of those alike the latest is the best.
    part, step = best(range(PARTS, -1, -_FIRST_STEP)), _FIRST_STEP
    while step > 1:
        step //= 2
        part = best([near for near in (part + step, part, part - step) if 0 <= near <= PARTS])


class _Candidates:
    """Replays of one server at one rate, all on the same requests at the same times."""

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
        self._found: dict[Ages, Choice | None] = {}
        self.is_overloaded = _is_too_much(one, rate_mrps)

    def add(self, tried: Sequence[Ages]) -> None:
        """Replay what is new; an overloaded server does nothing well and is not replayed."""
        new = [climbs for climbs in dict.fromkeys(tried) if climbs not in self._found]
        if not self.is_overloaded:
            self._found.update(zip(new, self._workers.map(self._choice, new), strict=True))

    def rank(self, climbs: Ages, target_us: int) -> tuple[int, int]:
        """Less is better: energy where the target is met, else the tail, else anything."""
        choice = self._found[climbs]
        if choice is None:
            return (2, 0)
        return (0, choice.energy) if choice.tail_us <= target_us else (1, choice.tail_us)

    def least(self, target_us: int) -> Choice | None:
        """Of all replays the least energy that meets the target, the first of those alike."""
        met = [each for each in self._found.values() if each and each.tail_us <= target_us]
        return min(met, key=lambda choice: choice.energy, default=None)

    def _choice(self, climbs: Ages) -> Choice | None:
        subject = CoreTypes(self._one.name, (with_ages(self._one, climbs),))
        ((_, outcome),) = self._experiment.outcomes(subject)
        if outcome.was_cut_off:
            return None
        tail_us = nearest_us(outcome.tail_ns(self._one.percentile_ppm))
        energy = round((subject.cost_of_request(outcome) or 0.0) / _NS_PER_STEP)
        return Choice(self._number, climbs, tail_us, energy)


def _is_too_much(one: Configuration, rate_mrps: int) -> bool:
    """Whether more work arrives than all cores do."""
    demand = one.profile
    mean_ms = float(np.average(demand.demand_ms, weights=demand.weight))
    return mean_ms * rate_mrps / _MRPS_PER_MS >= capacity(one)
