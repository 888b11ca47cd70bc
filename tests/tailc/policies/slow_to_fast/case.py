"""A slow-to-fast instance that compiles and verifies in some seconds."""

from __future__ import annotations

from math import log
from pathlib import Path

from tests.tailc import texts
from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: slow-to-fast
name: kit
slo: [{percentile: 95%, latency: 80ms}]
demand:
  trace: design.csv
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: slow
cores:
  power_from: micro-2017-amp
  types: [{speed: 1, count: 5}, {speed: 2, count: 2}]
server: {quantum: 5ms}
control: {epoch: 50 requests, window: 200 requests}
rates: [20/s, 80/s]
"""
REQUESTS = 400
MEAN_MS = 30
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("{speed: 2, count: 2}", "{speed: 1, count: 2}"),
    ("speed: 2, count: 2", "speed: 2, count: 0"),
    ("micro-2017-amp", "micro-2017-apm"),
    ("epoch: 50 requests", "epoch: 50"),
    ("epoch: 50 requests, window: 200", "epoch: 300 requests, window: 200"),
    ("kind: slow-to-fast", "kind: slow-to-fats"),
    ("latency: 80ms", "latency: 80"),
    ("  reference: slow\n", ""),
    ("reference: slow", "reference: medum"),
    ("types: [{speed: 1, count: 5}, {speed: 2, count: 2}]", "types: [{speed: 1, count: 5}]"),
)


def write(folder: Path, spec: str = SPEC) -> Case:
    """Exponential demand: the held-out quantiles lie half-way between those of the design."""
    case = Case(folder / "service.yaml", folder / "design.csv", folder / "heldout.csv")
    case.spec.write_text(spec)
    case.design.write_text(_trace(0.5))
    case.held_out.write_text(_trace(0.25))
    return case


def swapped(*changes: tuple[str, str]) -> str:
    """The spec with each (old, new) text replaced; every old text must be there once."""
    return texts.swapped(SPEC, *changes)


def _trace(offset: float) -> str:
    demands = [-MEAN_MS * log(1 - (i + offset) / REQUESTS) for i in range(REQUESTS)]
    return "demand_ms\n" + "".join(f"{demand:.3f}\n" for demand in demands)
