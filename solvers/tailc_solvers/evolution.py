"""Minimise a black-box function by separable CMA-ES.

The variances are adapted by the library `cmaes` (Ros and Hansen, PPSN 2008, "A Simple Modification
in CMA-ES Achieving Linear Time and Space Complexity"). Without covariances no matrix is decomposed,
so the result does not depend on the linear algebra library or its number of threads. A generation
is evaluated together, so that the caller may use any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

# CMA-ES is not defined for a smaller population.
LEAST_POPULATION = 4


@dataclass(frozen=True, eq=False)
class EvolutionResult:
    """Result of a search by evolution: the best evaluated point, its value, evaluations.

    has_settled: whether the search ended before its last generation.
    """

    point: NDArray[np.float64]
    value: float
    evaluations: int
    has_settled: bool = False


def _never(mean: NDArray[np.float64]) -> bool:  # noqa: ARG001 - whatever it is
    return False


def minimise_by_evolution(
    values_of: Callable[[Sequence[NDArray[np.float64]]], Sequence[float]],
    start: NDArray[np.float64],
    spread: NDArray[np.float64],
    *,
    generations: int,
    population: int,
    seed: int,
    has_settled: Callable[[NDArray[np.float64]], bool] = _never,
) -> EvolutionResult:
    """Minimise a function by CMA-ES, from `start` and with some generations of points around it.

    Args:
        values_of: values of all points of a generation, together.
        start: mean of the first generation, float64 (dimensions,).
        spread: standard deviations of the first generation, above 0, float64 (dimensions,).
        generations: largest number of generations.
        population: number of points in a generation.
        seed: of the random points.
        has_settled: called after each generation with the distribution's mean; true ends the
            search, as does a distribution that has become too narrow.

    The last mean of the distribution is evaluated too: for noisy values it is often the best.
    """
    assert population >= LEAST_POPULATION
    assert (spread > 0).all()
    search = separable().SepCMA(np.zeros(len(start)), 1.0, seed=seed, population_size=population)
    found = _best([start], values_of([start]))
    settled = False
    while not settled and search.generation < generations:
        asked = [search.ask() for _ in range(population)]
        points = [start + spread * one for one in asked]
        values = list(values_of(points))
        search.tell(list(zip(asked, values, strict=True)))
        found = min(found, _best(points, values), key=lambda one: one.value)
        settled = has_settled(start + spread * search.mean) or search.should_stop()
    mean = start + spread * search.mean
    found = min(found, _best([mean], values_of([mean])), key=lambda one: one.value)
    evaluations = 2 + population * search.generation
    return EvolutionResult(found.point, found.value, evaluations, settled)


@cache
def separable() -> ModuleType:
    """The module of the package `cmaes` that has `SepCMA`, imported without the whole package.

    The package imports scipy.stats for its other algorithms, which takes half a second.
    """
    package = find_spec("cmaes")
    assert package is not None
    assert package.origin is not None
    file = Path(package.origin).with_name("_sepcma.py")
    if not file.exists():
        import cmaes

        return cmaes
    spec = spec_from_file_location("cmaes._sepcma", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _best(points: Sequence[NDArray[np.float64]], values: Sequence[float]) -> EvolutionResult:
    at = int(np.argmin(values))
    return EvolutionResult(points[at], float(values[at]), len(points))
