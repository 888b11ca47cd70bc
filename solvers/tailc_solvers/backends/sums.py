"""Exact sums of products, rounded once, for checking answers.

Each product is split without error into two numbers (Dekker, 1971) and the parts are added exactly
(Shewchuk, 1997, as in math.fsum). Products above 1e290 or below 1e-290 in size are not supported.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

SPLIT = 2.0**27 + 1.0


def dot(a: Vector, b: Vector) -> float:
    """The sum over j of a_j b_j, computed exactly and rounded once."""
    return math.fsum(_parts(a, b).ravel().tolist())


def dots_by(group: NDArray[np.int64], groups: int, a: Vector, b: Vector) -> Vector:
    """The sum of a_e b_e over the entries e of each group, exact and rounded once [groups]."""
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(groups + 1)).tolist()
    parts = _parts(a[order], b[order]).ravel().tolist()
    return np.array([math.fsum(parts[2 * start : 2 * end]) for start, end in pairwise(ends)])


def _parts(a: Vector, b: Vector) -> Vector:
    """Products and their rounding errors [.., 2]."""
    product = a * b
    high_a, high_b = _high(a), _high(b)
    low_a, low_b = a - high_a, b - high_b
    rest = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    return np.stack([product, rest], axis=-1)


def _high(a: Vector) -> Vector:
    """The upper half of the digits."""
    scaled = SPLIT * a
    return scaled - (scaled - a)
