"""Generate the jobs and the energy of this example; see README.md for what they stand for.

    python examples/greenpar/generate.py

Twenty days from the 2nd of July 2012 on. Jobs come at any time, most of them by day, and there are
as many a day as in the dissertation's smaller workload. The sun is half a sine under clouds that
drift; prices have a peak in the evening, and carbon a trough at noon.
"""

from __future__ import annotations

import argparse
import csv
import math
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np

DAYS = 20
JOBS_A_DAY = 26
FIRST = datetime(2012, 7, 2, tzinfo=timezone(timedelta(hours=-6)))
STEP = timedelta(minutes=15)
STEPS_A_DAY = 96
SEED = 2016
WIDTHS = (2, 4, 8, 8)
# Logarithmic mean and deviation of run times in hours; the shortest and the longest.
RUN_H = (0.8, 0.7, 0.3, 7.0)
# Eight panels after losses, and the hours between which the sun is up.
PEAK_KW, RISE_H, SET_H = 1.5, 6.0, 20.0
# Cents and grams a kWh.
PRICE, EVENING_PRICE, EVENING_H = 9.5, 16.0, (16, 21)
CARBON, NOON_LESS = 620.0, 260.0


def main() -> None:
    """Write jobs.csv and energy.csv beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent)
    folder = parser.parse_args().output
    draw = np.random.default_rng(SEED)
    _write(folder / "jobs.csv", ("job", "submit_h", "run_h", "servers"), jobs(draw))
    names = ("time", "sun_kw", "price", "carbon")
    _write(folder / "energy.csv", names, energy(draw))


def jobs(draw: np.random.Generator) -> list[tuple[object, ...]]:
    """Hours since the first midnight, in order of submission."""
    mean, deviation, least, most = RUN_H
    found = []
    for day in range(DAYS):
        # Most jobs come by day: the mean of two draws.
        at_h = 24 * day + 12 * (draw.random(JOBS_A_DAY) + draw.random(JOBS_A_DAY))
        run_h = np.clip(draw.lognormal(mean, deviation, JOBS_A_DAY), least, most)
        width = draw.choice(WIDTHS, JOBS_A_DAY)
        found += sorted(zip(at_h.tolist(), run_h.tolist(), width.tolist(), strict=True))
    return [
        (number, f"{at_h:.3f}", f"{run_h:.3f}", width)
        for number, (at_h, run_h, width) in enumerate(found, 1)
    ]


def energy(draw: np.random.Generator) -> list[tuple[object, ...]]:
    """A row a quarter of an hour."""
    rows = []
    clear = 1.0
    for day in range(DAYS):
        usual = draw.uniform(0.5, 1.0)
        for step in range(STEPS_A_DAY):
            hour = 24 * step / STEPS_A_DAY
            clear = np.clip(0.85 * clear + 0.15 * usual + draw.normal(0, 0.06), 0.1, 1.0)
            sun_kw = PEAK_KW * clear * _arch(hour, RISE_H, SET_H)
            is_evening = EVENING_H[0] <= hour < EVENING_H[1]
            time = FIRST + timedelta(days=day) + step * STEP
            price = EVENING_PRICE if is_evening else PRICE
            carbon = CARBON - NOON_LESS * _arch(hour, 7.0, 19.0)
            rows.append((time.isoformat(), f"{sun_kw:.3f}", price, f"{carbon:.0f}"))
    return rows


def _arch(hour: float, begin: float, end: float) -> float:
    """Half a sine between two hours."""
    return max(0.0, math.sin(math.pi * (hour - begin) / (end - begin)))


def _write(path: Path, names: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])


if __name__ == "__main__":
    main()
