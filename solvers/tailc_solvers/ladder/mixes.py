"""Find the best ladder between given ladders, with a ladder as the work at which each rung is left.

The figures of a ladder are convex or linear in these values as long as its rungs are the same (see
kernels.py), so between two ladders that violate different limits there are some that meet both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE
from tailc_solvers.ladder.kernels import DemandSteps

MOST_ROUNDS = 12
PARTS = 16
"""Number of points that a round tries between the best ladder and each other ladder."""

LEAST_WEIGHT = 1e-3
"""Distance of these points below which it is no longer halved."""

LEAST_GAIN = 1e-7
"""Relative gain below which the rounds end."""


@dataclass(frozen=True)
class LadderLimits:
    """The problem of the best ladder within limited resources.

    steps: distribution of demand. speeds: speed of each rung. uses: use of each resource by each
    rung [limits, rungs]. supplies: capacity of each resource [limits]. widths: threads of each rung
    [rungs]. cost, target_ms: cost rate of each rung, to minimise the cost with the tail within the
    target; None: minimise the tail.
    """

    steps: DemandSteps
    speeds: NDArray[np.float64]
    uses: NDArray[np.float64]
    supplies: NDArray[np.float64]
    widths: NDArray[np.int64]
    cost: NDArray[np.float64] | None
    target_ms: float | None


@dataclass(frozen=True)
class LadderFigures:
    """Objective, tail, mean and resource use of several ladders at one load.

    value: objective; inf if the target is missed or a rung has fewer threads than one before.
    wait_ms: the least wait before a start with which no resource is overused. asked: use of each
    resource over its capacity without a wait [ladders, limits]. The other arrays are [ladders].
    """

    value: NDArray[np.float64]
    wait_ms: NDArray[np.float64]
    tail_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    asked: NDArray[np.float64]


def judge(limits: LadderLimits, load: float, ends: NDArray[np.float64]) -> LadderFigures:
    """Compute objective, tail, mean and resource use of ladders at one load.

    ends: work at which each ladder leaves each rung [ladders, rungs].
    """
    steps = limits.steps
    time_ms = _parts(np.interp(ends, steps.work, steps.sum)) / limits.speeds
    tail_ms = (_parts(np.minimum(ends, steps.work[steps.rank])) / limits.speeds).sum(axis=1)
    mean_ms = time_ms.sum(axis=1)
    available = limits.supplies * (1 + FEASIBILITY_TOLERANCE)
    taken = load * (time_ms @ limits.uses.T) / available
    wait_ms = np.maximum(taken.max(axis=1) - mean_ms, 0.0)
    tail_ms += wait_ms
    value = tail_ms
    if limits.cost is not None:
        assert limits.target_ms is not None
        is_late = tail_ms > limits.target_ms * (1 + FEASIBILITY_TOLERANCE)
        value = np.where(is_late, np.inf, time_ms @ limits.cost)
    value = np.where(_narrows(limits, ends), np.inf, value)
    return LadderFigures(value, wait_ms, tail_ms, mean_ms + wait_ms, taken / mean_ms[:, None])


def _parts(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.diff(ends, prepend=0.0, axis=1)


def _narrows(limits: LadderLimits, ends: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a used rung has fewer threads than one before it [ladders]."""
    widths = np.where(_parts(ends) > 0, limits.widths, 0)
    falls = np.maximum.accumulate(widths, axis=1) > np.where(widths, widths, np.inf)
    return np.asarray(falls.any(axis=1))


def best_between(
    limits: LadderLimits, load: float, ladders: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64] | None:
    """Find the best ladder among weighted means of given ladders; None if none is feasible.

    ladders: work at which each rung is left.
    """
    pool = np.unique(np.array(ladders), axis=0)
    values = judge(limits, load, pool).value
    best, value = pool[int(values.argmin())], float(values.min())
    if np.isinf(value):
        return None
    weights = (np.arange(1, PARTS + 1) / PARTS)[:, None, None]
    for _ in range(MOST_ROUNDS):
        tried = (best + weights * (pool - best)).reshape(-1, pool.shape[1])
        values = judge(limits, load, tried).value
        least = int(values.argmin())
        if not values[least] < value * (1 - LEAST_GAIN):
            break
        best, value = tried[least], float(values[least])
        weights = weights if weights[0, 0, 0] < LEAST_WEIGHT else weights / 2
    return best


def durations_of(limits: LadderLimits, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wall time of a request on each rung of a ladder [rungs]; inf on the last used rung.

    ends: work at which each rung is left.
    """
    work = _parts(ends[None])[0]
    stay_ms = work / limits.speeds
    stay_ms[np.flatnonzero(work)[-1]] = np.inf
    return stay_ms


def ends_of_all(
    limits: LadderLimits, rungs: NDArray[np.int64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Extend a ladder to all rungs: the work at which each rung is left [rungs].

    A rung that the ladder does not use is left where the rung before it is. rungs: numbers of the
    used rungs. ends: work at which the used rungs are left.
    """
    every = np.zeros(limits.speeds.size)
    every[rungs] = np.minimum(ends, limits.steps.work[-1])
    return np.maximum.accumulate(every)
