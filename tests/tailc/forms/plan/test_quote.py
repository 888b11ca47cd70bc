from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tailc.forms.plan.plan import Epoch, Malleable, Plan, Pool, PoolPrices, Terms
from tailc.forms.plan.quote import RigidJob, cheapest_width, quote

TERMS = Terms(72_500, 60_000, 125_000)


def plan(
    prices, firsts, servers=(2, 2), terms: Terms | None = TERMS, malleable: Malleable | None = None
) -> Plan:
    pools = tuple(
        Pool(f"pool {number}", count, 140_000, 0, 0) for number, count in enumerate(servers)
    )
    epochs = tuple(Epoch(0, 0, 0, first) for first in firsts)
    listed = tuple(PoolPrices(tuple(one)) for one in prices)
    return Plan(0, 900, pools, epochs, (), listed, terms, malleable, 0)


def least_cost(found: Plan, free, job: RigidJob) -> int:
    """What the best places cost with their penalty, by trying all."""
    last = min(job.first_epoch + job.epochs, len(found.epochs))
    splits = [
        [
            split
            for split in product(*(range(int(count) + 1) for count in free[:, epoch]))
            if sum(split) == job.width
        ]
        for epoch in range(job.first_epoch, last)
    ]
    promised = min(job.green_slots, (last - job.first_epoch) * job.width)
    costs = []
    for chosen in product(*splits):
        worth = green = 0
        for epoch, split in enumerate(chosen, job.first_epoch):
            for pool, servers in enumerate(split):
                worth += servers * found.prices[pool].udollars[epoch]
                green += servers * found.is_green(pool, epoch)
        costs.append(worth + max(0, promised - green) * TERMS.penalty_udollars)
    return min(costs)


@pytest.mark.parametrize("seed", range(60))
def test_no_other_places_cost_less_with_their_penalty(seed):
    rng = np.random.default_rng(seed)
    pools, epochs = 3, 3
    found = plan(
        rng.integers(0, 200_000, (pools, epochs)).tolist(),
        rng.integers(0, pools + 1, epochs).tolist(),
        servers=(3, 3, 3),
    )
    free = rng.integers(0, 4, (pools, epochs))
    job = RigidJob(0, int(rng.integers(1, 5)), 2, int(rng.integers(0, 5)) * 250_000)
    told = quote(found, free, job)
    if told.places is None:
        assert int(free[:, : job.epochs].sum(axis=0).min()) < 2
        return
    assert (told.places <= free).all()
    last = min(job.epochs, epochs)
    assert told.places[:, :last].sum(axis=0).tolist() == [2] * last
    promised = min(job.green_slots, last * 2)
    missing = max(0, promised - told.green_slots)
    paid = promised * 72_500 + (last * 2 - promised) * 60_000 - missing * 125_000
    assert told.pays_udollars == paid
    cost = told.worth_udollars + missing * 125_000
    assert cost == least_cost(found, free, job)


def test_one_server_for_an_hour_pays_what_was_published():
    """All met, half missed, all missed: 29, 4 and -21 cents (section A.5)."""
    paid = []
    for firsts in ((1, 1, 1, 1), (1, 1, 2, 2), (2, 2, 2, 2)):
        found = plan([[0] * 4, [0] * 4], firsts)
        told = quote(found, found.free, RigidJob(0, 4, 1, 1_000_000))
        paid.append(told.pays_udollars)
    assert paid == [290_000, 40_000, -210_000]


def test_a_job_is_admitted_only_if_it_pays_more_than_its_places_are_worth():
    for price, is_admitted in ((59_999, True), (60_000, False)):
        found = plan([[price], [price]], (2,))
        assert quote(found, found.free, RigidJob(0, 1, 1, 0)).is_admitted is is_admitted


def test_a_job_without_room_is_not_admitted():
    found = plan([[0], [0]], (1,))
    assert not quote(found, found.free, RigidJob(0, 1, 5, 0)).is_admitted
    assert not quote(found, found.free, RigidJob(1, 1, 1, 0)).is_admitted


def test_a_penalty_is_taken_where_green_servers_are_worth_more_to_others():
    found = plan([[0], [125_000]], (1,))
    assert quote(found, found.free, RigidJob(0, 1, 1, 1_000_000)).green_slots == 0
    found = plan([[0], [124_999]], (1,))
    assert quote(found, found.free, RigidJob(0, 1, 1, 1_000_000)).green_slots == 1


def test_a_promise_is_rounded_up_to_whole_slots():
    assert RigidJob(0, 3, 3, 250_000).green_slots == 3
    assert RigidJob(0, 3, 3, 0).green_slots == 0


def test_a_malleable_job_takes_the_width_that_costs_least():
    prices = [[10, 10, 10, 10], [10, 10, 10, 10]]
    epochs_of = {1: 4, 2: 2, 4: 2}
    for delay, width in ((0, 1), (100, 2)):
        found = plan(prices, [None] * 4, terms=None, malleable=Malleable(delay, 1_100_000))
        assert cheapest_width(found, found.free, 0, epochs_of) == width


def test_a_width_without_room_is_not_taken():
    found = plan([[0] * 2] * 2, [None] * 2, terms=None, malleable=Malleable(1, 1_000_000))
    assert cheapest_width(found, found.free, 0, {5: 1}) is None
    assert cheapest_width(found, found.free, 0, {5: 1, 2: 2}) == 2


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"width": 0}, "`epochs` and `width` must be at least 1, and `first_epoch` at least 0"),
        ({"epochs": 0}, "`epochs` and `width` must be at least 1, and `first_epoch` at least 0"),
        ({"green_ppm": -1}, "share"),
        ({"width": 2**20 + 1}, "`epochs` and `width` must be at most 2"),
        ({"epochs": 2**20 + 1}, "`epochs` and `width` must be at most 2"),
    ],
)
def test_a_job_that_means_nothing_is_refused(parts, said):
    with pytest.raises(ValueError, match=said):
        replace(RigidJob(0, 1, 1, 0), **parts)
