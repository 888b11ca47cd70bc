import statistics

import numpy as np
import pytest

from tailc.models import streams
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals
from tailc.models.skewness import busy_share

PPM = 1_000_000
S = 10**9


def share(idc, spell_s, busy_ppm, number, requests=40_000):
    found = told(idc, spell_s, busy_ppm, number, requests)
    assert found is not None
    return found


def told(idc, spell_s, busy_ppm, number, requests=40_000):
    """Of a stream at 40/s, at the rate by which its bursts are forgotten."""
    made = ModulatedArrivals(40_000, Burstiness(idc * PPM, round(spell_s * PPM), busy_ppm))
    times_ns = made.arrival_ns(streams.stream(6, number), requests)
    return busy_share(times_ns, made.burstiness.switching_rps)


@pytest.mark.parametrize(
    ("idc", "spell_s", "busy_ppm"), [(30, 0.5, 50_000), (12, 1, 200_000), (12, 1, 500_000)]
)
def test_the_share_that_made_a_stream_is_found_again(idc, spell_s, busy_ppm):
    """Of 20 intervals at 95 % three or more miss once in 13; so they may, but not four."""
    found = [share(idc, spell_s, busy_ppm, number) for number in range(20)]
    assert statistics.median(one.busy_ppm for one in found) == pytest.approx(busy_ppm, rel=0.15)
    held = sum(one.low_ppm <= busy_ppm <= one.high_ppm for one in found)
    assert held >= 17
    assert all(one.is_known for one in found)


def test_more_requests_tell_more():
    few, many = (share(12, 1, 200_000, 3, requests) for requests in (20_000, 320_000))
    assert many.high_ppm - many.low_ppm < 0.5 * (few.high_ppm - few.low_ppm)


def test_poisson_arrivals_tell_no_share():
    found = [told(1, 1, 200_000, number) for number in range(9)]
    assert not any(one is not None and one.is_known for one in found)


def test_a_hundred_windows_are_needed():
    """Windows of 1 s in 99 s, and in 101 s."""
    for seconds, is_told in ((99, False), (101, True)):
        bursts_s = np.arange(seconds * 100) // 100 + np.random.default_rng(1).uniform(
            0, 0.3, seconds * 100
        )
        times_ns = np.sort(bursts_s[np.arange(len(bursts_s)) % 700 < 500] * S).astype(np.int64)
        assert (busy_share(times_ns, 1.0) is not None) == is_told
