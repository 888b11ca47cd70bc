import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tailc.errors import TailcError
from tailc.models import streams
from tailc.models.arrivals import Burst, Bursts, Poisson, RateProfile, RateStep, RecordedArrivals

S = 10**9
EVERY_KIND = [
    Poisson(40_000),
    Bursts((Burst(500, 45_000), Burst(300, 30_000))),
    RateProfile(
        (RateStep(10_000_000, 45_000), RateStep(20_000_000, 0), RateStep(5_000_000, 90_000))
    ),
    RecordedArrivals(np.array([0, 5, 5, 9 * S]), None, "start"),
]


def times(arrivals, *seed, requests=1000):
    return arrivals.arrival_ns(streams.stream(*seed), requests)


@pytest.mark.parametrize("arrivals", EVERY_KIND, ids=lambda a: a.name)
def test_times_ascend_and_are_the_same_for_the_same_stream(arrivals):
    first = times(arrivals, 1, 2)
    assert first.dtype == np.int64
    assert (np.diff(first) >= 0).all()
    assert first.tolist() == times(arrivals, 1, 2).tolist()
    assert arrivals.is_recorded or first.tolist() != times(arrivals, 1, 3).tolist()


def test_each_burst_has_its_requests_at_its_rate():
    bursts = Bursts((Burst(20_000, 45_000), Burst(20_000, 30_000)))
    arrival_ns = times(bursts, 7)
    assert len(arrival_ns) == 40_000
    gaps_s = np.diff(arrival_ns, prepend=0) / S
    for gaps, rate in ((gaps_s[:20_000], 45), (gaps_s[20_000:], 30)):
        # Exponential gaps: their mean has a standard deviation of itself over sqrt(n)
        assert abs(gaps.mean() * rate - 1) < 4 / math.sqrt(20_000)
        assert stats.kstest(gaps * rate, "expon").pvalue > 0.001


def test_a_burst_is_told_by_its_last_hundred_requests():
    paper = Bursts(tuple(Burst(500, rate * 1000) for rate in (45, 30, 45, 30)))
    assert paper.stretches == ((400, 500), (900, 1000), (1400, 1500), (1900, 2000))
    assert paper.warm_up(2000) == 0
    # 2000 requests in 2 * (500/45 + 500/30) seconds are 36 a second
    assert paper.rate_mrps == 36_000
    assert paper.name == "bursts 500@45/s, 500@30/s, 500@45/s, 500@30/s"


def test_a_burst_shorter_than_its_stretch_is_told_whole():
    assert Bursts((Burst(30, 1000), Burst(200, 1000))).stretches == ((0, 30), (130, 230))


def test_counts_by_step_of_a_profile_are_poisson():
    steps = (RateStep(2_000_000, 20_000), RateStep(1_000_000, 0), RateStep(4_000_000, 35_000))
    profile = RateProfile(steps)
    assert profile.mean_requests == 2 * 20 + 4 * 35
    assert profile.rate_mrps == round(180_000 / 7)
    runs = 2000
    counts = np.array(
        [
            np.histogram(times(profile, 11, run), [0, 2 * S, 3 * S, 7 * S + 1])[0]
            for run in range(runs)
        ]
    )
    assert (counts[:, 1] == 0).all()
    for column, mean in ((0, 40), (2, 140)):
        edges = np.unique(stats.poisson.ppf(np.linspace(0.05, 0.95, 10), mean))
        cells = np.diff(np.concatenate([[0], stats.poisson.cdf(edges, mean), [1]]))
        found = np.bincount(np.searchsorted(edges, counts[:, column]), minlength=len(cells))
        assert stats.chisquare(found, cells * runs).pvalue > 0.001
    assert abs(np.corrcoef(counts[:, 0], counts[:, 2])[0, 1]) < 4 / math.sqrt(runs)


def test_times_within_a_step_are_uniform():
    profile = RateProfile((RateStep(100_000_000, 30_000), RateStep(100_000_000, 60_000)))
    arrival_ns = times(profile, 5)
    second = arrival_ns[arrival_ns >= 100 * S]
    assert stats.kstest((second - 100 * S) / (100 * S), "uniform").pvalue > 0.001
    assert arrival_ns[-1] <= 200 * S


def test_a_profile_is_cut_at_its_most_requests():
    profile = RateProfile((RateStep(100_000_000, 30_000),), most_requests=150)
    whole = RateProfile((RateStep(100_000_000, 30_000),))
    assert times(profile, 5).tolist() == times(whole, 5)[:150].tolist()


def test_recorded_arrivals_come_as_they_were():
    recorded = RecordedArrivals(np.array([0, 2 * S, 3 * S, 3 * S]), np.array([2, 0, 1, 3]), "start")
    assert times(recorded, 1).tolist() == [0, 2 * S, 3 * S, 3 * S]
    assert recorded.rate_mrps == 1000
    assert recorded.name == "recorded `start`"


def test_rescaled_arrivals_keep_their_pattern_at_the_rate_asked_for():
    recorded = RecordedArrivals(np.array([0, 2 * S, 3 * S, 4 * S]), None, "start")
    faster = recorded.rescaled_to(3_000)
    # 3 gaps in a second rather than four
    assert faster.times_ns.tolist() == [0, S // 2, 3 * S // 4, S]
    assert (faster.rate_mrps, faster.name) == (3_000, "recorded `start` at 3/s")


def test_a_recording_cannot_be_stretched_to_centuries():
    recorded = RecordedArrivals(np.arange(400_000), None, "start")
    with pytest.raises(TailcError, match=r"399999 gaps at 0\.001/s take over 10 years"):
        recorded.rescaled_to(1)


@given(
    st.lists(st.integers(0, 10**12), min_size=2, max_size=50).filter(lambda gaps: sum(gaps[1:])),
    st.integers(1, 10**9),
)
def test_rescaling_moves_the_last_arrival_exactly(gaps, rate_mrps):
    times_ns = np.cumsum(gaps) - gaps[0]
    rescaled = RecordedArrivals(times_ns, None, "t").rescaled_to(rate_mrps)
    wanted = (len(gaps) - 1) * 10**12 / rate_mrps
    assert abs(int(rescaled.times_ns[-1]) - max(wanted, 1)) <= 0.5 + wanted * 2**-52
