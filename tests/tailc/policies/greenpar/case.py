"""A greenpar instance that compiles in a second or two."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: greenpar
name: kit
jobs:
  trace: jobs.csv
  columns: {submit: at_h, submit_unit: h, run: run_h, run_unit: h, width: servers}
  at_start: 48h
  applications: {FT: 2, IS: 1}
supply:
  green: [{trace: roof.csv, column: w, unit: W}]
  price: {trace: roof.csv, column: price, unit: c/kWh}
  carbon: 384g/kWh
  forecast: {method: yesterday}
horizon: {start: "2020-06-03T06:00Z", epoch: 30min, length: 12h, known_jobs: all, learn_from: 2}
cluster: {servers: 10, busy: 30W, asleep: 1W, change: 600J}
"""
FIRST, BEFORE = "2020-06-03T06:00Z", "2020-06-02T06:00Z"
DAYS = 8
JOBS_A_DAY = 6
PEAK_W = 300.0
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("servers: 10", "servers: ten"),
    ("change: 600J", "change: -600J"),
    ("FT: 2, IS: 1", "FT: 0, IS: 0"),
    ("epoch: 30min", "epoch: 7min"),
    ("length: 12h", "length: 12"),
    ('start: "2020-06-03T06:00Z"', 'start: "2020-06-03T06:00"'),
    ('start: "2020-06-03T06:00Z"', 'start: "3 June"'),
    ("learn_from: 2", "learn_from: -2"),
    ("known_jobs: all", "known_jobs: everything"),
    ("run_unit: h", "run_unit: hours"),
    ("unit: W}]", "unit: V}]"),
)


def write(folder: Path) -> Case:
    """Eight days of half a sine of sun and of jobs by day; the third is planned.

    Held out are the spec's own days after its plan; where a spec begins a day earlier, the first of
    those is what this one was made for.
    """
    case = Case(folder / "service.yaml", folder / "design.yaml", folder / "heldout.yaml")
    case.spec.write_text(SPEC)
    case.held_out.write_text(SPEC)
    case.design.write_text(SPEC.replace("at_start: 48h", "at_start: 24h").replace(FIRST, BEFORE))
    (folder / "jobs.csv").write_text(jobs(1))
    (folder / "roof.csv").write_text(roof())
    return case


def roof() -> str:
    """Sun from 6 to 18 h, and a price that is higher by day."""
    lines = ["time,w,price"]
    for hour in range(24 * DAYS):
        sun = max(0.0, PEAK_W * math.sin((hour % 24 - 6) / 12 * math.pi))
        price = 15 if 8 <= hour % 24 < 20 else 9
        lines.append(f"2020-06-{1 + hour // 24:02}T{hour % 24:02}:00Z,{sun:.1f},{price}")
    return "\n".join(lines) + "\n"


def jobs(seed: int) -> str:
    """Some jobs a day, submitted from 5 to 17 h; second 0 is at 6 h of the first day."""
    rng = Random(seed)
    rows = []
    for day in range(DAYS):
        for _ in range(JOBS_A_DAY):
            at_h = 24 * day - 1 + 12 * rng.random()
            rows.append((max(at_h, 0.0), 0.4 + 2 * rng.random(), rng.choice([1, 1, 2, 4])))
    lines = ["at_h,run_h,servers", *(f"{a:.4f},{r:.4f},{w}" for a, r, w in sorted(rows))]
    return "\n".join(lines) + "\n"
