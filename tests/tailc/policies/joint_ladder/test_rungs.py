"""Which combinations of threads and frequencies stay, against a search over all of them."""

import numpy as np
import pytest

from tailc.policies.joint_ladder.rungs import (
    JointRung,
    combinations,
    lane_combinations,
    useful_rungs,
)
from tailc.specs.cores import Cores, CoreType, PowerUnit
from tests.tailc.policies.joint_ladder.made import PUBLISHED

PPM = 1_000_000
LUCENE = [1_000_000, 1_900_000, 2_650_000, 3_200_000]


def cores(levels):
    types = tuple(
        CoreType(f"f{speed:g}", 60, round(speed * PPM), round(power * PPM))
        for speed, power in levels
    )
    return Cores(types, is_in_place=True, unit=PowerUnit.SLOW_CORE)


def kept(levels, speedup_ppm):
    return [
        (rung.threads, rung.level)
        for rung in useful_rungs(combinations(cores(levels), speedup_ppm))
    ]


def test_threads_come_before_frequency_where_they_are_the_cheaper_speed():
    # Two threads at 1 do 1.9 for 3.4; one at 1.9 does the same for 5.3.
    wide_first = [(1, "f1"), (2, "f1"), (3, "f1"), (4, "f1")]
    then_fast = [(4, "f1.3"), (4, "f1.6"), (4, "f1.9"), (4, "f2")]
    assert kept(PUBLISHED, LUCENE) == wide_first + then_fast


def test_frequency_comes_first_where_threads_hardly_help():
    assert kept(PUBLISHED, [PPM, 1_050_000])[:4] == [
        (1, "f1"),
        (1, "f1.3"),
        (1, "f1.6"),
        (1, "f1.9"),
    ]


def test_a_second_thread_that_gives_nothing_is_never_taken():
    assert {threads for threads, _ in kept(PUBLISHED, [PPM, PPM])} == {1}


def random_levels(seed):
    """Any powers that grow with speed, so that some levels are worth having and some are not."""
    random = np.random.default_rng(seed)
    speeds = 1 + np.cumsum(random.uniform(0.1, 0.5, 8))
    powers = 1 + np.cumsum(random.uniform(0.1, 2, 8))
    return list(zip(speeds.tolist(), powers.tolist(), strict=True))


@pytest.mark.parametrize(
    ("levels", "speedup_ppm"),
    [(PUBLISHED, LUCENE), *((random_levels(seed), [PPM]) for seed in range(10))],
)
def test_no_weights_of_energy_and_time_prefer_a_rung_that_is_left_out(levels, speedup_ppm):
    every = combinations(cores(levels), speedup_ppm)
    hull = useful_rungs(every)
    for weight in np.geomspace(1e-3, 1e3, 200):

        def price(rung: JointRung, weight: float = weight) -> float:
            return (rung.cost_ppm + weight * PPM) / rung.speed_ppm

        assert min(map(price, hull)) == pytest.approx(min(map(price, every)), rel=1e-12)


def test_a_climb_never_takes_a_thread_away():
    # Three threads at 1.44 are on the hull of the asymmetric cores' powers, above four at 1.
    levels = [(1, 1), (1.44, 2.7), (1.59, 3.5), (1.71, 4.5), (2, 6.8)]
    threads = [count for count, _ in kept(levels, LUCENE)]
    assert threads == sorted(threads)
    assert (3, "f1.44") not in kept(levels, LUCENE)


def test_speeds_and_powers_multiply():
    (rung,) = combinations(cores([(1.3, 2.7)]), [1_900_000])[:1]
    assert rung == JointRung(1, "f1.3", 2_470_000, 2_700_000, 1_300_000)


def typed_cores(*types):
    made = tuple(
        CoreType(f"c{speed:g}", count, round(speed * PPM), round(power * PPM))
        for speed, power, count in types
    )
    return Cores(made, is_in_place=False, unit=PowerUnit.SLOW_CORE)


def test_types_of_cores_are_joined_in_order_of_speed():
    # Two slow cores do 1.9, one fast one 2.
    found = useful_rungs(combinations(typed_cores((1, 1, 6), (2, 6.8, 2)), LUCENE))
    assert [rung.name for rung in found] == [
        "1 thread on c1",
        "2 threads on c1",
        "1 thread on c2",
        "3 threads on c1",
        "4 threads on c1",
        "2 threads on c2",
    ]


@pytest.mark.parametrize("seed", range(5))
def test_no_prices_of_cores_prefer_a_rung_that_is_left_out(seed):
    """Prices of each type and of time: what is done at least cost is on the hull of some type."""
    random = np.random.default_rng(seed)
    gains = np.maximum.accumulate(random.uniform(0.5, 3, 6))
    speedup_ppm = [round(gain * PPM) for gain in [1, *(1 + gains)]]
    every = combinations(typed_cores((1, 1, 9), (1.5, 3, 9), (2, 6.8, 9)), speedup_ppm)
    hull = useful_rungs(every)
    for _ in range(100):
        prices, time = random.exponential(size=3), random.exponential()

        def cost(rung: JointRung, prices: np.ndarray = prices, time: float = time) -> float:
            return (prices[rung.core or 0] * rung.threads + time) / rung.speed_ppm

        assert min(map(cost, hull)) == pytest.approx(min(map(cost, every)), rel=1e-12)


def lanes(interference, slowdown, speedup_ppm=LUCENE):
    core = CoreType("smt", 8, PPM, PPM)
    return useful_rungs(lane_combinations(core, speedup_ppm, round(interference * PPM), slowdown))


def test_on_lanes_a_thread_more_beside_batch_work_gives_up_less_of_it_than_one_alone():
    by_work = {rung.name: rung.cost_ppm / rung.speed_ppm for rung in lanes(0.33, 330_000)}
    # 2 * 0.33 / (1.9 * 0.67), and 1 / 1.
    assert by_work["2 threads, shared"] == pytest.approx(0.66 / 1.273)
    assert by_work["1 thread, alone"] == 1
    assert max(cost for name, cost in by_work.items() if "shared" in name) < 0.62


@pytest.mark.parametrize("seed", range(3))
def test_no_price_of_cores_prefers_a_rung_on_lanes_that_is_left_out(seed):
    random = np.random.default_rng(seed)
    gains = np.maximum.accumulate(random.uniform(0.2, 3, 5))
    speedup_ppm = [round(gain * PPM) for gain in [1, *(1 + gains)]]
    every = lane_combinations(CoreType("smt", 8, PPM, PPM), speedup_ppm, 330_000, 250_000)
    hull = useful_rungs(every)
    for price, time in random.exponential(size=(100, 2)):

        def cost(rung: JointRung, price: float = price, time: float = time) -> float:
            return (rung.cost_ppm / PPM + price * rung.threads + time) / rung.speed_ppm

        assert min(map(cost, hull)) == pytest.approx(min(map(cost, every)), rel=1e-12)
