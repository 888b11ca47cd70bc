import math

import pytest

from tailc.verify.plan.means import change_of, mean_of, rare_of
from tailc.verify.plan.quantities import Sample


def test_an_interval_of_a_mean_is_student_s():
    found = mean_of(Sample.of([1.0, 2.0, 3.0, 4.0]))
    # Student's quantile for three degrees of freedom is 3.182; the mean's deviation is 0.6455.
    assert (found.low, found.value, found.high) == pytest.approx((0.446, 2.5, 4.554), abs=3e-3)


def test_fewer_than_four_windows_have_no_interval():
    assert mean_of(Sample.of([1.0, 2.0, 3.0])).low is None
    assert change_of(Sample.of([1.0] * 3), Sample.of([2.0] * 3)).high is None


def test_a_ratio_weighs_windows_by_what_they_count():
    found = mean_of(Sample.ratio([1, 8, 1, 8], [1, 9, 1, 9]))
    assert found.value == pytest.approx(0.9)
    # Residuals 0.1 and -0.1 over the mean whole of 5, with 3 degrees of freedom.
    deviation = math.sqrt(4 * 0.1**2 / 3 / 4) / 5
    assert found.high == pytest.approx(0.9 + 3.182 * deviation, abs=1e-4)


def test_of_nothing_there_is_no_interval():
    nothing = Sample.ratio([0] * 5, [0] * 5)
    assert (mean_of(nothing).value, mean_of(nothing).low) == (0, None)
    assert change_of(nothing, Sample.of([1.0] * 5)).low is None


def test_what_never_happened_might_have_three_times():
    found = rare_of(Sample.ratio([0] * 4, [15] * 4))
    assert (found.value, found.low, found.high) == (0, 0, pytest.approx(3 / 60))
    assert rare_of(Sample.ratio([0] * 4, [0.5] * 4)).high == 1


def test_a_share_lies_from_0_to_1():
    found = rare_of(Sample.ratio([1, 0, 0, 0], [10] * 4))
    assert (found.low, found.value) == (0, 0.025)


def test_what_two_samples_share_cancels_in_their_change():
    days = [3.0, 80.0, 14.0, 7.0, 2.0]
    found = change_of(Sample.of([day + 1 for day in days]), Sample.of(days))
    assert (found.low, found.value, found.high) == pytest.approx((1, 1, 1))


def test_ratios_of_other_wholes_are_compared_by_their_residuals():
    # 2 of 4 jobs against 1 of 5, in each window alike: nothing varies.
    found = change_of(Sample.ratio([2] * 4, [4] * 4), Sample.ratio([1] * 4, [5] * 4))
    assert (found.low, found.value, found.high) == pytest.approx((0.3, 0.3, 0.3))
    # Against itself nothing changes, however it varies.
    uneven = Sample.ratio([1, 0, 2, 3], [4, 5, 4, 3])
    assert change_of(uneven, uneven).high == 0
