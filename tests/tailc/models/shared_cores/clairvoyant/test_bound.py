"""A tail that no schedule goes below: closed forms, hand calculations and every choice there is."""

import itertools
import random

import numpy as np
import pytest

from tests.tailc.models.shared_cores.clairvoyant.linear_program import can_be_met
from tests.tailc.models.shared_cores.clairvoyant.requests import (
    PPM,
    SPEEDS,
    Instance,
    random_instance,
)


def test_alone_a_request_runs_at_its_highest_speed():
    assert Instance([0], [32], 15).bound_ms() == pytest.approx(10, abs=1e-5)


def test_all_together_take_as_long_as_their_cores_need():
    # On 2 cores 3 + 5 + 8 ms take 8 ms, if no work were lost by being on two.
    assert Instance([0, 0, 0], [3, 5, 8], 2, (1.0, 2.0)).bound_ms() == pytest.approx(8, abs=1e-5)


def test_the_costliest_are_left_out_beyond_the_percentile():
    instance = Instance([0, 0, 0, 0], [3, 50, 5, 60], 1, (1.0,))
    assert instance.bound_ms(PPM // 2) == pytest.approx(8, abs=1e-5)


def test_the_longest_is_not_left_out_where_it_is_almost_done_when_the_others_come():
    # Without it they are done 90 ms after they came; without the next longest, 51 ms.
    instance = Instance([0, 49, 49, 49], [50, 40, 30, 20], 1, (1.0,))
    assert instance.bound_ms(PPM * 3 // 4) == pytest.approx(51, abs=1e-5)


def test_requests_that_do_not_count_are_not_in_the_way():
    instance = Instance([0, 0], [100, 3], 1, (1.0,))
    assert instance.bound_ms(PPM, measured_from=1) == pytest.approx(3, abs=1e-5)


def test_to_be_fast_costs_cores():
    # 2 requests of 29 ms on 2.9 cores: in 20 ms each at 1.45 on 1.5 cores is more than there are;
    # at speed v <= 1.9 each takes 1 + (v - 1) / 0.9 cores, and 1.45 of them give 1.405.
    bound_ms = Instance([0, 0], [29, 29], 2.9).bound_ms()
    assert bound_ms == pytest.approx(29 / 1.405, abs=1e-5)


def in_time(work: list[float], arrival: list[float], window: float) -> bool:
    """Whether one core meets all windows in order of arrival."""
    free = 0.0
    for at, size in zip(arrival, work, strict=True):
        free = max(free, at) + size
        if free > at + window + 1e-9:
            return False
    return True


@pytest.mark.parametrize("seed", range(40))
def test_on_one_core_it_is_the_least_window_of_every_choice_of_requests(seed):
    rng = random.Random(seed)
    count, rank = 8, rng.randint(4, 8)
    arrival = sorted(float(rng.randint(0, 120)) for _ in range(count))
    work = [float(rng.randint(1, 40)) for _ in range(count)]
    # Whole milliseconds in, so the least window is whole too.
    least = next(
        window
        for window in itertools.count(1)
        if any(
            in_time([work[j] for j in some], [arrival[j] for j in some], window)
            for some in itertools.combinations(range(count), rank)
        )
    )
    bound_ms = Instance(arrival, work, 1, (1.0,)).bound_ms(PPM * rank // count)
    assert bound_ms == pytest.approx(least, abs=1e-5), (arrival, work, rank)


def test_with_every_request_counted_it_is_the_longest_stay_in_a_queue_of_one_core():
    rng = np.random.default_rng(1)
    arrival, work = rng.exponential(10, 2_000).cumsum(), rng.gamma(1.6, 5, 2_000)
    free, stays = 0.0, []
    for at, size in zip(arrival, work, strict=True):
        free = max(free, at) + size
        stays.append(free - at)
    instance = Instance(arrival.tolist(), work.tolist(), 1, (1.0,))
    assert instance.bound_ms() == pytest.approx(max(stays), rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_no_schedule_is_below_it(seed):
    instance = random_instance(random.Random(seed), 4, SPEEDS)
    bound_ms = instance.bound_ms(PPM * 3 // 4)
    assert not can_be_met(instance, 3, bound_ms * (1 - 1e-5))
