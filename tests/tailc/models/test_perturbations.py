"""Requests a little otherwise, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.models.perturbations import (
    bootstrap,
    with_longer_tail,
    with_more_of,
    with_more_work,
    with_slower_cores,
    with_slower_rungs,
)
from tailc.models.workload import Workload


def load_of(work_ns, weight=None, speed=((1.0, 1.9, 0.8),)) -> Workload:
    ones = np.ones(len(work_ns), np.int64)
    weights = ones if weight is None else np.array(weight, np.int64)
    curve = np.zeros(len(work_ns), np.int32)
    return Workload(np.array(work_ns, np.int64), weights, curve, np.array(speed))


def test_longer_requests_have_so_many_times_the_work_and_never_none():
    assert with_more_work(load_of([1, 100, 205]), 1.1).work_ns.tolist() == [1, 110, 226]
    assert with_more_work(load_of([1, 100]), 0.1).work_ns.tolist() == [1, 10]


def test_what_is_above_the_percentile_lies_so_much_further_above_it():
    """The 80th percentile of five is the fourth, weights counted."""
    assert with_longer_tail(load_of([10, 50, 20, 40, 30]), 800_000, 0.5).work_ns.tolist() == [
        10, 55, 20, 40, 30,
    ]  # fmt: skip
    heavy = load_of([10, 50, 90], [1, 1, 8])
    assert with_longer_tail(heavy, 200_000, 1.0).work_ns.tolist() == [10, 50, 130]


def test_only_what_is_faster_than_one_thread_gets_slower():
    assert with_slower_rungs(load_of([1]), 0.1).speed[0].tolist() == pytest.approx([1.0, 1.71, 0.8])
    assert with_slower_rungs(load_of([1]), 0.6).speed[0].tolist() == pytest.approx([1.0, 1.0, 0.8])


def test_a_type_of_cores_gets_slower_unless_it_is_the_one_of_speed_1():
    load = load_of([1], speed=((0.5, 1.0, 1.9),))
    assert with_slower_cores(load, 0.1).speed[0].tolist() == pytest.approx([0.45, 1.0, 1.71])
    assert with_slower_cores(load, 0.6).speed[0].tolist() == pytest.approx([0.2, 1.0, 1.0])


def test_a_bootstrap_sample_has_as_many_requests_with_the_same_mean_in_the_mean():
    load = load_of(np.arange(1, 1001), np.tile([1, 3], 500))
    drawn = [bootstrap(load, seed) for seed in range(40)]
    assert {one.requests for one in drawn} == {2_000}
    assert drawn[0].work_ns.tolist() != drawn[1].work_ns.tolist()
    means = [float(np.average(one.work_ns, weights=one.weight)) for one in drawn]
    assert np.mean(means) == pytest.approx(500.75, abs=3 * 288 / np.sqrt(2_000 * 40))
    assert np.std(means) == pytest.approx(288 / np.sqrt(2_000), rel=0.4)


def test_a_day_gets_so_much_more_of_all_requests():
    """Ten requests, half of which become the two of a day, which were a fifth."""
    load = load_of(np.arange(1, 11))
    day = np.isin(load.work_ns, [3, 8])
    moved = with_more_of(load, day, 0.5)
    of_day = np.isin(moved.work_ns, [3, 8])
    assert moved.requests == 10
    assert moved.weight[of_day].sum() == 6


@given(st.lists(st.integers(1, 50), min_size=2, max_size=40), st.floats(0, 1), st.data())
def test_no_request_is_lost_or_made_by_another_mixture(weights, part, data):
    work = data.draw(st.permutations(range(1, len(weights) + 1)))
    chosen = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(weights), max_size=len(weights)))
    )
    chosen[0] = True
    load = load_of(work, weights)
    moved = with_more_of(load, chosen, part)
    assert moved.requests == sum(weights)
    share = (1 - part) * load.weight[chosen].sum() + part * load.requests
    told = moved.weight[np.isin(moved.work_ns, load.work_ns[chosen])].sum()
    assert told == pytest.approx(share, abs=len(weights) / 2 + 1)
