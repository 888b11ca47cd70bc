"""Valid plans drawn at random, every field and every kind of value among them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from tailc.forms.plan.plan import (
    LARGEST_UDOLLARS,
    LARGEST_WORTH_UDOLLARS,
    LATEST_UNIX_S,
    PPM,
    Battery,
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
# 480 servers at it, twice as much for their moves, draw less than 2^53 mJ in an hour.
LARGEST_MW = 10**9
_NAMES = ("a", "rack", "Zürich", "線形", '"quoted"', "tab\there", "\U0001f422")


def random_plan(rng: Random, most_epochs: int = 6, largest_whole: int = LARGEST) -> Plan:
    """Of up to four pools and as many jobs; powers and the like are at most `largest_whole`.

    One in three has a battery, and then smaller numbers.
    """
    if rng.random() < 0.3:
        return with_battery(rng, _plan(rng, most_epochs, min(largest_whole, LARGEST_MW)))
    return _plan(rng, most_epochs, largest_whole)


def with_battery(rng: Random, plan: Plan) -> Plan:
    """The plan with a battery that does something at random, within what it can."""
    limit_mw, capacity_mj = 1 + _whole(rng, LARGEST_MW), 1 + _whole(rng, LARGEST - 1)
    kept_ppm = rng.choice((1, 853_217, PPM - 1, PPM))
    first_mj = rng.choice((0, capacity_mj, rng.randint(0, capacity_mj)))
    battery = Battery(capacity_mj, limit_mw, 1 + _whole(rng, LARGEST_MW), kept_ppm, first_mj)
    epochs, state_mj = [], first_mj
    for epoch, drawn_mj in zip(plan.epochs, plan.drawn_mj, strict=True):
        spare_mj = epoch.green_mw * plan.epoch_s - sum(drawn_mj)
        room_mj = (capacity_mj - state_mj) * PPM // kept_ppm
        most_mj = min(max(spare_mj, 0), battery.charge_mw * plan.epoch_s, room_mj)
        least_mj = -min(max(-spare_mj, 0), battery.discharge_mw * plan.epoch_s, state_mj)
        flow_mj = rng.choice((0, least_mj or most_mj, rng.randint(least_mj, most_mj)))
        state_mj += flow_mj * kept_ppm // PPM if flow_mj > 0 else flow_mj
        epochs.append(replace(epoch, battery_mj=flow_mj))
    return replace(plan, epochs=tuple(epochs), battery=battery)


def _plan(rng: Random, most_epochs: int, largest_whole: int) -> Plan:
    has_racks, count = rng.random() < 0.5, rng.randint(1, most_epochs)
    pools = tuple(_pool(rng, n, has_racks, largest_whole) for n in range(rng.randint(1, 4)))
    has_buses, is_rigid = rng.random() < 0.6, rng.random() < 0.6
    slots = count * sum(pool.servers for pool in pools)
    most = min(LARGEST_UDOLLARS, LARGEST_WORTH_UDOLLARS // slots)
    epoch_s = rng.choice((1, 900, 3_600))
    return Plan(
        start_unix_s=rng.choice((0, 1_338_552_000, LATEST_UNIX_S - count * epoch_s)),
        epoch_s=epoch_s,
        pools=pools,
        epochs=tuple(
            _epoch(rng, rng.randint(0, len(pools)) if has_buses else None, largest_whole)
            for _ in range(count)
        ),
        jobs=_jobs(rng, pools, count, is_rigid),
        prices=tuple(PoolPrices(tuple(_whole(rng, most) for _ in range(count))) for _ in pools),
        terms=Terms(*(_whole(rng, most) for _ in range(3))) if is_rigid else None,
        malleable=None if is_rigid else _malleable(rng),
        violations_ppm=rng.randint(0, PPM),
    )


def _pool(rng: Random, number: int, has_racks: bool, largest: int) -> Pool:
    racks = rng.randint(1, 3)
    servers = racks * rng.choice((1, 2, 5, 40))
    busy_mw = 1 + _whole(rng, largest - 1)
    asleep_mw, migration_mj = rng.randint(0, busy_mw), _whole(rng, largest)
    name = f"{rng.choice(_NAMES)}{number}"
    return Pool(name, servers, busy_mw, asleep_mw, migration_mj, racks if has_racks else None)


def _epoch(rng: Random, first_green_pool: int | None, largest: int) -> Epoch:
    green_mw, price, carbon = (_whole(rng, largest) for _ in range(3))
    return Epoch(green_mw, price, carbon, first_green_pool)


def _malleable(rng: Random) -> Malleable:
    return Malleable(_whole(rng, LARGEST_UDOLLARS), PPM + _whole(rng, LARGEST - PPM))


def _jobs(
    rng: Random, pools: tuple[Pool, ...], epochs: int, is_rigid: bool
) -> tuple[PlannedJob, ...]:
    """Each has its spans where servers are still free."""
    free = np.repeat([[pool.servers] for pool in pools], epochs, axis=1)
    jobs = []
    for number in range(rng.randint(0, 4)):
        spans = []
        for pool in range(len(pools)):
            first = rng.randrange(epochs)
            past = rng.randint(first + 1, epochs)
            room = int(free[pool, first:past].min())
            if room and rng.random() < 0.7:
                spans.append(Span(pool, first, past - first, rng.randint(1, room)))
                free[pool, first:past] -= spans[-1].servers
        if spans:
            spans.sort(key=lambda span: (span.first_epoch, span.pool))
            slots = sum(span.servers * span.epochs for span in spans)
            promised = rng.randint(0, slots) if is_rigid else 0
            jobs.append(PlannedJob(f"{rng.choice(_NAMES)}{number}", tuple(spans), promised))
    return tuple(jobs)


def _whole(rng: Random, largest: int) -> int:
    """Small or large, the largest among them, and often one of a few, so that ties come."""
    top = min(rng.choice((3, 1_000, 10**9, largest)), largest)
    return rng.choice((0, top, rng.randint(0, top)))
