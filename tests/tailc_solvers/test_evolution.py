"""Evolution against functions whose least values are known."""

from __future__ import annotations

import cmaes
import numpy as np
import pytest
from tailc_solvers.evolution import minimise_by_evolution, separable

START, SPREAD = np.zeros(4), np.full(4, 0.5)


def sphere(points):
    return [float(((point - 1.0) ** 2).sum()) for point in points]


def ellipsoid(points):
    """A thousand times as steep in one direction as in another."""
    steep = 10.0 ** np.arange(4)
    return [float((steep * (point - 1.0) ** 2).sum()) for point in points]


@pytest.mark.parametrize(("values_of", "generations"), [(sphere, 80), (ellipsoid, 200)])
def test_the_least_point_is_found(values_of, generations):
    found = minimise_by_evolution(
        values_of, START, SPREAD, generations=generations, population=10, seed=1
    )
    assert found.point == pytest.approx(np.ones(4), abs=1e-3)
    assert found.value == values_of([found.point])[0]


def test_spreads_say_how_far_each_number_is_searched():
    """A valley a thousand times longer than wide is round in units of the spreads."""

    def valley(points):
        return [float((p[0] - 1e3) ** 2 / 1e6 + (p[1] - 1) ** 2) for p in points]

    spread = np.array([1e3, 1.0])
    found = minimise_by_evolution(valley, np.zeros(2), spread, generations=60, population=8, seed=1)
    assert found.point == pytest.approx([1e3, 1.0], rel=1e-2)


def test_every_evaluation_is_counted_and_all_points_of_a_generation_come_together():
    sizes = []

    def counted(points):
        sizes.append(len(points))
        return sphere(points)

    found = minimise_by_evolution(counted, START, SPREAD, generations=5, population=6, seed=1)
    assert sizes == [1, 6, 6, 6, 6, 6, 1]
    assert found.evaluations == sum(sizes)


def test_the_start_is_the_answer_where_nothing_is_better():
    def from_start(points):
        return [float(np.abs(point).sum()) for point in points]

    found = minimise_by_evolution(from_start, START, SPREAD, generations=3, population=6, seed=1)
    assert found.point.tolist() == [0, 0, 0, 0]


def test_a_seed_makes_the_search():
    def at(seed):
        return minimise_by_evolution(
            sphere, START, SPREAD, generations=5, population=6, seed=seed
        ).point

    assert (at(1) == at(1)).all()
    assert (at(1) != at(2)).any()


def test_a_search_that_has_settled_ends_with_the_mean_that_was_looked_at():
    means = []

    def has_settled(mean):
        means.append(mean)
        return len(means) == 3

    sizes = []

    def counted(points):
        sizes.append(len(points))
        return sphere(points)

    found = minimise_by_evolution(
        counted, START, SPREAD, generations=50, population=6, seed=1, has_settled=has_settled
    )
    assert sizes == [1, 6, 6, 6, 1]
    assert found.has_settled
    assert found.value <= sphere([means[-1]])[0]


def test_a_search_that_meets_its_last_generation_has_not_settled():
    found = minimise_by_evolution(sphere, START, SPREAD, generations=5, population=6, seed=1)
    assert not found.has_settled


def test_a_search_whose_distribution_has_become_too_narrow_has_settled():
    found = minimise_by_evolution(sphere, START, SPREAD, generations=10_000, population=10, seed=1)
    assert found.has_settled
    assert found.evaluations < 10_000


def test_the_library_is_loaded_without_its_other_algorithms():
    """Its file alone has the same class, which asks for the same points."""
    asked = [
        library.SepCMA(np.zeros(3), 1.0, seed=7, population_size=4).ask()
        for library in (separable(), cmaes)
    ]
    assert separable() is not cmaes
    assert (asked[0] == asked[1]).all()
