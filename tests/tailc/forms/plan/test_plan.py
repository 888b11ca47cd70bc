from dataclasses import replace

import numpy as np
import pytest

from tailc.forms.plan.plan import (
    LATEST_UNIX_S,
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
from tailc.forms.plan.spans import spans_of

TERMS = Terms(72_500, 60_000, 125_000)
BROWN, GREEN = Pool("brown", 4, 140_000, 0, 0), Pool("green", 6, 140_000, 7_000, 5)
JOB = PlannedJob("one", (Span(0, 0, 2, 1), Span(1, 0, 1, 3), Span(1, 1, 2, 6)), 4)


def plan(**parts) -> Plan:
    """Three epochs, of which the second has no green rack."""
    epochs = tuple(Epoch(900_000, 105_500, 200_000, first) for first in (1, 2, 0))
    prices = (PoolPrices((3_692, 3_692, 0)), PoolPrices((500, 4_000, 0)))
    whole = Plan(1_700_000_100, 900, (BROWN, GREEN), epochs, (JOB,), prices, TERMS, None, 50_000)
    return replace(whole, **parts)


def test_free_servers_are_those_that_no_job_has():
    assert plan().free.tolist() == [[3, 3, 4], [3, 0, 0]]


def test_pools_from_the_first_green_one_on_are_green():
    found = plan()
    assert [[found.is_green(pool, epoch) for epoch in range(3)] for pool in range(2)] == [
        [False, False, True],
        [True, False, True],
    ]


def test_without_buses_no_pool_is_green():
    epochs = tuple(replace(epoch, first_green_pool=None) for epoch in plan().epochs)
    found = plan(epochs=epochs)
    assert not found.has_buses
    assert not any(found.is_green(pool, 2) for pool in range(2))


def test_an_allocation_is_told_by_pool():
    found = plan()
    assert found.allocation("one", 0) == ((0, 1), (1, 3))
    assert found.allocation("one", 2) == ((1, 6),)
    assert found.allocation("two", 0) is None


def test_a_moment_has_the_epoch_it_falls_into():
    moments = (1_700_000_099, 1_700_000_100, 1_700_000_999, 1_700_001_000, 1_700_002_800)
    assert [plan().epoch_at(moment) for moment in moments] == [None, 0, 0, 1, None]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"violations_ppm": -1}, "part of jobs"),
        ({"epoch_s": 0}, "lasts a second"),
        ({"pools": ()}, "needs a pool"),
        ({"epochs": ()}, "needs an epoch"),
        ({"pools": (BROWN, replace(GREEN, name="brown"))}, "two pools"),
        ({"jobs": (JOB, JOB)}, "two jobs"),
        ({"terms": None}, "rigid or malleable"),
        ({"malleable": Malleable(1, 1_100_000)}, "rigid or malleable"),
        ({"prices": (PoolPrices((1, 2, 3)),)}, "a price in each epoch"),
        ({"prices": (PoolPrices((1, 2)), PoolPrices((1, 2)))}, "a price in each epoch"),
        ({"pools": (BROWN, replace(GREEN, servers=5))}, "outside the plan"),
        ({"jobs": (JOB, replace(JOB, name="two"))}, "fewer servers"),
        ({"pools": (BROWN, replace(GREEN, racks=2))}, "of racks, or none"),
        ({"pools": (replace(BROWN, servers=2**20), GREEN)}, "2.20 servers"),
        ({"epochs": plan().epochs * 5_462}, "2.14 epochs"),
        ({"start_unix_s": -1}, "1970"),
        ({"start_unix_s": LATEST_UNIX_S - 2_699}, "9999"),
        ({"terms": None, "malleable": Malleable(1, PPM)}, "no green energy"),
        ({"jobs": (PlannedJob("late", (Span(0, 2, 2, 1),), 0),)}, "outside the plan"),
        ({"jobs": (PlannedJob("wide", (Span(2, 0, 1, 1),), 0),)}, "outside the plan"),
        ({"epochs": (*plan().epochs[:2], Epoch(0, 0, 0, 3))}, "one of the pools"),
        ({"epochs": (*plan().epochs[:2], Epoch(0, 0, 0, None))}, "two buses"),
    ],
)
def test_a_plan_that_cannot_be_executed_is_refused(parts, said):
    with pytest.raises(ValueError, match=said):
        plan(**parts)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Pool("", 1, 1, 0, 0), "name"),
        (lambda: Pool("a", 0, 1, 0, 0), "a server"),
        (lambda: Pool("a", 1, 1, 2, 0), "sleeping"),
        (lambda: Pool("a", 1, 0, 0, 0), "draws power"),
        (lambda: Pool("a", 1, 1, 0, -1), "no energy"),
        (lambda: Epoch(-1, 0, 0, None), "green power"),
        (lambda: Epoch(0, -1, 0, None), "price"),
        (lambda: Epoch(0, 0, -1, None), "CO2"),
        (lambda: Span(0, 0, 0, 1), "an epoch"),
        (lambda: Span(0, 0, 1, 0), "a server"),
        (lambda: Span(0, -1, 1, 1), "epochs count"),
        (lambda: Span(-1, 0, 1, 1), "pools count"),
        (lambda: PlannedJob("", (Span(0, 0, 1, 1),), 0), "name"),
        (lambda: PlannedJob("a", (), 0), "runs"),
        (lambda: PlannedJob("a", (Span(0, 1, 1, 1), Span(0, 0, 1, 1)), 0), "order"),
        (lambda: PlannedJob("a", (Span(0, 0, 2, 1), Span(0, 1, 1, 1)), 0), "at once"),
        (lambda: PlannedJob("a", (Span(0, 0, 2, 3),), 7), "all of a job"),
        (lambda: PlannedJob("a", (Span(0, 0, 2, 3),), -1), "all of a job"),
        (lambda: replace(GREEN, racks=4), "as many servers"),
        (lambda: replace(GREEN, racks=0), "as many servers"),
        (lambda: PoolPrices((1, -1)), "not negative"),
        (lambda: PoolPrices((2**28 + 1,)), "beyond"),
        (lambda: Terms(0, 2**28 + 1, 0), "beyond"),
        (lambda: Malleable(2**28 + 1, PPM), "no more than"),
        (lambda: Terms(0, -1, 0), "not negative"),
        (lambda: Malleable(-1, 1_000_000), "later"),
        (lambda: Malleable(0, 999_999), "factor"),
    ],
)
def test_a_part_that_means_nothing_is_refused(build, said):
    with pytest.raises(ValueError, match=said):
        build()


