"""The search for a table: several short ones for a coarse shape, then curves of many pieces.

A trial's value is the mean over the rates of its tail over the formula's, on the same requests at
the same times; where a rate is worse than the formula's, what it is worse counts many times over.
Each stage has random numbers of its own, and more of them than the one before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.evolution import Found, evolved

from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.family import Family, curves, lines, refined
from tailc.pipeline.queue.scene import Scene
from tailc.pipeline.queue.trials import Trials
from tailc.replay.lowered import rows_by_load
from tailc.replay.queue_aim import QueueAim

# Searches begin where requests wait for an exit from so many in the system on, in cores.
_ADMISSIONS = (2.5, 1.0, 0.6)
# At first the last rung is boosted for so many threads, in cores.
_BOOST = 1.5
# An age that is never reached, in tails.
_NEVER = 3.0
# A part of the tail above the formula's counts so many times more.
_WORSE = 5.0
_ADMISSION_SPREAD, _BOOST_SPREAD = 0.2, 0.5


@dataclass(frozen=True)
class _Stage:
    """Part of the budget, requests of a trial over all rates, population, and spreads.

    age_spread, load_spread: standard deviation of an age in tails, and its growth over a load of
    one a core. narrower: the other spreads, relative to those of the first stage.
    """

    share: float
    requests: int
    population: int
    age_spread: float
    load_spread: float
    narrower: float
    seed: int


_FIRST = _Stage(0.2, 30_000, 10, 0.05, 0.25, 1.0, 11)
_LINES = _Stage(0.15, 80_000, 10, 0.03, 0.12, 0.5, 12)
_CURVES = _Stage(0.65, 150_000, 12, 0.025, 0.04, 0.25, 13)
# A trial at a rate has so many requests beyond the percentile at least, and a search so many
# generations, with what it needs besides.
_FEWEST_BEYOND, _FEWEST_REQUESTS = 50, 5_000
_FEWEST_GENERATIONS, _BESIDES = 4, 1
_STARTS = 2 * len(_ADMISSIONS)
_GENERATION_SEED = 1


def least_each(percentile_ppm: int) -> int:
    """Requests of a trial at a rate."""
    return max(-(-_FEWEST_BEYOND * PPM // (PPM - percentile_ppm)), _FEWEST_REQUESTS)


def least_budget(aim: QueueAim) -> int:
    """Requests that the shortest search simulates."""
    trial = least_each(aim.percentile_ppm) * len(aim.rates_mrps)
    generations = _FEWEST_GENERATIONS + _BESIDES
    parts = ((_FIRST, _STARTS), (_LINES, 1), (_CURVES, 1))
    return max(
        math.ceil(searches * stage.population * generations * trial / stage.share)
        for stage, searches in parts
    )


@dataclass(frozen=True)
class Searched:
    """Tables, the best guess last, and how many were tried with how many requests in all."""

    tables: tuple[Ladder, ...]
    evaluations: int
    requests: int


def searched(
    base: Ladder,
    scenes: Sequence[Scene],
    aim: QueueAim,
    cores: int,
    workers: Executor,
    progress: Progress,
) -> Searched:
    """The best table of lines, and the best of curves, as far as the budget goes.

    scenes: one for each of the aim's rates.
    """
    return _Search(base, scenes, aim, cores, workers, progress).run()


class _Search:
    def __init__(
        self,
        base: Ladder,
        scenes: Sequence[Scene],
        aim: QueueAim,
        cores: int,
        workers: Executor,
        progress: Progress,
    ) -> None:
        self._base = base
        self._scenes = scenes
        self._aim = aim
        self._cores = cores
        self._workers = workers
        self._progress = progress
        self._evaluations = 0
        self._requests = 0
        self._best = 1.0

    def run(self) -> Searched:
        trials = self._trials(_FIRST, _STARTS)
        formula_us = trials.tails_us([self._base])[0].mean(axis=1)
        tail_us = max(round(float(formula_us.max())), 1)
        coarse = lines(self._base, tail_us, self._cores, may_wait=self._aim.may_wait)
        starts = _starts(coarse)
        firsts = [self._evolved(coarse, start, _FIRST, trials, _STARTS) for start in starts]
        first = min(firsts, key=lambda found: found.value).point
        line = self._evolved(coarse, first, _LINES, self._trials(_LINES)).point
        fine = curves(coarse)
        start = refined(line, coarse, fine)
        curve = self._evolved(fine, start, _CURVES, self._trials(_CURVES)).point
        tables = (coarse.table(line), fine.table(curve))
        return Searched(tables, self._evaluations, self._requests)

    def _trials(self, stage: _Stage, searches: int = 1) -> Trials:
        scenes = len(self._scenes)
        tables = searches * stage.population * (_FEWEST_GENERATIONS + _BESIDES)
        affordable = self._aim.most_requests * stage.share / (tables * scenes)
        least = least_each(self._aim.percentile_ppm)
        each = max(min(stage.requests // scenes, int(affordable)), least)
        return Trials(
            self._scenes,
            self._aim.percentile_ppm,
            self._cores,
            requests=each,
            repeats=1,
            seed=stage.seed,
            workers=self._workers,
        )

    def _evolved(
        self,
        family: Family,
        start: NDArray[np.float64],
        stage: _Stage,
        trials: Trials,
        searches: int = 1,
    ) -> Found:
        """The best point from a start that the stage's share of the budget finds, of so many."""
        budget = self._aim.most_requests * stage.share / searches
        generations = int(budget / (stage.population * trials.requests)) - _BESIDES
        values_of = self._values_of(family, trials)
        return evolved(
            values_of,
            start,
            _spread(family, stage),
            generations=max(generations, _FEWEST_GENERATIONS),
            population=stage.population,
            seed=_GENERATION_SEED,
        )

    def _values_of(
        self, family: Family, trials: Trials
    ) -> Callable[[Sequence[NDArray[np.float64]]], list[float]]:
        formula_us = trials.tails_us([self._base])[0].mean(axis=1)

        def values_of(points: Sequence[NDArray[np.float64]]) -> list[float]:
            tails_us = trials.tails_us([family.table(point) for point in points]).mean(axis=2)
            values = merit(tails_us / formula_us, self._aim.weights).tolist()
            self._count(values, len(points) * trials.requests)
            return values

        return values_of

    def _count(self, values: Sequence[float], requests: int) -> None:
        self._evaluations += len(values)
        self._requests += requests
        self._best = min(self._best, *values)
        share = min(self._requests / self._aim.most_requests, 1.0)
        self._progress(f"tuning the table, tail {self._best:.1%} of the formula's", share)


