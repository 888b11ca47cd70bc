"""What deferral and robustness to forecast errors bring a plan of rigid jobs once the sun has come.

    TAILC_DATA=DATA python -m bench.plan_options

Jobs and sun are those of `bench.sla_days` on 11 racks, and all jobs are known. What is expected is
that the sun does as yesterday; scenarios are eight of the last 60 days' errors of that. Each plan
is made beforehand and then told what really came: racks are green from the greenest group on, as
far as the energy carries what the plan puts there. `plain` is the plan that users have today;
`deferred` may start jobs up to six hours later, `robust` plans for the scenarios, `both` does both.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.sla_cases import MOVE_MJ, SERVER_MW
from bench.sla_days import (
    DAYS,
    EPOCH_S,
    EPOCHS,
    RACK_SERVERS,
    RACKS,
    WORKLOADS,
    Said,
    jobs_of,
    sun,
    window_of,
)
from bench.timing import show
from tailc.forecasts.persistence import persistent_forecasts
from tailc.forecasts.scenarios import HISTORY_DAYS, scenarios
from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.forms.plan.plan import Plan, Terms
from tailc.forms.plan.plan_books import plan_books
from tailc.forms.plan.quote import RigidJob
from tailc.models.datacentre.supply import Supply
from tailc.models.datacentre.window import JobWindow
from tailc.models.rigid_jobs.jobs import rigid_jobs_of
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import ExpectedSupply, PlanMethod, PlanSearch, Weights
from tailc.problems.rigid_jobs import NamedJob, RacksProblem
from tailc.traces.series.resample import scale_series
from tailc.traces.series.series import SECONDS_PER_DAY

SIZE = 11
COUNT = 8
WAIT = 6 * 3_600 // EPOCH_S
TERMS = Terms(72_500, 60_000, 125_000)


@dataclass(frozen=True)
class Option:
    """What a plan may do, and what it knows."""

    waits: bool
    scenarios: bool


OPTIONS = {
    "plain": Option(waits=False, scenarios=False),
    "deferred": Option(waits=True, scenarios=False),
    "robust": Option(waits=False, scenarios=True),
    "both": Option(waits=True, scenarios=True),
}


def main() -> None:
    """Print the table."""
    folder = os.environ.get("TAILC_DATA")
    if folder is None:
        sys.exit("TAILC_DATA is the folder with the logs of jobs and the sun")
    title = ["log, days", "plan", "expected $", "came $", "brown kWh", "green kWh"]
    show([*title, "placed", "missed"], rows(Path(folder)))


def rows(data: Path) -> Iterator[list[str]]:
    """Of each log, kind of day and option."""
    for workload in WORKLOADS:
        for day in DAYS:
            jobs = jobs_of(data, workload, SIZE)
            window = window_of(data, jobs, day, SIZE / RACKS, Said("yesterday"))
            others = ways(data, window)
            for name, option in OPTIONS.items():
                asked = problem(window, others, option)
                yield [f"{workload}, {day}", name, *comparison_row(asked, window.supply)]


def ways(data: Path, window: JobWindow) -> np.ndarray:
    """Scenarios of the window; int64 (scenarios, epochs) [mW]."""
    power = scale_series(sun(data), SIZE / RACKS)
    first = (window.start_unix_s - power.start_unix_s) // EPOCH_S
    days = min(HISTORY_DAYS, first // (SECONDS_PER_DAY // EPOCH_S) - 1)
    issue = first - SECONDS_PER_DAY // EPOCH_S * np.arange(days, -1, -1)
    made = persistent_forecasts(power, issue, EPOCHS, SECONDS_PER_DAY)
    return np.rint(scenarios(power, made, days, COUNT, seed=1) * 1_000).astype(np.int64)


def problem(window: JobWindow, others: np.ndarray, option: Option) -> RacksProblem:
    """The jobs of the window on what was expected at its start."""
    ahead = window.expected.ahead(0, EPOCHS)
    columns = (ahead.green_mw, ahead.brown_udollars_per_kwh, ahead.brown_mg_per_kwh)
    supply = ExpectedSupply(*columns, others if option.scenarios else others[:0])
    jobs = (_named(one, option) for one in rigid_jobs_of(window))
    return RacksProblem(
        start_unix_s=window.start_unix_s,
        epoch_s=EPOCH_S,
        racks=SIZE,
        rack_servers=RACK_SERVERS,
        busy_mw=SERVER_MW,
        asleep_mw=0,
        migration_mj=MOVE_MJ,
        supply=supply,
        terms=TERMS,
        jobs=tuple(job for job in jobs if job is not None),
        expected=(),
        search=PlanSearch(PlanMethod.ARRIVAL),
        weights=Weights(),
    )


def _named(one, option: Option) -> NamedJob | None:
    first = -(-one.submit_s // EPOCH_S)
    epochs = min(one.epochs(EPOCH_S), EPOCHS - first)
    if epochs <= 0:
        return None
    wait = min(WAIT, EPOCHS - first - epochs) if option.waits else 0
    return NamedJob(f"job-{one.number}", RigidJob(first, epochs, one.width, one.green_ppm), wait)


def comparison_row(asked: RacksProblem, came: Supply) -> list[str]:
    """What the plan expected, and what it brought."""
    found = solve_for_racks(asked)
    books = plan_books(when_it_came(found.plan, came))
    missed = sum(one.green_slots < one.promised_slots for one in books.jobs)
    ledger = books.ledger
    return [
        f"{float(plan_books(found.plan).profit_udollars) / 1e6:,.0f}",
        f"{float(books.profit_udollars) / 1e6:,.0f}",
        f"{ledger.brown_mj / MJ_PER_KWH:,.0f}",
        f"{ledger.green_used_mj / MJ_PER_KWH:,.0f}",
        f"{found.admitted} of {len(asked.jobs)}",
        str(missed),
    ]


def when_it_came(plan: Plan, came: Supply) -> Plan:
    """The plan under the sun that came, its groups green as far as that carries them."""
    drawn = np.array(plan.drawn_mj).T
    green_mw = came.green_mw[: len(plan.epochs)]
    reach = np.cumsum(drawn[::-1], axis=0)
    green = (reach <= green_mw * plan.epoch_s).sum(axis=0)
    epochs = tuple(
        replace(epoch, green_mw=int(mw), first_green_pool=len(plan.pools) - int(count))
        for epoch, mw, count in zip(plan.epochs, green_mw, green, strict=True)
    )
    return replace(plan, epochs=epochs)


if __name__ == "__main__":
    main()
