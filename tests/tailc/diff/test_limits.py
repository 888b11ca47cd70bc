"""Limits of a difference, by hand from the moments of what requests add to it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tailc.diff.limits import Scatter, bending, leaning, limits, of_mean
from tailc.verify.interval import Variance

KNOWN = Variance(0.0, math.inf)
# Standard normal quantile at 98 %, from tables.
Z_98 = 2.0537
# One request in ten adds 9, the others take 1 away: moments 9, 72 and 657 about 0.
SKEWED = np.array([9.0] + [-1.0] * 9)
TENTHS = np.full(10, 0.1)


def of(values, count, share=TENTHS):
    """Limits of the mean of `count` such requests, whose load does not matter."""
    found = of_mean(values, np.zeros(len(values)), share, count)
    return limits(found.scatter(found.variance, 0.0), KNOWN)


def test_of_symmetric_values_the_limits_are_those_of_the_normal_distribution():
    low, high = of(np.array([1.0, -1.0] * 5), 10_000)
    assert high == pytest.approx(Z_98 / 100, rel=1e-4)
    assert low == -high


def test_the_limit_on_the_side_of_few_large_values_lies_further_out():
    low, high = of(SKEWED, 100)
    # 2 * 100 / (657 / 81 - 1) = 28.1 degrees of freedom; Student's quantile there is 2.048
    width = 2.048 * 2.0537 / 1.96 * 0.3
    skewness = 72 / 27 / 10
    assert high == pytest.approx(width + 5 * skewness * 0.3, rel=1e-3)
    assert low == pytest.approx(-width + 5 * skewness * 0.3 / 4, rel=1e-3)


def test_limits_of_the_opposite_values_are_the_opposite_limits():
    low, high = of(SKEWED, 100)
    assert of(-SKEWED, 100) == (-high, -low)


def test_fewer_requests_make_limits_wider_and_less_even():
    few_low, few_high = of(SKEWED, 25)
    many_low, many_high = of(SKEWED, 100)
    assert few_low < 1.9 * many_low
    assert few_high > 2 * many_high
    assert few_high / -few_low > many_high / -many_low


def test_a_skewness_beyond_that_of_a_single_large_value_is_not_believed():
    assert leaning(5, third=1.0, variance=1.0) == 5
    assert leaning(5, third=7.0, variance=1.0) == 5
    assert leaning(5, third=-7.0, variance=4.0) == -5 * 7 / 4
    assert leaning(5, third=7.0, variance=0.0) == 0


def test_without_variance_a_difference_is_known():
    assert of(np.zeros(10), 100) == (0.0, 0.0)


def test_a_parabola_bends_as_much_everywhere():
    load = np.linspace(-2e6, 3e6, 50)
    assert bending(7 + 2 * load + 3 * load**2, load) == pytest.approx(3)
    assert bending(7 + 2 * load, load) == pytest.approx(0, abs=1e-9)
    assert bending(np.ones(50), np.zeros(50)) == 0


def test_a_bend_moves_the_limit_on_its_side_and_no_other():
    low, high = limits(Scatter(Variance(1.0, math.inf), bend=0.1), KNOWN)
    assert (low, high) == pytest.approx((-Z_98, Z_98 + 0.1 * Z_98**2), rel=1e-4)
    low, high = limits(Scatter(Variance(1.0, math.inf), bend=-0.1), KNOWN)
    assert (low, high) == pytest.approx((-Z_98 - 0.1 * Z_98**2, Z_98), rel=1e-4)


def test_what_arrivals_vary_by_neither_leans_nor_bends():
    scatter = Scatter(Variance(1.0, math.inf), lean=0.4, bend=0.1)
    low, high = limits(scatter, Variance(3.0, math.inf))
    # twice the width, and a quarter of each deviation is from the requests
    out = 2 * Z_98 + 0.4 / 4
    assert high == pytest.approx(out + 0.1 / 16 * out**2, rel=1e-4)
    assert low == pytest.approx(-2 * Z_98 + 0.4 / 16, rel=1e-4)


def test_a_difference_that_grows_with_the_square_of_the_load_bends_as_much():
    """Values that are the load itself: the difference gains 0.5 for each unit of the mean load."""
    load = np.array([1.0, -1.0] * 5)
    found = of_mean(load, load, TENTHS, 400)
    scatter = found.scatter(found.variance, by_load=0.5)
    assert scatter.variance.value == pytest.approx(1 / 400)
    assert scatter.bend == pytest.approx(0.5)
    doubled = of_mean(2 * load, load, TENTHS, 400)
    assert doubled.scatter(doubled.variance, by_load=0.5).bend == pytest.approx(0.5 / 4)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 1.5])
def test_limits_of_a_mean_hold_it_in_95_of_100_samples_of_a_heavy_law(sigma):
    """Lognormal, with a mean of 1. By the normal distribution alone up to 7 % miss on one side."""
    rng = np.random.default_rng(7)
    share = np.full(1000, 1e-3)
    below = above = 0
    for _ in range(2000):
        sample = rng.lognormal(-(sigma**2) / 2, sigma, 1000)
        low, high = of(sample - sample.mean(), 1000, share)
        below += sample.mean() + high < 1
        above += sample.mean() + low > 1
    # 2 % on either side, and three deviations of a count of 40
    assert below <= 60
    assert above <= 60
