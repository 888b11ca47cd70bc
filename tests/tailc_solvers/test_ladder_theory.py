"""What theory says of ladders: climbing is optimal, rungs and slack never hurt."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.intervals.grid import search_grid
from tailc_solvers.ladder.dual import solve_ladder
from tailc_solvers.sample import WeightedSample

from tailc.percentiles import percentile_rank
from tests.reference.instances import random_instance

ROUNDING = 1e-9
"""Relative: the tolerance of feasibility."""

steady = settings(derandomize=True, deadline=None, max_examples=60)
gains = st.lists(st.floats(0.05, 0.95), min_size=1, max_size=3)
demands = st.lists(st.integers(1, 400), min_size=1, max_size=12)


def sublinear(steps: list[float]) -> np.ndarray:
    """Speeds whose gain shrinks from rung to rung."""
    return np.cumsum(np.concatenate([[1.0], np.sort(steps)[::-1]]))


def assigned_cost(running: np.ndarray, rungs, costs: np.ndarray, speeds: np.ndarray) -> float:
    """Cost of doing unit sliver j, which a share running[j] reaches, on rungs[j] (eq. 6)."""
    chosen = np.array(rungs)
    return float((running * (costs / speeds)[chosen]).sum())


@steady
@given(gains, st.lists(st.floats(0, 1), min_size=2, max_size=6), st.data())
def test_swapping_a_decreasing_pair_never_raises_the_cost(steps, shares, data):
    speeds = sublinear(steps)
    costs = np.arange(1.0, speeds.size + 1)
    running = np.sort(shares)[::-1]
    rungs = data.draw(
        st.lists(st.integers(0, speeds.size - 1), min_size=len(shares), max_size=len(shares))
    )
    before = assigned_cost(running, rungs, costs, speeds)
    for j in range(len(rungs) - 1):
        if rungs[j] > rungs[j + 1]:
            swapped = [*rungs[:j], rungs[j + 1], rungs[j], *rungs[j + 2 :]]
            assert assigned_cost(running, swapped, costs, speeds) <= before + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_the_best_assignment_climbs_and_is_no_better_than_the_bound(seed):
    rng = np.random.default_rng(seed)
    slivers = 6
    speeds = sublinear(rng.uniform(0.1, 0.95, 2).tolist())
    costs = np.array([1.0, 2.0, 3.0])
    weight = rng.integers(1, 5, slivers)
    running = np.cumsum(weight[::-1])[::-1] / weight.sum()
    target = slivers * rng.uniform(1 / speeds[-1], 1.0)
    feasible = [
        rungs
        for rungs in product(range(3), repeat=slivers)
        if sum(1 / speeds[i] for i in rungs) <= target * (1 + ROUNDING)
    ]
    climbing = [rungs for rungs in feasible if all(a <= b for a, b in pairwise(rungs))]
    least = min(assigned_cost(running, r, costs, speeds) for r in feasible)
    assert min(assigned_cost(running, r, costs, speeds) for r in climbing) == pytest.approx(least)
    sample = WeightedSample.common(np.arange(1, slivers + 1), speeds, weight)
    bound = solve_ladder(
        sample, costs, [1], 1e6, rank=sample.total_weight, objective="cost", target_ms=target
    ).bound[0]
    assert bound <= least * (1 + ROUNDING)


@steady
@given(demands, gains, st.floats(0.5, 40))
def test_more_rungs_never_raise_the_optimum(demand, steps, load):
    speeds = sublinear(steps)
    costs = np.arange(1.0, speeds.size + 1)
    rank = percentile_rank(900_000, len(demand))
    tails = [
        solve_ladder(
            WeightedSample.common(demand, speeds[:n]), costs[:n], [load], 6, rank=rank
        ).tail_ms[0]
        for n in range(1, speeds.size + 1)
    ]
    assert all(more <= fewer * (1 + ROUNDING) for fewer, more in pairwise(tails))


@steady
@given(demands, gains)
def test_the_tail_rises_with_the_load(demand, steps):
    speeds = sublinear(steps)
    costs = np.arange(1.0, speeds.size + 1)
    sample = WeightedSample.common(demand, speeds)
    rank = percentile_rank(900_000, len(demand))
    loads = np.arange(1, 20)
    dual = solve_ladder(sample, costs, loads, 6, rank=rank).tail_ms
    assert (np.diff(dual) >= -ROUNDING * dual[:-1]).all()
    found = search_grid(sample, costs, loads, 6, rank=rank, step_ms=50, longest_ms=400).tail_ms
    finite = found[np.isfinite(found)]
    assert np.isinf(found[finite.size :]).all()
    assert (np.diff(finite) >= -1e-6).all()


def test_the_bound_is_never_above_the_enumerated_optimum():
    compared = 0
    for seed in range(300):
        instance = random_instance(seed)
        if (instance.sample.curve != instance.sample.curve[0]).any():
            continue
        dual = solve_ladder(
            instance.sample,
            instance.costs,
            instance.loads,
            instance.budget,
            rank=instance.rank,
            objective="tail" if instance.target is None else "cost",
            target_ms=instance.target,
        )
        for row, load in enumerate(instance.loads):
            winner = instance.enumerate(load).winner
            if winner is None:
                continue
            compared += 1
            value = float(winner.tail if instance.target is None else winner.cost_time)
            assert dual.bound[row] <= value * (1 + ROUNDING), (seed, row)
    assert compared > 100
