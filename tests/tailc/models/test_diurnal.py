import math
import statistics

import numpy as np
import pytest
from scipy import stats

from tailc.errors import Code, TailcError
from tailc.models import streams
from tailc.models.diurnal import DayCurve, fitted_day

S = 10**9
PPM = 1_000_000
NIGHT_AND_NOON = DayCurve((PPM // 2, 3 * PPM // 2))
REQUESTS = 21_000
"""Of which 19,950 make a day: at 10/s 1,995 s."""


def times(arrivals, *seed, requests=REQUESTS):
    return arrivals.arrival_ns(streams.stream(*seed), requests)


def counts(arrivals, windows, numbers):
    """Of equal windows of the first day, (streams, windows)."""
    day_ns = arrivals.day_ns(REQUESTS)
    edges_ns = np.linspace(0, day_ns, windows + 1)
    found = [np.histogram(times(arrivals, 3, number), edges_ns)[0] for number in range(numbers)]
    return np.array(found)


def test_levels_are_relative_to_their_mean():
    curve = DayCurve((PPM, 2 * PPM, 3 * PPM))
    assert curve.relative.tolist() == [0.5, 1.0, 1.5]
    assert curve.peak == 1.5
    assert curve.with_rate(40_000).name == "diurnal 40/s, 20/s to 60/s in 3 levels of a day"
    assert curve.with_rate(40_000).words == "diurnal:1,2,3,rate=40/s"


def test_the_measured_requests_come_over_a_whole_day():
    assert NIGHT_AND_NOON.with_rate(10_000).day_ns(REQUESTS) == 1_995 * S


def test_counts_follow_the_integral_of_the_rate_and_are_poisson():
    """From 5/s at night to 15/s at noon on a line, and back, over 1,995 s.

    An eighth of the day takes the mean from a + k d to a + (k + 1) d with d = 2.5/s: so it brings
    6.25/s, 8.75/s, 11.25/s, 13.75/s, and the same back, times 1,995 s / 8.
    """
    found = counts(NIGHT_AND_NOON.with_rate(10_000), 8, 200)
    rising = np.array([6.25, 8.75, 11.25, 13.75])
    means = np.concatenate([rising, rising[::-1]]) * 1_995 / 8
    within = 4 * np.sqrt(means / len(found))
    assert (np.abs(found.mean(axis=0) - means) < within).all(), (found.mean(axis=0), means)
    # The variance over the mean of a Poisson number, of 200, has a deviation of sqrt(2 / 199)
    index = found.var(axis=0, ddof=1) / found.mean(axis=0)
    assert np.abs(index - 1).max() < 4 * math.sqrt(2 / 199)
    apart = np.corrcoef(found.T)[np.triu_indices(8, 1)]
    assert np.abs(apart).max() < 4.5 / math.sqrt(len(found))


def test_over_a_day_the_index_of_dispersion_is_that_of_the_rates():
    """Of 500 windows the mean is 39.9; the rate is uniform from half to one and a half of that.

    So the means have a variance of 39.9^2 / 12 less what a window evens out, a part in 250^2.
    """
    found = counts(NIGHT_AND_NOON.with_rate(10_000), 500, 40)
    index = [row.var(ddof=1) / row.mean() for row in found]
    theory = 1 + 39.9 / 12 * (1 - 1 / 250**2)
    error = statistics.stdev(index) / math.sqrt(len(index))
    assert abs(statistics.fmean(index) - theory) < 4 * error
    assert error < 0.02 * theory


def test_a_day_is_fitted_by_the_hour():
    """86,400 requests in 24 hours, from 0.5/s to 1.5/s at noon and back: so the curve is known.

    An hour around a level has 3,600 times its rate; at the turns a quarter of an hour's change,
    1/48 of the mean, is evened out.
    """
    requests = 90_947
    recorded = times(NIGHT_AND_NOON.with_rate(1_000), 8, requests=requests)
    found = fitted_day(recorded)
    assert found is not None
    hours = np.arange(24)
    wanted = 0.5 + np.minimum(hours, 24 - hours) / 12
    wanted[0] += 1 / 48
    wanted[12] -= 1 / 48
    within = 4 * np.sqrt(wanted / 3_600)
    assert (np.abs(np.array(found.levels_ppm) / PPM - wanted) < within).all()
    assert fitted_day(recorded[: requests // 2]) is None


def test_an_even_day_is_poisson():
    gaps_s = np.diff(times(DayCurve((7, 7, 7)).with_rate(40_000), 9)) / S
    assert stats.kstest(gaps_s * 40, "expon").pvalue > 0.001


def test_nothing_comes_while_the_rate_is_zero():
    """It rises from nothing in the first third of the day, falls to it in the next, then is silent.

    Each of the first two thirds brings half of the 19,950 requests.
    """
    (found,) = counts(DayCurve((0, PPM, 0)).with_rate(10_000), 3, 1)
    half = 19_950 / 2
    assert found[:2].tolist() == pytest.approx([half, half], abs=4 * math.sqrt(half))
    assert found[2] == 0


def test_times_ascend_and_are_the_same_for_the_same_stream():
    arrivals = NIGHT_AND_NOON.with_rate(40_000)
    first = times(arrivals, 1, 2)
    assert first.dtype == np.int64
    assert (np.diff(first) >= 0).all()
    assert first.tolist() == times(arrivals, 1, 2).tolist()
    assert first.tolist() != times(arrivals, 1, 3).tolist()


@pytest.mark.parametrize(
    ("levels_ppm", "sentence"),
    [
        ((PPM,), "1 level is no day"),
        ((PPM,) * 1_441, "1441 levels are no day"),
        ((0, 0), "all levels are 0, so no requests arrive"),
    ],
)
def test_levels_that_make_no_day_are_refused(levels_ppm, sentence):
    with pytest.raises(TailcError) as refused:
        DayCurve(levels_ppm)
    (finding,) = refused.value.findings
    assert (finding.code, finding.message) == (Code.USAGE, sentence)
