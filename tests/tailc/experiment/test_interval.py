import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from scipy.stats import t as student

from tailc.experiment.interval import (
    Interval,
    Variance,
    interval,
    more_requests,
    ruling,
    sampling_variance,
    simulation_variance,
    sum_of_variances,
    upper_limit_shift,
    windows_met,
    windows_met_ppm,
)
from tailc.experiment.ruling import Ruling
from tailc.experiment.scenario import Spread
from tailc.experiment.tail_sample import TailSample, percentile_ns
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.specs.slo import Slo

P99 = 990_000
MANY = 4001
# So many requests are drawn that the draw alone decides, and their demands are even.
EVEN = Spread(10**9, 1.0, 0.0, math.inf)


def outcome(latency_ms: list[float], arrival_ms: list[float] | None = None) -> SharedCoresOutcome:
    count = len(latency_ms)
    return SharedCoresOutcome(
        arrival_ns=np.array([round(a * 1e6) for a in arrival_ms or range(count)]),
        latency_ns=np.array([round(ms * 1e6) for ms in latency_ms]),
        wait_ns=np.zeros(count, np.int64),
        rung=np.zeros(count, np.int32),
        is_cut=np.zeros(count, np.bool_),
        is_refused=np.zeros(0, np.bool_),
        thread_ns=np.zeros(count),
        arrived=count,
        measured_from=0,
        integrals=np.ones((4, 4)),
        capacity_ppm=(1_000_000,),
        rungs=1,
        rung_ns=np.zeros(1),
        losses=None,
    )


def spread(deviation: float, count: int = MANY) -> np.ndarray:
    """Numbers with mean 0 and exactly this standard deviation."""
    numbers = np.linspace(-1, 1, count)
    return numbers * deviation / np.std(numbers, ddof=1)


def tail(
    latency_us: np.ndarray,
    *,
    percentile_ppm: int = P99,
    shift: np.ndarray | None = None,
    by_repeat: np.ndarray | None = None,
    work_shift: np.ndarray | None = None,
    held_out: int = 1000,
    drawn: Spread = EVEN,
) -> TailSample:
    latency_ns = np.sort(latency_us).astype(np.int64) * 1000
    share = percentile_ppm / 1e6
    return TailSample(
        percentile_ppm,
        percentile_ns(latency_ns, percentile_ppm),
        latency_ns,
        np.full(24, share) if by_repeat is None else by_repeat,
        np.zeros(100) if shift is None else shift,
        np.zeros(100 if shift is None else len(shift)) if work_shift is None else work_shift,
        drawn,
        held_out,
    )


def test_where_requests_are_independent_the_limits_are_those_of_order_statistics():
    # the share of 1,000 independent requests up to their 99th percentile: sqrt(p q / 1000)
    deviation = math.sqrt(0.99 * 0.01 / 1000)
    found = interval(tail(np.arange(1, 1001), shift=spread(deviation)))
    assert found.high_us is not None
    # P(at most 983 below) = 2.6 %, P(at most 995 below) = 97.1 %; values are their ranks
    assert binom.cdf([983, 995], 1000, 0.99) == pytest.approx([0.0264, 0.9713], abs=1e-4)
    assert found.low_us == pytest.approx(984, abs=1)
    assert found.high_us == pytest.approx(996, abs=1)
    assert found.estimate_us == 990
    assert found.simulation_us == 0


def test_where_no_replicate_differs_the_limits_are_those_of_order_statistics():
    found = interval(tail(np.arange(1, 1001)))
    assert (found.low_us, found.high_us) == (pytest.approx(984, abs=1), pytest.approx(996, abs=1))


def test_fewer_than_thirty_requests_bound_nothing():
    few = interval(tail(np.arange(1, 30), percentile_ppm=500_000, held_out=29))
    assert (few.low_us, few.high_us) == (0, None)
    assert interval(tail(np.arange(1, 31), percentile_ppm=500_000, held_out=30)).high_us is not None


def test_half_the_deviation_is_worth_four_times_the_requests():
    deviation = math.sqrt(0.5 * 0.5 / 4000)
    latencies = np.arange(1, 100_001)
    found = interval(tail(latencies, percentile_ppm=500_000, shift=spread(deviation)))
    assert found.high_us is not None
    # 2 % lie beyond 2.054 standard deviations of the share, which is the value over 100,000
    assert found.high_us - 50_000 == pytest.approx(2.054 * deviation * 100_000, rel=0.01)
    assert 50_000 - found.low_us == pytest.approx(2.054 * deviation * 100_000, rel=0.01)


def test_too_few_held_out_requests_have_no_upper_limit_whatever_they_do():
    calm = spread(1e-5)
    assert interval(tail(np.arange(1, 1001), shift=calm, held_out=389)).high_us is None
    assert interval(tail(np.arange(1, 1001), shift=calm, held_out=390)).high_us is not None


