"""An elfen instance that compiles and verifies in some seconds."""

from __future__ import annotations

from math import log
from pathlib import Path

from tests.tailc import texts
from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: elfen
name: kit
slo: [{percentile: 99%, latency: 80ms}]
demand:
  trace: design.csv
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: a core whose other lane is idle
server: {cores: 1}
lanes: {interference: 45%}
policy: fixed
budget: by-load
rates: [20/s, 60/s]
"""
REQUESTS = 500
MEAN_MS = 6
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("interference: 45%", "interference: 100%"),
    ("interference: 45%", "interference: 0.45"),
    ("policy: fixed", "policy: borrow"),
    ("budget: by-load", "budget: 5"),
    ("cores: 1", "cores: none"),
    ("rates: [20/s, 60/s]", "rates: [60/s, 60/s]"),
    ("lanes: {interference: 45%}", "lanes: {}"),
    ("percentile: 99%", "percentile: p99"),
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
