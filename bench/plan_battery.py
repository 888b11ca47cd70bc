"""What a battery saves beside rigid jobs, on two logs and three kinds of days.

    TAILC_DATA=DATA python -m bench.plan_battery

Jobs and sun are those of `bench.sla_days`, with twice the panels, placed by first fit. Brown energy
costs 10.55 cents a kWh, a half more from noon to 20:00, and a half less from 22:00 to 6:00.
Batteries keep 85 %, take or give all in four hours, are empty at first, and hold what servers draw
at peak for so long; 10 minutes is what datacentres have anyway (Haque, Rutgers 2016, appendix A).

Told is the share of the price of brown energy that is saved: by a battery that gives whenever it
can, by one that keeps its energy for the prices at which the best schedule gives, and by that
schedule, which knows what comes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from tailc_solvers.green.battery import BatteryLimits, Dispatch, dispatch

from bench.sla_cases import MOVE_MJ, SERVER_MW
from bench.sla_days import (
    DAYS,
    EPOCH_S,
    MIDNIGHT_S,
    RACK_SERVERS,
    RACKS,
    WORKLOADS,
    Said,
    jobs_of,
    window_of,
)
from bench.timing import show
from tailc.forms.plan.battery import Battery
from tailc.forms.plan.ledger import MJ_PER_KWH, LedgerEntry, ledger_of
from tailc.forms.plan.plan import Terms
from tailc.models.datacentre.storage import Storage
from tailc.models.datacentre.supply import Supply
from tailc.models.datacentre.window import JobWindow
from tailc.models.rigid_jobs.baselines.first_fit import FirstFit
from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import rigid_jobs_of
from tailc.models.rigid_jobs.site import Site
from tailc.problems.bridging import battery_energy_mj

PANELS = 2.0
MINUTES = (10, 60, 240)
KEPT_PPM = 850_000
HOURS_TO_FILL = 4
BASE = 105_500
# By hour of the day at home.
TARIFF = {
    hour: BASE * 3 // 2 if 12 <= hour < 20 else BASE // 2 if hour < 6 or hour >= 22 else BASE
    for hour in range(24)
}
SITE = Site(RACKS, RACK_SERVERS, SERVER_MW, 0, MOVE_MJ, EPOCH_S, Terms(0, 0, 0))


def main() -> None:
    """Print the table."""
    folder = os.environ.get("TAILC_DATA")
    if folder is None:
        sys.exit("TAILC_DATA is the folder with the logs of jobs and the sun")
    title = ["log, days", "kWh", "brown kWh", "brown $", "left kWh"]
    show([*title, "always", "threshold", "best", "best, ms"], rows(Path(folder)))


def rows(data: Path) -> Iterator[list[str]]:
    """Of each log, kind of day and size."""
    for workload in WORKLOADS:
        for day in DAYS:
            window = window_of(data, jobs_of(data, workload, RACKS), day, PANELS, Said("known"))
            window = replace(window, supply=priced(window))
            for minutes in MINUTES:
                yield [f"{workload}, {day}", *row(window, minutes)]


def priced(window: JobWindow) -> Supply:
    """The supply at the tariff."""
    supply = window.supply
    seconds = window.start_unix_s - MIDNIGHT_S + EPOCH_S * np.arange(supply.epochs)
    hours = (seconds // 3_600 % 24).tolist()
    return replace(supply, brown_udollars_per_kwh=np.array([TARIFF[hour] for hour in hours]))


def row(window: JobWindow, minutes: int) -> list[str]:
    """What batteries of that size save."""
    capacity_mj = battery_energy_mj(SITE.servers * SERVER_MW, minutes * 60)
    power_mw = capacity_mj // (HOURS_TO_FILL * 3_600)
    battery = Battery(capacity_mj, power_mw, power_mw, KEPT_PPM, 0)
    plain = replayed(window, None)
    started = perf_counter()
    best = best_of(battery, plain)
    took_s = perf_counter() - started
    price = window.supply.brown_udollars_per_kwh
    threshold = int(price[best.discharged_mj > 0].min(initial=int(price.max())))
    books = ledger_of(plain)
    told = [capacity_mj, books.brown_mj, books.brown_udollars, books.spilled_mj]
    scales = [MJ_PER_KWH, MJ_PER_KWH, 1_000_000, MJ_PER_KWH]
    saved = [
        float(books.brown_udollars - ledger_of(replayed(window, rule)).brown_udollars)
        for rule in (Storage(battery), Storage(battery, threshold))
    ]
    saved.append(best.value / MJ_PER_KWH)
    shares = [f"{100 * one / float(books.brown_udollars):.1f} %" for one in saved]
    plainly = [f"{float(one) / scale:,.1f}" for one, scale in zip(told, scales, strict=True)]
    return [*plainly, *shares, f"{took_s * 1_000:.1f}"]


def replayed(window: JobWindow, storage: Storage | None) -> tuple[LedgerEntry, ...]:
    """The books of first fit."""
    site = replace(SITE, storage=storage)
    jobs = rigid_jobs_of(window)
    return replay_rigid(site, window.supply, window.expected, jobs, FirstFit()).entries


def best_of(battery: Battery, plain: tuple[LedgerEntry, ...]) -> Dispatch:
    """The schedule on what came."""
    limits = BatteryLimits(
        battery.capacity_mj,
        battery.charge_mw * EPOCH_S,
        battery.discharge_mw * EPOCH_S,
        battery.kept_ppm,
    )
    demand_mj, green_mj, price = (
        np.array([getattr(one, name) for one in plain], np.int64)
        for name in ("demand_mj", "green_mj", "brown_udollars_per_kwh")
    )
    return dispatch(limits, demand_mj, green_mj, price)


if __name__ == "__main__":
    main()
