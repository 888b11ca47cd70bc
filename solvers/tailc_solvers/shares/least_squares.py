"""Fit a first-order model of throughput by CPU share to a whole trace, by least squares.

    minimise over a, b    sum_k (y_k - a x_k - b u_k)^2

with x the throughput one step ago, u the share since and y the throughput now (Bartolini, 2015,
section 2.4.2). The normal equations of two unknowns are solved directly: their sums are exact apart
from the rounding of each product, so the result does not depend on the machine's order of
summation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Lower limit of the squared sine of the angle between the two regressors; below, noise decides a
# and b.
SMALLEST_SINE_SQUARED = 1e-8


@dataclass(frozen=True)
class Model:
    """A fitted model of throughput: coefficients a and b, and root mean square error.

    The error is in the unit of throughput.
    """

    a: float
    b: float
    error_rms: float


def least_squares(
    x: NDArray[np.float64], u: NDArray[np.float64], y: NDArray[np.float64]
) -> Model | None:
    """Fit y = a x + b u by least squares; None if x and u do not determine a and b.

    Arrays of one length, finite, with at least two rows.
    """
    xx, xu, uu = _dot(x, x), _dot(x, u), _dot(u, u)
    determinant = xx * uu - xu * xu
    if not determinant > SMALLEST_SINE_SQUARED * xx * uu:
        return None
    xy, uy = _dot(x, y), _dot(u, y)
    a = (uu * xy - xu * uy) / determinant
    b = (xx * uy - xu * xy) / determinant
    left = y - (a * x + b * u)
    return Model(a, b, math.sqrt(_dot(left, left) / len(y)))


def _dot(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    return math.fsum((left * right).tolist())
