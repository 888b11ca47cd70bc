"""Ages in whole microseconds keep the target in exact arithmetic."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.sample import WeightedSample
from tailc_solvers.thresholds.dual import solve_thresholds
from tailc_solvers.thresholds.exact import ExactSample
from tailc_solvers.thresholds.snap import SnappedThresholds, snap_thresholds

from tests.reference import thresholds_plain
from tests.tailc_solvers.threshold_instances import ThresholdInstance, random_thresholds

MILLION = 1_000_000


def in_ppm(values) -> list[int]:
    return [round(v * MILLION) for v in values]


def snapped(instance: ThresholdInstance, target_us: int) -> SnappedThresholds:
    speed, power = in_ppm(instance.speed), in_ppm(instance.power)
    solution = solve_thresholds(
        instance.sample,
        [s / MILLION for s in speed],
        [p / MILLION for p in power],
        rank=instance.rank,
        target_ms=target_us / 1000,
    )
    return snap_thresholds(
        solution, instance.sample, speed, power, rank=instance.rank, target_us=target_us
    )


def plain(instance: ThresholdInstance, age_us) -> tuple[Fraction, Fraction]:
    """Mean energy in unit ms and tail in us, by following each request."""
    ages = [math.inf if age is None else Fraction(age, 1000) for age in age_us]
    demands = [Fraction(round(x * MILLION), MILLION) for x in instance.demands()]
    speed = [Fraction(s, MILLION) for s in in_ppm(instance.speed)]
    power = [Fraction(p, MILLION) for p in in_ppm(instance.power)]
    energy, tail = thresholds_plain.figures(
        demands, [speed] * len(demands), power, ages, instance.rank
    )
    return energy, 1000 * tail


def test_the_closed_form_is_kept_to_the_microsecond():
    instance = ThresholdInstance(WeightedSample.common([100.0, 291.0], [1]), (1, 2), (1, 8), 2, 0)
    found = snapped(instance, 200_000)
    assert found.age_us == (109_000,)
    assert found.tail_us == 200_000
    assert found.meets_target


def test_every_snapped_tail_is_within_the_target_exactly():
    for seed in range(300):
        instance = random_thresholds(seed)
        target_us = math.ceil(1000 * instance.target_ms)
        found = snapped(instance, target_us)
        energy, tail = plain(instance, found.age_us)
        assert found.tail_us == math.ceil(tail), seed
        assert found.energy == pytest.approx(float(energy), rel=1e-15), seed
        assert found.meets_target == (tail <= target_us), seed
        if found.bound < math.inf:
            assert found.meets_target, seed
            assert found.energy >= found.bound * (1 - 1e-12), seed


def test_rounding_costs_at_most_a_few_microseconds_of_power():
    for seed in range(300):
        instance = random_thresholds(seed)
        found = snapped(instance, math.ceil(1000 * instance.target_ms))
        if found.bound < math.inf:
            # Each age is less than a microsecond early, and power rises by less than the sum.
            assert found.gap_after <= 0.001 * sum(instance.power) * len(instance.power), seed


def test_no_single_climb_can_come_a_microsecond_later():
    raised = 0
    for seed in range(100):
        instance = random_thresholds(seed)
        target_us = math.ceil(1000 * instance.target_ms)
        found = snapped(instance, target_us)
        energy, _ = plain(instance, found.age_us)
        ages = [age for age in found.age_us if age is not None]
        for put_off in set(ages) if found.bound < math.inf else ():
            later = [age + 1 if age == put_off else age for age in ages]
            never = [None] * (len(found.age_us) - len(ages))
            more, tail = plain(instance, [*later, *never])
            raised += 1
            assert tail > target_us or more >= energy, seed
    assert raised > 50


def test_a_solution_that_is_late_by_rounding_is_brought_within_the_target():
    sample = WeightedSample.common([100.0, 291.0], [1])
    solution = solve_thresholds(sample, [1, 2], [1, 8], rank=2, target_ms=200)
    late = replace(solution, age_ms=np.array([109.004]))
    found = snap_thresholds(late, sample, [MILLION, 2 * MILLION], [1, 8], rank=2, target_us=200_000)
    assert found.meets_target
    assert found.age_us == (109_000,)


def test_an_infeasible_target_gives_the_nearest_tail():
    instance = ThresholdInstance(
        WeightedSample.common([100.0, 301.0], [1]), (1, 1.5, 3), (1, 2, 27), 2, 0
    )
    found = snapped(instance, 100_000)
    assert found.age_us == (0, 0)
    assert found.tail_us == 100_334
    assert not found.meets_target
    assert found.gap_after == found.bound == math.inf


def test_never_stays_never():
    instance = ThresholdInstance(WeightedSample.common([100.0, 300.0], [1]), (1, 2), (1, 8), 2, 0)
    found = snapped(instance, 300_000)
    assert found.age_us == (None,)
    assert found.gap_after == 0.0


@pytest.mark.parametrize("seed", range(40))
def test_exact_figures_of_individual_speeds_follow_each_request(seed):
    rng = np.random.default_rng(seed)
    R, n = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    weight = rng.integers(1, 4, R)
    curves = np.cumsum(rng.integers(100_000, 900_000, (R, n)), axis=1)
    sample = WeightedSample.common(np.round(rng.gamma(1.5, 60, R) + 1, 1), [1], weight)
    sample = WeightedSample.individual(sample.demand_ms, curves / MILLION, weight)
    power = np.cumsum(rng.integers(1, 5 * MILLION, n)).tolist()
    ages = [int(a) for a in np.sort(rng.integers(0, 90_000, n - 1))]
    rank = int(rng.integers(1, weight.sum() + 1))
    found = ExactSample(sample, curves, power, rank).figures(ages)
    at = np.repeat(np.arange(R), weight)
    energy, tail = thresholds_plain.figures(
        [Fraction(round(sample.demand_ms[r] * MILLION), MILLION) for r in at],
        [[Fraction(int(s), MILLION) for s in curves[r]] for r in at],
        [Fraction(p, MILLION) for p in power],
        [Fraction(a, 1000) for a in ages],
        rank,
    )
    assert found.energy == energy
    assert found.tail_us == 1000 * tail


def test_a_target_equal_to_the_slowest_tail_leaves_nobody_climbing():
    for tenths in range(1, 2_000, 7):
        demand = [0.1, tenths / 10, 1_000.0]
        rank = 1 + sorted(demand).index(tenths / 10)
        instance = ThresholdInstance(WeightedSample.common(demand, [1]), (1, 2), (1, 8), rank, 0)
        found = snapped(instance, 100 * tenths)
        assert found.age_us == (None,), tenths
        assert found.meets_target, tenths


def test_a_target_missed_by_less_than_the_solver_can_tell_is_met_by_climbing():
    # 2,974,848,633 ns at 0.992059 take 1 / 992,059 ns longer than 2,998,661 us.
    demand_ms, speed = 2974.848633, (0.992059, 2)
    assert 2_974_848_633 * 1_000_000 == 2_998_661_000 * 992_059 + 1_000
    instance = ThresholdInstance(WeightedSample.common([demand_ms], [1]), speed, (1, 8), 1, 0)
    found = snapped(instance, 2_998_661)
    assert found.meets_target
    assert found.age_us[0] is not None


def test_an_infeasible_solution_stays_infeasible_by_a_hair():
    # The tail is 100 000 and a third us: no whole ages bring it to 100 000.
    instance = ThresholdInstance(WeightedSample.common([300.001], [1]), (1, 3), (1, 27), 1, 0)
    found = snapped(instance, 100_000)
    assert not found.meets_target
    assert found.tail_us == 100_001


def test_speeds_must_be_whole_millionths():
    sample = WeightedSample.common([1.0], [1])
    with pytest.raises(ValueError, match="positive integers"):
        ExactSample(sample, [0.5, 1.0], [1, 2], 1)
    with pytest.raises(ValueError, match="N powers"):
        ExactSample(sample, [1, 2], [1], 1)
