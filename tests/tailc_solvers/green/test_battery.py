"""The dispatch of a battery, against every schedule and against another solver."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tailc_solvers.green.battery import BatteryLimits, Dispatch, dispatch, green_prices, upper_bound

SEEDS = st.integers(0, 2**32)
PPM = 1_000_000


def whole(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def of_spare(
    limits: BatteryLimits, spare: list[int], weight: list[int], end_weight: int = 0
) -> Dispatch:
    """Where so much green energy is left, or missing below 0."""
    demand = whole(*(max(0, -one) for one in spare))
    green = whole(*(max(0, one) for one in spare))
    return dispatch(limits, demand, green, whole(*weight), end_weight)


def best_of_all(limits: BatteryLimits, spare: list[int], weight: list[int], end_weight: int) -> int:
    """The most that any schedule in whole millijoules saves, each tried."""

    @cache
    def best(epoch: int, held: int) -> int:
        if epoch == len(spare):
            return end_weight * held
        found = best(epoch + 1, held)
        for charged in range(1, min(max(spare[epoch], 0), limits.charge_mj) + 1):
            after = held + charged * limits.kept_ppm // PPM
            if after <= limits.capacity_mj:
                found = max(found, best(epoch + 1, after))
        for told in range(1, min(max(-spare[epoch], 0), limits.discharge_mj, held) + 1):
            found = max(found, told * weight[epoch] + best(epoch + 1, held - told))
        return found

    return best(0, limits.first_mj)


def by_linear_program(
    limits: BatteryLimits, spare: list[int], weight: list[int], end: int
) -> float:
    """What is stored, given and held as a linear program; nothing is lost."""
    count = len(spare)
    eye = np.eye(count)
    balance = np.hstack((-eye, eye, eye - np.eye(count, k=-1)))
    first = np.zeros(count)
    first[0] = limits.first_mj
    cost = np.concatenate((np.zeros(count), -np.array(weight, float), np.zeros(count)))
    cost[-1] -= end
    bounds = [(0, min(max(one, 0), limits.charge_mj)) for one in spare]
    bounds += [(0, min(max(-one, 0), limits.discharge_mj)) for one in spare]
    bounds += [(0, limits.capacity_mj)] * count
    found = linprog(cost, A_eq=balance, b_eq=first, bounds=bounds, method="highs")
    assert found.success
    return -found.fun


def drawn(rng: Random, most: int, epochs: int) -> tuple[BatteryLimits, list[int], list[int], int]:
    capacity = rng.randint(0, most)
    limits = BatteryLimits(
        capacity,
        rng.randint(0, most),
        rng.randint(0, most),
        rng.choice((PPM, 900_000, 500_000, 333_333)),
        rng.choice((0, capacity, rng.randint(0, capacity))),
    )
    spare = [rng.randint(-most, most) for _ in range(epochs)]
    weight = [rng.randint(0, 4) for _ in range(epochs)]
    return limits, spare, weight, rng.choice((0, 0, rng.randint(0, 4)))


def test_the_dearest_brown_energy_is_replaced_first():
    """10 are charged; the second evening costs more than the first."""
    found = of_spare(BatteryLimits(10, 10, 8, PPM), [20, -5, -9], [3, 4, 5])
    assert found.discharged_mj.tolist() == [0, 2, 8]
    assert found.value == found.bound == 2 * 4 + 8 * 5
    assert found.held_mj.tolist() == [10, 8, 0]


def test_a_cheap_evening_is_given_what_the_next_morning_brings_back():
    found = of_spare(BatteryLimits(10, 10, 10, PPM), [10, -10, 10, -10], [0, 1, 0, 9])
    assert found.discharged_mj.tolist() == [0, 10, 0, 10]


def test_what_is_lost_is_charged_and_not_given():
    """Of 9 in the first epoch 8 are kept, and then of 3 the 2 for which there is room."""
    found = of_spare(BatteryLimits(10, 9, 10, 900_000), [20, 20, -30], [1, 1, 1])
    assert found.held_mj.tolist() == [8, 10, 0]
    assert found.charged_mj.tolist() == [9, 3, 0]


def test_no_more_is_charged_than_is_given_and_that_as_early_as_can_be():
    found = of_spare(BatteryLimits(100, 6, 10, PPM), [20, 20, -10], [1, 1, 1])
    assert found.charged_mj.tolist() == [6, 4, 0]
    assert of_spare(BatteryLimits(100, 6, 10, PPM), [20, -10], [1, 0]).charged_mj.tolist() == [0, 0]


def test_of_equal_weights_the_earlier_epoch_is_given_and_the_end_last():
    limits = BatteryLimits(5, 5, 5, PPM, 5)
    assert of_spare(limits, [-3, -3, -3], [2, 2, 2], 2).discharged_mj.tolist() == [3, 2, 0]
    kept = of_spare(limits, [-3, -3, -3], [2, 2, 2], 3)
    assert (kept.discharged_mj.tolist(), kept.value) == ([0, 0, 0], 15)


def test_an_end_that_weighs_something_keeps_what_is_left():
    found = of_spare(BatteryLimits(9, 9, 9, PPM), [5, -2, 5], [0, 4, 0], 1)
    assert found.held_mj.tolist() == [5, 3, 8]
    assert found.value == 2 * 4 + 8


@given(SEEDS)
def test_nothing_is_better_than_the_schedule_in_whole_millijoules(seed):
    limits, spare, weight, end = drawn(Random(seed), 6, 5)
    found = of_spare(limits, spare, weight, end)
    assert found.value == found.bound == best_of_all(limits, spare, weight, end)


@given(SEEDS)
def test_another_solver_finds_no_more(seed):
    rng = Random(seed)
    limits, spare, weight, end = drawn(rng, 10**6, rng.randint(1, 30))
    lossless = BatteryLimits(limits.capacity_mj, limits.charge_mj, limits.discharge_mj, PPM)
    found = of_spare(lossless, spare, weight, end)
    wanted = by_linear_program(lossless, spare, weight, end)
    # The solver's own tolerance, relative.
    assert found.value == pytest.approx(wanted, rel=1e-9, abs=1e-3)


@given(SEEDS)
def test_a_schedule_keeps_every_limit(seed):
    rng = Random(seed)
    most = rng.choice((10, 10**6, 2**50))
    limits, spare, weight, end = drawn(rng, most, rng.randint(1, 40))
    found = of_spare(limits, spare, weight, end)
    held = limits.first_mj
    rows = (found.charged_mj, found.discharged_mj, found.held_mj)
    for left, charged, told, after in zip(spare, *(row.tolist() for row in rows), strict=True):
        assert 0 <= charged <= min(max(left, 0), limits.charge_mj)
        assert 0 <= told <= min(max(-left, 0), limits.discharge_mj)
        held += charged * limits.kept_ppm // PPM - told
        assert held == after
        assert 0 <= held <= limits.capacity_mj


@given(SEEDS)
def test_any_value_of_what_is_stored_bounds_every_schedule(seed):
    rng = Random(seed)
    limits, spare, weight, end = drawn(rng, 6, 4)
    demand = whole(*(max(0, -one) for one in spare))
    green = whole(*(max(0, one) for one in spare))
    values = whole(*(rng.randint(0, 5) for _ in spare))
    bound = upper_bound(limits, demand, green, whole(*weight), values, end)
    assert bound >= best_of_all(limits, spare, weight, end)


@given(SEEDS)
def test_a_price_of_green_energy_lies_between_one_millijoule_more_and_one_less(seed):
    """Nothing is lost, so that a millijoule more is one more in the battery.

    Where just as much is drawn as produced, one more may be worth more than one less costs: it is
    stored for a dearer epoch, for which no energy is kept from servers that draw it now.
    """
    rng = Random(seed)
    limits, spare, weight, end = drawn(rng, 20, 6)
    limits = BatteryLimits(limits.capacity_mj, limits.charge_mj, limits.discharge_mj, PPM)
    demand, green = whole(*(40 - one for one in spare)), whole(*[40] * 6)
    found = dispatch(limits, demand, green, whole(*weight), end)
    prices = green_prices(limits, demand, green, whole(*weight), found).tolist()

    def saved(epoch, more):
        """With the brown energy that the servers alone draw less."""
        changed = green.copy()
        changed[epoch] += more
        brown = np.maximum(demand - changed, 0)
        value = dispatch(limits, demand, changed, whole(*weight), end).value
        return value - int(whole(*weight) @ brown)

    for epoch, price in enumerate(prices):
        now = saved(epoch, 0)
        more, less = saved(epoch, 1) - now, now - saved(epoch, -1)
        assert min(more, less) <= price <= max(more, less)
        assert more <= less or spare[epoch] == 0


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: BatteryLimits(5, 1, 1, PPM, 6), "`first_mj` must be"),
        (lambda: BatteryLimits(5, -1, 1, PPM), "must not be negative"),
        (lambda: BatteryLimits(5, 1, 1, 0), "`kept_ppm` must be"),
        (lambda: BatteryLimits(2**53, 1, 1, PPM), "must be below 2"),
        (lambda: dispatch(BatteryLimits(5, 1, 1, PPM), whole(1), whole(1, 2), whole(1)), "int64"),
        (lambda: dispatch(BatteryLimits(5, 1, 1, PPM), whole(), whole(), whole()), "int64"),
        (lambda: dispatch(BatteryLimits(5, 1, 1, PPM), whole(-1), whole(1), whole(1)), "from 0"),
        (
            lambda: dispatch(BatteryLimits(5, 1, 1, PPM), whole(1), whole(1), whole(1), 2**53),
            "from 0",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(build, said):
    with pytest.raises(ValueError, match=said):
        build()


def test_a_battery_without_room_does_nothing():
    found = of_spare(BatteryLimits(0, 5, 5, PPM), [5, -5], [1, 1])
    assert (found.value, found.charged_mj.tolist()) == (0, [0, 0])


def test_two_weeks_of_quarters_of_an_hour_are_proved():
    """Large amounts, as of a datacentre: 2^14 epochs are the most that a plan has."""
    rng = np.random.default_rng(5)
    demand = rng.integers(0, 200_000_000_000, 1_344)
    green = rng.integers(0, 200_000_000_000, 1_344)
    weight = rng.integers(50_000, 200_000, 1_344)
    limits = BatteryLimits(2_000_000_000_000, 90_000_000_000, 120_000_000_000, 853_217)
    found = dispatch(limits, demand, green, weight)
    assert found.value == found.bound > 0
