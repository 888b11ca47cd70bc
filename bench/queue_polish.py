"""Whether a tuned table has neighbours on the artifact's grid that are better than itself.

    python -m bench.queue_polish

On the published server and the gamma law of `bench.queue_aware`, at its loaded rates. A neighbour
has one of the numbers of the table's family moved by some steps of the grid of ages, or by one
request or thread; or all ages of one rung. The neighbours that are shown to be better, on 500,000
requests of the search's part of the demand, are taken one after another, the surest first. What
that gains is judged on requests that nothing saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bench import published_server as published
from bench.queue_aware import (
    FORMULA,
    LOADED_RPS,
    PERCENTILE_PPM,
    SIMULATION,
    TARGETS,
    Case,
    change_text,
    gain_over,
    synthetic,
)
from bench.timing import end, show
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Poisson
from tailc.threads import thread_count
from tailc.tuning.operating_point import OperatingPoint
from tailc.tuning.shared_cores_space import SharedCoresSpace, shared_cores_space
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import TuningSample, tuning_sample
from tailc.tuning.validation import mean_interval

REQUESTS, REPEATS, SEED = 50_000, 10, 777
STEPS = (8, 4, 2)


def rows(case: Case, rate: float) -> Iterator[tuple[str, ...]]:
    """For moves of so many steps, how many were tried and taken, and what that gained."""
    best = case.table(FORMULA, TARGETS, [rate])
    tuned = case.table(SIMULATION, TARGETS, [rate])
    yield f"{rate:g}/s", "tuned", "", "", change_text(gain_over(case, rate, best, tuned)), ""
    with ThreadPoolExecutor(thread_count(None)) as workers:
        trials = trials_of(replace(case, held_out_ms=case.design_ms), rate, workers)
        tail_us = int(trials.tails_us([tuned]).mean())
        family = shared_cores_space(tuned, tail_us, published.CORES).finer()
        point = family.next_to(tuned)
        for steps in STEPS:
            moves = moves_of(family, point, steps)
            point, taken = polished(family, point, moves, trials)
            table = family.table(point)
            gains = (gain_over(case, rate, one, table) for one in (best, tuned))
            told = map(change_text, gains)
            yield f"{rate:g}/s", str(steps), str(len(moves)), str(taken), *told


def trials_of(case: Case, rate: float, workers: ThreadPoolExecutor) -> TuningSample[Ladder]:
    """On what a case holds out."""
    return tuning_sample(
        [OperatingPoint(case.workload(), Poisson(round(rate * 1e3)))],
        PERCENTILE_PPM,
        published.CORES,
        requests=REQUESTS,
        repeats=REPEATS,
        seed=SEED,
        workers=workers,
        subject_of=ladder_subject,
    )


def moves_of(
    family: SharedCoresSpace, point: NDArray[np.float64], steps: int
) -> list[NDArray[np.float64]]:
    """Up and down, of each number and of all ages of each rung, that make another table."""
    ages = family.aged_rungs * len(family.knots)
    _, times = family.boost_use
    others = [1 / family.cores, 1 / times][: len(point) - ages]
    units = np.diag([steps * family.step_us / family.tail_us] * ages + others)
    rungs = units[:ages].reshape(family.aged_rungs, -1, len(point)).sum(axis=1)
    moves = [sign * move for move in (*units, *rungs) for sign in (1, -1)]
    here = family.table(point)
    return [move for move in moves if family.table(point + move) != here]


def polished(
    family: SharedCoresSpace,
    point: NDArray[np.float64],
    moves: list[NDArray[np.float64]],
    trials: TuningSample[Ladder],
) -> tuple[NDArray[np.float64], int]:
    """The point after the moves that are better beyond chance, and how many those are."""

    def tails_us(points: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return trials.tails_us([family.table(one) for one in points])[:, 0].astype(float)

    (here,), taken = tails_us([point]), 0
    alone = [
        mean_interval(tails / here - 1.0)[1] for tails in tails_us([point + one for one in moves])
    ]
    for at in np.argsort(alone):
        if alone[at] >= 0.0:
            break
        (there,) = tails_us([point + moves[at]])
        if mean_interval(there / here - 1.0)[1] < 0.0:
            point, here, taken = point + moves[at], there, taken + 1
    return point, taken


def main() -> None:
    """Print the table."""
    heads = ("rate", "step", "neighbours", "adopted", "change to best target", "change to tuned")
    case = synthetic()
    show(heads, [row for rate in LOADED_RPS for row in rows(case, rate)])
    end()


if __name__ == "__main__":
    main()
