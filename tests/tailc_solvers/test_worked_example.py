"""The worked example of Haque et al. (ASPLOS 2015, section 4.1 and Fig. 5), by hand.

Six cores as the budget, two equally likely requests of 50 and 150 ms, s = 1, 1.5, 2.
"""

from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.intervals.evaluate import evaluate
from tailc_solvers.intervals.grid import search_grid
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status

from tests.reference import enumerator
from tests.reference.enumerator import NEVER, Request

F = Fraction

SPEEDS = (F(1), F(3, 2), F(2))
REQUESTS = [Request(F(50), SPEEDS), Request(F(150), SPEEDS)]
COSTS = (F(1), F(2), F(3))
SAMPLE = WeightedSample.common([50, 150], [1, 1.5, 2])
# The 99th percentile of two requests is the second.
RANK = 2

PUBLISHED = {(0, 0, 0): (75, 50), (0, 50, 0): (100, 75)}
"""Schedule: tail and mean in ms."""

OPTIMA = {
    # load: schedule, tail, mean, total cost, on the 50 ms grid with rung 2 allowed.
    3: ((0, 0, 100), F(100), F(200, 3), F(6)),
    4: ((0, 50, 50), F(225, 2), F(325, 4), F(76, 13)),
    5: ((0, 100, 50), F(400, 3), F(275, 3), F(65, 11)),
    6: ((0, 150, 0), F(150), F(100), F(6)),
    7: ((50, 100, 0), F(175), F(275, 2), F(63, 11)),
    8: ((50, 150, 0), F(200), F(150), F(16, 3)),
}


def literal(load: int):
    grid = enumerator.literal_grid(3, F(50), F(150))
    waits = enumerator.axis(F(50), F(150))
    return enumerator.search(REQUESTS, COSTS, grid, waits, F(load), F(6), RANK)


def test_a_schedule_converts_to_change_points_and_back():
    phi = ((F(0), 1), (F(50), 3))
    assert enumerator.durations(phi, 3) == (0, 50, 0)
    assert enumerator.change_points((F(0), F(50), F(0))) == phi


def test_a_schedule_that_never_climbs_converts_and_back():
    phi = ((F(10), 1),)
    assert enumerator.durations(phi, 3) == (10, NEVER, 0)
    assert enumerator.change_points((F(10), NEVER, F(0))) == phi


@pytest.mark.parametrize("v", PUBLISHED)
def test_the_published_schedules_have_the_published_tails(v):
    tail, mean = PUBLISHED[v]
    exact = enumerator.figures(REQUESTS, COSTS, tuple(F(x) for x in v), RANK)
    assert (exact.tail, exact.mean) == (tail, mean)
    found = evaluate(SAMPLE, [1, 2, 3], v, RANK)
    assert found.execution_tail_ms[0] == tail
    assert found.execution_mean_ms[0] == mean


def test_three_requests_cost_five_on_the_published_schedule():
    found = evaluate(SAMPLE, [1, 2, 3], [0, 50, 0], RANK)
    parallelism = found.cost_time_ms[0] / found.execution_mean_ms[0]
    assert parallelism == pytest.approx(250 / 150)
    assert 3 * parallelism == pytest.approx(5.0)


def test_two_requests_are_feasible_exactly_on_the_budget():
    found = search_grid(SAMPLE, [1, 2, 3], [1, 2], 6, rank=RANK, step_ms=50, longest_ms=150)
    assert found.v_ms.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert found.tail_ms.tolist() == [75, 75]
    assert found.total_cost.tolist() == [3, 6]


@pytest.mark.parametrize("load", OPTIMA)
def test_the_literal_search_finds_better_schedules_than_published(load):
    v, tail, mean, total = OPTIMA[load]
    winner = literal(load).winner
    assert winner is not None
    assert (winner.v, winner.tail, winner.mean, winner.total_cost) == (v, tail, mean, total)


def test_the_grid_search_finds_the_same_schedules():
    found = search_grid(SAMPLE, [1, 2, 3], list(OPTIMA), 6, rank=RANK, step_ms=50, longest_ms=150)
    assert found.v_ms.tolist() == [list(v) for v, *_ in OPTIMA.values()]
    assert found.tail_ms == pytest.approx([float(tail) for _, tail, _, _ in OPTIMA.values()])
    assert found.total_cost == pytest.approx([float(total) for *_, total in OPTIMA.values()])


def test_nothing_is_feasible_for_sixteen_requests():
    assert literal(16).winner is None
    found = search_grid(SAMPLE, [1, 2, 3], [16], 6, rank=RANK, step_ms=50, longest_ms=150)
    assert found.status == (Status.INFEASIBLE,)
    assert found.tail_ms[0] == np.inf


@pytest.mark.parametrize(
    ("loads", "phi"),
    [
        ((1, 2), ((F(0), 3),)),
        ((3,), ((F(0), 1), (F(50), 3))),
        ((4, 5, 6), ((F(0), 1),)),
        ((7, 8, 20), None),
    ],
)
def test_degrees_one_and_three_at_two_change_points_give_the_published_table(loads, phi):
    published = [((F(0), 1),), ((F(0), 3),), ((F(0), 1), (F(50), 3))]
    schedules = [enumerator.durations(p, 3) for p in published]
    for load in loads:
        found = enumerator.search(REQUESTS, COSTS, schedules, [F(0)], F(load), F(6), RANK)
        assert (found.winner and enumerator.change_points(found.winner.v)) == phi


@pytest.mark.parametrize(("n", "step", "longest"), [(1, 10, 40), (2, 10, 30), (3, 50, 150)])
def test_the_literal_search_evaluates_every_point_of_the_cube(n, step, longest):
    requests = [Request(F(longest), SPEEDS[:n])]
    grid = enumerator.literal_grid(n, F(step), F(longest))
    waits = enumerator.axis(F(step), F(longest))
    found = enumerator.search(requests, COSTS[:n], grid, waits, F(1), F(6), rank=1)
    assert found.evaluations == (longest // step + 1) ** n
