"""How surely throughput follows a share, against the textbook's regression."""

import math

import numpy as np
import pytest
from tailc_solvers.shares.dependence import share_effect


def by_regression(x, u, y):
    """The t statistic of u by the covariance of ordinary least squares."""
    design = np.column_stack([np.ones(len(x)), x, u])
    found, (left,), *_ = np.linalg.lstsq(design, y, rcond=None)
    covariance = left / (len(y) - 3) * np.linalg.inv(design.T @ design)
    return found[2] / math.sqrt(covariance[2, 2])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("slope", [-40.0, 0.0, 1.0, 40.0])
def test_it_is_the_t_statistic_of_a_regression(seed, slope):
    rng = np.random.default_rng(seed)
    x, u = rng.normal(10, 2, 30), rng.uniform(0.1, 0.6, 30)
    y = 3 + 0.4 * x + slope * u + rng.normal(0, 1, 30)
    assert share_effect(x, u, y) == pytest.approx(by_regression(x, u, y), rel=1e-9)


def test_without_a_dependence_chance_seldom_exceeds_three_standard_errors():
    rng = np.random.default_rng(1)
    found = [share_effect(*rng.uniform(1, 2, (3, 100))) for _ in range(1_000)]
    # A normal law exceeds it 1.3 times in a thousand.
    assert sum(one >= 3 for one in found) <= 6


@pytest.mark.parametrize(("slope", "sign"), [(8.0, 1), (-8.0, -1), (0.0, 0)])
def test_without_an_error_it_is_infinite_but_for_a_slope_of_zero(slope, sign):
    u = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert share_effect(np.zeros(5), u, 2 + slope * u) == (sign * math.inf if sign else 0.0)


def test_a_share_that_never_changes_explains_nothing():
    rng = np.random.default_rng(2)
    assert share_effect(rng.uniform(1, 2, 9), np.full(9, 0.4), rng.uniform(1, 2, 9)) == 0.0
