"""Batch work and busy lanes, by hand."""

import numpy as np
import pytest

from tailc.forms.ladder.lanes import Lanes, Waking, lane_ladder, plan_at_any_load
from tailc.models.smt.baselines.no_batch import no_batch
from tailc.models.smt.idle import EDGES_US, IdleTimes
from tailc.models.smt.model import Smt
from tailc.models.smt.usage import SmtTimes, SmtUse

# Requests 20 % and batch work 40 % slower while both work.
LANES = Lanes(2, 200_000, 400_000)
SUBJECT = Smt("x", (lane_ladder(LANES, plan_at_any_load(1_000, 2)),))
NEVER_IDLE = IdleTimes(np.zeros(len(EDGES_US) + 1), np.zeros(len(EDGES_US) + 1, np.int64))


def times(shared: float, alone: float, *, waking: tuple[float, float] = (0.0, 0.0)) -> SmtTimes:
    """Shares of the time of both cores that requests are on each rung, and that batch work beside
    free cores and beside requests is not awake.
    """
    given_up = LANES.cores * (0.4 * shared + alone)
    free, held = (LANES.cores * share for share in waking)
    return SmtTimes(shared + alone, given_up, (free, held), NEVER_IDLE)


def used(repeats: list[SmtTimes]) -> SmtUse:
    return SUBJECT.usage(repeats)


def test_beside_free_cores_batch_work_has_all_of_its_lanes():
    use = used([times(0.0, 0.0)])
    assert (use.batch_ppm, use.low_ppm, use.high_ppm) == (1_000_000, None, None)
    assert use.utilization_ppm == 1_000_000


def test_requests_that_are_alone_leave_it_the_rest_of_the_time():
    use = used([times(0.0, 0.7)])
    assert use.batch_ppm == 300_000
    # One lane of each core is always busy, and never both.
    assert use.utilization_ppm == 1_000_000


def test_requests_that_share_slow_it_down_and_keep_both_lanes_busy():
    use = used([times(0.5, 0.2)])
    assert use.batch_ppm == round(1e6 * (1 - 0.5 * 0.4 - 0.2))
    assert use.utilization_ppm == 1_500_000
    always = used([times(1.0, 0.0)])
    assert always.utilization_ppm == 2_000_000


def test_the_interval_is_that_of_the_repeats():
    use = used([times(0.0, 0.1), times(0.0, 0.3)] * 15)
    assert use.batch_ppm == 800_000
    # Student's t of 29 degrees of freedom, 2.045, times 0.1 sqrt(30 / 29) / sqrt(30).
    half_ppm = 2.045 * 100_000 / 29**0.5
    assert use.low_ppm == pytest.approx(800_000 - half_ppm, rel=1e-3)
    assert use.high_ppm == pytest.approx(800_000 + half_ppm, rel=1e-3)


def test_the_interval_ends_where_a_share_does():
    """Two repeats say little: Student's t of one degree of freedom is 12.7."""
    hardly = used([times(0.0, 1.0), times(0.0, 0.99)])
    assert (hardly.batch_ppm, hardly.low_ppm) == (5_000, 0)
    mostly = used([times(0.0, 0.0), times(0.0, 0.01)])
    assert (mostly.batch_ppm, mostly.high_ppm) == (995_000, 1_000_000)


def test_batch_work_that_wakes_up_does_none_and_keeps_no_lane_busy():
    use = used([times(0.5, 0.2, waking=(0.1, 0.05))])
    # Beside a request it would have done 60 %.
    assert use.batch_ppm == round(1e6 * (1 - 0.5 * 0.4 - 0.2 - 0.1 - 0.05 * 0.6))
    assert use.utilization_ppm == 1_500_000 - 150_000


def test_without_batch_work_only_requests_keep_lanes_busy():
    subject = no_batch(LANES, Waking())
    use = subject.usage([times(0.0, 0.3), times(0.0, 0.5)])
    assert (use.batch_ppm, use.low_ppm, use.high_ppm) == (0, 0, 0)
    assert use.utilization_ppm == 400_000


def test_cores_are_idle_for_the_rest_of_the_time():
    use = used([times(0.1, 0.2), times(0.3, 0.2)])
    assert use.idle.share_ppm == 600_000
    assert use.idle.periods == ()
