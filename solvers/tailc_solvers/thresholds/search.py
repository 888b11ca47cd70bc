"""The best climb ages on a grid by exact enumeration, if requests have different speeds.

    minimise    mean energy of t_1 <= .. <= t_(N-1), each a multiple of the step or never
    subject to  the latency of the rank is at most the target

There is no solver and no relaxation: the tail of every candidate is computed in integers
(kernels.py). If each request is faster on each next type, latencies do not decrease with an age, so
the latest age that still meets the target is found by bisection. Candidates whose energy cannot be
below the best so far are skipped. Of equal energies, the one with the later first age is selected,
then the later second age, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.exact import NS_PER_MS, NS_PER_US, PPM, ExactSample
from tailc_solvers.thresholds.kernels import RequestArrays, new_search, search

MOST_WORK = 2**63 - 1
"""Millionths of a nanosecond of work that the loops can count."""


@dataclass(frozen=True)
class GridThresholds:
    """The best climb ages of a grid, with their exact figures.

    Attributes:
        status: OPTIMAL on the grid, or INFEASIBLE; then all ages are zero, which has the least
            tail.
        age_us: age of each climb; None for never [N - 1].
        energy: mean energy of a request, in units of power times ms, rounded once.
        tail_us: latency of the request at the tail's rank, rounded up.
        evaluations: passes over the requests.
    """

    status: Status
    age_us: tuple[int | None, ...]
    energy: float
    tail_us: int
    evaluations: int


def search_thresholds(
    sample: WeightedSample,
    speed_ppm: ArrayLike,
    power_ppm: Sequence[int],
    *,
    rank: int,
    target_us: int,
    step_us: int,
    longest_us: int,
) -> GridThresholds:
    """Find the best climb ages among 0, step, 2 step, .. up to `longest_us`, and never.

    Args:
        sample: demands, weights and curves; its own speeds are not used.
        speed_ppm: whole millionths, ascending in each row, [N] or [curves, N].
        power_ppm: of each type [N].
        rank: 1-based rank of the tail, weights counted.
        target_us: largest tail.
        step_us: of the grid.
        longest_us: the largest age except never.
    """
    exact = ExactSample(sample, speed_ppm, power_ppm, rank)
    requests = _requests(sample, speed_ppm, power_ppm)
    ages = _grid(requests, step_us, longest_us, target_us)
    work = new_search(requests)
    allowed = sample.total_weight - rank
    search(requests, ages, target_us * NS_PER_US, allowed, work)
    is_solved = bool(np.isfinite(work.energy[-1]))
    chosen = [ages[at] for at in work.best] if is_solved else [0] * (requests.speed.shape[1] - 1)
    never = int(ages[-1])
    found = tuple(None if ns == never else int(ns) // NS_PER_US for ns in chosen)
    figures = exact.figures(found)
    return GridThresholds(
        Status.OPTIMAL if is_solved else Status.INFEASIBLE,
        found,
        float(figures.energy),
        math.ceil(figures.tail_us),
        int(work.passes[0]),
    )


def _requests(
    sample: WeightedSample, speed_ppm: ArrayLike, power_ppm: Sequence[int]
) -> RequestArrays:
    table = np.atleast_2d(np.array(speed_ppm, dtype=np.int64))
    if (np.diff(table, axis=1) <= 0).any():
        raise ValueError("speed_ppm must ascend with the type")
    speed = table[np.zeros_like(sample.curve) if table.shape[0] == 1 else sample.curve]
    per_work = np.array(power_ppm, dtype=np.float64) / speed
    cheapest = np.minimum.accumulate(per_work[:, ::-1], axis=1)[:, ::-1]
    return RequestArrays(
        work=np.rint(sample.demand_ms * NS_PER_MS).astype(np.int64) * PPM,
        weight=sample.weight.copy(),
        speed=np.ascontiguousarray(speed),
        per_work=np.ascontiguousarray(per_work),
        cheapest=np.ascontiguousarray(cheapest),
        is_dearer=bool((np.diff(per_work, axis=1) >= 0).all()),
    )


def _grid(requests: RequestArrays, step_us: int, longest_us: int, target_us: int) -> np.ndarray:
    """Ages in ns; the last is never: every request has ended by then on any type."""
    if step_us <= 0 or longest_us < 0:
        raise ValueError("step_us must be positive and longest_us not negative")
    slowest_ns = int((requests.work // requests.speed[:, 0]).max()) + 1
    ages = np.arange(0, longest_us + 1, step_us, dtype=np.int64) * NS_PER_US
    never = int(ages[-1]) + slowest_ns + 1
    if int(requests.speed.max()) * max(never, target_us * NS_PER_US) > MOST_WORK:
        raise ValueError("demands and ages exceed the largest number of steps")
    return np.append(ages, never)
