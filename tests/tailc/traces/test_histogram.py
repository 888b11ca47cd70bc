import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.percentiles import percentile_rank
from tailc.traces.histogram import (
    MAX_NS,
    Histogram,
    bucket_of,
    highest_ns,
    histogram_of,
    lowest_ns,
    merge_histograms,
)

# Half a bucket of 2^-10 of a doubling, as the module says.
RELATIVE_ERROR = 2**-11

demands = st.lists(
    st.one_of(
        st.integers(1, 5_000), st.integers(1, MAX_NS), st.integers(0, 53).map(lambda n: 2**n)
    ),
    min_size=1,
    max_size=50,
)


@settings(derandomize=True, max_examples=200)
@given(demands)
def test_a_demand_becomes_another_one_at_most_2_to_minus_11_away(values):
    demand_ns = np.array(values)
    held_ns = {b: int(v) for b, v in zip(*pairs(histogram_of(demand_ns)), strict=True)}
    for value in values:
        got = held_ns[int(bucket_of(np.array([value]))[0])]
        assert abs(got - value) <= RELATIVE_ERROR * value
        assert got == value or value > 2**11


def pairs(histogram):
    return histogram.bucket.tolist(), histogram.demand_ns.tolist()


@settings(derandomize=True, max_examples=200)
@given(demands, st.integers(0, 50))
def test_any_sharding_adds_up_to_the_same(values, cut):
    whole = histogram_of(np.array(values))
    parts = [part for part in (values[:cut], values[cut:]) if part]
    assert merge_histograms([histogram_of(np.array(part)) for part in parts]) == whole
    reverse = [histogram_of(np.array([value])) for value in reversed(values)]
    assert merge_histograms(reverse) == whole


@settings(derandomize=True, max_examples=100)
@given(demands, st.integers(1, 1_000_000))
def test_a_quantile_is_the_order_statistic_within_the_error(values, ppm):
    exact = sorted(values)[percentile_rank(ppm, len(values)) - 1]
    got = histogram_of(np.array(values)).quantile_ns(ppm)
    assert abs(got - exact) <= RELATIVE_ERROR * exact


def test_the_extremes_are_exact():
    found = histogram_of(np.array([1_234_567, 98_765_432]))
    assert (found.min_ns, found.max_ns) == (1_234_567, 98_765_432)


def test_buckets_are_a_thousandth_of_a_doubling_wide():
    # From 2^20 on, buckets are 2^10 wide; by hand.
    edges = np.array([2**20, 2**20 + 2**10 - 1, 2**20 + 2**10, 2**21 - 1, 2**21])
    found = bucket_of(edges)
    assert found.tolist() == [20_480, 20_480, 20_481, 21_503, 21_504]
    assert lowest_ns(found[:1]).tolist() == [2**20]
    assert highest_ns(found[:1]).tolist() == [2**20 + 2**10 - 1]


def test_weights_count_as_so_many_requests():
    weighed = histogram_of(np.array([5, 7]), np.array([3, 1]))
    assert weighed == histogram_of(np.array([5, 7, 5, 5]))


@pytest.mark.parametrize(
    ("bucket", "count", "least", "largest"),
    [
        ([], [], 1, 1),
        ([0], [0], 1, 1),
        ([0], [1, 1], 1, 1),
        ([1024, 0], [1, 1], 1, 2),
        ([-1], [1], 1, 1),
        ([1], [1], 1, 1),
        ([0], [1], 1, 2),
        ([0], [2**54], 1, 1),
        ([60_000], [1], 1, 2**53),
    ],
)
def test_what_no_rows_could_give_is_refused(bucket, count, least, largest):
    with pytest.raises(ValueError, match=r".+"):
        Histogram(np.array(bucket, np.int64), np.array(count, np.int64), least, largest)


def test_histograms_are_equal_if_all_their_counts_and_extremes_are():
    first, same = histogram_of(np.array([5, 9_000])), histogram_of(np.array([9_000, 5]))
    assert first == same
    assert hash(first) == hash(same)
    assert first != histogram_of(np.array([5, 9_000, 9_000]))
    assert first != histogram_of(np.array([5, 9_001]))
