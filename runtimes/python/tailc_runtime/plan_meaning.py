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
    _require(raw.epoch_s > 0, "`epoch_s` must be at least 1")
    _require(bool(raw.pools and raw.epochs), "`pools` and `epochs` must not be empty")
    _require(len(raw.epochs) <= MOST_EPOCHS, "`epochs` must have at most 2^14 entries")
    end_unix_s = raw.start_unix_s + len(raw.epochs) * raw.epoch_s
    held = raw.start_unix_s >= 0 and end_unix_s <= LATEST_UNIX_S
    _require(held, "`start_unix_s` and the end of the last epoch must be in the years 1970 to 9999")
    _require(0 <= raw.violations_ppm <= PPM, "`violations_ppm` must be 0 to 1,000,000")
    for pool in raw.pools:
        _check_pool(pool)
    _require(
        sum(pool.servers for pool in raw.pools) <= MOST_SERVERS,
        "`pools` must have at most 2^20 servers in total",
    )
    _require(
        len({pool.racks is None for pool in raw.pools}) == 1,
        "`racks` must be present in every pool or in none",
    )
    _require(_are_apart(pool.name for pool in raw.pools), "two pools have the same `name`")
    _check_epochs(raw)
    _check_grid(raw)
    _require(raw.later_jobs != "", "`later_jobs` must not be empty")
    _check_money(raw)
    _require(_are_apart(job.name for job in raw.jobs), "two jobs have the same `name`")
    for job in raw.jobs:
        _check_job(raw, job)


def _check_pool(pool: RawPool) -> None:
    _require(bool(pool.name), "`name` of a pool must not be empty")
    _require(pool.servers > 0, "`servers` of a pool must be at least 1")
    drawn = 0 <= pool.asleep_mw <= pool.busy_mw and pool.busy_mw > 0
    _require(drawn, "`busy_mw` of a pool must be at least 1, and `asleep_mw` 0 to `busy_mw`")
    _require(pool.migration_mj >= 0, "`migration_mj` of a pool must not be negative")
    full = pool.racks is None or (pool.racks > 0 and pool.servers % pool.racks == 0)
    _require(full, "`servers` of a pool must be a multiple of `racks`, which must be at least 1")


def _check_epochs(raw: RawPlan) -> None:
    has_buses = raw.epochs[0].first_green_pool is not None
    for epoch in raw.epochs:
        least = min(epoch.green_mw, epoch.brown_mg_per_kwh)
        _require(least >= 0, "`green_mw` and `brown_mg_per_kwh` must not be negative")
        first = epoch.first_green_pool
        _require(
            (first is not None) == has_buses,
            "`first_green_pool` must be present in every epoch or in none",
        )
        _require(
            first is None or 0 <= first <= len(raw.pools),
            "`first_green_pool` must be 0 to the number of pools",
        )


def _check_grid(raw: RawPlan) -> None:
    if raw.grid_mw is None:
        least = min(epoch.brown_udollars_per_kwh for epoch in raw.epochs)
        _require(least >= 0, "`brown_udollars_per_kwh` is negative only with `grid_mw`")
        return
    busy_mw = sum(pool.servers * pool.busy_mw for pool in raw.pools)
    _require(raw.grid_mw >= busy_mw, "`grid_mw` must be at least the power of all servers")


def _check_money(raw: RawPlan) -> None:
    priced = [len(one) for one in raw.prices]
    _require(
        priced == [len(raw.epochs)] * len(raw.pools),
        "`prices` must have an entry for each pool, with a price for each epoch",
    )
    _require(
        (raw.terms is None) != (raw.malleable is None),
        "exactly one of `terms` and `malleable` must be present",
    )
    amounts = [price for one in raw.prices for price in one] + list(raw.terms or ())
    _require(min(amounts) >= 0, "amounts of `prices` and `terms` must not be negative")
    _require(
        max(amounts) <= LARGEST_UDOLLARS, "amounts of `prices` and `terms` must be at most 2^28"
    )
    worth = sum(pool.servers for pool in raw.pools) * len(raw.epochs) * max(amounts)
    _require(
        worth <= LARGEST_WORTH_UDOLLARS,
        "servers times epochs times the largest price must be below 2^53",
    )
    if raw.malleable is not None:
        delay_udollars, slowdown_ppm = raw.malleable
        _require(0 <= delay_udollars <= LARGEST_UDOLLARS, "`delay_udollars` must be 0 to 2^28")
        _require(slowdown_ppm >= PPM, "`slowdown_ppm` must be at least 1,000,000")


def _check_job(raw: RawPlan, job: RawJob) -> None:
    _require(bool(job.name and job.spans), "`name` and `spans` of a job must not be empty")
    order = [(span.first_epoch, span.pool) for span in job.spans]
    _require(order == sorted(order), "`spans` must be in order of `first_epoch`, then of `pool`")
    past: dict[int, int] = {}
    for span in job.spans:
        inside = 0 <= span.pool < len(raw.pools) and span.first_epoch >= 0
        _require(
            inside and span.epochs > 0 and span.servers > 0,
            "a span needs an existing `pool`, `first_epoch` >= 0, `epochs` > 0 and `servers` > 0",
        )
        _require(
            span.first_epoch + span.epochs <= len(raw.epochs), "a span must end within the plan"
        )
        _require(
            span.servers <= raw.pools[span.pool].servers,
            "`servers` of a span must be at most those of its pool",
        )
        _require(
            span.first_epoch >= past.get(span.pool, 0),
            "spans of a job in one pool must not overlap",
        )
        past[span.pool] = span.first_epoch + span.epochs
    slots = sum(span.servers * span.epochs for span in job.spans)
    _require(
        0 <= job.green_slots <= slots,
        "`green_slots` must be 0 to the number of server-epochs of the job",
    )
    _require(
        raw.terms is not None or not job.green_slots, "`green_slots` of malleable jobs must be 0"
    )


def _are_apart(names: Iterable[str]) -> bool:
    listed = list(names)
    return len(set(listed)) == len(listed)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
