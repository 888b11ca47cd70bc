"""Exact slow-to-fast thresholds against closed forms, linear programs and plain search."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.dual import ContinuousThresholds, solve_thresholds
from tailc_solvers.thresholds.evaluate import evaluate_thresholds

from tests.reference import threshold_lp, thresholds_plain
from tests.tailc_solvers.threshold_instances import ThresholdInstance, random_thresholds

LP_TOLERANCE = 1e-7
"""Relative: HiGHS's own tolerances of feasibility and optimality."""


def solved(instance: ThresholdInstance) -> ContinuousThresholds:
    return solve_thresholds(
        instance.sample,
        instance.speed,
        instance.power,
        rank=instance.rank,
        target_ms=instance.target_ms,
    )


def two_types(demand, target, rank, power=(1, 8)) -> ContinuousThresholds:
    return solve_thresholds(
        WeightedSample.common(demand, [1]), [1, 2], power, rank=rank, target_ms=target
    )


def test_two_types_have_a_closed_form():
    # t_1 = (target - w / s_2) / (1 - 1 / s_2) = (200 - 145.5) / 0.5.
    found = two_types([20.0, 100.0, 291.0, 400.0], 200, rank=3)
    assert found.age_ms == pytest.approx([109.0], rel=1e-12)
    assert found.tail_ms == pytest.approx(200.0, rel=1e-12)
    assert found.last == 1
    # Work: all of 20 and 100, 109 of the longer two on type 1; the rest at 8 / 2 for each ms.
    assert found.energy == pytest.approx((20 + 100 + 2 * 109 + 4 * (182 + 291)) / 4, rel=1e-12)
    assert found.gap <= 1e-12 * found.energy


@pytest.mark.parametrize("target", [146, 160, 200, 250, 290.9])
@pytest.mark.parametrize("fast", [1.5, 2, 3.7, 8])
def test_the_closed_form_holds_for_every_target_between_the_types(target, fast):
    found = solve_thresholds(
        WeightedSample.common([80.0, 291.0], [1]), [1, fast], [1, fast**3], rank=2, target_ms=target
    )
    if target < 291 / fast:
        assert found.status is Status.INFEASIBLE
    else:
        wanted = (target - 291 / fast) / (1 - 1 / fast)
        assert found.age_ms == pytest.approx([wanted], rel=1e-9)


def test_the_slowest_type_is_never_left_where_it_meets_the_target():
    found = solve_thresholds(
        WeightedSample.common([10.0, 50.0, 200.0], [1]),
        [1, 1.5, 2],
        [1, 3, 8],
        rank=3,
        target_ms=200,
    )
    assert found.work_ms.tolist() == [math.inf, math.inf]
    assert found.age_ms.tolist() == [math.inf, math.inf]
    assert found.last == 0
    assert found.energy == pytest.approx(260 / 3)
    assert found.tail_ms == 200


def test_a_target_below_the_fastest_type_names_the_nearest_tail():
    found = two_types([100.0, 300.0], 149, rank=2)
    assert found.status is Status.INFEASIBLE
    assert found.nearest_tail_ms == found.tail_ms == 150
    assert found.age_ms.tolist() == [0.0]
    assert found.energy == found.bound == found.gap == math.inf
    assert two_types([100.0, 300.0], 150, rank=2).age_ms.tolist() == [0.0]


def test_a_target_that_equals_the_nearest_tail_is_met_whatever_the_rounding():
    for speed in np.linspace(1.01, 9.7, 97):
        for demand in (1 / 3, 0.1, 291.3, 1e6 / 7):
            found = solve_thresholds(
                WeightedSample.common([demand], [1]),
                [1, speed],
                [1, speed**3],
                rank=1,
                target_ms=demand / speed,
            )
            assert found.status is Status.OPTIMAL, (speed, demand)
            assert found.age_ms[0] <= 1e-9 * demand


def test_work_and_not_wall_time_decides_on_which_type_a_request_ends():
    # 100 ms on each of two types: 250 = 100 + 2 * 75 ends on the second, though 250 > 100 + 100.
    sample = WeightedSample.common([250.0], [1, 2, 4])
    found = evaluate_thresholds(sample, [1, 8, 64], [100, 200], 1)
    assert found.tail_ms == 175
    assert found.energy == 100 * 1 + 75 * 8


def test_a_request_of_exactly_the_threshold_ends_on_the_type_below():
    sample = WeightedSample.common([300.0], [1, 2, 4])
    found = evaluate_thresholds(sample, [1, 8, 64], [100, 200], 1)
    assert (found.tail_ms, found.energy) == (200, 100 + 800)


def test_types_above_the_hull_are_skipped():
    # Energy per work 1, 3.9, 4 at time per work 1, 0.75, 0.5: the middle lies above the line.
    speed, power = [1, 4 / 3, 2], [1, 5.2, 8]
    found = solve_thresholds(
        WeightedSample.common([50.0, 291.0, 300.0], [1]), speed, power, rank=2, target_ms=200
    )
    assert found.age_ms == pytest.approx([109.0, 109.0])
    assert found.work_ms[0] == found.work_ms[1]


def test_the_type_of_the_tail_is_a_fixed_charge_for_what_is_longer():
    # Ten times the work comes after the rank: the cheaper of two types that can meet the target
    # does it, though it meets it only if used from the start.
    sample = WeightedSample.common([90.0, 900.0], [1])
    found = solve_thresholds(sample, [1, 1.5, 3], [1, 3, 27], rank=1, target_ms=60)
    assert found.age_ms.tolist() == [0.0, math.inf]
    assert found.energy == pytest.approx(990 / 2 * 2)


