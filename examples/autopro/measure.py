"""Measure what two machines do under shares that change all the time.

    python examples/autopro/measure.py

Every 750 ms each machine gets a share of one core that is drawn anew; `design.csv` and
`heldout.csv` get what it did then. Writes `machine.json` too. The machine should have nothing else
to do.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
from pathlib import Path

import host

FOLDER = Path(__file__).parent
NAMES = ("encoder", "hasher", "nightly")
MEASURED = NAMES[:2]
LEAST, MOST = 0.08, 0.45
STEPS = {"design": 160, "heldout": 160}
MS_PER_STEP = 750


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    before = os.getloadavg()[0]
    modes = set()
    for seed, (part, steps) in enumerate(STEPS.items(), start=1):
        rows, mode = recorded(steps, seed)
        modes.add(mode)
        text = "\n".join(["time_ms,machine,throughput,share", *rows]) + "\n"
        (folder / f"{part}.csv").write_text(text, encoding="ascii")
    about = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "shares_by": sorted(modes),
        "load_average": [round(before, 2), round(os.getloadavg()[0], 2)],
    }
    (folder / "machine.json").write_text(json.dumps(about, indent=2) + "\n", encoding="ascii")
    print(json.dumps(about, indent=2))


def recorded(steps: int, seed: int) -> tuple[list[str], str]:
    """The rows of a trace, and how shares were enforced."""
    rng = random.Random(seed)
    rows = []
    with host.running(NAMES) as machines:
        for step in range(-host.WARM_UP_STEPS, steps):
            shares = {name: round(rng.uniform(LEAST, MOST), 4) for name in MEASURED}
            machines.give({**shares, "nightly": 1 - sum(shares.values())})
            for _ in range(host.STEP_TICKS):
                throughput = machines.tick()
            if step < 0:
                continue
            time_ms = (step + 1) * MS_PER_STEP
            rows += [f"{time_ms},{name},{throughput[name]:.3f},{shares[name]}" for name in MEASURED]
        return rows, machines.mode


if __name__ == "__main__":
    main()
