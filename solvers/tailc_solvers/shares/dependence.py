"""Test whether throughput depends significantly on the CPU share.

In y = c + a x + b u, x is the throughput one step ago, u the share since then and y the throughput
now, The t statistic of b is its estimate over its standard error. Without a dependence it is within
3 in 997 of 1,000 traces.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# The parameters of x, of the constant and of u.
_UNKNOWNS = 3


def share_effect(x: NDArray[np.float64], u: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The t statistic of the share u in a fit of the throughput y by x and u.

    Infinite if the fit has no error, 0 if u is constant. Arrays of one length, finite, with at
    least four rows.
    """
    x, u, y = (each - math.fsum(each.tolist()) / len(each) for each in (x, u, y))
    u, y = _residual(x, u), _residual(x, y)
    uu, uy = _dot(u, u), _dot(u, y)
    if not uu:
        return 0.0
    slope = uy / uu
    left = y - slope * u
    error = math.sqrt(_dot(left, left) / (len(y) - _UNKNOWNS) / uu)
    if error:
        return slope / error
    return math.copysign(math.inf, slope) if slope else 0.0


def _residual(x: NDArray[np.float64], of: NDArray[np.float64]) -> NDArray[np.float64]:
    """The residual of a regression on x without a constant."""
    xx = _dot(x, x)
    return of - _dot(x, of) / xx * x if xx else of


def _dot(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    return math.fsum((left * right).tolist())
