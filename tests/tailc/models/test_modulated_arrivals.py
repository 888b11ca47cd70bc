import math
import statistics

import numpy as np
import pytest
from scipy import stats

from tailc.errors import Code, TailcError
from tailc.models import streams
from tailc.models.arrivals import Poisson
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.reference.modulated_queue import mean_in_system
from tests.tailc.models.shared_cores.servers import MS, at_once, ladder

S = 10**9
PPM = 1_000_000
BURSTY = ModulatedArrivals(40_000, Burstiness(8 * PPM, 2_000_000))


def times(arrivals, *seed, requests=1000):
    return arrivals.arrival_ns(streams.stream(*seed), requests)


def test_rates_are_those_of_a_hand_calculation():
    """Spells of 1 s in half of the time: both switches at 1/s, so r = 2/s.

    With an index of 6 the variance of the rate is (6 - 1) * 10/s * 2/s / 2 = 50/s^2, and levels
    7.07/s to both sides of the mean have it.
    """
    even = ModulatedArrivals(10_000, Burstiness(6 * PPM, 1_000_000, 500_000))
    assert even.levels_rps == pytest.approx((10 + math.sqrt(50), 10 - math.sqrt(50)))
    # 1 + 5 (1 - (1 - e^-2) / 2) at one second
    assert even.burstiness.idc(1) == pytest.approx(1 + 2.5 * (1 + math.exp(-2)))


def test_at_the_greatest_index_nothing_comes_between_spells():
    """Requests come at 20/s for 1 s, then none for 1 s: V = 100/s^2, 2 V / (10/s * 2/s) = 10."""
    on_off = Burstiness(11 * PPM, 1_000_000, 500_000)
    assert on_off.most_idc(10_000) == 11
    assert ModulatedArrivals(10_000, on_off).levels_rps == (20, 0)
    gaps_s = np.diff(times(ModulatedArrivals(10_000, on_off), 3, requests=20_000)) / S
    # A gap from a spell's last request over the silence: one spell in 20 requests, of 1 s and more
    assert gaps_s.max() > 3
    assert statistics.median(gaps_s) < 1 / 20


@pytest.mark.parametrize(
    "arrivals",
    [BURSTY, ModulatedArrivals(40_000, Burstiness(30 * PPM, 500_000, 50_000))],
    ids=lambda arrivals: arrivals.name,
)
def test_counts_vary_as_the_closed_form_says(arrivals):
    """Over twenty independent streams; the mean of each statistic within four standard errors."""
    streams_ns = [times(arrivals, 5, number, requests=100_000) for number in range(20)]
    rates = [len(each) / (each[-1] / S) for each in streams_ns]
    assert_near(rates, 40, 0.01)
    for window_s in (0.1, 1, 5):
        found = [_idc(each, window_s) for each in streams_ns]
        assert_near(found, arrivals.burstiness.idc(window_s), 0.03)