def test_a_share_that_varies_too_much_has_no_upper_limit():
    # as if 300 independent requests were all there is
    deviation = math.sqrt(0.99 * 0.01 / 300)
    assert interval(tail(np.arange(1, 1001), shift=spread(deviation))).high_us is None


def test_equal_latencies_have_no_interval():
    found = interval(tail(np.full(1000, 7)))
    assert (found.low_us, found.estimate_us, found.high_us, found.simulation_us) == (7, 7, 7, 0)


def test_what_a_replicate_does_not_draw_is_allowed_for():
    # a tenth of the requests is drawn: the whole has a tenth of the variance
    found = sampling_variance(
        tail(np.arange(9), shift=spread(0.02), drawn=replace(EVEN, drawn_share=0.1))
    )
    assert found.value == pytest.approx(0.02**2 / 10)


def test_few_blocks_vary_less_than_what_they_come_from():
    found = sampling_variance(tail(np.arange(9), shift=spread(0.02), drawn=replace(EVEN, units=21)))
    assert found.value == pytest.approx(0.02**2 * 21 / 20)
    assert found.freedom == 20


def test_a_variance_that_comes_with_uneven_demands_has_few_degrees_of_freedom():
    moved = spread(0.02)
    uneven = replace(EVEN, freedom=8.0)
    # all of it, a quarter of it, or nothing follows the demand: 1 / freedom adds up
    assert sampling_variance(tail(moved, shift=moved, work_shift=-moved, drawn=uneven)).freedom == (
        pytest.approx(1 / (1 / 8 + 1 / 4000))
    )
    assert sampling_variance(tail(moved, shift=moved, drawn=uneven)).freedom == pytest.approx(4000)


def test_the_upper_limit_leans_out_where_longer_requests_slow_all_others():
    moved = spread(0.01)
    skewed = replace(EVEN, skewness=0.25)
    # four times the skewness of the mean, by the cube of the correlation
    assert upper_limit_shift(
        tail(moved, shift=moved, work_shift=-moved, drawn=skewed)
    ) == pytest.approx(1.0)
    assert upper_limit_shift(tail(moved, shift=moved, work_shift=moved, drawn=skewed)) == 0
    assert upper_limit_shift(tail(moved, shift=moved, drawn=skewed)) == 0
    assert upper_limit_shift(tail(moved, shift=moved, work_shift=-moved)) == 0

    latencies = np.arange(1, 10_001)
    straight = interval(tail(latencies, shift=moved, work_shift=-moved, percentile_ppm=500_000))
    leaning = interval(
        tail(latencies, shift=moved, work_shift=-moved, percentile_ppm=500_000, drawn=skewed)
    )
    assert straight.high_us is not None
    assert leaning.high_us is not None
    assert leaning.low_us == straight.low_us
    # by one standard deviation of the share, 1 %, of 10,000
    assert leaning.high_us - straight.high_us == pytest.approx(100, rel=0.05)


def test_where_arrivals_are_recorded_the_limit_leans_out_by_the_correlation_itself():
    moved = np.array([-1.0, 1, -1, 1])
    of_its_own = np.array([-1.0, 1, 1, -1])
    recorded = Spread(10**9, 1.0, 0.25, math.inf, is_recorded=True)
    assert upper_limit_shift(
        tail(moved, shift=moved, work_shift=-moved, drawn=recorded)
    ) == pytest.approx(1.25)
    mixed = -(moved + of_its_own)
    assert upper_limit_shift(
        tail(moved, shift=moved, work_shift=mixed, drawn=recorded)
    ) == pytest.approx(1.25 / math.sqrt(2))


def test_simulated_noise_is_that_of_a_mean_over_repeats():
    found = simulation_variance(tail(np.arange(9), by_repeat=0.9 + spread(0.01, 25)))
    assert found.value == pytest.approx(0.01**2 / 25)
    assert found.freedom == 24


def test_simulation_noise_alone_is_half_the_width_it_would_leave():
    by_repeat = 0.5 + spread(0.05, 25)
    latencies = np.arange(1, 100_001)
    found = interval(tail(latencies, percentile_ppm=500_000, by_repeat=by_repeat))
    wanted = student.ppf(0.975, 24) / 1.96 * 2.054 * 0.05 / 5 * 100_000
    assert found.simulation_us == pytest.approx(wanted, rel=0.02)


def test_degrees_of_freedom_add_up_as_satterthwaite_says():
    # equal variances with equal degrees: the sum has twice as many
    assert sum_of_variances(Variance(2.0, 10), Variance(2.0, 10)) == Variance(4.0, 20)
    assert sum_of_variances(Variance(2.0, 10), Variance(0.0, 3)) == Variance(2.0, 10)
    assert sum_of_variances(Variance(0.0, 3)) == Variance(0.0, math.inf)