def test_a_plan_may_end_with_the_year_9999_and_no_later():
    assert plan(start_unix_s=LATEST_UNIX_S - 2_700).end_unix_s == LATEST_UNIX_S


def test_what_a_plan_is_worth_stays_exact_in_doubles():
    """2^20 servers, 2^5 epochs, 2^28 a server and epoch: 2^53, one more than is allowed."""
    pools = (Pool("all", 2**20, 1, 0, 0),)
    epochs = (Epoch(0, 0, 0, None),) * 2**5
    parts = {"pools": pools, "epochs": epochs, "jobs": (), "terms": Terms(1, 1, 1)}
    prices = (2**28,) * 2**5
    with pytest.raises(ValueError, match="is worth 2"):
        plan(**parts, prices=(PoolPrices(prices),))
    lower = tuple(price - 1 for price in prices)
    assert plan(**parts, prices=(PoolPrices(lower),)).servers == 2**20


def test_places_become_the_fewest_spans_and_back():
    places = np.array([[0, 2, 2, 1], [3, 3, 0, 3]])
    spans = spans_of(places)
    assert spans == (Span(1, 0, 2, 3), Span(0, 1, 2, 2), Span(0, 3, 1, 1), Span(1, 3, 1, 3))
    back = np.zeros_like(places)
    for span in spans:
        back[span.pool, span.epoch_slice] += span.servers
    assert (back == places).all()


def test_a_pool_without_places_has_no_span():
    assert spans_of(np.array([[0, 0], [0, 4]])) == (Span(1, 1, 1, 4),)
