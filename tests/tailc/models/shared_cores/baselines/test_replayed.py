"""Baselines on an idle server, where latency is work over speed, and on a crowded one."""

import numpy as np
import pytest

from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.tailc.models.shared_cores.servers import at_once, ladder

MS = 1_000_000
# Four rungs of 1 to 4 threads without loss, 4 cores, ticks every 5 ms.
POLICY = SharedCores("ours", (ladder(at_once((0, 0), (50, 3)), cores=4, boost=4),))
WORK_MS = (100, 400, 1000)
LOAD = Workload(
    np.array(WORK_MS) * MS,
    np.ones(3, np.int64),
    np.zeros(3, np.int32),
    np.array([[1.0, 2.0, 3.0, 4.0]]),
)


def latencies_ms(subject, arrival_ms):
    """The three requests in order, arriving at these times."""
    arrival_ns = np.array(arrival_ms, np.int64) * MS
    order = np.arange(3, dtype=np.int32)
    outcome = subject.engine(1000, 64).replay(LOAD, order, arrival_ns, 0)
    return (outcome.latency_ns / MS).tolist()


def made(name):
    def evaluate(subject):
        return CandidateResult(max(latencies_ms(subject, APART)), None)

    return POLICY.baseline(name, LOAD, BaselineSearch(evaluate, 990_000, 1))


APART = (0, 10_000, 20_000)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("seq", [100, 400, 1000]),
        ("fix-2", [50, 200, 500]),
        ("fix-4+boost", [25, 100, 250]),
        # Alone, a request always finds fewer than two in the system
        ("fix-4<2", [25, 100, 250]),
        ("adaptive", [25, 100, 250]),
        ("rc-4>400ms", [100, 400, 250]),
        # 100 ms on each rung do 100, 200 and 300 ms of work, and the fourth does the rest
        ("every-100ms", [100, 100 + 100 + 100 / 3, 300 + 400 / 4]),
        # 50 ms on one thread, then four
        ("no-boost", [50 + 50 / 4, 50 + 350 / 4, 50 + 950 / 4]),
    ],
)
def test_alone_a_request_takes_its_work_over_its_speed(name, wanted):
    assert latencies_ms(made(name), APART) == pytest.approx(wanted, abs=1e-5)


def test_the_first_that_finds_a_crowd_stays_on_one_thread():
    # Alone for 1 ms the first does 4 ms of work. Then its 4 threads and the second's one have 4/5
    # of a core each: the other 96 take 30 ms, in which the second does 24 of its 400. It keeps its
    # one thread, although it is then alone, for another 376 ms.
    fast, slow, _ = latencies_ms(made("fix-4<2"), (0, 1, 50_000))
    assert (fast, slow) == pytest.approx((31, 406), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "wanted_ms"),
    [
        # 600 of 1,000 ms are done by 300 ms, and the rest on four boosted threads of five cores.
        ("every-100ms+boost", 400),
        # From 350 ms on, when 200 are left, six threads share five cores.
        ("every-100ms", 350 + 200 / (4 * 5 / 6)),
    ],
)
def test_who_climbs_to_the_last_rung_by_age_is_boosted_if_the_name_says_so(name, wanted_ms):
    server = SharedCores("ours", (ladder(at_once((0, 0), (50, 3)), cores=5),))
    subject = server.baseline(
        name, LOAD, BaselineSearch(lambda _: CandidateResult(0, None), 990_000, 1)
    )
    arrival_ns = np.array([0, 250 * MS], np.int64)
    outcome = subject.engine(1000, 64).replay(LOAD, np.array([2, 1], np.int32), arrival_ns, 0)
    assert outcome.latency_ns[0] / MS == pytest.approx(wanted_ms, abs=1e-5)


def test_the_threshold_with_the_least_tail_is_found():
    # Thresholds are tried at 100, 400 and 1000 ms; only the first two shorten the longest
    assert made("rc-4").note == "threshold 100 ms"


def test_every_default_baseline_ends_its_requests():
    for name in POLICY.default_baselines(LOAD):
        assert min(latencies_ms(made(name), (0, 1, 2))) > 0
