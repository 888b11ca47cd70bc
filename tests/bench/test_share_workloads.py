"""The machines of the AutoPro bench do what is said of the applications they are made after."""

import numpy as np
import pytest

from bench.share_workloads import APPLICATIONS, BY_NAME, STEPS, machine, plant, shares_of
from tailc.forms.shares import Machine
from tailc.models.cpu_shares.plant import replay

# Long, and what it shows is shown of another kind in every run.
pytestmark = pytest.mark.fuzz


def throughput(name, given):
    each = BY_NAME[name]
    outcome = replay(shares_of([machine(each, each.work)]), plant([each], 7), given)
    return outcome.throughput[0, 1:]


def test_there_are_the_seven_applications():
    assert len(APPLICATIONS) == 7


def test_bodytrack_does_four_frames_a_second_in_the_mean_and_eight_at_most():
    random = np.random.default_rng(1).uniform(0.1, 1.0, (1, STEPS))
    assert throughput("bodytrack-like", random).mean() == pytest.approx(4.4, abs=0.4)
    assert throughput("bodytrack-like", np.ones((1, STEPS))).mean() == pytest.approx(8, rel=0.02)


def test_canneal_slows_down_all_the_time():
    done = throughput("canneal-like", np.ones((1, STEPS)))
    assert done[:20].mean() > 1.5 * done[-20:].mean()


def test_x264_has_phases_and_is_slow_where_it_has_little():
    done = throughput("x264-like", np.full((1, STEPS), 0.4))
    assert done.min() < 8
    assert done.max() > 1.5 * done.min()


def test_two_and_three_of_six_cores_leave_a_sixth_to_batch_work():
    """33 % and 50 % of the host, and 17 % (Bartolini, 2015, section 2.2.1)."""
    two = [BY_NAME["swaptions-like"], BY_NAME["x264-like"]]
    shares = shares_of([*(machine(each, 5.0) for each in two), Machine("rest", None, 0, 1)])
    given = np.broadcast_to(np.array([[2 / 6], [3 / 6]]), (2, 20))
    outcome = replay(shares, plant(two, 1, steps=20), given)
    assert outcome.share[:, 0] == pytest.approx([0.333, 0.5], abs=0.001)
    assert outcome.batch_share[0] == pytest.approx(0.167, abs=0.001)