LATENCIES = st.lists(st.integers(1, 10**6), min_size=2, max_size=200).map(np.array)
DEVIATIONS = st.floats(0, 0.3).map(lambda deviation: spread(deviation, 50))


@given(LATENCIES, DEVIATIONS, st.integers(10_000, 999_000))
@settings(derandomize=True, deadline=None)
def test_the_estimate_lies_within_its_limits(latencies, shift, percentile_ppm):
    found = interval(tail(latencies, shift=shift, percentile_ppm=percentile_ppm))
    assert found.low_us <= found.estimate_us
    assert found.high_us is None or found.estimate_us <= found.high_us
    assert found.simulation_us >= 0


@given(LATENCIES, DEVIATIONS, st.integers(2, 1000))
@settings(derandomize=True, deadline=None)
def test_limits_scale_with_the_unit_of_time(latencies, shift, factor):
    one = interval(tail(latencies, shift=shift, percentile_ppm=900_000))
    other = interval(tail(latencies * factor, shift=shift, percentile_ppm=900_000))
    assert other.estimate_us == one.estimate_us * factor
    assert other.low_us == one.low_us * factor
    assert other.high_us == (None if one.high_us is None else one.high_us * factor)


@given(LATENCIES, st.floats(0, 0.2), st.floats(1, 3))
@settings(derandomize=True, deadline=None)
def test_more_variation_never_narrows_the_interval(latencies, deviation, factor):
    narrow = interval(tail(latencies, shift=spread(deviation, 50), percentile_ppm=900_000))
    wide = interval(tail(latencies, shift=spread(deviation * factor, 50), percentile_ppm=900_000))
    assert wide.low_us <= narrow.low_us
    assert wide.high_us is None or (narrow.high_us is not None and narrow.high_us <= wide.high_us)


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
    assert more_requests(Interval(80, 50, None), 100, P99, 300) == 90
    assert more_requests(Interval(110, 80, None), 100, P99, 300) == 2400


def test_requests_that_are_worth_less_are_needed_in_proportion():
    # 390 are needed, and 1,000 are worth 100
    assert more_requests(Interval(80, 50, None, effective_requests=100), 100, P99, 1000) == 2900


def test_no_number_decides_when_the_estimate_is_on_the_target():
    assert more_requests(Interval(100, 50, 120), 100, P99, 1000) is None
    assert more_requests(Interval(99_999, 0, 200_000), 100_000, P99, 1000) is None


def test_windows_of_requests_are_judged_one_by_one():
    slo = Slo(500_000, 10_000, window_requests=4)
    # late (over 10 ms): 2 of 4 is allowed at the median, 3 is not; the last two are no whole window
    latency_ms = [*(1, 11, 11, 1), *(11, 11, 11, 1), *(99, 99)]
    assert windows_met_ppm([windows_met(outcome(latency_ms), slo)]) == 500_000


def test_windows_of_time_hold_who_arrived_in_them():
    slo = Slo(500_000, 10_000, window_us=100_000)
    arrival_ms = [0, 50, 99, 100, 350, 399, 400]
    latency_ms = [1, 1, 99, 99, 99, 1, 99]
    # windows of 100 ms: [1, 1, 99] meets, [99] does not, none, [99, 1] meets, the last is not whole
    assert windows_met_ppm([windows_met(outcome(latency_ms, arrival_ms), slo)]) == 666_667


def test_windows_of_a_class_hold_its_requests_only():
    slo = Slo(500_000, 10_000, window_requests=2)
    of_class = np.array([True, False] * 4)
    # those of the class: [1, 1], [99, 99]; all others are late
    latencies = outcome([1, 99, 1, 99, 99, 99, 99, 99])
    assert windows_met(latencies, slo, of_class) == (1, 2)
    by_time = Slo(500_000, 10_000, window_us=2_000)
    # every 2 ms one of the class: 1, 1, 99, and the last window is not whole
    assert windows_met(latencies, by_time, of_class) == (2, 3)


def test_windows_far_shorter_than_the_gaps_between_arrivals_cost_nothing():
    # billions of windows of 1 us, two of which have a request: 1 ms meets, 99 ms does not
    slo = Slo(P99, 10_000, window_us=1)
    hours_ms = [0, 36e6, 72e6]
    assert windows_met_ppm([windows_met(outcome([1, 99, 1], hours_ms), slo)]) == 500_000


def test_there_is_no_share_without_a_whole_window():
    assert windows_met_ppm([windows_met(outcome([1, 2]), Slo(P99, 10))]) is None
    assert windows_met_ppm([windows_met(outcome([1, 2]), Slo(P99, 10, window_requests=3))]) is None
