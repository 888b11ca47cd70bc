"""Tuned PI and PID controllers next to SIMC, AMIGO and Ziegler-Nichols, on public plants.

    python -m bench.pid_tuners [--quick]

The plants are of the test batch of Astrom and Hagglund (Revisiting the Ziegler-Nichols step
response method for PID control, Journal of Process Control 14, 2004, eq. 3; most of them are in
their Benchmark systems for PID control, IFAC PID 2000). For each plant and rule ours is tuned with
the rule's own maximum sensitivity for a limit, and with the rule's ITAE and IAE for two more, since
two measures have no one best: `worst` is the larger of the two ratios of ours to the rule's, at
most 1 where ours is no worse on either. All controllers have one degree of freedom and the same
filter of the derivative. A rule that makes an unstable loop is left out.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from tailc_solvers.control.margins import LoopMargins, UnstableLoopError, loop_margins
from tailc_solvers.control.plant import Plant, lag
from tailc_solvers.control.rules import RULES, ParallelGains
from tailc_solvers.control.tune import LoopLimits, NoTuningError, Structure, tune

from bench.timing import end, show, wanted

AIM_MS = 20.0
DEFAULT_LIMIT = 1.6
REPEATS = 9


def batch() -> dict[str, Plant]:
    """Plants by the letters of the paper's table."""
    found = {f"P1 e^-s/(1+{t:g}s)": lag(1, [t], 1) for t in (0.02, 0.1, 0.5, 1, 3, 10, 100)}
    found |= {f"P2 e^-s/(1+{t:g}s)^2": lag(1, [t, t], 1) for t in (0.05, 0.3, 1, 5, 50)}
    found |= {f"P3 1/((s+1)(1+{t:g}s)^2)": lag(1, [1, t, t]) for t in (0.05, 0.3, 2, 10)}
    found |= {f"P4 1/(s+1)^{n}": lag(1, [1] * n) for n in (3, 4, 5, 6, 8)}
    found |= {
        f"P5 lags 1, {a:g}, {a**2:.3g}, {a**3:.3g}": lag(1, [1, a, a**2, a**3])
        for a in (0.1, 0.3, 0.5, 0.9)
    }
    found |= {
        f"P6 e^-{d:g}s/(s(1+{1 - d:g}s))": Plant((1.0,), (1 - d, 1.0, 0.0), d)
        for d in (0.05, 0.3, 0.7, 0.9)
    }
    found |= {
        f"P8 (1-{a:g}s)/(s+1)^3": Plant((-a, 1.0), (1.0, 3.0, 3.0, 1.0)) for a in (0.1, 0.5, 1.1)
    }
    found |= {
        f"P9 1/((s+1)(({t:g}s)^2+{1.4 * t:.3g}s+1))": Plant(
            (1.0,), (t * t, 1.4 * t + t * t, 1 + 1.4 * t, 1.0)
        )
        for t in (0.1, 0.3, 0.6, 1.0)
    }
    return found


@dataclass(frozen=True)
class Duel:
    """A rule's loop, and ours with no less robustness; None where the rule's is not stable."""

    rule: LoopMargins | None
    ours: LoopMargins | None

    @property
    def worst(self) -> float:
        if self.rule is None or self.ours is None:
            return float("nan")
        ours, rule = self.ours.performance, self.rule.performance
        return max(ours.itae_setpoint / rule.itae_setpoint, ours.iae_load / rule.iae_load)


def duel(plant: Plant, structure: Structure, gains: ParallelGains | None) -> Duel:
    try:
        rule = loop_margins(plant, *gains) if gains else None
    except UnstableLoopError:
        rule = None
    if rule is None or gains is None:
        return Duel(None, None)
    performed = rule.performance
    limits = LoopLimits(
        max_sensitivity=rule.robustness.max_sensitivity,
        itae_setpoint=performed.itae_setpoint,
        iae_load=performed.iae_load,
    )
    return Duel(rule, tune(plant, structure, limits, start=gains)[1])


def seconds_of_tuning(plant: Plant, structure: Structure) -> float:
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        tune(plant, structure, LoopLimits(DEFAULT_LIMIT))
        times.append(time.process_time() - begun)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="every third plant")
    plants = batch()
    if parser.parse_args().quick:
        plants = dict(list(plants.items())[::3])
    for structure in ("pi", "pid"):
        tune(next(iter(plants.values())), structure, LoopLimits(DEFAULT_LIMIT))  # compiles
        show(_HEAD, [_line(name, plant, structure) for name, plant in plants.items()])
    end()


_HEAD = [
    "plant",
    *("ours, Ms 1.6: ITAE", "IAE", "ms"),
    *("SIMC: Ms", "ITAE", "IAE", "worst"),
    *("AMIGO: Ms", "ITAE", "IAE", "worst"),
    *("ZN: Ms", "ITAE", "IAE", "worst"),
]


def _line(name: str, plant: Plant, structure: Structure) -> list[str]:
    cells = [name]
    try:
        ours = tune(plant, structure, LoopLimits(DEFAULT_LIMIT))[1].performance
        taken_ms = 1e3 * seconds_of_tuning(plant, structure)
        speed = wanted(AIM_MS / taken_ms, 1.0)
        cells += [f"{ours.itae_setpoint:.3g}", f"{ours.iae_load:.3g}", f"{taken_ms:.1f} ({speed})"]
    except NoTuningError as error:
        cells += [str(error), "", ""]
    for rule, ruled in RULES.items():
        found = duel(plant, structure, ruled(plant, structure))
        if found.rule is None:
            cells += ["-", "", "", ""]
            continue
        performed = found.rule.performance
        worst = f"{found.worst:.3f}"
        if rule != "Ziegler-Nichols":
            worst = f"{found.worst:.3f}" if wanted(1.0005 / found.worst, 1.0) else ""
        cells += [
            f"{found.rule.robustness.max_sensitivity:.2f}",
            f"{performed.itae_setpoint:.3g}",
            f"{performed.iae_load:.3g}",
            worst,
        ]
    return cells


if __name__ == "__main__":
    main()
