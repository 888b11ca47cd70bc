"""A few-to-many instance that compiles and verifies in a second."""

from __future__ import annotations

from math import log
from pathlib import Path

from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: few-to-many
name: kit
slo: [{percentile: 95%, latency: 150ms}]
demand:
  trace: design.csv
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: one thread
speedup: [1, 1.8, 2.4]
server: {cores: 4, target_parallelism: 6, quantum: 5ms}
search: {method: grid, step: 20ms}
rates: [60/s]
"""
REQUESTS = 400
MEAN_MS = 30
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("search: {method: grid, step: 20ms}", "search: {diurnal: [1, .nan]}"),
    ("search: {method: grid, step: 20ms}", "search: {diurnal: [1, much]}"),
    ("search: {method: grid, step: 20ms}", "search: {step: 20ms, goal: queue}"),
)


def write(folder: Path) -> Case:
    """Exponential demand: the held-out quantiles lie half-way between those of the design."""
    case = Case(folder / "service.yaml", folder / "design.csv", folder / "heldout.csv")
    case.spec.write_text(SPEC)
    case.design.write_text(_trace(0.5))
    case.held_out.write_text(_trace(0.25))
    return case


def _trace(offset: float) -> str:
    demands = [-MEAN_MS * log(1 - (i + offset) / REQUESTS) for i in range(REQUESTS)]
    return "demand_ms\n" + "".join(f"{demand:.3f}\n" for demand in demands)
