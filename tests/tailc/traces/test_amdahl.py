"""Amdahl's law, and the one that is nearest to a curve."""

import numpy as np
import pytest

from tailc.traces.amdahl import amdahl, serial_share


def test_half_of_the_work_shared_never_doubles_the_speed():
    assert amdahl(0.5, 3) == pytest.approx((1, 4 / 3, 1.5))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.37, 1.0])
def test_the_share_of_a_law_is_found_again(share):
    assert serial_share(np.array(amdahl(1 - share, 6))) == pytest.approx(share, abs=1e-12)


def test_the_nearest_law_is_between_those_of_the_points():
    # Times of 1, 0.6 and 0.4: a share of 0.2 alone has 0.6, one of 0.1 alone has 0.4.
    # (0.1 / 2 + 0.4 - 1 / 3) over (1 / 4 + 4 / 9), by the normal equation in two thirds.
    wanted = (0.1 * 0.5 + (0.4 - 1 / 3) * 2 / 3) / (0.25 + 4 / 9)
    assert serial_share(np.array([1, 1 / 0.6, 2.5])) == pytest.approx(wanted)
    assert 0.1 < wanted < 0.2


def test_what_is_better_than_linear_has_no_serial_part():
    assert serial_share(np.array([1.0, 2.2, 3.5])) == 0


def test_what_falls_below_one_thread_is_all_serial():
    assert serial_share(np.array([1.0, 0.8])) == 1


def test_one_degree_has_no_law():
    with pytest.raises(ValueError, match="two degrees"):
        serial_share(np.array([1.0]))
