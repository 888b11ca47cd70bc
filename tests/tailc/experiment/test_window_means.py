import math
from statistics import NormalDist

import numpy as np
import pytest

from tailc.experiment.window_means import change_of, mean_of, rare_of
from tailc.models.datacentre.quantities import QuantitySample


def test_an_interval_of_a_mean_is_student_s():
    found = mean_of(QuantitySample.from_values([1.0, 2.0, 3.0, 4.0]))
    # Student's quantile for three degrees of freedom is 3.182; the mean's deviation is 0.6455.
    assert (found.low, found.value, found.high) == pytest.approx((0.446, 2.5, 4.554), abs=3e-3)


def test_fewer_than_four_windows_have_no_interval():
    assert mean_of(QuantitySample.from_values([1.0, 2.0, 3.0])).low is None
    assert (
        change_of(QuantitySample.from_values([1.0] * 3), QuantitySample.from_values([2.0] * 3)).high
        is None
    )


def test_a_ratio_weighs_windows_by_what_they_count():
    found = mean_of(QuantitySample.ratio([1, 8, 1, 8], [1, 9, 1, 9]))
    assert found.value == pytest.approx(0.9)
    # Residuals 0.1 and -0.1 over the mean whole of 5, with 3 degrees of freedom.
    deviation = math.sqrt(4 * 0.1**2 / 3 / 4) / 5
    assert found.high == pytest.approx(0.9 + 3.182 * deviation, abs=1e-4)


def test_of_nothing_there_is_no_interval():
    nothing = QuantitySample.ratio([0] * 5, [0] * 5)
    assert (mean_of(nothing).value, mean_of(nothing).low) == (0, None)
    assert change_of(nothing, QuantitySample.from_values([1.0] * 5)).low is None


def test_what_never_happened_might_have_three_times():
    found = rare_of(QuantitySample.ratio([0] * 4, [15] * 4))
    assert (found.value, found.low, found.high) == (0, 0, pytest.approx(3 / 60))
    assert rare_of(QuantitySample.ratio([0] * 4, [0.5] * 4)).high == 1


def test_a_share_lies_from_0_to_1():
    found = rare_of(QuantitySample.ratio([1, 0, 0, 0], [10] * 4))
    assert (found.low, found.value) == (0, 0.025)


def test_what_two_samples_share_cancels_in_their_change():
    days = [3.0, 80.0, 14.0, 7.0, 2.0]
    found = change_of(
        QuantitySample.from_values([day + 1 for day in days]), QuantitySample.from_values(days)
    )
    assert (found.low, found.value, found.high) == pytest.approx((1, 1, 1))


def test_ratios_of_other_wholes_are_compared_by_their_residuals():
    # 2 of 4 jobs against 1 of 5, in each window alike: nothing varies.
    found = change_of(
        QuantitySample.ratio([2] * 4, [4] * 4), QuantitySample.ratio([1] * 4, [5] * 4)
    )
    assert (found.low, found.value, found.high) == pytest.approx((0.3, 0.3, 0.3))
    # Against itself nothing changes, however it varies.
    uneven = QuantitySample.ratio([1, 0, 2, 3], [4, 5, 4, 3])
    assert change_of(uneven, uneven).high == 0


def coverage(truth, intervals) -> float:
    return float(np.mean([found.low <= truth <= found.high for found in intervals]))


@pytest.mark.parametrize("count", [4, 8, 30])
def test_means_of_independent_windows_hold_the_truth_in_95_of_100(count):
    draw = np.random.default_rng(count)
    found = [
        mean_of(QuantitySample.from_values(draw.normal(3.0, 2.0, count))) for _ in range(3_000)
    ]
    # A share of 3,000 trials is itself uncertain by 0.8 %.
    assert coverage(3.0, found) == pytest.approx(0.95, abs=0.013)


def test_ratios_and_changes_of_ratios_hold_the_truth_in_about_95_of_100():
    draw = np.random.default_rng(1)
    ratios, changes = [], []
    for _ in range(2_000):
        jobs = draw.integers(20, 60, 20)
        old, new = draw.binomial(jobs, 0.3), draw.binomial(jobs, 0.2)
        ratios.append(mean_of(QuantitySample.ratio(old, jobs)))
        changes.append(change_of(QuantitySample.ratio(new, jobs), QuantitySample.ratio(old, jobs)))
    assert coverage(0.3, ratios) == pytest.approx(0.95, abs=0.015)
    assert coverage(-0.1, changes) == pytest.approx(0.95, abs=0.015)


def test_windows_in_a_row_that_are_alike_make_intervals_too_narrow_by_a_known_factor():
    """With a correlation of r from each to the next, the variance of a mean is (1 + r) / (1 - r)
    times as much as of independent ones.
    """
    correlation, count = 0.3, 60
    draw = np.random.default_rng(2)
    found = []
    for _ in range(2_000):
        value, values = draw.normal(), []
        for _ in range(count):
            values.append(value)
            value = correlation * value + math.sqrt(1 - correlation**2) * draw.normal()
        found.append(mean_of(QuantitySample.from_values(values)))
    wider = math.sqrt((1 + correlation) / (1 - correlation))
    expected = 1 - 2 * NormalDist().cdf(-1.96 / wider)
    assert expected == pytest.approx(0.85, abs=0.005)
    assert coverage(0.0, found) == pytest.approx(expected, abs=0.025)
