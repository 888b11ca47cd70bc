from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.forms.plan.plan import (
    PPM,
    Epoch,
    Malleable,
    Plan,
    PlannedJob,
    Pool,
    PoolPrices,
    Span,
    Terms,
)
from tailc.forms.plan.plan_books import places_of, plan_books
from tests.tailc.forms.plan.random_plans import random_plan

TERMS = Terms(72_500, 60_000, 125_000)
SEEDS = st.integers(0, 2**32)


def plan(*jobs: PlannedJob, firsts=(1, 1, 2), green_mw=(500, 300, 50), malleable=False) -> Plan:
    """Two pools of four servers, 100 mW busy and 10 asleep; a move costs 7 and 9 mJ; 10 s."""
    pools = (Pool("brown", 4, 100, 10, 7), Pool("green", 4, 100, 10, 9))
    supply = zip(green_mw, firsts, strict=True)
    epochs = tuple(Epoch(mw, 105_500, 200_000, first) for mw, first in supply)
    prices = (PoolPrices((0,) * len(epochs)),) * 2
    terms, widths = (None, Malleable(0, PPM)) if malleable else (TERMS, None)
    return Plan(0, 10, pools, epochs, jobs, prices, terms, widths, 0)


MOVER = PlannedJob("mover", (Span(0, 0, 2, 2), Span(1, 0, 1, 1), Span(1, 2, 1, 3)), 5)


def test_servers_with_a_job_and_without_draw_what_their_pool_says():
    """Epoch 0: 3 busy and 5 asleep, 350 mW for 10 s, and nothing moves at a start."""
    found = plan_books(plan(MOVER))
    assert found.entries[0].demand_mj == 3_500
    assert found.entries[0].green_mj == 5_000
    assert (found.entries[0].green_used_mj, found.entries[0].spilled_mj) == (3_500, 1_500)
    assert found.on_green_bus_mj == (1_300, 400, 0)


def test_what_arrives_in_a_pool_is_charged_there_but_not_in_a_first_epoch():
    """One server fewer in epoch 1, and then three that were not in the pool before."""
    assert plan(MOVER).moves.tolist() == [[0, 0, 0], [0, 0, 3]]
    found = plan_books(plan(MOVER))
    assert found.moved == (0, 0, 3)
    assert found.entries[2].demand_mj == 10 * (3 * 100 + 5 * 10) + 3 * 9


def test_a_malleable_job_moves_what_it_takes_or_gives_up():
    """1, 4, 2 servers: three more, then two fewer; its start and its end move nothing."""
    grown = PlannedJob("grown", (Span(0, 1, 1, 1), Span(0, 2, 1, 4), Span(0, 3, 1, 2)), 0)
    parts = {"firsts": (None,) * 6, "green_mw": (0,) * 6}
    assert plan(grown, **parts, malleable=True).moves.tolist()[0] == [0, 0, 3, 2, 0, 0]
    assert plan(grown, **parts).moves.tolist()[0] == [0, 0, 3, 0, 0, 0]


def test_a_job_pays_by_its_promise_and_gets_back_what_is_not_green():
    """7 or 8 slots, one of them green though 5 were promised."""
    found = plan_books(plan(MOVER)).jobs[0]
    assert (found.slots, found.promised_slots, found.green_slots) == (8, 5, 1)
    assert found.fees_udollars == 5 * 72_500 + 3 * 60_000
    assert found.penalty_udollars == 4 * 125_000


def test_one_server_for_an_hour_earns_what_was_published():
    """All green, half of it, none: 29, 4 and -21 cents (section A.5)."""
    told = []
    for firsts in ((0,) * 4, (0, 0, 2, 2), (2,) * 4):
        job = PlannedJob("hour", (Span(1, 0, 4, 1),), 4)
        found = plan_books(plan(job, firsts=firsts, green_mw=(0,) * 4))
        told.append(found.income_udollars)
    assert told == [290_000, 40_000, -210_000]


