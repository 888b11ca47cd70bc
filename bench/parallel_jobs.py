"""Days of malleable jobs on green energy, drawn from a seed, for measurements of plans.

Fifty servers of 30 W, epochs of 15 minutes, half a sine of sun of 1.5 kW from 6 to 18 h, one price
of 10.55 cents a kWh, run time weighed by 8 times the energy of 0.3 kW, a tenth of slack, and 20 s
of a server's energy for each server by which a job changes. Counts are powers of two. Mixes of
shapes are those of the two published days: 26 jobs, mostly FT and LU, and 113, mostly IS; the
12 active jobs of one moment are drawn from all shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from tailc_solvers.green.parallel.problem import (
    ParallelJob,
    ParallelProblem,
    Shape,
    moves_of,
    run_cost_of,
    whole,
)

from tailc.specs.speedup_shapes import SPEEDUP_SHAPES

EPOCHS, LENGTH_S = 96, 900
SERVERS, SERVER_MW, MOVE_S = 50, 30_000, 20
PRICE = 105_500
"""Micro-dollars for each kWh."""

BETA, REFERENCE_MW = Fraction(8), 300_000
PEAK_MW = 1_500_000
SLACK_PPT = 1_100
COUNTS = (1, 2, 4, 8, 16, 32)
VMS_A_SERVER = (2, 4)
"""By which a job's request is multiplied, for the VMs that it starts with."""

DAYS = {
    26: [("FT", 12), ("LU", 6), ("MG", 3), ("CG", 2), ("SP", 1), ("EP", 1), ("IS", 1)],
    113: [("IS", 73), ("MG", 24), ("CG", 14), ("FT", 1), ("SP", 1)],
}
RUN_H = {12: (1.0, 0.6, 1.0, 6.0), 26: (0.8, 0.7, 0.3, 7.0), 113: (-0.3, 0.8, 0.15, 6.0)}
"""Logarithmic mean and deviation of run times on the requested servers; least and most hours."""


def day_of(jobs: int, seed: int, *, counts: Sequence[int] = COUNTS) -> ParallelProblem:
    """12 jobs that are active at one moment of the morning, or the 26 or 113 of a day."""
    draw = np.random.default_rng([jobs, seed])
    begins = int(draw.integers(28, 44)) if jobs == 12 else 0
    return ParallelProblem(
        length_s=np.full(EPOCHS, LENGTH_S),
        servers=SERVERS,
        power_mw=SERVER_MW * np.arange(SERVERS + 1),
        moves_mj=moves_of(SERVER_MW * MOVE_S * np.arange(SERVERS + 1), at_the_ends=False),
        green_mj=np.roll(_sun_mj(), -begins)[None],
        weight_ppm=whole([1_000_000]),
        brown_cost=np.full(EPOCHS, PRICE),
        run_cost=run_cost_of(BETA, REFERENCE_MW, PRICE),
        jobs=tuple(_jobs(draw, jobs, counts)),
    )


def _sun_mj() -> np.ndarray:
    hour = (np.arange(EPOCHS) + 0.5) * LENGTH_S / 3_600
    share = np.clip(np.sin((hour - 6) / 12 * np.pi), 0, None)
    return np.rint(PEAK_MW * LENGTH_S * share).astype(np.int64)


def _jobs(draw: np.random.Generator, jobs: int, counts: Sequence[int]) -> list[ParallelJob]:
    if jobs == 12:
        names = draw.choice(list(SPEEDUP_SHAPES), jobs).tolist()
        requests = [1, 2, 2, 4, 8]
    else:
        names = [name for name, count in DAYS[jobs] for _ in range(count)]
        draw.shuffle(names)
        requests = [2, 4, 8, 8] if jobs == 26 else [2, 2, 4, 8]
    return [_job(draw, jobs, name, int(draw.choice(requests)), counts) for name in names]


def _job(
    draw: np.random.Generator, jobs: int, name: str, requested: int, counts: Sequence[int]
) -> ParallelJob:
    mean, deviation, least, most = RUN_H[jobs]
    hours = float(np.clip(draw.lognormal(mean, deviation), least, most))
    last = EPOCHS - 2 - int(hours * 3_600 / LENGTH_S * SLACK_PPT / 1_000)
    arrival = 0 if jobs == 12 else int(draw.integers(0, last))
    shapes = tuple(_shape(name, factor * requested, counts) for factor in VMS_A_SERVER)
    speed = SPEEDUP_SHAPES[name].speedup_ppt(2 * requested, [requested])[0]
    work = round(hours * 3_600_000) * speed
    return ParallelJob(shapes, work, requested, speed, SLACK_PPT, arrival, arrival)


def _shape(name: str, vms: int, counts: Sequence[int]) -> Shape:
    allowed = [n for n in counts if n <= vms <= 4 * n]
    return Shape.from_counts(vms, allowed, SPEEDUP_SHAPES[name].speedup_ppt(vms, allowed))
