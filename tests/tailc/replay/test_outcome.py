import numpy as np
import pytest

from tailc.replay.lowered import lower
from tailc.replay.outcome import Outcome, replay
from tailc.replay.workload import Workload
from tests.tailc.replay.servers import MS, at_once, ladder


def five_requests(measured_from: int, most: int = 64) -> Outcome:
    """One every 10 ms, each 5 ms of work, but the last two 10 ms."""
    load = Workload(
        np.array([5, 10]) * MS, np.array([1, 1]), np.zeros(2, np.int32), np.array([[1.0]])
    )
    policy = ladder(at_once((0, 0)), cores=2, rungs=1)
    order, arrival_ns = np.array([0, 0, 0, 1, 1]), np.arange(5) * 10 * MS
    return replay(load, order, arrival_ns, lower((policy,), 1, most), most, measured_from)


def test_warm_up_counts_for_nothing():
    outcome = five_requests(measured_from=2)
    assert outcome.latency_ns[outcome.measured].tolist() == [5 * MS, 10 * MS, 10 * MS]
    # from 20 to 40 ms: one thread for 5 ms, then for 10 ms, on two cores
    assert outcome.utilization == pytest.approx(15 / 20 / 2)
    assert outcome.mean_threads == pytest.approx(15 / 20)


def test_halves_split_at_the_middle_request():
    # five requests: the second half begins with the third, at 20 ms
    assert five_requests(measured_from=0).mean_in_system_by_half == pytest.approx((0.5, 0.75))


def test_a_replay_cut_off_in_its_warm_up_still_has_latencies():
    load = Workload(np.array([500 * MS]), np.array([1]), np.zeros(1, np.int32), np.ones((1, 1)))
    table = lower((ladder(at_once((0, 0)), cores=1, rungs=1),), 1, 3)
    outcome = replay(load, np.zeros(9, int), np.arange(9) * 10 * MS, table, 3, measured_from=5)
    assert outcome.was_cut_off
    assert outcome.latency_ns[outcome.measured].tolist() == [20 * MS, 10 * MS, 0]
    assert outcome.utilization == pytest.approx(1)
