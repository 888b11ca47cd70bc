"""How long a plan of jobs takes to be made again from its state, and with how much memory.

    python -m bench.replan_times [SITE...]

Each row is a generated site: racks of 16 servers for rigid jobs, or servers for malleable ones,
half busy on average, with a perfect forecast. A plan of the whole horizon is carried out for an
hour and then made again. Times are processor seconds of the new plan, of all processes, without
reading files; memory is the peak of the largest process, over both plans.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from bench.timing import cpu_seconds, show
from tailc.forecasts.days import Days, Energy
from tailc.forms.plan.state import CarriedOutPlan, Events
from tailc.pipeline.solve import solve
from tailc.policies import KINDS
from tailc.problems.resumption import resumption_of
from tailc.traces.jobs.log import Applications, JobLog
from tailc.traces.series.series import SeriesQuantity, of_values

EPOCH_S, DAY_S, HOUR_S = 900, 86_400, 3_600
START_S = 1_591_056_000
RACK_SERVERS = 16
SPANS = 3
"""Spans before the plan that prices are learned from, as by default."""


@dataclass(frozen=True)
class Made:
    """A site: its kind, racks or servers, days of the plan, and jobs of each day."""

    kind: str
    size: int
    days: int
    jobs_a_day: int


SITES = {
    "42 racks, 2 days": Made("green-sla", 42, 2, 50),
    "1,000 racks, 7 days": Made("green-sla", 1_000, 7, 50),
    "50 servers, 26 jobs a day": Made("greenpar", 50, 1, 26),
    "200 servers, 113 jobs a day": Made("greenpar", 200, 1, 113),
}


def main() -> None:
    """Print the table, or one row of it in a process of its own."""
    if sys.argv[1:2] == ["--one"]:
        print(*_measured(SITES[sys.argv[2]]), sep=";")
        return
    title = ["site", "jobs planned again", "first plan s", "new plan s", "peak MB", "gap %"]
    show(title, _rows(sys.argv[1:] or list(SITES)))


def _rows(names: list[str]) -> Iterator[list[str]]:
    for name in names:
        command = [sys.executable, "-m", "bench.replan_times", "--one", name]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        yield [name, *answer.stdout.strip().split(";")]


def _measured(made: Made) -> tuple[str, ...]:
    kind = KINDS[made.kind]
    spec = kind.spec_model.model_validate(_spec(made))
    days = _days(made)
    begun = cpu_seconds()
    whole: Any = solve(kind.reduce(spec, days), 1)
    first_s = cpu_seconds() - begun
    passed = HOUR_S // EPOCH_S
    state = CarriedOutPlan(whole.plan).state_after(passed, Events())
    resumption = resumption_of(state, whole.plan)
    begun = cpu_seconds()
    problem = kind.resume(spec, replace(days, first=days.first + passed), resumption)
    again: Any = solve(problem, 1)
    again_s = cpu_seconds() - begun
    users = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    peak_mb = max(resource.getrusage(one).ru_maxrss for one in users) / 1_024
    gap = "-" if again.bound is None else f"{abs(again.bound / again.value - 1) * 100:.2f}"
    return str(len(problem.jobs)), f"{first_s:.2f}", f"{again_s:.2f}", f"{peak_mb:.0f}", gap


def _spec(made: Made) -> dict[str, object]:
    common: dict[str, object] = {
        "apiVersion": "tailc/v1",
        "kind": made.kind,
        "name": "site",
        "jobs": {"trace": "jobs.swf", "applications": {"FT": 1}},
        "supply": {"green": [{"trace": "r", "column": "w", "unit": "W"}], "price": "10c/kWh"},
        "horizon": {"start": "2020-06-05T00:00Z", "length": f"{24 * made.days}h"},
    }
    if made.kind == "greenpar":
        return common | {"cluster": {"servers": made.size, "busy": "30W", "change": "600J"}}
    del common["jobs"]
    return common | {
        "jobs": {"trace": "jobs.swf"},
        "datacentre": {
            "racks": made.size,
            "servers": RACK_SERVERS,
            "busy": "140W",
            "asleep": "7W",
            "migration": "2.5kJ",
        },
        "terms": {"green": "29c/h", "brown": "24c/h", "penalty": "150c/h"},
    }


def _days(made: Made) -> Days:
    rng, day = Random(1), DAY_S // EPOCH_S
    before = SPANS * made.days
    steps = (before + made.days + 1) * day
    servers = made.size * (RACK_SERVERS if made.kind == "green-sla" else 1)
    watts = servers * (140 if made.kind == "green-sla" else 30)
    hours = np.arange(steps) * EPOCH_S / HOUR_S % 24
    clouds = np.array([rng.uniform(0.5, 1) for _ in range(steps)])
    sun = watts * np.maximum(0, np.sin((hours - 6) / 12 * np.pi)) * clouds
    price = np.where((hours >= 16) & (hours < 21), 0.16, 0.095)
    power, price, carbon = (
        of_values(quantity, START_S, EPOCH_S, values, "made")
        for quantity, values in (
            (SeriesQuantity.POWER, sun),
            (SeriesQuantity.PRICE, price),
            (SeriesQuantity.CARBON, np.full(steps, 400.0)),
        )
    )
    energy = Energy(power, price, carbon)
    epochs = made.days * day
    return Days(_jobs(made, rng, servers), energy, before * day, epochs, np.zeros((0, epochs)))


def _jobs(made: Made, rng: Random, servers: int) -> JobLog:
    """Jobs over all days, which keep half of the servers busy."""
    days = (SPANS + 1) * made.days
    count = days * made.jobs_a_day
    submit = sorted(rng.randrange(days * DAY_S) for _ in range(count))
    run_s = [round(rng.uniform(0.5, 7.5) * HOUR_S) for _ in submit]
    mean_width = servers * DAY_S / (2 * made.jobs_a_day * 4 * HOUR_S)
    widths = [max(1, min(servers, round(mean_width * rng.uniform(0.2, 1.8)))) for _ in submit]
    if made.kind == "greenpar":
        widths = [2 ** rng.randint(0, 4) for _ in submit]
    return JobLog(
        number=np.arange(1, count + 1),
        submit_s=np.array(submit),
        run_s=np.array(run_s),
        width=np.array(widths),
        requested_s=np.zeros(count, np.int64),
        source="made",
        green_ppm=np.array([rng.choice([0, 250_000, 500_000, 1_000_000]) for _ in submit]),
        applications=Applications(("FT",), np.zeros(count, np.int64)),
    )


if __name__ == "__main__":
    main()
