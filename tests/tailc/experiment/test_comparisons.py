"""Intervals of many services that hold together: wider ones, by Bonferroni's inequality."""

from __future__ import annotations

import pytest
from scipy.stats import norm, t

from tailc.order_statistics import (
    fewest_for_upper_limit,
    normal_limit,
    share_limits,
    student_t_95,
)


@pytest.mark.parametrize("comparisons", [2, 100, 10_000])
@pytest.mark.parametrize("freedom", [3.0, 20.0, float("inf")])
def test_the_quantile_is_that_of_a_tail_of_each(comparisons, freedom):
    tail = 0.025 / comparisons
    assert student_t_95(freedom, comparisons) == pytest.approx(t.ppf(1 - tail, freedom), rel=1e-6)
    assert normal_limit(comparisons) == pytest.approx(norm.ppf(1 - tail), rel=1e-9)


def test_limits_of_more_services_are_wider():
    low, high = zip(
        *(share_limits(0.9, 2_000, 2_000, count) for count in (1, 10, 1_000)), strict=True
    )
    assert low[0] > low[1] > low[2]
    assert high[0] < high[1] < high[2]


def test_an_upper_limit_needs_more_requests():
    # 0.99^n <= 2 % / 100 from n = 848 on.
    assert (fewest_for_upper_limit(990_000), fewest_for_upper_limit(990_000, 100)) == (390, 848)
