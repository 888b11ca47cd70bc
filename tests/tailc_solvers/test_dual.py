"""The separable dual against closed forms, linear programs and the exact grid."""

import numpy as np
import pytest
from tailc_solvers.intervals.evaluate import evaluate
from tailc_solvers.intervals.grid import search_grid
from tailc_solvers.ladder.dual import solve_ladder
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status

from tests.reference import ladder_lp
from tests.tailc_solvers.dual_case import random_row, steep_row

LP_TOLERANCE = 1e-7
"""HiGHS's own feasibility and optimality tolerances, absolute on values of order 1 to 1,000."""

ROUNDING = 1e-9
"""Relative: the tolerance of feasibility by which the dual's limits are wider."""


def test_the_last_rung_is_a_fixed_charge():
    # One multiplier over all rungs gives 128.06 here; keeping rung 1 for ever gives 100.
    sample = WeightedSample.common([10, 20, 100, 400], [1, 1.8, 2.2])
    found = solve_ladder(sample, [1, 2, 3], [6], 6, rank=3)
    assert found.tail_ms[0] == pytest.approx(100.0, abs=1e-6)
    assert found.v_ms[0].tolist() == [0.0, np.inf, 0.0]
    assert found.bound[0] == pytest.approx(100.0, abs=1e-6)


def test_two_rungs_have_a_closed_form():
    # t_1 = (target - w / s_2) / (1 - 1 / s_2) = (200 - 145.5) / 0.5.
    sample = WeightedSample.common([100.0, 291.0], [1, 2])
    found = solve_ladder(sample, [1, 3], [1], 1e9, rank=2, objective="cost", target_ms=200)
    assert found.v_ms[0] == pytest.approx([0.0, 109.0], abs=1e-6)
    assert found.tail_ms[0] == pytest.approx(200.0)


def test_a_rung_that_works_at_less_cost_is_climbed_to_after_the_quantile():
    # Work costs 2 on rung 0 and 5 / 3 on rung 1. With rung 1 from the start W = 1000 / 3, L = 200 /
    # 3 and the wait W / 2 - L = 100 ends the short request at 133. With rung 0 up to its end and a
    # share u of the other 100 (half of the long one's 200) on rung 1,
    # W = 400 - 100 u / 3, L = 200 - 200 u / 3, wait = 50 u: a target of 125 allows u = 1 / 2.
    sample = WeightedSample.common([100.0, 300.0], [1, 3])
    found = solve_ladder(sample, [2, 5], [5], 10, rank=1, objective="cost", target_ms=125)
    assert found.v_ms[0] == pytest.approx([25.0, 200.0], abs=1e-5)
    assert found.cost_time_ms[0] == pytest.approx(400 - 100 / 6)
    assert found.bound[0] == pytest.approx(400 - 100 / 6)


@pytest.mark.parametrize("block", range(2))
def test_the_dual_equals_the_linear_program_by_tail(block):
    for seed in range(100 * block, 100 * (block + 1)):
        sample, costs, load, budget, rank = random_row(seed)
        found = solve_ladder(sample, costs, [load], budget, rank=rank)
        wanted = ladder_lp.least_tail(sample, costs, load, budget, rank)
        assert found.primal[0] == pytest.approx(wanted, rel=LP_TOLERANCE), seed
        assert found.gap[0] <= 1e-12 * found.primal[0], seed


@pytest.mark.parametrize("block", range(2))
@pytest.mark.parametrize("rows", [random_row, steep_row])
def test_the_dual_equals_the_linear_program_by_cost(block, rows):
    for seed in range(100 * block, 100 * (block + 1)):
        sample, costs, load, budget, rank = rows(seed)
        least = solve_ladder(sample, costs, [load], budget, rank=rank).primal[0]
        target = float(least * np.random.default_rng(seed).uniform(0.9, 2.0))
        found = solve_ladder(
            sample, costs, [load], budget, rank=rank, objective="cost", target_ms=target
        )
        wanted = ladder_lp.least_cost(sample, costs, load, budget, rank, target)
        assert found.primal[0] == pytest.approx(wanted, rel=LP_TOLERANCE), seed
        assert found.least_tail_ms[0] == least
        if target < least:
            assert found.status == (Status.INFEASIBLE,)
        else:
            assert found.gap[0] <= 1e-9 * found.primal[0], seed


@pytest.mark.parametrize("objective", ["tail", "cost"])
@pytest.mark.parametrize("rows", [random_row, steep_row])
def test_the_schedule_has_the_figures_that_are_claimed(objective, rows):
    for seed in range(200):
        sample, costs, load, budget, rank = rows(seed)
        target = None if objective == "tail" else 1.3 * sample.demand_ms.max()
        found = solve_ladder(
            sample,
            costs,
            [load],
            budget,
            rank=rank,
            objective=objective,
            target_ms=target,
        )
        if found.status[0] is Status.INFEASIBLE:
            continue
        exact = evaluate(sample, costs, found.v_ms, rank)
        wait = found.v_ms[:, 0]
        assert found.tail_ms == pytest.approx(wait + exact.execution_tail_ms, rel=1e-9)
        assert found.mean_ms == pytest.approx(wait + exact.execution_mean_ms, rel=1e-9)
        assert found.cost_time_ms == pytest.approx(exact.cost_time_ms, rel=1e-9)
        assert found.total_cost[0] <= budget * (1 + 2 * ROUNDING)
        if target is not None:
            assert found.tail_ms[0] <= target * (1 + 2 * ROUNDING)


def test_the_grid_is_at_most_a_step_behind_on_a_long_tail():
    demand = np.random.default_rng(1).gamma(1.625, 144, 2_000)
    sample = WeightedSample.common(demand, [1, 1.9, 2.65, 3.2])
    setting = {"rank": 1_980}
    dual = solve_ladder(sample, [1, 2, 3, 4], range(1, 31), 24, **setting)
    found = search_grid(
        sample, [1, 2, 3, 4], range(1, 31), 24, step_ms=5, longest_ms=440, **setting
    )
    lead = found.tail_ms - dual.tail_ms
    assert (lead >= -ROUNDING * dual.tail_ms).all()
    assert (lead <= 5.0).all()


def test_sixty_four_rungs_close_the_gap():
    sample = WeightedSample.common(
        np.random.default_rng(2).gamma(1.6, 100, 500), np.arange(1, 65) ** 0.7
    )
    found = solve_ladder(sample, np.arange(1, 65), range(1, 40), 24, rank=495)
    assert (found.gap <= 1e-12 * found.primal).all()


def test_the_dual_refuses_several_curves_and_falling_costs():
    two = WeightedSample.classes([1, 2], [[1, 2], [1, 1.5]], [0, 1])
    with pytest.raises(ValueError, match="one common curve"):
        solve_ladder(two, [1, 2], [1], 6, rank=1)
    with pytest.raises(ValueError, match="must not fall"):
        solve_ladder(WeightedSample.common([1], [1, 2]), [2, 1], [1], 6, rank=1)
