"""Constant rates between which a changing load moves."""

import numpy as np
import pytest

from tailc.experiment.experiment import rate_grid
from tailc.experiment.sizes import MOST_RATES

S = 10**9


def even(*parts: tuple[int, int]) -> np.ndarray:
    """Numbers of arrivals, and the time before each."""
    return np.cumsum(np.concatenate([np.full(count, gap_ns) for count, gap_ns in parts]))


def test_arrivals_at_one_rate_have_one():
    assert rate_grid([even((1000, S // 10))]) == (10_000,)


def test_the_grid_goes_from_the_least_rate_to_the_greatest_at_equal_ratios():
    grid = rate_grid([even((1000, S // 10), (5000, S // 50))])
    assert (grid[0], grid[-1]) == (10_000, 50_000)
    ratios = np.diff(np.log(grid))
    assert ratios == pytest.approx([np.log(5) / 8] * 8, rel=0.05)


def test_a_rate_is_measured_over_five_seconds_and_a_hundred_arrivals_at_least():
    # a burst of 50 requests at once within 5 s of 100 at 20/s
    grid = rate_grid([even((100, S // 20), (50, 1), (10_000, S // 20))])
    assert grid[-1] == pytest.approx(30_000, rel=0.02)
    # and one within 100 at 1/s
    assert rate_grid([even((200, S), (50, 1), (1000, S))])[-1] == pytest.approx(2_000, rel=0.05)


def test_a_wide_range_has_a_limited_number_of_rates():
    assert len(rate_grid([even((1000, 100 * S), (20_000, S // 1000))])) == MOST_RATES


def test_few_arrivals_have_the_rate_of_all():
    assert rate_grid([np.array([0, S, 2 * S])]) == (1_000,)
    assert rate_grid([np.array([0, 1])]) == (10**12,)


def test_the_range_is_that_of_all_repeats():
    grid = rate_grid([even((1000, S // 10)), even((1000, S // 20))])
    assert (grid[0], grid[-1]) == (10_000, 20_000)
