"""Batch work and busy lanes, by hand."""

import pytest

from tailc.forms.ladder.lanes import Lanes, at_any_load, lane_ladder
from tailc.verify.energy import CoreTimes, lane_use

# Requests 20 % and batch work 40 % slower while both work.
LANES = Lanes(2, 200_000, 400_000)
LADDER = lane_ladder(LANES, at_any_load(1_000, 2))


def times(shared: float, alone: float) -> CoreTimes:
    """Shares of the time of both cores that requests are on each rung."""
    given_up = LANES.cores * (0.4 * shared + alone)
    return CoreTimes(0.0, 0.0, given_up, (shared + alone,), None)


def test_beside_free_cores_batch_work_has_all_of_its_lanes():
    use = lane_use(LADDER, [times(0.0, 0.0)])
    assert (use.batch_ppm, use.low_ppm, use.high_ppm) == (1_000_000, None, None)
    assert use.utilization_ppm == 1_000_000


def test_requests_that_are_alone_leave_it_the_rest_of_the_time():
    use = lane_use(LADDER, [times(0.0, 0.7)])
    assert use.batch_ppm == 300_000
    # One lane of each core is always busy, and never both.
    assert use.utilization_ppm == 1_000_000


def test_requests_that_share_slow_it_down_and_keep_both_lanes_busy():
    use = lane_use(LADDER, [times(0.5, 0.2)])
    assert use.batch_ppm == round(1e6 * (1 - 0.5 * 0.4 - 0.2))
    assert use.utilization_ppm == 1_500_000
    always = lane_use(LADDER, [times(1.0, 0.0)])
    assert always.utilization_ppm == 2_000_000


def test_the_interval_is_that_of_the_repeats():
    use = lane_use(LADDER, [times(0.0, 0.1), times(0.0, 0.3)] * 15)
    assert use.batch_ppm == 800_000
    # Student's t of 29 degrees of freedom, 2.045, times 0.1 sqrt(30 / 29) / sqrt(30).
    half_ppm = 2.045 * 100_000 / 29**0.5
    assert use.low_ppm == pytest.approx(800_000 - half_ppm, rel=1e-3)
    assert use.high_ppm == pytest.approx(800_000 + half_ppm, rel=1e-3)
