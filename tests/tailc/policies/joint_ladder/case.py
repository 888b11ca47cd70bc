"""A joint instance that compiles and verifies in a second."""

from __future__ import annotations

from math import log
from pathlib import Path

from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: joint-ladder
name: kit
slo: [{percentile: 95%, latency: 110ms}]
demand:
  trace: design.csv
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: slow
speedup: [1, 1.8, 2.4]
cores:
  power_from: micro-2017-dvfs
  dvfs: {count: 16, levels: [{name: slow, speed: 1}, {name: fast, speed: 2}]}
server: {peak_power: 27.2, quantum: 5ms}
rates: [60/s]
"""
BY_FORMULA = f"{SPEC}search: {{method: dual}}\n"
REQUESTS = 400
MEAN_MS = 30
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("levels: [{name: slow, speed: 1}, {name: fast, speed: 2}]", "levels: []"),
    ("speed: 2", "speed: .nan"),
    ("speed: 2", "speed: -2"),
    ("name: fast", "name: slow"),
    ("micro-2017-dvfs", "micro-2016"),
    ("peak_power: 27.2", "peak_power: 0"),
    ("count: 16", "count: 1.5"),
    ("quantum: 5ms}", "quantum: 5 m}"),
    ("reference: slow", "reference: slwo"),
)


def write(folder: Path, spec: str = BY_FORMULA) -> Case:
    """Exponential demand: the held-out quantiles lie half-way between those of the design."""
    case = Case(folder / "service.yaml", folder / "design.csv", folder / "heldout.csv")
    case.spec.write_text(spec)
    case.design.write_text(_trace(0.5))
    case.held_out.write_text(_trace(0.25))
    return case


def _trace(offset: float) -> str:
    demands = [-MEAN_MS * log(1 - (i + offset) / REQUESTS) for i in range(REQUESTS)]
    return "demand_ms\n" + "".join(f"{demand:.3f}\n" for demand in demands)