def test_one_type_is_a_question_of_feasibility():
    sample = WeightedSample.common([10.0, 20.0], [1])
    found = solve_thresholds(sample, [2], [3], rank=2, target_ms=10)
    assert found.work_ms.size == 0
    assert (found.energy, found.tail_ms, found.last) == (22.5, 10, 0)
    late = solve_thresholds(sample, [2], [3], rank=2, target_ms=9.9)
    assert late.status is Status.INFEASIBLE


@pytest.mark.parametrize("block", range(2))
def test_the_dual_equals_the_linear_programs(block):
    statuses = set()
    for seed in range(200 * block, 200 * (block + 1)):
        instance = random_thresholds(seed)
        found = solved(instance)
        sample = instance.sample
        wanted = threshold_lp.least_energy(
            sample.demand_ms,
            sample.weight,
            instance.speed,
            instance.power,
            instance.rank,
            instance.target_ms,
        )
        statuses.add(found.status)
        if found.status is Status.INFEASIBLE:
            assert wanted == math.inf, seed
        else:
            assert found.energy == pytest.approx(wanted, rel=LP_TOLERANCE), seed
            assert found.gap <= 1e-12 * found.energy, seed
    assert statuses == {Status.OPTIMAL, Status.INFEASIBLE}


def test_the_thresholds_have_the_figures_that_are_claimed():
    for seed in range(500):
        instance = random_thresholds(seed)
        found = solved(instance)
        if found.status is Status.INFEASIBLE:
            continue
        sample = WeightedSample.common(
            instance.sample.demand_ms, instance.speed, instance.sample.weight
        )
        got = evaluate_thresholds(sample, instance.power, found.age_ms, instance.rank)
        assert got.energy == pytest.approx(found.energy, rel=1e-9), seed
        assert got.tail_ms == pytest.approx(found.tail_ms, rel=1e-9), seed
        assert found.tail_ms <= instance.target_ms * (1 + 1e-9), seed


def test_no_ages_on_a_grid_are_better():
    grid = [Fraction(t) for t in range(0, 101, 5)]
    compared = 0
    for seed in range(30):
        instance = random_thresholds(seed, types=3, requests=5)
        found = solved(instance)
        demands = [Fraction(x) for x in instance.demands()]
        speed = [Fraction(s) for s in instance.speed]
        power = [Fraction(p) for p in instance.power]
        best = thresholds_plain.best_on_grid(
            demands,
            [speed] * len(demands),
            power,
            grid,
            instance.rank,
            Fraction(instance.target_ms),
        )
        assert found.bound <= float(best) * (1 + 1e-12), seed
        compared += best < math.inf
    assert compared > 10


def test_a_looser_target_never_costs_more():
    instance = random_thresholds(7, types=5, requests=40)
    energies = [
        solve_thresholds(
            instance.sample, instance.speed, instance.power, rank=instance.rank, target_ms=target
        ).energy
        for target in np.linspace(1, 500, 200)
    ]
    assert energies == sorted(energies, reverse=True)


@pytest.mark.parametrize(
    ("speed", "power", "sentence"),
    [
        ([1, 1], [1, 2], "speed must ascend"),
        ([1, 2], [1, 2], "power / speed must ascend"),
        ([1, 2], [1], "vectors of one length"),
        ([1, math.nan], [1, 2], "speed must be positive"),
    ],
)
def test_dominated_types_and_wrong_tables_are_refused(speed, power, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_thresholds(WeightedSample.common([1], [1]), speed, power, rank=1, target_ms=1)


@pytest.mark.parametrize("target", [0, -1, math.inf, math.nan])
def test_a_target_that_is_none_is_refused(target):
    with pytest.raises(ValueError, match="target_ms"):
        two_types([1.0], target, rank=1)


def test_a_later_climb_raises_the_tail_by_what_the_fast_type_does_not_save():
    # The plant's gain at low load, 1 - 1 / s_2.
    sample = WeightedSample.common([100.0, 291.0], [1, 2])
    tails = [evaluate_thresholds(sample, [1, 8], [t], 2).tail_ms for t in (100, 101, 109)]
    assert np.diff(tails).tolist() == [0.5, 4.0]


@pytest.mark.parametrize("seed", range(40))
def test_figures_of_any_curves_follow_each_request(seed):
    rng = np.random.default_rng(seed)
    R, n, curves = int(rng.integers(1, 9)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
    speeds = np.cumsum(rng.uniform(0.1, 0.9, (curves, n)), axis=1)
    weight, curve = rng.integers(1, 4, R), rng.integers(0, curves, R)
    sample = WeightedSample.classes(rng.gamma(1.5, 60, R) + 1, speeds, curve, weight)
    power = np.cumsum(rng.uniform(0.1, 5, n))
    ages = np.sort(np.where(rng.random(n - 1) < 0.2, math.inf, rng.uniform(0, 90, n - 1)))
    rank = int(rng.integers(1, weight.sum() + 1))
    found = evaluate_thresholds(sample, power, ages, rank)
    at = np.repeat(np.arange(R), weight)
    energy, tail = thresholds_plain.figures(
        [Fraction(sample.demand_ms[r]) for r in at],
        [[Fraction(s) for s in speeds[curve[r]]] for r in at],
        [Fraction(p) for p in power],
        [math.inf if math.isinf(age) else Fraction(age) for age in ages],
        rank,
    )
    assert found.energy == pytest.approx(float(energy), rel=1e-12)
    assert found.tail_ms == pytest.approx(float(tail), rel=1e-12)


def test_ages_that_fall_are_refused():
    with pytest.raises(ValueError, match="must not fall"):
        evaluate_thresholds(WeightedSample.common([1.0], [1, 2, 3]), [1, 2, 3], [2, 1], 1)