def _idc(times_ns, window_s):
    counts = np.bincount((times_ns / S // window_s).astype(int))[:-1]
    return counts.var(ddof=1) / counts.mean()


def assert_near(values, theory, most_noise):
    standard_error = statistics.stdev(values) / math.sqrt(len(values))
    got = statistics.fmean(values)
    assert abs(got - theory) <= 4 * standard_error, (got, theory, standard_error)
    assert standard_error < most_noise * theory, "too noisy to say anything"


def test_an_index_of_one_is_poisson():
    gaps_s = (
        np.diff(times(ModulatedArrivals(40_000, Burstiness(PPM, 2_000_000)), 9, requests=20_000))
        / S
    )
    assert stats.kstest(gaps_s * 40, "expon").pvalue > 0.001
    ranks = np.argsort(np.argsort(gaps_s))
    assert abs(np.corrcoef(ranks[1:], ranks[:-1])[0, 1]) < 4 / math.sqrt(len(gaps_s))


def test_times_ascend_and_are_the_same_for_the_same_stream():
    first = times(BURSTY, 1, 2)
    assert first.dtype == np.int64
    assert (np.diff(first) >= 0).all()
    assert first.tolist() == times(BURSTY, 1, 2).tolist()
    assert first.tolist() != times(BURSTY, 1, 3).tolist()


def test_long_cycles_warm_up_for_longer():
    # A cycle is 2 s / 20 % = 10 s, of 400 requests
    assert BURSTY.warm_up(40_000) == 2_000
    assert BURSTY.warm_up(4_000) == 400
    assert BURSTY.warm_up(1_000) == 250


def test_it_is_called_by_what_makes_it():
    assert BURSTY.name == "bursty 40/s, IDC 8, spells of 2 s, 20 % busy"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            Burstiness(8 * PPM, 100_000),
            "an index of dispersion of `8` is out of reach at 1/s in spells of 100 ms that take "
            "20 % of the time: at most 1.64",
        ),
        (Burstiness(PPM, 10), "busy spells of `10 us` are too short for a request at 1/s"),
        (
            Burstiness(PPM, 10**12, 1),
            "busy spells of `1000000 s` that take 0.0001 % of the time occur once in years",
        ),
    ],
)
def test_what_no_two_rates_can_do_is_refused(asked, sentence):
    with pytest.raises(TailcError) as refused:
        ModulatedArrivals(1_000, asked)
    (finding,) = refused.value.findings
    assert finding.code is Code.USAGE
    assert finding.message.startswith(sentence)


def replayed(arrivals, number, policy, draw_ms, requests=40_000):
    rng = np.random.default_rng(number)
    work_ns = np.maximum(np.rint(draw_ms(rng, requests) * MS), 1).astype(np.int64)
    load = Workload(
        work_ns, np.ones(requests, np.int64), np.zeros(requests, np.int32), np.ones((1, 1))
    )
    engine = SharedCores("x", (policy,)).engine(arrivals.rate_mrps, 20_000)
    arrival_ns = times(arrivals, 7, number, requests=requests)
    return engine.replay(load, np.arange(requests), arrival_ns, 4_000)


def test_one_core_holds_as_many_as_the_matrix_geometric_solution():
    """Exponential demand of 10 ms at 50/s; spells of 0.2 s at 100/s or so overload the core."""
    arrivals = ModulatedArrivals(50_000, Burstiness(8 * PPM, 200_000))
    one_core = ladder(at_once((0, 0)), cores=1, rungs=1)
    found = [
        replayed(arrivals, number, one_core, lambda rng, size: rng.exponential(10, size))
        for number in range(16)
    ]
    # Switching away from busy at 1/0.2 s, back at a fourth of it since a fifth of the time is busy
    theory = mean_in_system(arrivals.levels_rps, (5, 1.25), 100)
    assert arrivals.levels_rps[0] > 100
    assert theory > 2  # M/M/1: 1
    assert_near([outcome.mean_in_system for outcome in found], theory, 0.03)


def p99_ms(arrivals, cores):
    """Over four replays of demand of 10 ms in the mean."""
    policy = ladder(at_once((0, 0)), cores=cores, rungs=1)
    outcomes = [
        replayed(arrivals, number, policy, lambda rng, size: rng.gamma(2, 5, size))
        for number in range(4)
    ]
    return np.quantile(np.concatenate([each.latency_ns[4_000:] for each in outcomes]), 0.99) / MS


def test_bursts_lengthen_the_tail_at_the_same_mean_rate():
    """At 200/s half of the cores are busy; a spell brings 420/s, more than all can take."""
    bursty = ModulatedArrivals(200_000, Burstiness(100 * PPM, 1_000_000))
    assert p99_ms(bursty, cores=4) > 1.5 * p99_ms(Poisson(200_000), cores=4)


def test_the_reference_is_the_single_server_at_equal_rates():
    assert mean_in_system((60, 60), (5, 1.25), 100) == pytest.approx(0.6 / 0.4)
