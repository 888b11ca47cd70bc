"""Check that the content of a plan is consistent."""

from __future__ import annotations

from collections.abc import Iterable

from tailc_runtime.errors import BadMeaning
from tailc_runtime.raw import RawJob, RawPlan, RawPool

PPM = 1_000_000
MOST_SERVERS = 2**20
MOST_EPOCHS = 2**14
LARGEST_UDOLLARS = 2**28
LARGEST_WORTH_UDOLLARS = 2**53 - 1
LATEST_UNIX_S = 253_402_300_799


def check_plan(raw: RawPlan) -> None:
    """Raise BadMeaning for an inconsistent plan; servers with two jobs are checked elsewhere."""
    _require(raw.epoch_s > 0, "an epoch lasts a second at least")
    _require(bool(raw.pools and raw.epochs), "a plan needs a pool and an epoch")
    _require(len(raw.epochs) <= MOST_EPOCHS, "a plan has 2^14 epochs at most")
    end_unix_s = raw.start_unix_s + len(raw.epochs) * raw.epoch_s
    held = raw.start_unix_s >= 0 and end_unix_s <= LATEST_UNIX_S
    _require(held, "a plan lies in the years 1970 to 9999")
    _require(0 <= raw.violations_ppm <= PPM, "a part of jobs lies from 0 to 1")
    for pool in raw.pools:
        _check_pool(pool)
    _require(sum(pool.servers for pool in raw.pools) <= MOST_SERVERS, "a plan has 2^20 servers")
    _require(len({pool.racks is None for pool in raw.pools}) == 1, "all pools are of racks or none")
    _require(_are_apart(pool.name for pool in raw.pools), "two pools have one name")
    _check_epochs(raw)
    _check_money(raw)
    _require(_are_apart(job.name for job in raw.jobs), "two jobs have one name")
    for job in raw.jobs:
        _check_job(raw, job)


def _check_pool(pool: RawPool) -> None:
    _require(bool(pool.name), "a pool needs a name")
    _require(pool.servers > 0, "a pool has a server at least")
    drawn = 0 <= pool.asleep_mw <= pool.busy_mw and pool.busy_mw > 0
    _require(drawn, "a busy server draws power, and what a sleeping one does")
    _require(pool.migration_mj >= 0, "to move work gives no energy")
    full = pool.racks is None or (pool.racks > 0 and pool.servers % pool.racks == 0)
    _require(full, "racks of a pool have as many servers each")


def _check_epochs(raw: RawPlan) -> None:
    has_buses = raw.epochs[0].first_green_pool is not None
    for epoch in raw.epochs:
        supply = (epoch.green_mw, epoch.brown_udollars_per_kwh, epoch.brown_mg_per_kwh)
        _require(min(supply) >= 0, "power, prices and CO2 are not negative")
        first = epoch.first_green_pool
        _require((first is not None) == has_buses, "two buses in every epoch or in none")
        _require(
            first is None or 0 <= first <= len(raw.pools), "the first green pool is there, or none"
        )


def _check_money(raw: RawPlan) -> None:
    priced = [len(one) for one in raw.prices]
    _require(priced == [len(raw.epochs)] * len(raw.pools), "each pool has a price in each epoch")
    _require((raw.terms is None) != (raw.malleable is None), "jobs are rigid or malleable")
    amounts = [price for one in raw.prices for price in one] + list(raw.terms or ())
    _require(min(amounts) >= 0, "prices and terms are not negative")
    _require(max(amounts) <= LARGEST_UDOLLARS, "prices and terms are at most 2^28")
    worth = sum(pool.servers for pool in raw.pools) * len(raw.epochs) * max(amounts)
    _require(worth <= LARGEST_WORTH_UDOLLARS, "a plan is worth 2^53 or more")
    if raw.malleable is not None:
        delay_udollars, slowdown_ppm = raw.malleable
        _require(0 <= delay_udollars <= LARGEST_UDOLLARS, "a delay costs 0 to 2^28")
        _require(slowdown_ppm >= PPM, "a slowdown is a factor of 1 or more")


def _check_job(raw: RawPlan, job: RawJob) -> None:
    _require(bool(job.name and job.spans), "a job has a name, and runs")
    order = [(span.first_epoch, span.pool) for span in job.spans]
    _require(order == sorted(order), "spans are in order of epoch, then of pool")
    past: dict[int, int] = {}
    for span in job.spans:
        inside = 0 <= span.pool < len(raw.pools) and span.first_epoch >= 0
        _require(inside and span.epochs > 0 and span.servers > 0, "a span is of a pool, and runs")
        _require(span.first_epoch + span.epochs <= len(raw.epochs), "a span ends with the plan")
        _require(span.servers <= raw.pools[span.pool].servers, "a span is no larger than its pool")
        _require(span.first_epoch >= past.get(span.pool, 0), "two spans of a pool at once")
        past[span.pool] = span.first_epoch + span.epochs
    slots = sum(span.servers * span.epochs for span in job.spans)
    _require(0 <= job.green_slots <= slots, "no more than all of a job is green")
    _require(raw.terms is not None or not job.green_slots, "malleable jobs are promised nothing")


def _are_apart(names: Iterable[str]) -> bool:
    listed = list(names)
    return len(set(listed)) == len(listed)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
