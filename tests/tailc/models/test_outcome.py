import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.table import ON_EXIT, Climb, Row
from tailc.models import streams
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.models.workload import Workload
from tests.tailc.models.shared_cores.servers import MS, at_once, ladder


def five_requests(measured_from: int, most: int = 64) -> SharedCoresOutcome:
    """One every 10 ms, each 5 ms of work, but the last two 10 ms."""
    load = Workload(
        np.array([5, 10]) * MS, np.array([1, 1]), np.zeros(2, np.int32), np.array([[1.0]])
    )
    policy = ladder(at_once((0, 0)), cores=2, rungs=1)
    order, arrival_ns = np.array([0, 0, 0, 1, 1]), np.arange(5) * 10 * MS
    return (
        SharedCores("x", (policy,)).engine(1, most).replay(load, order, arrival_ns, measured_from)
    )


@pytest.mark.parametrize("requests", [3_000_000, 12_000_000])
def test_arrivals_of_more_than_ten_years_are_refused(requests):
    # a request every 1,000 s; twelve million of them leave 64 bits of nanoseconds
    arrival_ns = Poisson(1).arrival_ns(streams.stream(1), requests)
    load = Workload(np.array([MS]), np.array([1]), np.zeros(1, np.int32), np.array([[1.0]]))
    engine = SharedCores("x", (ladder(at_once((0, 0)), cores=2, rungs=1),)).engine(1, 64)
    with pytest.raises(TailcError, match=f"`{requests}` requests .* over 10 years") as raised:
        engine.replay(load, np.zeros(requests, np.int64), arrival_ns, 0)
    assert raised.value.findings[0].code is Code.USAGE


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
    engine = SharedCores("x", (ladder(at_once((0, 0)), cores=1, rungs=1),)).engine(1, 3)
    outcome = engine.replay(load, np.zeros(9, int), np.arange(9) * 10 * MS, 5)
    assert outcome.was_cut_off
    assert outcome.latency_ns[outcome.measured].tolist() == [20 * MS, 10 * MS, 0]
    assert outcome.utilization == pytest.approx(1)


def test_threads_by_demand_and_the_rungs_that_requests_left_on():
    """Forty requests alone on the server: 1 thread up to 5 ms, then 2 at twice the speed."""
    work_ms = np.array([2.0] * 38 + [4, 25])
    load = Workload(
        (work_ms * MS).astype(np.int64),
        np.ones(40, int),
        np.zeros(40, np.int32),
        np.array([[1.0, 2.0]]),
    )
    engine = SharedCores("x", (ladder(at_once((0, 0), (5, 1)), cores=2, rungs=2),)).engine(1, 9)
    order = np.arange(40)
    outcome = engine.replay(load, order, order * 100 * MS, 0)
    found = outcome.rung_times(load.work_ns[order])
    # the longest takes 5 ms on one thread and 10 ms on two
    longest = (5 + 2 * 10) / 15
    assert found.threads == pytest.approx((39 + longest) / 40)
    assert found.longest == pytest.approx((1 + longest) / 2)
    assert found.shortest == 1
    assert found.left_on.tolist() == [39 / 40, 1 / 40]
    assert outcome.mean_thread_ns == pytest.approx((38 * 2 + 4 + 25) * MS / 40)


def test_requests_that_never_ran_say_nothing_of_rungs():
    load = Workload(np.array([500 * MS]), np.array([1]), np.zeros(1, np.int32), np.ones((1, 1)))
    policy = ladder(at_once((0, 0), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)), rungs=1)
    engine = SharedCores("x", (policy,)).engine(1, 3)
    outcome = engine.replay(load, np.zeros(9, int), np.arange(9) * 10 * MS, 0)
    assert outcome.wait_ns[:3].tolist() == [0, 10 * MS, 0]
    assert outcome.thread_ns[:3].tolist() == [20 * MS, 0, 0]
    found = outcome.rung_times(load.work_ns[np.zeros(9, int)])
    assert (found.threads, found.left_on.tolist()) == (1, [1])


def test_without_a_limited_unit_there_is_no_utilization():
    load = Workload(np.array([5 * MS]), np.array([1]), np.zeros(1, np.int32), np.ones((1, 2)))
    engine = SharedCores("x", (ladder(at_once((0, 1)), rungs=2),)).engine(1, 9)
    outcome = engine.replay(load, np.zeros(2, int), np.array([0, 10 * MS]), 0)
    assert outcome.utilization is None
    # two threads for half of the time
    assert outcome.mean_threads == pytest.approx(1)


def test_thread_time_on_rungs_adds_up_to_that_of_requests():
    """One thread for 10 ms, then two: 38 ms of the first request and 5 of the second are work."""
    engine = SharedCores("x", (ladder(at_once((0, 0), (10, 1)), rungs=2),)).engine(1000, 64)
    load = Workload(
        np.array([38 * MS, 5 * MS]), np.ones(2, np.int64), np.zeros(2, np.int32), np.ones((1, 2))
    )
    outcome = engine.replay(load, np.arange(2), np.array([0, 100 * MS]), 0)
    assert outcome.rung_ns.tolist() == [(10 + 5) * MS, 2 * 28 * MS]
    assert outcome.rung_ns.sum() == outcome.thread_ns.sum()