def merit(ratios: NDArray[np.float64], weights: Sequence[int]) -> NDArray[np.float64]:
    """What is made small: tails over the formula's, (..., rates), weighted; worse count more."""
    share = np.array(weights) / sum(weights)
    return ((ratios + _WORSE * np.maximum(ratios - 1.0, 0.0)) * share).sum(axis=-1)


def _starts(family: Family) -> Iterator[NDArray[np.float64]]:
    """The formula's ages, and an early climb by one rung with a late one to the last."""
    for admission in _ADMISSIONS:
        yield family.point(_formula_ages(family), admission, _BOOST)
        yield family.point(_sprint_ages(family), admission, _BOOST)


def _formula_ages(family: Family) -> NDArray[np.float64]:
    """Of the base ladder at the knots, in tails."""
    rows, row_of_load = rows_by_load([family.base], 0, int(family.knots[-1]))
    ages = np.full((family.climbs, len(family.knots)), _NEVER)
    for knot, load in enumerate(family.knots.astype(int).tolist()):
        row = rows[row_of_load[0, min(load, row_of_load.shape[1] - 1)]]
        for rung in range(1, family.climbs + 1):
            reached = [climb.age_us for climb in row.climbs if climb.rung >= rung]
            if reached:
                ages[rung - 1, knot] = min(min(reached) / family.tail_us, _NEVER)
    return ages


def _sprint_ages(family: Family) -> NDArray[np.float64]:
    """At little load and at one request a core: soon on the second rung, late on all others."""
    later = np.arange(family.climbs) / max(family.climbs - 1, 1)
    loaded = np.where(later > 0, 0.9, 0.1)
    return np.stack([0.25 * later**2, loaded], axis=1)


def _spread(family: Family, stage: _Stage) -> NDArray[np.float64]:
    ages = stage.age_spread + stage.load_spread * family.knots / family.cores
    others = _ADMISSION_SPREAD * stage.narrower, _BOOST_SPREAD * stage.narrower
    return family.point(np.tile(ages, (family.climbs, 1)), *others)
