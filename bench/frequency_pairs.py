"""Where climbing ends, next to the enumeration of all pairs of frequencies.

    python -m bench.frequency_pairs

1,000 random cores: memory shares 0 to 0.9, 5 to 95 % busy at 2.4 GHz, 14 levels. Climbing starts at
the highest pair, or at the nominal one. Of voltage: `line` is Haswell's, `steps` rounds it up to
50 mV, as regulators do, `measured` has 5 % of noise on every level's power.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from tailc_solvers.colocation.core import SharedCore, best_pair, climb
from tailc_solvers.power.voltage import HASWELL

from bench.timing import least_seconds, show

CORES, SEED = 1_000, 3
GRID = np.round(np.arange(0.8, 3.5, 0.2), 1)
NOMINAL_GHZ = 2.4
STARTS = {"highest": (13, 13), "nominal": (8, 8)}


def volts(kind: str) -> np.ndarray:
    volt = HASWELL.volt(1_000 * GRID)
    return np.ceil(volt / 0.05) * 0.05 if kind == "steps" else volt


def power(draw: np.random.Generator, kind: str) -> np.ndarray:
    volt = volts(kind)
    smooth = draw.uniform(0, 3) * volt + draw.uniform(0.5, 4) * volt**2 * GRID
    return smooth * draw.uniform(0.95, 1.05, GRID.size) if kind == "measured" else smooth


def cores(kind: str) -> list[SharedCore]:
    draw = np.random.default_rng(SEED)
    return [
        SharedCore(
            freq_ghz=GRID,
            nominal_ghz=NOMINAL_GHZ,
            critical_power_w=power(draw, kind),
            batch_power_w=power(draw, kind),
            critical_memory=draw.uniform(0, 0.9),
            batch_memory=draw.uniform(0, 0.9),
            utilization=draw.uniform(0.05, 0.95),
            shared_w=draw.uniform(0, 20),
        )
        for _ in range(CORES)
    ]


def line(kind: str, start: str) -> list[str]:
    lost = []
    for core in cores(kind):
        end = climb(core, STARTS[start])
        lost.append(1 - core.work_per_joule()[end] / best_pair(core).work_per_joule)
    elsewhere = [share for share in lost if share > 1e-12]
    worst = 100 * max(elsewhere, default=0.0)
    return [kind, start, f"{len(elsewhere)} of {CORES:,}", f"{worst:.2f} %"]


def main() -> None:
    rows = [line(kind, start) for kind in ("line", "steps", "measured") for start in STARTS]
    show(["voltage", "start", "climb misses the best pair", "most batch work per joule lost"], rows)
    core = cores("line")[0]
    taken = least_seconds(
        {"enumeration": partial(best_pair, core), "climbing": partial(climb, core, (13, 13))}, 50
    )
    show(["method", "time, us"], [[way, f"{1e6 * time:.0f}"] for way, time in taken.items()])


if __name__ == "__main__":
    main()
