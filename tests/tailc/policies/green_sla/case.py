"""A green-sla instance that compiles in a second or two."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

from tests.tailc.policies.cases import Case

DAYS = """\
apiVersion: tailc/v1
kind: {kind}
jobs:
  trace: jobs.csv
  columns: {{submit: at_s, run: run_s, width: servers}}
  at_start: {at_start}
  green: {{seed: 3}}
supply:
  green: [{{trace: roof.csv, column: w, unit: W}}]
  price: 10.55c/kWh
  carbon: 384g/kWh
  forecast: {{method: yesterday}}
horizon: {horizon}
"""
POLICY = """\
name: kit
datacentre: {racks: 5, servers: 4, busy: 140W, asleep: 7W, migration: 2500J}
terms: {green: 29c/h, brown: 24c/h, penalty: 50c/h}
"""
# The log begins with the series, and the plan is of the fourth day.
DAYS_OF_LOG = 12
DAY_S = 86_400
JOBS_A_DAY = 9
PEAK_W = 3_000.0
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("racks: 5", "racks: 0"),
    ("busy: 140W", "busy: 140"),
    ("busy: 140W", "busy: 5W"),
    ("migration: 2500J", "migration: 2500W"),
    ("green: 29c/h", "green: 29c"),
    ("price: 10.55c/kWh", "price: 10.55"),
    ("carbon: 384g/kWh", "carbon: 384kg"),
    ("method: yesterday", "method: tomorrow"),
    ("width: servers", "with: servers"),
    ("seed: 3", "seed: three"),
)


def write(folder: Path) -> Case:
    """Twelve days of sun and jobs; the fourth is planned from the three before."""
    case = Case(folder / "service.yaml", folder / "design.yaml", folder / "heldout.yaml")
    planned = '{start: "2020-06-04T00:00Z", epoch: 30min, length: 24h}'
    days = DAYS.format(kind="green-sla", at_start="72h", horizon=planned)
    case.spec.write_text(days + POLICY)
    same = '{start: "2020-06-04T00:00Z"}'
    case.design.write_text(DAYS.format(kind="days", at_start="72h", horizon=same))
    later = '{start: "2020-06-05T00:00Z"}'
    case.held_out.write_text(DAYS.format(kind="days", at_start="96h", horizon=later))
    (folder / "jobs.csv").write_text(jobs(1))
    (folder / "roof.csv").write_text(roof())
    return case


def jobs(seed: int) -> str:
    """Some jobs a day at any time, a few of which run over midnight."""
    rng = Random(seed)
    rows = [
        (int(day * DAY_S + rng.random() * DAY_S), rng.randint(1_000, 40_000), rng.choice([1, 2, 5]))
        for day in range(DAYS_OF_LOG)
        for _ in range(JOBS_A_DAY)
    ]
    return "\n".join(["at_s,run_s,servers", *(f"{a},{r},{w}" for a, r, w in sorted(rows))]) + "\n"


def roof() -> str:
    """Sun from 6 to 18 h, each day under other clouds."""
    rng = Random(7)
    lines = ["time,w"]
    for day in range(DAYS_OF_LOG):
        clear = rng.uniform(0.4, 1.0)
        for hour in range(24):
            sun = max(0.0, PEAK_W * clear * math.sin((hour - 6) / 12 * math.pi))
            lines.append(f"2020-06-{1 + day:02}T{hour:02}:00Z,{sun:.1f}")
    return "\n".join(lines) + "\n"
