"""Limits of a difference, by hand from the moments of what requests add to it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tailc.diff.limits import (
    SamplingError,
    curvature,
    limits,
    mean_moments,
    robust_variance,
    sampling_error_of_days,
)
from tailc.experiment.interval import Variance

KNOWN = Variance(0.0, math.inf)
# Standard normal quantile at 98 %, from tables.
Z_98 = 2.0537
# One request in ten adds 9, the others take 1 away: moments 9, 72 and 657 about 0.
SKEWED = np.array([9.0] + [-1.0] * 9)
TENTHS = np.full(10, 0.1)


def of(values, count, share=TENTHS, load=None):
    """Limits of the mean of `count` such requests; without a load it does not matter."""
    load = np.zeros(len(values)) if load is None else load
    found = mean_moments(values, load, share, count)
    return limits(found.scatter(found.variance, 0.0), KNOWN)


def test_of_symmetric_values_the_limits_are_those_of_the_normal_distribution():
    low, high = of(np.array([1.0, -1.0] * 5), 10_000)
    assert high == pytest.approx(Z_98 / 100, rel=1e-4)
    assert low == -high


# 2 * 100 / (657 / 81 - 1) = 28.1 degrees of freedom; Student's quantile there is 2.048.
WIDTH = 2.048 * 2.0537 / 1.96 * 0.3
SKEWNESS = 72 / 27 / 10


def test_both_limits_lean_to_where_few_values_carry_much():
    """By (1 + 2 * 1.96^2) / 6 = 1.447 times the skewness, in standard deviations of 0.3."""
    low, high = of(SKEWED, 100)
    assert high == pytest.approx(WIDTH + 1.447 * SKEWNESS * 0.3, rel=1e-3)
    assert low == pytest.approx(-WIDTH + 1.447 * SKEWNESS * 0.3, rel=1e-3)


def test_the_limit_on_the_side_of_few_requests_of_much_load_lies_further_out():
    low, high = of(SKEWED, 100, load=3 * SKEWED)
    assert high == pytest.approx(WIDTH + 9 * SKEWNESS * 0.3, rel=1e-3)
    assert low == of(SKEWED, 100)[0]


def test_a_skewness_is_the_load_s_by_as_much_as_the_values_go_with_it():
    """Half the variance is that of the load, which has another skewness than the rest."""
    one, other = np.repeat([3.0, -1.0], [1, 3]), np.array([1.0, -1.0] * 2)
    load = np.repeat(one, 4)
    values = load + np.sqrt(3) * np.tile(other, 4)
    share = np.full(16, 1 / 16)
    # moments of the load: 3 and 6; of the sum of both: variance 6, third 6 as of the load alone
    scatter = mean_moments(values, load, share, 100).scatter(Variance(0.06, math.inf), 0.0)
    skewness = 6 / 6**1.5 / 10
    assert scatter.lean == pytest.approx(9 * skewness * math.sqrt(0.06))
    assert scatter.following == pytest.approx(1.447 * skewness * math.sqrt(0.06), rel=1e-3)


def test_limits_of_the_opposite_values_are_the_opposite_limits():
    low, high = of(SKEWED, 100)
    assert of(-SKEWED, 100) == (-high, -low)
    low, high = of(SKEWED, 100, load=SKEWED)
    assert of(-SKEWED, 100, load=SKEWED) == (-high, -low)


def test_fewer_requests_make_limits_wider_and_less_even():
    few_low, few_high = of(SKEWED, 25, load=SKEWED)
    many_low, many_high = of(SKEWED, 100, load=SKEWED)
    assert few_low < 1.5 * many_low
    assert few_high > 2 * many_high
    assert few_high / -few_low > many_high / -many_low


def test_a_skewness_beyond_that_of_a_single_large_value_is_not_believed():
    """Of 4 requests that of the mean would be 72 / 27 / 2; the deviation is 1.5."""
    found = mean_moments(SKEWED, SKEWED, TENTHS, 4)
    assert found.scatter(found.variance, 0.0).lean == pytest.approx(9 * 1.5)


def test_no_limit_comes_nearer_than_by_half():
    low, high = limits(SamplingError(Variance(1.0, math.inf), lean=3.0, following=2.9), KNOWN)
    assert (low, high) == pytest.approx((-Z_98 / 2, Z_98 + 3), rel=1e-4)
    opposite = limits(SamplingError(Variance(1.0, math.inf), lean=-3.0, following=-2.9), KNOWN)
    assert opposite == (-high, -low)
    apart = limits(SamplingError(Variance(1.0, math.inf), lean=3.0, following=-1.0), KNOWN)
    assert apart == pytest.approx((-Z_98, Z_98 + 3), rel=1e-4)


def test_days_that_are_skewed_lean_by_their_own_skewness():
    """100 days, 10 of them at 9 and the others at -1; half of all arrivals are drawn for each."""
    scatter = sampling_error_of_days(np.tile(SKEWED, 10), drawn_share=0.5, freedom=40)
    # Their middle 95 % reaches from -1 to 9.
    variance = (10 / (2 * 1.96)) ** 2 / 2
    assert scatter.variance.value == pytest.approx(variance, rel=1e-4)
    assert scatter.variance.freedom == 40
    skewness = min(72 / 4 / (9 * 100 / 99 / 2) ** 1.5, 1)
    assert scatter.lean == pytest.approx(2 * skewness * math.sqrt(variance), rel=1e-4)
    assert scatter.following == pytest.approx(scatter.lean / 4)
    assert sampling_error_of_days(np.ones(50), 1.0, 40) == SamplingError(Variance(0.0, 40))


def test_a_variance_by_the_middle_is_that_of_normal_values_and_no_outlier_s():
    normal = np.random.default_rng(1).normal(3, 2, 20_000)
    assert robust_variance(normal) == pytest.approx(4, rel=0.05)
    normal[:5] = 1e9
    assert robust_variance(normal) == pytest.approx(4, rel=0.05)


def test_without_variance_a_difference_is_known():
    assert of(np.zeros(10), 100) == (0.0, 0.0)


def test_a_parabola_bends_as_much_everywhere():
    load = np.linspace(-2e6, 3e6, 50)
    assert curvature(7 + 2 * load + 3 * load**2, load) == pytest.approx(3)
    assert curvature(7 + 2 * load, load) == pytest.approx(0, abs=1e-9)
    assert curvature(np.ones(50), np.zeros(50)) == 0


def test_a_bend_moves_the_limit_on_its_side_and_no_other():
    low, high = limits(SamplingError(Variance(1.0, math.inf), bend=0.1), KNOWN)
    assert (low, high) == pytest.approx((-Z_98, Z_98 + 0.1 * Z_98**2), rel=1e-4)
    low, high = limits(SamplingError(Variance(1.0, math.inf), bend=-0.1), KNOWN)
    assert (low, high) == pytest.approx((-Z_98 - 0.1 * Z_98**2, Z_98), rel=1e-4)


def test_what_arrivals_vary_by_neither_leans_nor_bends():
    scatter = SamplingError(Variance(1.0, math.inf), lean=0.4, following=0.2, bend=0.1)
    low, high = limits(scatter, Variance(3.0, math.inf))
    # twice the width, and a quarter of the variance is that of the requests
    out = 2 * Z_98 + 0.4 / 4
    assert high == pytest.approx(out + 0.1 / 16 * out**2, rel=1e-4)
    assert low == pytest.approx(-2 * Z_98 + 0.2 / 4, rel=1e-4)


def test_of_the_bend_of_a_difference_that_grows_with_the_square_of_the_load_a_half_is_left():
    """Values that are the load itself: the difference gains 0.5 for each unit of the mean load."""
    load = np.array([1.0, -1.0] * 5)
    found = mean_moments(load, load, TENTHS, 400)
    scatter = found.scatter(found.variance, by_load=0.5)
    assert scatter.variance.value == pytest.approx(1 / 400)
    assert scatter.bend == pytest.approx(0.25)
    doubled = mean_moments(2 * load, load, TENTHS, 400)
    assert doubled.scatter(doubled.variance, by_load=0.5).bend == pytest.approx(0.25 / 4)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 1.5])
def test_limits_of_a_mean_hold_it_in_95_of_100_samples_of_a_heavy_law(sigma):
    """Lognormal, with a mean of 1. By the normal distribution alone up to 7 % miss on one side."""
    rng = np.random.default_rng(7)
    share = np.full(1000, 1e-3)
    below = above = 0
    for _ in range(2000):
        sample = rng.lognormal(-(sigma**2) / 2, sigma, 1000)
        around = sample - sample.mean()
        low, high = of(around, 1000, share, load=around)
        below += sample.mean() + high < 1
        above += sample.mean() + low > 1
    # 2 % on either side, and three deviations of a count of 40
    assert below <= 60
    assert above <= 60
