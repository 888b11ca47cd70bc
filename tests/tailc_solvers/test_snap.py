"""Ladders in whole microseconds keep every limit that the continuous ones do."""

from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.intervals.grid import search_grid
from tailc_solvers.ladder.dual import ContinuousLadders, solve_ladder
from tailc_solvers.ladder.snap import SnappedLadder, snap
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status

from tests.reference.enumerator import TOLERANCE, Request, exact, figures
from tests.tailc_solvers.dual_case import random_row, steep_row

FEW_MS = 0.002
"""A target is met wherever it is this far above the least tail: the wait is rounded up by at most
a microsecond, and durations by half of one to either side."""

COSTS = [1, 2, 3, 4]
LOADS = np.arange(1, 25)
BUDGET = 24
RANK = 1_980


def long_tailed() -> WeightedSample:
    demand = np.random.default_rng(1).gamma(1.625, 144, 2_000)
    return WeightedSample.common(demand, [1, 1.9, 2.65, 3.2])


def solved(sample, costs, loads, budget, rank, target=None) -> ContinuousLadders:
    objective = "tail" if target is None else "cost"
    return solve_ladder(
        sample, costs, loads, budget, rank=rank, objective=objective, target_ms=target
    )


def snapped(sample, costs, loads, budget, rank, target=None) -> SnappedLadder:
    found = solved(sample, costs, loads, budget, rank, target)
    return snap(found, sample, costs, budget, rank=rank, target_ms=target)


def assert_within_limits(row, v_ms: np.ndarray, target: float, where: str) -> None:
    """Whole microseconds, within budget and target: in exact fractions, request by request."""
    sample, costs, load, budget, rank = row
    speeds = tuple(exact(s) for s in sample.speeds[0])
    demands = zip(sample.demand_ms.tolist(), sample.weight.tolist(), strict=True)
    requests = [Request(exact(x), speeds, weight) for x, weight in demands]
    v = tuple(ms if np.isinf(ms) else Fraction(round(ms * 1000), 1000) for ms in v_ms.tolist())
    assert [float(ms) for ms in v] == pytest.approx(v_ms.tolist(), abs=1e-9), where
    got = figures(requests, tuple(exact(c) for c in costs), v, rank)
    # Twice: the figures were computed with rounding.
    slack = 1 + 2 * TOLERANCE
    assert exact(load) * got.cost <= exact(budget) * (v[0] + got.mean) * slack, where
    assert v[0] + got.tail <= exact(target) * slack, where


def test_snapping_by_tail_keeps_the_budget_and_reports_the_gap():
    for seed in range(100):
        row = random_row(seed)
        sample, costs, load, budget, rank = row
        found = solved(sample, costs, [load], budget, rank)
        ladder = snap(found, sample, costs, budget, rank=rank)
        assert_within_limits(row, ladder.v_ms[0], float(ladder.tail_ms[0]), f"seed {seed}")
        assert ladder.meets_target.all()
        assert ladder.gap[0] == pytest.approx(ladder.tail_ms[0] - found.bound[0])
        # A microsecond on each of at most five rungs; dearer waits where requests outnumber.
        assert -1e-9 * found.primal[0] <= ladder.gap[0] <= 0.05, seed


@pytest.mark.parametrize("target", range(300, 701, 20))
def test_every_target_above_the_least_tail_is_met_at_every_load(target):
    sample = long_tailed()
    found = solved(sample, COSTS, LOADS, BUDGET, RANK, target)
    ladder = snap(found, sample, COSTS, BUDGET, rank=RANK, target_ms=target)
    is_attainable = found.least_tail_ms + FEW_MS <= target
    assert is_attainable.any()
    assert ladder.meets_target[is_attainable].all()
    assert (ladder.tail_ms[ladder.meets_target] <= target * (1 + 1e-9)).all()
    assert (ladder.total_cost <= BUDGET * (1 + 2e-9)).all()


def test_rounding_costs_no_more_than_a_target_tighter_by_a_few_microseconds():
    sample, target = long_tailed(), 600.0
    found = solved(sample, COSTS, LOADS, BUDGET, RANK, target)
    ladder = snap(found, sample, COSTS, BUDGET, rank=RANK, target_ms=target)
    tighter = solved(sample, COSTS, LOADS, BUDGET, RANK, target - 10 * FEW_MS)
    assert (ladder.cost_time_ms <= tighter.primal).all()
    # The gap is that to the bound of the target which was asked for.
    assert ladder.gap == pytest.approx(ladder.cost_time_ms - found.bound)
    assert (ladder.gap >= -1e-9 * found.bound).all()


@pytest.mark.parametrize("rows", [random_row, steep_row])
def test_random_traces_meet_any_target_a_few_microseconds_above_the_least_tail(rows):
    for seed in range(300):
        row = rows(seed)
        sample, costs, load, budget, rank = row
        least = float(solved(sample, costs, [load], budget, rank).tail_ms[0])
        more = np.random.default_rng(seed).choice([FEW_MS, 0.005, 0.1, 1, 50, 1_000])
        target = round(least + float(more), 6)
        ladder = snapped(sample, costs, [load], budget, rank, target)
        assert ladder.meets_target.all(), f"seed {seed}: {ladder.tail_ms} of {target}"
        assert_within_limits(row, ladder.v_ms[0], target, f"seed {seed}")


def test_the_tail_of_a_row_that_misses_the_target_is_a_target_it_can_meet():
    missed = 0
    for seed in range(200):
        sample, costs, load, budget, rank = random_row(seed)
        least = float(solved(sample, costs, [load], budget, rank).tail_ms[0])
        for target in (0.9 * least, least):
            ladder = snapped(sample, costs, [load], budget, rank, target)
            if ladder.meets_target[0]:
                continue
            missed += 1
            nearest = float(ladder.tail_ms[0])
            assert target < nearest <= least + FEW_MS, seed
            assert snapped(sample, costs, [load], budget, rank, nearest).meets_target[0], seed
    assert missed > 200


@pytest.mark.parametrize("rows", [random_row, steep_row])
def test_what_the_grid_can_meet_is_met_at_no_more_cost(rows):
    compared = 0
    for seed in range(150):
        sample, costs, load, budget, rank = rows(seed)
        least = float(solved(sample, costs, [load], budget, rank).tail_ms[0])
        target = least * float(np.random.default_rng(seed).uniform(1.0, 1.6)) + FEW_MS
        step = max(1.0, float(np.ceil(sample.demand_ms.max() / 20)))
        best = search_grid(
            sample,
            costs,
            [load],
            budget,
            rank=rank,
            step_ms=step,
            longest_ms=20 * step,
            objective="cost",
            target_ms=target,
        )
        if best.status[0] is not Status.OPTIMAL:
            continue
        compared += 1
        ladder = snapped(sample, costs, [load], budget, rank, target)
        assert ladder.meets_target[0], seed
        # A grid optimum may be the continuous one, and then rounding shows.
        assert ladder.cost_time_ms[0] <= best.cost_time_ms[0] + 0.1, seed
    assert compared > 80


def test_each_load_can_have_a_target_of_its_own():
    sample = long_tailed()
    targets = np.linspace(300, 700, LOADS.size)
    together = solved(sample, COSTS, LOADS, BUDGET, RANK, targets)
    alone = [
        solved(sample, COSTS, [q], BUDGET, RANK, t).primal[0]
        for q, t in zip(LOADS, targets, strict=True)
    ]
    assert together.primal.tolist() == alone
