"""An autopro instance that compiles at once and verifies in a second."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: autopro
name: kit
throughput:
  trace: design.csv
  unit: ms
  reference: a host of the kit
machines:
  - {name: encoder, target: 20/s}
  - {name: pricer, target: 30%}
batch: [nightly]
"""
STEP_MS = 750
STEPS = 160
# a, b in work a second for the whole host, noise of a step.
MACHINES = {"encoder": (0.2, 48.0, 0.02), "pricer": (0.05, 900.0, 0.01)}
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("target: 20/s", "target: 20"),
    ("target: 20/s", "goal: 20/s"),
    ("{name: pricer", "{name: encoder"),
    ("batch: [nightly]", "batch: [encoder]"),
    ("unit: ms", "unit: min"),
    ("  reference: a host of the kit\n", ""),
    ("throughput:\n  trace: design.csv", "throughput:\n  column: work"),
    ("target: 30%", "target: fast"),
    ("target: 30%", "target: 120%"),
)


def write(folder: Path) -> Case:
    """Throughput of two machines whose shares are drawn anew at every step."""
    case = Case(folder / "service.yaml", folder / "design.csv", folder / "heldout.csv")
    case.spec.write_text(SPEC)
    case.design.write_text(_trace(1))
    case.held_out.write_text(_trace(2))
    return case


def _trace(seed: int) -> str:
    rng = Random(seed)
    lines = ["time,machine,throughput,share"]
    now = {name: b / 2 / (1 - a) for name, (a, b, _) in MACHINES.items()}
    for step in range(1, STEPS + 1):
        for name, (a, b, noise) in MACHINES.items():
            share = rng.uniform(0.1, 0.6)
            now[name] = (a * now[name] + b * share) * (1 + rng.uniform(-noise, noise))
            lines.append(f"{step * STEP_MS},{name},{now[name]:.4f},{share:.4f}")
    return "\n".join(lines) + "\n"
