"""The search for a table: several for a coarse shape, of which fewer go on, then a fine one.

Where a search begins decides in which valley it ends, and after a few steps it does not show yet
which one is deepest: so the searches that are best on other requests go on, and only later one of
them alone (successive halving: Karnin, Koren and Somekh, ICML 2013).
A trial's value is by the criterion (`goals`), over the formula's, on the same requests at the
same times; where a rate is worse than the formula's, what it is worse counts many times over, and
so does what misses an objective besides.
Each stage has random numbers of its own, and more of them than the one before. It ends with its
part of the budget, or where looks at it (`looks`) show that it has settled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.evolution import Found, evolved

from tailc.experiment.sizes import VALIDATION, Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.problems.convergence import Milestone
from tailc.progress import Progress
from tailc.tuning.convergence import ConvergenceCheck, ConvergenceChecks
from tailc.tuning.criteria import measure_of
from tailc.tuning.operating_point import OperatingPoint, operating_points
from tailc.tuning.rate_sample import RateSample
from tailc.tuning.search_space import SearchSpace
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import (
    Form,
    Measurements,
    TuningSample,
    tuning_sample,
)


@dataclass(frozen=True)
class _Stage:
    """Part of the budget, requests of a trial over all rates, population, and spreads.

    age_spread, load_spread: standard deviation of an age in tails, and its growth over a load of
    one a core. narrower: the other spreads, relative to those of the first stage. fewest: so many
    generations there are at least.
    """

    share: float
    requests: int
    population: int
    age_spread: float
    load_spread: float
    narrower: float
    seed: int
    fewest: int = 4


_FIRST = _Stage(0.2, 30_000, 10, 0.05, 0.25, 1.0, 11)
_COARSE = _Stage(0.3, 80_000, 10, 0.03, 0.12, 0.5, 12)
_FINE = _Stage(0.5, 150_000, 12, 0.025, 0.04, 0.25, 13)
# So many of the first searches go on.
_CARRIED = 3
# On from a table that is tuned for something near.
_NEAR = _Stage(1.0, 300_000, 12, 0.025, 0.04, 0.25, 14, fewest=12)
# A trial at a rate has so many requests beyond the percentile at least; a search needs besides its
# generations so many more.
_FEWEST_BEYOND, _FEWEST_REQUESTS = 50, 5_000
_BESIDES = 1
# After its start a search is looked at so often, at least so many generations apart, with other
# random numbers than those of its stage. A look takes what a trial does, so all looks take less
# than the trials of a generation.
_LOOKS, _APART = 6, 4
# It has settled where it is no better than so many looks before.
_SPAN = 2


def fewest_requests(percentile_ppm: int) -> int:
    """Requests of a trial at a rate."""
    return max(-(-_FEWEST_BEYOND * PPM // (PPM - percentile_ppm)), _FEWEST_REQUESTS)


def least_budget(aim: TuningObjective, starts: int) -> int:
    """Requests that the shortest search simulates, from so many points.

    Twice that with optional rules.
    """
    trial = fewest_requests(aim.percentile_ppm) * len(aim.rates_mrps)
    parts = ((_FIRST, starts), (_COARSE, min(starts, _CARRIED)), (_FINE, 1))
    times = 2 if aim.optional_rules else 1
    return times * max(
        math.ceil(searches * stage.population * (stage.fewest + _BESIDES) * trial / stage.share)
        for stage, searches in parts
    )


@dataclass(frozen=True)
class SearchResult(Generic[Form]):
    """Tables, the best guess last, and how many were tried with how many requests in all.

    has_settled: whether the last stage ended before its budget, as it became no better. course: the
    best value of a stage after so many requests, relative to the formula's, wherever it became
    less; empty where the search changed what it is measured by.
    """

    tables: tuple[Form, ...]
    evaluations: int
    requests: int
    has_settled: bool
    course: tuple[Milestone, ...] = ()


@dataclass(frozen=True, eq=False)
class _Ground(Generic[Form]):
    """What a stage tries tables on, and what it is looked at on."""

    trials: TuningSample[Form]
    looks: ConvergenceChecks[Form]


def search_tables(
    approach: TuningProblem[Form],
    scenes: Sequence[OperatingPoint],
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> SearchResult[Form]:
    """The best coarse table, and the best fine one, as far as the budget goes.

    What requests that a search does not see show ends it, and chooses between several. But where a
    tail or objectives are to be kept besides, a search goes as near to them as its own requests
    allow, so that on others chance decides whether they are missed, which counts more than anything
    else: there its own requests choose, and it goes on to its budget.

    scenes: one for each of the aim's rates; or in several cases, one case after the other.
    """
    return _Search(approach, scenes, aim, workers, progress).run()


def search_for_rate(
    approach: TuningProblem[Form],
    load: Workload,
    rates: RateSample[Form],
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> SearchResult[Form]:
    """The tables that keep their tail best at a rate where the best before just fails to.

    The table with the highest rate has, at that rate, the least tail of all: it is what is to be
    kept. So each stage makes the tail small at the highest rate of the table that it begins with,
    and in the same measure at the lowest of the range, where other rows hold. `rates` tells the
    highest rate of a table, on `load`, the requests of the search.
    """
    return _Search(
        approach, operating_points(load, aim), aim, workers, progress, (load, rates)
    ).run()


def search_near(
    space: SearchSpace[Form],
    start: NDArray[np.float64],
    approach: TuningProblem[Form],
    scenes: Sequence[OperatingPoint],
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> SearchResult[Form]:
    """Search near `start` with the whole budget, and return the best table; see `searched`."""
    return _Search(approach, scenes, aim, workers, progress).near(space, start)


class _Search(Generic[Form]):
    def __init__(
        self,
        approach: TuningProblem[Form],
        scenes: Sequence[OperatingPoint],
        aim: TuningObjective,
        workers: Executor,
        progress: Progress,
        follows: tuple[Workload, RateSample[Form]] | None = None,
    ) -> None:
        self._approach = approach
        self._scenes = scenes
        self._aim = aim
        self._aspect = measure_of(aim)
        self._is_limited = self._aspect.is_limited or bool(aim.objectives)
        self._workers = workers
        self._progress = progress
        self._evaluations = 0
        self._requests = 0
        self._best = math.inf
        self._looked: ConvergenceCheck | None = None
        self._course: list[Milestone] = []
        self._stage = 0
        self._follows = follows

    def run(self) -> SearchResult[Form]:
        self._follow(self._approach.base)
        ground = self._ground(_FIRST, self._approach.starts)
        reference = self._approach.reference(ground.trials, self._aim)
        tail_us = reference.tail_us[0].mean(axis=1).max()
        coarse = self._approach.search_space(max(round(float(tail_us)), 1))
        starts = self._promising(coarse, ground.trials, reference)
        firsts = [self._evolved(coarse, start, _FIRST, ground, len(starts)) for start in starts]
        carried = self._ordered(firsts, coarse, ground.looks)[:_CARRIED]
        self._begin_stage(coarse.table(carried[0]))
        ground, several = self._ground(_COARSE, len(carried)), len(carried)
        lines = [self._evolved(coarse, point, _COARSE, ground, several) for point in carried]
        line = self._ordered(lines, coarse, ground.looks)[0]
        self._begin_stage(coarse.table(line))
        fine = coarse.finer()
        start = coarse.refined(line, fine)
        curve = self._evolved(fine, start, _FINE, self._ground(_FINE))
        return self._searched((coarse.table(line), fine.table(curve.point)), curve)

    def near(self, space: SearchSpace[Form], start: NDArray[np.float64]) -> SearchResult[Form]:
        found = self._evolved(space, start, _NEAR, self._ground(_NEAR))
        return self._searched((space.table(found.point),), found)

    def _promising(
        self, space: SearchSpace[Form], trials: TuningSample[Form], reference: Measurements
    ) -> list[NDArray[np.float64]]:
        """As many points as the search begins from, the best ones of more."""
        near = (self._approach.base, *self._approach.rivals) if self._approach.rivals else ()
        starts = [*space.starts(), *map(space.next_to, near)]
        if len(starts) <= self._approach.starts:
            return starts
        seen = trials.measure([space.table(point) for point in starts])
        self._evaluations += len(starts)
        self._requests += len(starts) * trials.requests
        values = self._aspect.values(seen, reference, self._aim)
        best = np.argsort(values, kind="stable")[: self._approach.starts]
        return [starts[at] for at in sorted(best)]

    def _searched(self, tables: tuple[Form, ...], last: Found) -> SearchResult[Form]:
        course = () if self._follows else tuple(self._course)
        return SearchResult(tables, self._evaluations, self._requests, last.has_settled, course)

    def _begin_stage(self, table: Form) -> None:
        """Its requests are others, so values of the stage before are none to compare with."""
        self._stage += 1
        self._best, self._looked = math.inf, None
        self._follow(table)

    def _follow(self, table: Form) -> None:
        """Go on at the highest rate of a table, where that is what is made large."""
        if self._follows is None:
            return
        load, rates = self._follows
        lowest_mrps = self._aim.rates_mrps[0]
        found = rates.highest_rates([table])
        self._requests += found.requests
        rate_mrps = max(round(float(found.rates_mrps.mean())), lowest_mrps + 1)
        self._aim = replace(self._aim, rates_mrps=(lowest_mrps, rate_mrps))
        self._scenes = operating_points(load, self._aim)
        self._best = math.inf

    def _ground(self, stage: _Stage, searches: int = 1) -> _Ground[Form]:
        scenes = len(self._scenes)
        tables = searches * stage.population * (stage.fewest + _BESIDES)
        affordable = self._aim.most_requests * stage.share / (tables * scenes)
        least = fewest_requests(self._aim.percentile_ppm)
        each = max(min(stage.requests // scenes, int(affordable)), least)
        looked_on = self._trials(
            each // VALIDATION.repeats, VALIDATION.repeats, stage.seed + Seed.CONVERGENCE
        )
        base = self._approach.reference(looked_on, self._aim)
        looks = ConvergenceChecks(looked_on, base, self._aspect, self._aim)
        self._requests += looks.requests
        return _Ground(self._trials(each, 1, stage.seed), looks)

    def _trials(self, each: int, repeats: int, seed: int) -> TuningSample[Form]:
        return tuning_sample(
            self._scenes,
            self._aim.percentile_ppm,
            self._approach.cores,
            requests=each,
            repeats=repeats,
            seed=seed,
            workers=self._workers,
            subject_of=self._approach.subject_of,
        )

    def _evolved(
        self,
        space: SearchSpace[Form],
        start: NDArray[np.float64],
        stage: _Stage,
        ground: _Ground[Form],
        searches: int = 1,
    ) -> Found:
        """The best point from a start that the stage's share of the budget finds, of so many."""
        budget = self._aim.most_requests * stage.share / searches
        affordable = int(budget / (stage.population * ground.trials.requests)) - _BESIDES
        generations = max(affordable, stage.fewest)
        return evolved(
            self._values_of(space, ground.trials),
            start,
            space.spread(stage.age_spread, stage.load_spread, stage.narrower),
            generations=generations,
            population=stage.population,
            seed=Seed.DESIGN,
            has_settled=self._settling(space, start, ground.looks, generations),
        )

    def _settling(
        self,
        space: SearchSpace[Form],
        start: NDArray[np.float64],
        looks: ConvergenceChecks[Form],
        generations: int,
    ) -> Callable[[NDArray[np.float64]], bool]:
        """Whether a search has settled, as asked of each generation's mean."""
        apart = max(-(-generations // _LOOKS), _APART)
        seen, generation = [self._look(looks, space.table(start))], 0

        def has_settled(mean: NDArray[np.float64]) -> bool:
            nonlocal generation
            generation += 1
            if generation % apart:
                return False
            seen.append(self._look(looks, space.table(mean)))
            if self._is_limited or len(seen) <= _SPAN:
                return False
            return seen[-1].has_settled_since(seen[-1 - _SPAN])

        return has_settled

    def _ordered(
        self, founds: Sequence[Found], space: SearchSpace[Form], looks: ConvergenceChecks[Form]
    ) -> list[NDArray[np.float64]]:
        """What several searches found, the best first; see `searched` for on which requests."""
        if self._is_limited:
            values = [found.value for found in founds]
        else:
            values = [self._look(looks, space.table(found.point)).value for found in founds]
        return [founds[at].point for at in np.argsort(values, kind="stable")]

    def _look(self, looks: ConvergenceChecks[Form], table: Form) -> ConvergenceCheck:
        look = looks.at(table)
        self._evaluations += 1
        self._requests += looks.requests
        if self._looked is None or look.value < self._looked.value:
            self._looked = look
        return look

    def _values_of(
        self, space: SearchSpace[Form], trials: TuningSample[Form]
    ) -> Callable[[Sequence[NDArray[np.float64]]], list[float]]:
        base = self._approach.reference(trials, self._aim)

        def values_of(points: Sequence[NDArray[np.float64]]) -> list[float]:
            seen = trials.measure([space.table(point) for point in points])
            values = self._aspect.values(seen, base, self._aim).tolist()
            self._count(values, len(points) * trials.requests)
            return values

        return values_of

    def _count(self, values: Sequence[float], requests: int) -> None:
        self._evaluations += len(values)
        self._requests += requests
        if min(values) < self._best:
            self._best = min(values)
            self._course.append(Milestone(self._requests, None, self._best, self._stage))
        share = min(self._requests / self._aim.most_requests, 1.0)
        assert self._looked is not None
        reached = self._aspect.told(self._looked.told(), self._aim)
        self._progress(f"tuning the table, {reached}", share)
