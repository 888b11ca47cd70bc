import statistics

import numpy as np
import pytest

from tailc.replay.outcome import Outcome
from tailc.specs.slo import Slo
from tailc.verify.interval import (
    Interval,
    bootstrap_limits,
    more_requests,
    ruling,
    windows_met_ppm,
)
from tailc.verify.verdict import Ruling

P99 = 990_000
# 2 % of a normal distribution lie beyond 2.054 standard deviations.


def outcome(latency_ms: list[float], arrival_ms: list[float] | None = None) -> Outcome:
    count = len(latency_ms)
    return Outcome(
        np.array([round(a * 1e6) for a in arrival_ms or range(count)]),
        np.array([round(ms * 1e6) for ms in latency_ms]),
        *(np.zeros(count, np.int64), np.zeros(count, np.int32)),
        *(np.zeros(count, np.bool_), np.zeros(count)),
        arrived=count,
        measured_from=0,
        integrals=np.ones((4, 4)),
        capacity_ppm=(1_000_000,),
        rungs=1,
    )


@pytest.mark.parametrize(
    ("low", "high", "target", "says"),
    [
        (80, 100, 100, Ruling.PASS),
        (80, 101, 100, Ruling.UNDECIDED),
        (100, 120, 100, Ruling.UNDECIDED),
        (101, 120, 100, Ruling.FAIL),
        (80, None, 10_000, Ruling.UNDECIDED),
        (101, None, 100, Ruling.FAIL),
    ],
)
def test_the_whole_interval_decides(low, high, target, says):
    assert ruling(Interval(low, low, high), target, is_overloaded=False) is says


def test_an_overloaded_server_never_passes():
    assert ruling(Interval(1, 1, 2), 100, is_overloaded=True) is Ruling.UNDECIDED
    assert ruling(Interval(200, 200, 300), 100, is_overloaded=True) is Ruling.FAIL


def test_limits_shrink_with_the_root_of_the_sample():
    # the upper half-width is 40, the distance 20: 4 times the sample, 3,000 more
    assert more_requests(Interval(80, 50, 120), 100, P99, 1000) == 3000
    # the lower half-width is 30, the distance 10: 9 times
    assert more_requests(Interval(110, 80, 115), 100, P99, 1000) == 8000


def test_a_number_of_requests_is_rounded_up_to_two_digits():
    # (40 / 12)^2 = 11.11: 10,112 more
    assert more_requests(Interval(88, 50, 128), 100, P99, 1000) == 11_000


def test_a_sample_without_an_upper_limit_needs_at_least_one():
    assert more_requests(Interval(80, 50, None), 100, P99, 300) == 68
    assert more_requests(Interval(110, 80, None), 100, P99, 300) == 2400


def test_no_number_decides_when_the_estimate_is_on_the_target():
    assert more_requests(Interval(100, 50, 120), 100, P99, 1000) is None
    assert more_requests(Interval(99_999, 0, 200_000), 100_000, P99, 1000) is None


def test_without_noise_the_limits_are_those_of_the_replicates():
    # 199 replicates: (199 + 1) * 2 % = 4 values up to and including the limit
    assert bootstrap_limits(list(range(1, 200)), [100, 100]) == (4, 196)


def test_the_noise_of_the_arrivals_is_taken_out_of_the_replicates():
    rng = np.random.default_rng(1)
    sampling = rng.normal(0, 30_000, 4000)
    noise = rng.normal(0, 40_000, 4000)
    replicates = [round(x) for x in 10**6 + sampling + noise]
    repeats = [round(x) for x in 10**6 + rng.normal(0, 40_000, 4000)]
    low, high = bootstrap_limits(replicates, repeats)
    # what is left is the sampling and 1/4000 of the noise's variance
    assert (high - low) / 2 == pytest.approx(2.054 * 30_000, rel=0.08)


def test_replicates_that_vary_by_noise_alone_leave_the_noise_of_the_estimate():
    rng = np.random.default_rng(2)
    replicates = [round(x) for x in rng.normal(10**6, 10_000, 4000)]
    repeats = [round(x) for x in rng.normal(10**6, 12_000, 100)]
    low, high = bootstrap_limits(replicates, repeats)
    assert (high - low) / 2 == pytest.approx(2.054 * statistics.stdev(repeats) / 10, rel=0.05)


def test_windows_of_requests_are_judged_one_by_one():
    slo = Slo(500_000, 10_000, window_requests=4)
    # late (over 10 ms): 2 of 4 is allowed at the median, 3 is not; the last two are no whole window
    latency_ms = [*(1, 11, 11, 1), *(11, 11, 11, 1), *(99, 99)]
    assert windows_met_ppm((outcome(latency_ms),), slo) == 500_000


def test_windows_of_time_hold_who_arrived_in_them():
    slo = Slo(500_000, 10_000, window_us=100_000)
    arrival_ms = [0, 50, 99, 100, 350, 399, 400]
    latency_ms = [1, 1, 99, 99, 99, 1, 99]
    # windows of 100 ms: [1, 1, 99] meets, [99] does not, none, [99, 1] meets, the last is not whole
    assert windows_met_ppm((outcome(latency_ms, arrival_ms),), slo) == 666_667


def test_windows_far_shorter_than_the_gaps_between_arrivals_cost_nothing():
    # billions of windows of 1 us, two of which have a request: 1 ms meets, 99 ms does not
    slo = Slo(P99, 10_000, window_us=1)
    hours_ms = [0, 36e6, 72e6]
    assert windows_met_ppm((outcome([1, 99, 1], hours_ms),), slo) == 500_000


def test_there_is_no_share_without_a_whole_window():
    assert windows_met_ppm((outcome([1, 2]),), Slo(P99, 10)) is None
    assert windows_met_ppm((outcome([1, 2]),), Slo(P99, 10, window_requests=3)) is None
