"""The search for a table in three stages: several coarse searches, the best of them, a fine one.

The start of a search decides in which local minimum it ends, and its first steps do not show which
minimum is best. So several searches start, the best on other requests continue, and then only one
(successive halving: Karnin, Koren and Somekh, ICML 2013).

The value of a table is its measure (`criteria`) relative to the formula's table, which is computed
without simulation, on the same requests at the same times. A rate at which the table is worse, or
misses a further objective, has a penalty. Each stage has its own random numbers, and more of them
than the stage before. It ends with its share of the budget, or when checks (`convergence`) show
that it no longer improves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.evolution import EvolutionResult, minimise_by_evolution

from tailc.experiment.sizes import VALIDATION, Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.problems.convergence import ConvergencePoint
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
    """A stage of the search.

    share: of the budget. requests: simulated per table over all rates. population: tables of a
    generation. age_spread: first standard deviation of an age, in tails; load_spread: its growth
    over a load of one request per core. narrower: other standard deviations, relative to those of
    the first stage. fewest: smallest number of generations.
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
# Number of coarse searches that continue to the second stage.
_CONTINUED = 3
# A search that continues from a table tuned for similar demand.
_NEAR = _Stage(1.0, 300_000, 12, 0.025, 0.04, 0.25, 14, fewest=12)
# A replay at a rate has at least this number of requests above the percentile, and in all. The
# checks of a search cost less than this number of generations.
_FEWEST_BEYOND, _FEWEST_REQUESTS = 50, 5_000
_EXTRA_GENERATIONS = 1
# Number of checks of a search after its start, and the smallest number of generations between two.
# Checks have other random numbers than the stage. A check costs as much as the replay of a table.
_CHECKS, _APART = 6, 4
# A search has settled if it is no better than this number of checks before.
_SPAN = 2


