"""The constant share whose throughput is off its target by least, in the mean.

Throughput is linear in a share that never changes: t_k(r) = c_k + h_k r, with c what is left of the
throughput at the start and h the answer to a share of one,

    c_k = a_k m_k c_(k-1),    h_k = (a_k h_(k-1) + b_k) m_k,

m what disturbs the model. The problem is

    minimise over r in [low, high]    sum_k |t_k(r) - target|,

a sum of distances |h_k| |r - (target - c_k) / h_k|: its least is at the weighted median of the
points (target - c_k) / h_k with the weights |h_k|, and it is convex, so the nearest end of the
interval is best where the median is outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StaticShare:
    """The share, and the mean absolute error of its throughput relative to the target."""

    share: float
    error: float


def best_static_share(
    a: Floats,
    b: Floats,
    disturbed: Floats,
    start: float,
    target: float,
    limits: tuple[float, float],
) -> StaticShare:
    """The best share for t_k = (a_k t_(k-1) + b_k r) m_k from `start` on.

    a, b, disturbed: float64 (steps,); disturbed >= 0 and b > 0. Of several best the smallest.
    """
    constant, slope = _answers(a, b, disturbed, start)
    counted = slope > 0
    points = (target - constant[counted]) / slope[counted]
    share = float(np.clip(_weighted_median(points, slope[counted]), *limits))
    return StaticShare(share, float(np.mean(np.abs(constant + slope * share - target)) / target))


def _answers(a: Floats, b: Floats, disturbed: Floats, start: float) -> tuple[Floats, Floats]:
    constant, slope = np.empty(len(a)), np.empty(len(a))
    left, answer = start, 0.0
    for k in range(len(a)):
        left = a[k] * left * disturbed[k]
        answer = (a[k] * answer + b[k]) * disturbed[k]
        constant[k], slope[k] = left, answer
    return constant, slope


def _weighted_median(points: Floats, weights: Floats) -> float:
    """The smallest point with half of the weight at or below it."""
    order = np.argsort(points, kind="stable")
    below = np.cumsum(weights[order])
    return float(points[order][np.searchsorted(below, below[-1] / 2)])
