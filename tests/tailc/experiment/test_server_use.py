import numpy as np
import pytest

from tailc.experiment.server_use import load, never_keeps_up, server_use
from tailc.models.arrivals import (
    Arrivals,
    Burst,
    Bursts,
    Poisson,
    RateProfile,
    RateStep,
    RecordedArrivals,
)
from tailc.models.server_load import Load, RungUse
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tests.tailc.models.shared_cores.servers import at_once, ladder

PPM = 1_000_000
MS = 1_000_000
SERVER = SharedCores("x", (ladder(at_once((0, 0)), cores=4, rungs=2),))


def outcome(
    in_system: tuple[float, float], busy: float = 2, *, arrived: int = 10, cores: int = 4
) -> SharedCoresOutcome:
    """Ten requests of 3 ms; mean requests in the system in the two measured halves."""
    halves = [[1.0, mean, busy * PPM, busy * PPM] for mean in in_system]
    return SharedCoresOutcome(
        arrival_ns=np.arange(10),
        latency_ns=np.full(10, 3 * MS),
        wait_ns=np.zeros(10, np.int64),
        rung=np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], np.int32),
        is_cut=np.zeros(10, np.bool_),
        is_refused=np.zeros(0, np.bool_),
        thread_ns=np.where(np.arange(10) < 6, 3 * MS, 6 * MS).astype(np.float64),
        arrived=arrived,
        measured_from=2,
        integrals=np.array([[0.0] * 4, *halves, [0.0] * 4]),
        capacity_ppm=(cores * PPM,),
        rungs=2,
        rung_ns=np.zeros(2),
        losses=None,
    )


def judged(*repeats: SharedCoresOutcome, arrivals: Arrivals = Poisson(1000)) -> Load:  # noqa: B008 - frozen
    """Ten requests of 1 to 10 ms of work in order of arrival."""
    work_ns = np.arange(1, 11) * MS
    return load(arrivals, [server_use(SERVER, one, work_ns) for one in repeats])


def test_means_are_over_all_repeats():
    found = judged(outcome((2, 4), busy=1), outcome((4, 6), busy=3))
    assert (found.mean_latency_us, found.in_system_milli) == (3000, 4000)
    assert (found.threads_milli, found.utilization_ppm) == (2000, 500_000)


def test_rungs_are_counted_over_measured_requests():
    found = judged(outcome((2, 2)))
    # requests 2 to 9: four on one thread for 3 ms, four on two
    assert found.thread_time_us == 4500
    assert found.rung_use == RungUse(1500, 2000, 1000, (500_000, 500_000))


@pytest.mark.parametrize(
    ("repeat", "is_overloaded"),
    [
        (outcome((10, 15)), False),
        (outcome((10, 15.1)), True),
        (outcome((0.2, 1.4)), False),
        (outcome((10, 10), busy=3.97), False),
        (outcome((10, 10), busy=3.98), True),
        (outcome((10, 10), arrived=9), True),
    ],
)
def test_a_server_is_overloaded_if_its_backlog_grows_or_it_is_never_idle(repeat, is_overloaded):
    assert judged(repeat, repeat).is_overloaded is is_overloaded


@pytest.mark.parametrize(
    "arrivals",
    [
        Bursts((Burst(5, 1000), Burst(5, 4000))),
        RateProfile((RateStep(10**8, 1000), RateStep(10**8, 4000))),
        RecordedArrivals(np.arange(10) * MS, None, "arrived"),
    ],
)
def test_more_requests_in_the_second_half_are_no_backlog_where_the_rate_changes(arrivals):
    assert not judged(outcome((10, 40)), arrivals=arrivals).is_overloaded
    assert judged(outcome((10, 10), busy=3.98), arrivals=arrivals).is_overloaded
    assert judged(outcome((10, 10), arrived=9), arrivals=arrivals).is_overloaded


def test_one_replay_that_came_to_its_end_is_one_that_kept_up():
    whole, stopped = outcome((1, 1)), outcome((1, 1), arrived=9)
    assert never_keeps_up((stopped, stopped))
    assert not never_keeps_up((stopped, whole))
