"""Energy flows of the battery of a plan, in whole millijoules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tailc_runtime.errors import BadMeaning
from tailc_runtime.raw import RawBattery, RawJob, RawPlan

PPM = 1_000_000
LARGEST_MJ = 2**53 - 1


class Stored(NamedTuple):
    """Flow of a battery in an epoch: battery_mj in, negative out; stored_mj at its end."""

    battery_mj: int
    stored_mj: int


def stored_by_epoch(raw: RawPlan) -> tuple[Stored, ...]:
    """Flow of the battery of a plan in each epoch; empty without a battery.

    Raises BadMeaning if a flow exceeds the limits of the battery or the available energy.
    """
    told = {epoch.battery_mj is not None for epoch in raw.epochs}
    _require(
        told == {raw.battery is not None},
        "`battery_mj` must be present in every epoch with a `battery`, and otherwise in none",
    )
    if raw.battery is None:
        return ()
    _check_battery(raw.battery)
    _require(
        _largest_mj(raw, raw.battery) <= LARGEST_MJ, "the energy of an epoch must be below 2^53 mJ"
    )
    states, state_mj = [], raw.battery.first_mj
    for epoch, spare_mj in zip(raw.epochs, _spare_mj(raw), strict=True):
        flow_mj = epoch.battery_mj or 0
        state_mj += _kept_mj(raw.battery, flow_mj)
        _check_epoch(raw, raw.battery, Stored(flow_mj, state_mj), spare_mj)
        states.append(Stored(flow_mj, state_mj))
    return tuple(states)


def _check_battery(battery: RawBattery) -> None:
    _require(battery.capacity_mj > 0, "`capacity_mj` must be at least 1")
    powers = min(battery.charge_mw, battery.discharge_mw)
    _require(powers > 0, "`charge_mw` and `discharge_mw` must be at least 1")
    _require(0 < battery.kept_ppm <= PPM, "`kept_ppm` must be 1 to 1,000,000")
    held = 0 <= battery.first_mj <= battery.capacity_mj
    _require(held, "`first_mj` must be 0 to `capacity_mj`")


def _check_epoch(raw: RawPlan, battery: RawBattery, now: Stored, spare_mj: int) -> None:
    most_in, most_out = battery.charge_mw * raw.epoch_s, battery.discharge_mw * raw.epoch_s
    _require(
        -most_out <= now.battery_mj <= most_in,
        "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`",
    )
    taken = min(spare_mj, 0) <= now.battery_mj <= max(spare_mj, 0)
    _require(taken, "`battery_mj` may only charge unused green energy or replace brown energy")
    _require(
        0 <= now.stored_mj <= battery.capacity_mj,
        "`battery_mj` must leave the stored energy at 0 to `capacity_mj`",
    )


def _kept_mj(battery: RawBattery, flow_mj: int) -> int:
    return flow_mj * battery.kept_ppm // PPM if flow_mj > 0 else flow_mj


def _largest_mj(raw: RawPlan, battery: RawBattery) -> int:
    """Largest energy that an epoch may use, produce, or move into or out of a battery."""
    drawn = sum(
        pool.servers * (pool.busy_mw * raw.epoch_s + 2 * pool.migration_mj) for pool in raw.pools
    )
    green_mw = max(epoch.green_mw for epoch in raw.epochs)
    return max(drawn, max(battery.charge_mw, battery.discharge_mw, green_mw) * raw.epoch_s)


def _spare_mj(raw: RawPlan) -> list[int]:
    """Green energy minus the energy of servers, by epoch."""
    busy = [[0] * len(raw.pools) for _ in raw.epochs]
    moved = [[0] * len(raw.pools) for _ in raw.epochs]
    for job in raw.jobs:
        first, places = job.spans[0].first_epoch, _places(raw, job)
        for number, held in enumerate(places):
            _add(busy[first + number], held)
        for number, (before, now) in enumerate(pairwise(places), first + 1):
            # A job that starts or ends moves nothing; the first epoch has no epoch before it.
            if any(now):
                _add(moved[number], _moves(before, now, raw.malleable is not None))
    return [
        epoch.green_mw * raw.epoch_s - _drawn_mj(raw, busy[number], moved[number])
        for number, epoch in enumerate(raw.epochs)
    ]


def _places(raw: RawPlan, job: RawJob) -> list[list[int]]:
    """Servers of a job by epoch, from its first to its last, then by pool."""
    start = job.spans[0].first_epoch
    end = max(span.first_epoch + span.epochs for span in job.spans)
    places = [[0] * len(raw.pools) for _ in range(start, end)]
    for pool, first_epoch, epochs, servers in job.spans:
        for epoch in range(first_epoch, first_epoch + epochs):
            places[epoch - start][pool] = servers
    return places


def _moves(before: Sequence[int], now: Sequence[int], is_malleable: bool) -> list[int]:
    """Servers by pool with a move of work; for malleable jobs also released servers."""
    taken = [max(0, held - had) for had, held in zip(before, now, strict=True)]
    given = [max(0, had - held) for had, held in zip(before, now, strict=True)]
    return given if is_malleable and sum(given) > sum(taken) else taken


def _add(row: list[int], more: Sequence[int]) -> None:
    for number, count in enumerate(more):
        row[number] += count


def _drawn_mj(raw: RawPlan, busy: Sequence[int], moved: Sequence[int]) -> int:
    drawn = 0
    for pool, here, moves in zip(raw.pools, busy, moved, strict=True):
        drawn_mw = here * pool.busy_mw + (pool.servers - here) * pool.asleep_mw
        drawn += drawn_mw * raw.epoch_s + moves * pool.migration_mj
    return drawn


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
