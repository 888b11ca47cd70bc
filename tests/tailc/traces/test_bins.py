import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.traces.bins import merge_bins
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading, written


def profile_of(demand_ms, weight, curve_of, curves=((1.0, 1.5), (1.0, 1.9))):
    return DemandProfile(
        np.array(demand_ms, dtype=float),
        np.array(weight, dtype=np.int64),
        np.array(curves, dtype=float),
        np.array(curve_of, dtype=np.int32),
        (),
        Measure.DEMAND_BUSY,
        "one core",
    )


def test_demands_in_one_bin_merge_at_their_weighted_mean():
    # Bins of 1 ms: [1, 2) holds 1.0 (twice) and 1.9; [2, 3) holds its lower edge.
    merged = merge_bins(profile_of([2.0, 1.9, 1.0], [5, 1, 2], [0, 0, 0]), 1000)
    assert merged.demand_ms.tolist() == [1.3, 2.0]
    assert merged.weight.tolist() == [3, 5]


def test_requests_on_different_curves_never_merge():
    merged = merge_bins(profile_of([1.0, 1.0, 1.0], [1, 1, 1], [1, 0, 1]), 1000)
    assert merged.curve_of.tolist() == [0, 1]
    assert merged.weight.tolist() == [1, 2]


REQUESTS = st.lists(
    st.tuples(st.integers(1, 10**8), st.integers(1, 50), st.integers(0, 1)), min_size=1, max_size=60
)


@settings(derandomize=True, deadline=None)
@given(REQUESTS, st.integers(1, 10_000))
def test_binning_keeps_every_request_and_the_total_work(requests, bin_us):
    demand_ns, weight, curve_of = zip(*requests, strict=True)
    profile = profile_of(np.array(demand_ns) / 1e6, weight, curve_of)
    merged = merge_bins(profile, bin_us)
    assert merged.total_weight == sum(weight)
    total_ns = sum(d * n for d, n in zip(demand_ns, weight, strict=True))
    merged_ns = np.rint(merged.demand_ms * 1e6).astype(int) @ merged.weight
    assert abs(int(merged_ns) - total_ns) <= sum(weight) / 2
    for curve in (0, 1):
        assert merged.weight[merged.curve_of == curve].sum() == sum(
            n for n, c in zip(weight, curve_of, strict=True) if c == curve
        )


@settings(derandomize=True, deadline=None)
@given(REQUESTS)
def test_bins_narrower_than_the_gaps_only_sort(requests):
    distinct = {(d, c): n for d, n, c in requests}
    demand_us, curve_of = zip(*distinct, strict=True)
    profile = profile_of(np.array(demand_us) / 1e3, list(distinct.values()), curve_of)
    merged = merge_bins(profile, 1)
    order = sorted(range(len(distinct)), key=lambda i: (curve_of[i], demand_us[i]))
    assert merged.demand_ms.tolist() == profile.demand_ms[order].tolist()
    assert merged.weight.tolist() == profile.weight[order].tolist()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_reading_can_ask_for_bins(tmp_path, suffix):
    path = written(tmp_path, suffix, {"demand": [0.30, 0.10, 0.31], "n": [1, 1, 3]})
    trace = read_trace(path, reading(bin_us=100, weight="n"))
    assert trace.profile.demand_ms.tolist() == [0.1, 0.3075]
    assert trace.profile.weight.tolist() == [1, 4]
    assert trace.requests.demand_ms.tolist() == [0.30, 0.10, 0.31]