def fewest_requests(percentile_ppm: int) -> int:
    """Smallest number of requests that a replay at one rate needs to estimate this percentile."""
    return max(-(-_FEWEST_BEYOND * PPM // (PPM - percentile_ppm)), _FEWEST_REQUESTS)


def least_budget(aim: TuningObjective, starts: int) -> int:
    """The smallest budget of a search that begins from `starts` points, in simulated requests."""
    trial = fewest_requests(aim.percentile_ppm) * len(aim.rates_mrps)
    parts = ((_FIRST, starts), (_COARSE, min(starts, _CONTINUED)), (_FINE, 1))
    times = 2 if aim.optional_rules else 1
    return times * max(
        math.ceil(
            searches * stage.population * (stage.fewest + _EXTRA_GENERATIONS) * trial / stage.share
        )
        for stage, searches in parts
    )


@dataclass(frozen=True)
class SearchResult(Generic[Form]):
    """The tables that a search found, the most promising last, and the effort of the search.

    evaluations: tables that were replayed. requests: simulated in all. has_settled: whether the
    last stage ended before its budget, because it no longer improved. course: each improvement of
    the best value of a stage, relative to the formula's, with the requests until then; empty if the
    objective of the search changed on its way.
    """

    tables: tuple[Form, ...]
    evaluations: int
    requests: int
    has_settled: bool
    course: tuple[ConvergencePoint, ...] = ()


@dataclass(frozen=True, eq=False)
class _StageSamples(Generic[Form]):
    """The sample on which a stage replays tables, and its convergence checks."""

    trials: TuningSample[Form]
    checks: ConvergenceChecks[Form]


def search_tables(
    problem: TuningProblem[Form],
    points: Sequence[OperatingPoint],
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> SearchResult[Form]:
    """Search for tables by simulation; return the best coarse one and the best fine one.

    Coarse tables have few parameters, fine ones many. The search ends with the budget at the
    latest. Requests that the search does not see decide when it ends, and which of several searches
    is best. There is one exception: if a tail or further objectives must be kept, a search
    approaches these limits on its own requests, so on others they are missed or kept by chance,
    with a large penalty. Then its own requests decide which is best, and it uses its whole budget.

    points: one per rate of `aim`, for one case of demand after the other.
    """
    return _Search(problem, points, aim, workers, progress).run()


def search_for_rate(
    problem: TuningProblem[Form],
    load: Workload,
    rates: RateSample[Form],
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> SearchResult[Form]:
    """Search for the table with the highest rate at which its tail is within a limit.

    Each stage minimises the tail at the highest rate of the table that it begins with, because a
    table with a shorter tail there has a higher rate. The tail at the lowest rate of the range,
    where other rows apply, has the same weight. rates: measures the highest rate of a table on
    `load`, the requests of the search.
    """
    return _Search(
        problem, operating_points(load, aim), aim, workers, progress, (load, rates)
    ).run()


def search_near(
    space: SearchSpace[Form],
    start: NDArray[np.float64],
    problem: TuningProblem[Form],
    points: Sequence[OperatingPoint],
    aim: TuningObjective,
    workers: Executor,
    progress: Progress,
) -> SearchResult[Form]:
    """Search near `start` with the whole budget, and return the best table; see `search_tables`."""
    return _Search(problem, points, aim, workers, progress).near(space, start)


class _Search(Generic[Form]):
    def __init__(
        self,
        problem: TuningProblem[Form],
        points: Sequence[OperatingPoint],
        aim: TuningObjective,
        workers: Executor,
        progress: Progress,
        follows: tuple[Workload, RateSample[Form]] | None = None,
    ) -> None:
        self._problem = problem
        self._points = points
        self._aim = aim
        self._measure = measure_of(aim)
        self._is_limited = self._measure.is_limited or bool(aim.objectives)
        self._workers = workers
        self._progress = progress
        self._evaluations = 0
        self._requests = 0
        self._best = math.inf
        self._best_check: ConvergenceCheck | None = None
        self._course: list[ConvergencePoint] = []
        self._stage = 0
        self._follows = follows

    def run(self) -> SearchResult[Form]:
        self._follow(self._problem.base)
        samples = self._samples(_FIRST, self._problem.starts)
        reference = self._problem.reference(samples.trials, self._aim)
        tail_us = reference.tail_us[0].mean(axis=1).max()
        coarse = self._problem.search_space(max(round(float(tail_us)), 1))
        starts = self._promising(coarse, samples.trials, reference)
        firsts = [self._evolve(coarse, start, _FIRST, samples, len(starts)) for start in starts]
        continued = self._rank(firsts, coarse, samples.checks)[:_CONTINUED]
        self._begin_stage(coarse.table(continued[0]))
        samples, several = self._samples(_COARSE, len(continued)), len(continued)
        lines = [self._evolve(coarse, point, _COARSE, samples, several) for point in continued]
        line = self._rank(lines, coarse, samples.checks)[0]
        self._begin_stage(coarse.table(line))
        fine = coarse.finer()
        start = coarse.refine(line, fine)
        curve = self._evolve(fine, start, _FINE, self._samples(_FINE))
        return self._result((coarse.table(line), fine.table(curve.point)), curve)

    def near(self, space: SearchSpace[Form], start: NDArray[np.float64]) -> SearchResult[Form]:
        found = self._evolve(space, start, _NEAR, self._samples(_NEAR))
        return self._result((space.table(found.point),), found)

    def _promising(
        self, space: SearchSpace[Form], trials: TuningSample[Form], reference: Measurements
    ) -> list[NDArray[np.float64]]:
        """The best points to start from, at most `starts` of the problem."""
        near = (self._problem.base, *self._problem.rivals) if self._problem.rivals else ()
        starts = [*space.starts(), *map(space.next_to, near)]
        if len(starts) <= self._problem.starts:
            return starts
        measured = trials.measure([space.table(point) for point in starts])
        self._evaluations += len(starts)
        self._requests += len(starts) * trials.requests
        values = self._measure.values(measured, reference, self._aim)
        best = np.argsort(values, kind="stable")[: self._problem.starts]
        return [starts[at] for at in sorted(best)]

    def _result(self, tables: tuple[Form, ...], last: EvolutionResult) -> SearchResult[Form]:
        course = () if self._follows else tuple(self._course)
        return SearchResult(tables, self._evaluations, self._requests, last.has_settled, course)

    def _begin_stage(self, table: Form) -> None:
        """Forget the best value: the next stage has other requests, so values do not compare."""
        self._stage += 1
        self._best, self._best_check = math.inf, None
        self._follow(table)

    def _follow(self, table: Form) -> None:
        """If the highest rate is the objective, set the rate to that of `table`."""
        if self._follows is None:
            return
        load, rates = self._follows
        lowest_mrps = self._aim.rates_mrps[0]
        found = rates.highest_rates([table])
        self._requests += found.requests
        rate_mrps = max(round(float(found.rates_mrps.mean())), lowest_mrps + 1)
        self._aim = replace(self._aim, rates_mrps=(lowest_mrps, rate_mrps))
        self._points = operating_points(load, self._aim)
        self._best = math.inf

    def _samples(self, stage: _Stage, searches: int = 1) -> _StageSamples[Form]:
        points = len(self._points)
        tables = searches * stage.population * (stage.fewest + _EXTRA_GENERATIONS)
        affordable = self._aim.most_requests * stage.share / (tables * points)
        least = fewest_requests(self._aim.percentile_ppm)
        each = max(min(stage.requests // points, int(affordable)), least)
        checked_on = self._sample(
            each // VALIDATION.repeats, VALIDATION.repeats, stage.seed + Seed.CONVERGENCE
        )
        base = self._problem.reference(checked_on, self._aim)
        checks = ConvergenceChecks(checked_on, base, self._measure, self._aim)
        self._requests += checks.requests
        return _StageSamples(self._sample(each, 1, stage.seed), checks)

    def _sample(self, each: int, repeats: int, seed: int) -> TuningSample[Form]:
        return tuning_sample(
            self._points,
            self._aim.percentile_ppm,
            self._problem.cores,
            requests=each,
            repeats=repeats,
            seed=seed,
            workers=self._workers,
            subject_of=self._problem.subject_of,
        )

    def _evolve(
        self,
        space: SearchSpace[Form],
        start: NDArray[np.float64],
        stage: _Stage,
        samples: _StageSamples[Form],
        searches: int = 1,
    ) -> EvolutionResult:
        """Search from a start with an equal part of the stage's budget for each of `searches`."""
        budget = self._aim.most_requests * stage.share / searches
        affordable = int(budget / (stage.population * samples.trials.requests)) - _EXTRA_GENERATIONS
        generations = max(affordable, stage.fewest)
        return minimise_by_evolution(
            self._values_of(space, samples.trials),
            start,
            space.spread(stage.age_spread, stage.load_spread, stage.narrower),
            generations=generations,
            population=stage.population,
            seed=Seed.DESIGN,
            has_settled=self._settlement_test(space, start, samples.checks, generations),
        )

    def _settlement_test(
        self,
        space: SearchSpace[Form],
        start: NDArray[np.float64],
        checks: ConvergenceChecks[Form],
        generations: int,
    ) -> Callable[[NDArray[np.float64]], bool]:
        """Return a function of each generation's mean: whether the search has settled."""
        apart = max(-(-generations // _CHECKS), _APART)
        measured, generation = [self._check(checks, space.table(start))], 0

        def has_settled(mean: NDArray[np.float64]) -> bool:
            nonlocal generation
            generation += 1
            if generation % apart:
                return False
            measured.append(self._check(checks, space.table(mean)))
            if self._is_limited or len(measured) <= _SPAN:
                return False
            return measured[-1].has_settled_since(measured[-1 - _SPAN])

        return has_settled

    def _rank(
        self,
        results: Sequence[EvolutionResult],
        space: SearchSpace[Form],
        checks: ConvergenceChecks[Form],
    ) -> list[NDArray[np.float64]]:
        """Order the results of several searches, the best first; see `search_tables`."""
        if self._is_limited:
            values = [found.value for found in results]
        else:
            values = [self._check(checks, space.table(found.point)).value for found in results]
        return [results[at].point for at in np.argsort(values, kind="stable")]

    def _check(self, checks: ConvergenceChecks[Form], table: Form) -> ConvergenceCheck:
        check = checks.check(table)
        self._evaluations += 1
        self._requests += checks.requests
        if self._best_check is None or check.value < self._best_check.value:
            self._best_check = check
        return check

    def _values_of(
        self, space: SearchSpace[Form], trials: TuningSample[Form]
    ) -> Callable[[Sequence[NDArray[np.float64]]], list[float]]:
        base = self._problem.reference(trials, self._aim)

        def values_of(points: Sequence[NDArray[np.float64]]) -> list[float]:
            measured = trials.measure([space.table(point) for point in points])
            values = self._measure.values(measured, base, self._aim).tolist()
            self._count(values, len(points) * trials.requests)
            return values

        return values_of

    def _count(self, values: Sequence[float], requests: int) -> None:
        self._evaluations += len(values)
        self._requests += requests
        if min(values) < self._best:
            self._best = min(values)
            self._course.append(ConvergencePoint(self._requests, None, self._best, self._stage))
        share = min(self._requests / self._aim.most_requests, 1.0)
        assert self._best_check is not None
        reached = self._measure.progress_text(self._best_check.text(), self._aim)
        self._progress(f"tuning the table, {reached}", share)
