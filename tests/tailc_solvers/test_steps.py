"""Demands sorted and summed against numpy's sort and the definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tailc_solvers.ladder.rows import sorted_steps, sorted_weights
from tailc_solvers.sample import WeightedSample

positive = st.floats(min_value=0, exclude_min=True, max_value=1e300, allow_subnormal=True)
quarters = st.integers(1, 40).map(lambda n: n / 4)


@given(st.lists(positive, min_size=1, max_size=60))
def test_demands_of_any_size_come_out_ascending(demand: list[float]):
    found, weight = sorted_weights(WeightedSample.common(demand, [1.0]))
    assert found.tolist() == sorted(demand)
    assert weight.tolist() == [1] * len(demand)


def test_thousands_of_demands_come_out_as_from_a_sort_by_comparisons():
    demand = np.random.default_rng(7).gamma(1.6, 144, 8_000)
    found, _ = sorted_weights(WeightedSample.common(demand, [1.0]))
    assert (found == np.sort(demand)).all()


def test_weights_go_with_their_demands():
    found, weight = sorted_weights(WeightedSample.common([5.0, 3.0, 4.0], [1.0], [1, 2, 3]))
    assert found.tolist() == [3.0, 4.0, 5.0]
    assert weight.tolist() == [2, 3, 1]


@given(st.lists(st.tuples(quarters, st.integers(1, 4)), min_size=1, max_size=12))
def test_sums_are_the_mean_work_done_by_then(requests: list[tuple[float, int]]):
    demand, weight = zip(*sorted(requests), strict=True)
    steps = sorted_steps(np.array(demand), np.array(weight), rank=1)
    each = [Fraction(x) for x, w in zip(demand, weight, strict=True) for _ in range(w)]
    for x, done in zip(steps.work, steps.sum, strict=True):
        exact = sum(min(own, Fraction(x)) for own in each) / len(each)
        assert done == pytest.approx(float(exact), rel=1e-15)


def test_a_share_of_the_requests_runs_on_each_segment():
    steps = sorted_steps(np.array([1.0, 2.0, 4.0]), np.array([2, 1, 1]), rank=1)
    assert steps.work.tolist() == [0.0, 1.0, 2.0, 4.0]
    assert steps.running.tolist() == [1.0, 1.0, 0.5, 0.25]


@pytest.mark.parametrize(("rank", "entry"), [(1, 1), (2, 1), (3, 2), (4, 3)])
def test_the_entry_of_a_rank_counts_weights(rank: int, entry: int):
    assert sorted_steps(np.array([1.0, 2.0, 4.0]), np.array([2, 1, 1]), rank).rank == entry