def test_what_the_green_bus_leaves_lowers_brown_energy_and_makes_no_slot_green():
    job = PlannedJob("brown", (Span(0, 0, 1, 4),), 0)
    found = plan_books(plan(job, firsts=(1,), green_mw=(340,)))
    assert found.on_green_bus_mj == (400,)
    assert (found.entries[0].green_used_mj, found.entries[0].brown_mj) == (3_400, 1_000)
    assert found.jobs[0].green_slots == 0


def test_a_green_bus_that_has_too_little_is_told():
    job = PlannedJob("green", (Span(1, 0, 1, 4),), 4)
    found = plan_books(plan(job, firsts=(1,), green_mw=(300,)))
    assert found.short_mj == 1_000
    assert found.entries[0].brown_mj == 4_400 - 3_000
    assert plan_books(plan(job, firsts=(1,), green_mw=(400,))).short_mj == 0


def test_the_brown_energy_of_an_epoch_costs_its_price():
    found = plan_books(plan(green_mw=(0, 0, 0)))
    assert found.entries[0].brown_udollars == Fraction(800 * 105_500, MJ_PER_KWH)
    assert found.profit_udollars == -3 * found.entries[0].brown_udollars


@given(SEEDS)
def test_energy_and_money_balance_in_every_epoch(seed):
    found = random_plan(Random(seed))
    books = plan_books(found)
    for number, one in enumerate(books.entries):
        epoch = found.epochs[number]
        assert one.green_used_mj + one.discharged_mj + one.brown_mj == one.demand_mj
        assert one.green_used_mj + one.charged_mj + one.spilled_mj == one.green_mj
        assert one.green_mj == epoch.green_mw * found.epoch_s
        assert one.brown_mj * epoch.brown_udollars_per_kwh == one.brown_udollars * MJ_PER_KWH
        assert one.brown_mj * epoch.brown_mg_per_kwh == one.brown_mg * MJ_PER_KWH
        on_green = books.on_green_bus_mj[number]
        assert 0 <= on_green <= one.demand_mj
        # By bus: the green one first, and what it leaves to the other.
        left = max(0, one.green_mj - on_green)
        brown = one.demand_mj - on_green
        short = max(0, on_green - one.green_mj)
        assert one.brown_mj == short + max(0, brown - left) - one.discharged_mj
    assert books.profit_udollars == books.income_udollars - books.ledger.brown_udollars


@given(SEEDS)
def test_servers_draw_power_by_pool_and_what_moves_is_paid_there(seed):
    """Server by server."""
    found = random_plan(Random(seed))
    moves, books = found.moves, plan_books(found)
    for epoch, entry in enumerate(books.entries):
        drawn = 0
        for number, pool in enumerate(found.pools):
            busy = sum(
                span.servers
                for job in found.jobs
                for span in job.spans
                if span.pool == number and span.first_epoch <= epoch < span.past
            )
            drawn += (
                sum(
                    pool.busy_mw if server < busy else pool.asleep_mw
                    for server in range(pool.servers)
                )
                * found.epoch_s
            )
            drawn += int(moves[number, epoch]) * pool.migration_mj
        assert entry.demand_mj == drawn


@given(SEEDS)
def test_a_job_moves_no_more_than_it_has_and_none_at_its_start(seed):
    found = random_plan(Random(seed)).without_battery()
    for job in found.jobs:
        alone = replace(found, jobs=(job,))
        places, moves = places_of(alone, job), alone.moves
        first = int((places.sum(axis=0) > 0).argmax())
        assert not moves[:, : first + 1].any()
        if found.malleable is None:
            assert (moves <= places).all()


@pytest.mark.parametrize("malleable", [True, False])
def test_a_plan_without_jobs_moves_nothing_and_earns_nothing(malleable):
    found = plan_books(plan(malleable=malleable))
    assert (found.moved, found.jobs, found.income_udollars) == ((0, 0, 0), (), 0)
