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
        ({"violations_ppm": -1}, "`violations_ppm` must be 0 to 1,000,000"),
        ({"epoch_s": 0}, "`epoch_s` must be at least 1"),
        ({"pools": ()}, "`pools` must not be empty"),
        ({"epochs": ()}, "`epochs` must not be empty"),
        ({"pools": (BROWN, replace(GREEN, name="brown"))}, "two pools"),
        ({"jobs": (JOB, JOB)}, "two jobs"),
        ({"terms": None}, "exactly one of `terms` and `malleable` must be present"),
        (
            {"malleable": Malleable(1, 1_100_000)},
            "exactly one of `terms` and `malleable` must be present",
        ),
        (
            {"prices": (PoolPrices((1, 2, 3)),)},
            "`prices` must have an entry for each pool, with a price for each epoch",
        ),
        (
            {"prices": (PoolPrices((1, 2)), PoolPrices((1, 2)))},
            "`prices` must have an entry for each pool, with a price for each epoch",
        ),
        (
            {"pools": (BROWN, replace(GREEN, servers=5))},
            "a span must be in a pool with enough servers, and must end within the plan",
        ),
        (
            {"jobs": (JOB, replace(JOB, name="two"))},
            "the jobs of an epoch use more servers of a pool than it has",
        ),
        (
            {"pools": (BROWN, replace(GREEN, racks=2))},
            "`racks` must be present in every pool or in none",
        ),
        ({"pools": (replace(BROWN, servers=2**20), GREEN)}, "2.20 servers"),
        ({"epochs": plan().epochs * 5_462}, "`epochs` must have at most 2"),
        ({"start_unix_s": -1}, "1970"),
        ({"start_unix_s": LATEST_UNIX_S - 2_699}, "9999"),
        (
            {"terms": None, "malleable": Malleable(1, PPM)},
            "`green_slots` of malleable jobs must be 0",
        ),
        (
            {"jobs": (PlannedJob("late", (Span(0, 2, 2, 1),), 0),)},
            "a span must be in a pool with enough servers, and must end within the plan",
        ),
        (
            {"jobs": (PlannedJob("wide", (Span(2, 0, 1, 1),), 0),)},
            "a span must be in a pool with enough servers, and must end within the plan",
        ),
        (
            {"epochs": (*plan().epochs[:2], Epoch(0, 0, 0, 3))},
            "`first_green_pool` must be 0 to the number of pools",
        ),
        (
            {"epochs": (*plan().epochs[:2], Epoch(0, 0, 0, None))},
            "`first_green_pool` must be present in every epoch or in none",
        ),
    ],
)
def test_a_plan_that_cannot_be_executed_is_refused(parts, said):
    with pytest.raises(ValueError, match=said):
        plan(**parts)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Pool("", 1, 1, 0, 0), "name"),
        (lambda: Pool("a", 0, 1, 0, 0), "`servers` of a pool"),
        (lambda: Pool("a", 1, 1, 2, 0), "`asleep_mw` of a pool must be 0 to `busy_mw`"),
        (lambda: Pool("a", 1, 0, 0, 0), "`busy_mw` of a pool must be at least 1"),
        (lambda: Pool("a", 1, 1, 0, -1), "`migration_mj` of a pool must not be negative"),
        (lambda: Epoch(-1, 0, 0, None), "`green_mw` must not be negative"),
        (lambda: Epoch(0, 0, -1, None), "`brown_mg_per_kwh` must not be negative"),
        (lambda: Span(0, 0, 0, 1), "`epochs` of a span must be at least 1"),
        (lambda: Span(0, 0, 1, 0), "`servers` of a span"),
        (lambda: Span(0, -1, 1, 1), "`first_epoch` of a span must not be negative"),
        (lambda: Span(-1, 0, 1, 1), "`pool` of a span must not be negative"),
        (lambda: PlannedJob("", (Span(0, 0, 1, 1),), 0), "name"),
        (lambda: PlannedJob("a", (), 0), "`spans` of a job must not be empty"),
        (lambda: PlannedJob("a", (Span(0, 1, 1, 1), Span(0, 0, 1, 1)), 0), "order"),
        (
            lambda: PlannedJob("a", (Span(0, 0, 2, 1), Span(0, 1, 1, 1)), 0),
            "spans of a job in one pool must not overlap",
        ),
        (
            lambda: PlannedJob("a", (Span(0, 0, 2, 3),), 7),
            "`green_slots` must be 0 to the number of server-epochs of the job",
        ),
        (
            lambda: PlannedJob("a", (Span(0, 0, 2, 3),), -1),
            "`green_slots` must be 0 to the number of server-epochs of the job",
        ),
        (
            lambda: replace(GREEN, racks=4),
            "`servers` of a pool must be a multiple of `racks`, which must be at least 1",
        ),
        (
            lambda: replace(GREEN, racks=0),
            "`servers` of a pool must be a multiple of `racks`, which must be at least 1",
        ),
        (lambda: PoolPrices((1, -1)), "must not be negative"),
        (lambda: PoolPrices((2**28 + 1,)), "must be at most 2"),
        (lambda: Terms(0, 2**28 + 1, 0), "must be at most 2"),
        (lambda: Malleable(2**28 + 1, PPM), "`delay_udollars` must be 0 to 2"),
        (lambda: Terms(0, -1, 0), "must not be negative"),
        (lambda: Malleable(-1, 1_000_000), "`delay_udollars` must be 0 to 2"),
        (lambda: Malleable(0, 999_999), "`slowdown_ppm` must be at least 1,000,000"),
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
    with pytest.raises(
        ValueError, match="servers times epochs times the largest price must be below 2"
    ):
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
