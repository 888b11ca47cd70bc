"""Sums of products against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.backends.sums import dot, dots_by


def exactly(a, b) -> float:
    return float(sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0)))


@pytest.mark.parametrize("seed", range(20))
def test_a_dot_product_is_rounded_once(seed):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(50) * 10.0 ** rng.integers(-12, 12, 50)
    b = rng.standard_normal(50) * 10.0 ** rng.integers(-12, 12, 50)
    # Nearly cancelling: what is left is far below the rounding of the parts.
    a, b = np.append(a, a), np.append(b, -b * (1 + 1e-15))
    assert dot(a, b) == exactly(a.tolist(), b.tolist())


def test_groups_are_summed_apart_and_empty_ones_are_zero():
    group = np.array([2, 0, 2, 2, 0])
    a = np.array([1e16, 0.1, 1.0, -1e16, 0.2])
    found = dots_by(group, 4, a, np.ones(5))
    assert found.tolist() == [float(Fraction(0.1) + Fraction(0.2)), 0.0, 1.0, 0.0]
    assert dots_by(np.array([], dtype=np.int64), 2, np.array([]), np.array([])).tolist() == [0, 0]
