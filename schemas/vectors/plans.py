"""Plans of a datacentre behind the vectors of schema 1.4, and with the members of 1.12."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tailc.forms.plan.plan import (
    LARGEST_UDOLLARS,
    LATEST_UNIX_S,
    MOST_SERVERS,
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

LARGEST = 2**53 - 1
QUARTER_S, HOUR_S = 900, 3_600
JUNE_UNIX_S = 1_338_552_000  # 2012-06-01T12:00:00Z
_PER_KWH = (105_500, 384_000)
# Racks of eight from the brownest to the greenest, and for each epoch how many pools are brown.
_BOUNDARY = (4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 1, 1, 2, 2, 3, 4)


def racks_plan() -> Plan:
    """Four hours on two buses; many prices are equal, so that ties count."""
    rng = Random(12)
    pools = (
        Pool("racks 1-3", 24, 140_000, 3_000, 50_000, 3),
        Pool("rack 4", 8, 140_000, 3_000, 50_000, 1),
        Pool("racks 5-6", 16, 140_000, 3_000, 50_000, 2),
        Pool("rack 7", 8, 140_000, 3_000, 50_000, 1),
    )
    epochs = tuple(
        Epoch((len(pools) - first) * 2_300_000 + 41_000, *_PER_KWH, first) for first in _BOUNDARY
    )
    prices = tuple(
        PoolPrices(tuple(rng.randrange(4) * 15_000 + number * 5_000 for _ in epochs))
        for number in range(len(pools))
    )
    jobs = (
        PlannedJob("morning-batch", (Span(0, 0, 6, 10), Span(2, 6, 4, 10)), 30),
        PlannedJob("render/7", (Span(1, 2, 14, 4), Span(3, 2, 14, 4)), 28),
        PlannedJob("Zürich", (Span(0, 4, 2, 12), Span(0, 6, 10, 20)), 0),
    )
    terms = Terms(72_500, 60_000, 125_000)
    return Plan(JUNE_UNIX_S, QUARTER_S, pools, epochs, jobs, prices, terms, None, 50_000)


def cluster_plan() -> Plan:
    """Half a day on one bus, two generations of servers, jobs that may run on more of them."""
    rng = Random(13)
    pools = (Pool("old", 8, 210_000, 9_000, 90_000), Pool("new", 4, 160_000, 5_000, 60_000))
    sun_w = (0, 0, 300, 700, 1_100, 1_400, 1_500, 1_300, 900, 500, 100, 0)
    epochs = tuple(
        Epoch(watts * 1_000, 90_000 + 7_000 * number, 350_000 - 9_000 * number, None)
        for number, watts in enumerate(sun_w)
    )
    prices = tuple(
        PoolPrices(tuple(rng.randrange(5) * 9_000 for _ in epochs)) for _ in range(len(pools))
    )
    jobs = (
        PlannedJob("grows", (Span(0, 1, 2, 1), Span(0, 3, 4, 4), Span(1, 4, 2, 2)), 0),
        PlannedJob("waits", (Span(1, 6, 3, 1), Span(0, 7, 1, 2)), 0),
    )
    malleable = Malleable(21_000, 1_100_000)
    return Plan(JUNE_UNIX_S, HOUR_S, pools, epochs, jobs, prices, None, malleable, 0)


def smallest_plan() -> Plan:
    """One server for one second, which nothing is known of."""
    pools, epochs = (Pool("only", 1, 1, 0, 0),), (Epoch(0, 0, 0, 0),)
    return Plan(0, 1, pools, epochs, (), (PoolPrices((0,)),), Terms(0, 0, 0), None, 0)


def extreme_plan() -> Plan:
    """Every number at a limit: all servers at the largest price are worth 2^53 less 2^25 or so."""
    pools = (
        Pool("first", MOST_SERVERS - 1, LARGEST, LARGEST, LARGEST, 1),
        Pool("last", 1, LARGEST, LARGEST, LARGEST, 1),
    )
    epochs = tuple(Epoch(LARGEST, LARGEST, LARGEST, number % 3) for number in range(31))
    prices = (
        PoolPrices((LARGEST_UDOLLARS,) * 31),
        PoolPrices((LARGEST_UDOLLARS, 0) * 15 + (LARGEST_UDOLLARS,)),
    )
    whole = Span(1, 0, 31, 1)
    jobs = (PlannedJob("always", (whole,), 31),)
    terms = Terms(LARGEST_UDOLLARS, 0, LARGEST_UDOLLARS)
    epoch_s = 1_000_000
    start_unix_s = LATEST_UNIX_S - 31 * epoch_s
    return Plan(start_unix_s, epoch_s, pools, epochs, jobs, prices, terms, None, PPM)


def slow_plan() -> Plan:
    """A cluster whose jobs may take any time, and where each epoch of it costs the most."""
    pools = (Pool("all", 4, 1_000, 0, 0),)
    epochs = (Epoch(0, 0, 0, None),) * 48
    prices = (PoolPrices(tuple(number % 7 for number in range(48))),)
    jobs = (PlannedJob("late", (Span(0, 47, 1, 3),), 0),)
    malleable = Malleable(LARGEST_UDOLLARS, LARGEST)
    return Plan(0, 60, pools, epochs, jobs, prices, None, malleable, 0)


def grid_plan() -> Plan:
    """The cluster with negative prices, the least power of its grid, and a rule for later jobs."""
    plan = cluster_plan()
    epochs = tuple(
        replace(epoch, brown_udollars_per_kwh=-epoch.brown_udollars_per_kwh if number % 5 else 0)
        for number, epoch in enumerate(plan.epochs)
    )
    busy_mw = sum(pool.servers * pool.busy_mw for pool in plan.pools)
    return replace(plan, epochs=epochs, grid_mw=busy_mw, later_jobs="aggressive-50%")
