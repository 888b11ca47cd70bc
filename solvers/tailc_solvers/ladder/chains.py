"""Which rungs a ladder may climb, in order: least cost by speed, and never fewer threads."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def chain(
    speeds: NDArray[np.float64], costs: NDArray[np.float64], widths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Select the efficient rungs: the lower hull of cost over speed, slow ones first.

    The number of threads never falls: a rung with fewer threads than the one before it is left out,
    and the hull is computed again. Among equal speeds the rung of least cost is used, and of those
    the first.
    """
    left = np.lexsort((costs, speeds)).tolist()
    while True:
        hull = _lower_hull(left, speeds, costs)
        thinner = [b for a, b in itertools.pairwise(hull) if widths[b] < widths[a]]
        if not thinner:
            return np.array(hull)
        left.remove(thinner[0])


def _lower_hull(
    rungs: Sequence[int], speeds: NDArray[np.float64], costs: NDArray[np.float64]
) -> list[int]:
    """Lower hull from the rung of least cost per work to the fastest."""
    hull: list[int] = []
    for rung in rungs:
        if hull and speeds[hull[-1]] == speeds[rung]:
            continue
        while hull and _is_above(hull, rung, speeds, costs):
            hull.pop()
        hull.append(rung)
    return hull


def _is_above(
    hull: Sequence[int], rung: int, speeds: NDArray[np.float64], costs: NDArray[np.float64]
) -> bool:
    """Whether the last rung of a hull is on or above the line from the one before, or 0."""
    here = hull[-1]
    speed, cost = (speeds[hull[-2]], costs[hull[-2]]) if len(hull) > 1 else (0.0, 0.0)
    run, rise = speeds[rung] - speed, costs[rung] - cost
    return bool((costs[here] - cost) * run >= rise * (speeds[here] - speed))
