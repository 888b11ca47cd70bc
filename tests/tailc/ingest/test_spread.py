"""Requests inside buckets, against the formulas that Prometheus documents for its quantiles."""

import math
from itertools import pairwise

import numpy as np
import pytest

from tailc.ingest.spread import bounds_at, spread
from tailc.percentiles import percentile_rank
from tailc.traces.counted_times import Grain

RELATIVE_ERROR = 2**-11
PPM = (1_000, 100_000, 500_000, 900_000, 990_000, 999_000, 1_000_000)


def histogram_quantile(buckets, rank, within):
    """Where a rank lies, which need not be whole: the documented formula, a bucket at a time."""
    below = 0
    for (lower, upper), count in sorted(buckets.items()):
        if count and below + count >= rank:
            share = (rank - below) / count
            if within is Grain.EXPONENTIAL and lower > 0:
                log_lower, log_upper = math.log2(lower), math.log2(upper)
                return 2 ** (log_lower + (log_upper - log_lower) * share)
            return lower + (upper - lower) * share
        below += count
    raise AssertionError(rank)


def assert_quantiles(buckets, within, ns_per_unit):
    found = spread(buckets, within, ns_per_unit)
    assert found.requests == sum(buckets.values())
    for ppm in PPM:
        rank = percentile_rank(ppm, found.requests)
        wanted = histogram_quantile(buckets, rank, within) * ns_per_unit
        # Half a nanosecond of rounding, and a bucket of the profile.
        assert found.quantile_ns(ppm) == pytest.approx(wanted, rel=RELATIVE_ERROR, abs=0.5)


@pytest.mark.parametrize("within", [Grain.LINEAR, Grain.EXPONENTIAL])
@pytest.mark.parametrize("seed", range(8))
def test_each_quantile_is_where_prometheus_has_it(within, seed):
    rng = np.random.default_rng(seed)
    bounds = [0.0, *np.cumprod(rng.uniform(1.01, 3, 12)) * 10.0 ** rng.integers(-6, 0)]
    counts = rng.integers(0, 10 ** rng.integers(1, 6), 12)
    buckets = dict(zip(pairwise(bounds), counts.tolist(), strict=True))
    assert_quantiles(buckets, within, 1e9)


def test_requests_of_one_bucket_are_spread_evenly_up_to_its_end():
    # Four from 0 to 1,000 ns are at 250, 500, 750 and 1,000.
    found = spread({(0.0, 1.0): 4, (1.0, 2.0): 0}, Grain.LINEAR, 1e3)
    assert found.demand_ns.tolist() == [250, 500, 750, 1_000]
    assert (found.min_ns, found.max_ns) == (250, 1_000)


def test_requests_of_a_native_bucket_are_spread_by_ratio():
    # Three from 100 to 800 ns are at 200, 400 and 800.
    found = spread({(0.1, 0.8): 3}, Grain.EXPONENTIAL, 1e3)
    assert found.demand_ns.tolist() == [200, 400, 800]


def test_a_bucket_around_zero_begins_at_zero_and_no_request_takes_no_time():
    found = spread({(-1.0, 1.0): 2, (1.0, 2.0): 1}, Grain.EXPONENTIAL, 100.0)
    assert found.demand_ns.tolist() == [50, 100, 200]
    assert spread({(-1e-128, 1e-128): 7}, Grain.EXPONENTIAL, 1e9).max_ns == 1


def test_billions_of_requests_are_counted_exactly():
    found = spread({(0.001, 0.002): 10**15, (0.002, 0.5): 7}, Grain.LINEAR, 1e9)
    assert found.requests == 10**15 + 7


@pytest.mark.parametrize(
    ("buckets", "words"),
    [
        ({(0.0, 1e7): 1}, "above 104 days"),
        ({(0.0, 1.0): 2**53, (1.0, 2.0): 1}, "number of requests is above 2"),
    ],
)
def test_what_a_profile_cannot_hold_is_refused(buckets, words):
    with pytest.raises(ValueError, match=words):
        spread(buckets, Grain.LINEAR, 1e9)


def test_a_percentile_is_in_the_bucket_of_its_rank():
    buckets = {(0.0, 1.0): 98, (1.0, 2.0): 1, (2.0, 3.0): 0, (3.0, 9.0): 1}
    assert bounds_at(buckets, 980_000) == (0.0, 1.0)
    assert bounds_at(buckets, 990_000) == (1.0, 2.0)
    assert bounds_at(buckets, 990_001) == (3.0, 9.0)
