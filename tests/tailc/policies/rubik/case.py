"""A rubik instance that compiles and verifies in a second or two."""

from __future__ import annotations

from math import log
from pathlib import Path

from tests.tailc import texts
from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: rubik
name: kit
slo: [{percentile: 95%, latency: 3ms}]
demand:
  trace: design.csv
  cycles: cycles
  clock: 2.4GHz
  memory: memory_us
  unit: us
  reference: a core
server:
  cores: 2
  range: {from: 0.8GHz, to: 3.4GHz, step: 0.2GHz, power: {static: 0.5W, dynamic: 6W, at: 2.4GHz}}
  sleep: {power: 0.1W, wake: 20us}
feedback: {epoch: 20ms, window: 80ms}
search: {method: paper}
rates: [500/s, 2000/s]
"""
REQUESTS = 400
MEAN_CYCLES = 600_000
MEMORY_US = 50
# Shares no factor with the number of requests, so that memory goes with no length of cycles.
STRIDE = 129
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("clock: 2.4GHz", "clock: 2.4"),
    ("clock: 2.4GHz", "clock: 2400ms"),
    ("from: 0.8GHz, to: 3.4GHz", "from: 3.4GHz, to: 0.8GHz"),
    ("step: 0.2GHz", "step: 0.7GHz"),
    ("at: 2.4GHz", "at: 24GHz"),
    ("wake: 20us", "wake: 20"),
    ("epoch: 20ms, window: 80ms", "epoch: 80ms, window: 20ms"),
    ("  memory: memory_us\n", ""),
    ("  cycles: cycles\n", "  column: demand_ms\n"),
    ("rates: [500/s, 2000/s]", "rates: 500/s"),
)


def write(folder: Path, spec: str = SPEC) -> Case:
    """Exponential cycles, and memory times that are even up to twice their mean.

    The held-out quantiles of cycles lie half-way between those of the design.
    """
    case = Case(folder / "service.yaml", folder / "design.csv", folder / "heldout.csv")
    case.spec.write_text(spec)
    case.design.write_text(_trace(0.5))
    case.held_out.write_text(_trace(0.25))
    return case


def swapped(*changes: tuple[str, str]) -> str:
    """The spec with each (old, new) text replaced; every old text must be there once."""
    return texts.swapped(SPEC, *changes)


def _trace(offset: float) -> str:
    cycles = [-MEAN_CYCLES * log(1 - (i + offset) / REQUESTS) for i in range(REQUESTS)]
    memory_us = [2 * MEMORY_US * (i * STRIDE % REQUESTS) / REQUESTS for i in range(REQUESTS)]
    rows = zip(cycles, memory_us, strict=True)
    return "cycles,memory_us\n" + "".join(f"{c:.0f},{m:.3f}\n" for c, m in rows)
