import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import TailcError
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.reading import SplitBy, SplitRule, Timings
from tailc.traces.split import held_out_mask, split_profile
from tailc.traces.trace import Trace, read_trace
from tests.tailc.traces.making import FORMATS, reading, refused, written

FIFTH = SplitRule(SplitBy.TIME, 200_000, "when")
BY_ID = SplitRule(SplitBy.HASH, 300_000, "id")
DRAWN = SplitRule(SplitBy.SEED, 300_000, seed=7)


def trace_of(demand_ms, key=None, bin_us=None) -> Trace:
    requests = len(demand_ms)
    profile = DemandProfile(
        np.array(demand_ms, dtype=float),
        np.ones(requests, dtype=np.int64),
        np.array([[1.0, 1.8]]),
        np.zeros(requests, dtype=np.int32),
        (),
        Measure.DEMAND_BUSY,
        "one core",
    )
    return Trace(profile, key, (), bin_us)


def test_the_latest_fifth_is_held_out_in_trace_order():
    trace = trace_of([1, 2, 3, 4, 5, 6], np.array([60, 10, 50, 20, 30, 40]))
    design, held_out = split_profile(trace, FIFTH)
    # ceil(0.2 * 6) = 2: the times 60 and 50.
    assert held_out.demand_ms.tolist() == [1, 3]
    assert design.demand_ms.tolist() == [2, 4, 5, 6]


def test_requests_at_the_boundary_time_are_all_held_out():
    trace = trace_of([1, 2, 3, 4, 5], np.array([1, 2, 3, 3, 3]))
    assert held_out_mask(trace, FIFTH).tolist() == [False, False, True, True, True]


def test_hashing_follows_the_first_eight_bytes_of_sha256():
    # Of SHA-256: a ca97..., b 3e23..., c 2e7d..., d 18ac...; 0.3 * 2^64 is 4ccc...
    digests = [hashlib.sha256(name).hexdigest()[:4] for name in (b"a", b"b", b"c", b"d")]
    assert digests == ["ca97", "3e23", "2e7d", "18ac"]


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("ids", [["a", "b", "a", "c"], [17, 4, 17, 3]])
def test_requests_of_an_id_go_the_same_way_in_every_format(tmp_path, suffix, ids):
    path = written(tmp_path, suffix, {"demand": [1.0, 2.0, 3.0, 4.0], "id": ids})
    mask = held_out_mask(read_trace(path, reading(split=BY_ID)), BY_ID)
    bound = 0.3 * 2**64
    keys = [int(hashlib.sha256(str(x).encode()).hexdigest()[:16], 16) for x in ids]
    assert mask.tolist() == [key < bound for key in keys]
    assert mask[0] == mask[2]


def test_a_seeded_draw_follows_the_hash_of_seed_and_row():
    mask = held_out_mask(trace_of(range(1, 301)), DRAWN)
    drawn = [hashlib.sha256(f"7:{row}".encode()).hexdigest()[:16] for row in range(1, 301)]
    assert mask.tolist() == [int(key, 16) < 0.3 * 2**64 for key in drawn]
    # Binomial(300, 0.3) has a standard deviation of 7.9.
    assert 60 < mask.sum() < 120
    other = held_out_mask(trace_of(range(1, 301)), SplitRule(SplitBy.SEED, 300_000, seed=8))
    assert mask.tolist() != other.tolist()


@settings(derandomize=True, deadline=None)
@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=50),
    st.integers(1, 999_999),
    st.sampled_from([SplitBy.TIME, SplitBy.HASH, SplitBy.SEED]),
)
def test_parts_are_disjoint_and_exhaustive_or_the_split_is_refused(keys, fraction_ppm, by):
    kind = np.int64 if by is SplitBy.TIME else np.uint64
    key = np.array(keys, dtype=kind) * kind(2**58)
    trace = trace_of(range(1, len(keys) + 1), key)
    rule = SplitRule(by, fraction_ppm, None if by is SplitBy.SEED else "key")
    chosen = held_out_mask(trace, rule)
    if chosen.all() or not chosen.any():
        with pytest.raises(TailcError, match="part is empty"):
            split_profile(trace, rule)
        return
    design, held_out = split_profile(trace, rule)
    both = sorted([*design.demand_ms, *held_out.demand_ms])
    assert both == list(range(1, len(keys) + 1))
    again = split_profile(trace, rule)
    assert (design.digest, held_out.digest) == (again[0].digest, again[1].digest)
    if by is SplitBy.TIME:
        assert key[chosen].min() > key[~chosen].max()
        assert chosen.sum() >= fraction_ppm * len(keys) / 1e6


def test_an_empty_part_is_refused():
    with pytest.raises(TailcError) as caught:
        split_profile(trace_of([1, 2], np.array([5, 5])), FIFTH)
    (finding,) = caught.value.findings
    assert finding.code.name == "BAD_SPLIT"
    wanted = "if `20 %` of 2 requests are held out by time, the design part is empty"
    assert finding.message == wanted


def test_parts_are_binned_after_the_split():
    trace = trace_of([1.0, 1.1, 1.2, 1.3], np.array([1, 2, 3, 4]), bin_us=1000)
    design, held_out = split_profile(trace, SplitRule(SplitBy.TIME, 500_000, "when"))
    assert (design.demand_ms.tolist(), held_out.demand_ms.tolist()) == ([1.05], [1.25])


@pytest.mark.parametrize(
    "times",
    [
        [1661140320123456789, 1661140320123456790, 1661140320123456788],
        [0.25, 0.5, 0.125],
        ["2023-11-16 18:15:46.6805900", "2023-11-16 18:15:50.9951690", "2023-11-15 18:15:46"],
        ["2023-11-16T18:15:46Z", "2023-11-16T19:20:46+01:00", "2023-11-16T18:15:45Z"],
    ],
)
@pytest.mark.parametrize("suffix", FORMATS)
def test_times_are_whole_numbers_numbers_or_dates(tmp_path, suffix, times):
    path = written(tmp_path, suffix, {"demand": [1.0, 2.0, 3.0], "when": times})
    trace = read_trace(path, reading(split=FIFTH))
    assert held_out_mask(trace, FIFTH).tolist() == [False, True, False]
    assert np.argsort(trace.split_key).tolist() == [2, 0, 1]


def test_parquet_timestamps_order_as_times(tmp_path):
    path = tmp_path / "trace.parquet"
    when = pa.array([3, 1, 2], pa.timestamp("us"))
    pq.write_table(pa.table({"demand": [1.0, 2.0, 3.0], "when": when}), path)
    trace = read_trace(str(path), reading(split=FIFTH))
    assert trace.split_key.tolist() == [3000, 1000, 2000]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_cell_that_is_no_time_is_named(tmp_path, suffix):
    when = ["2023-11-16", "tomorrow", "2023-11-17"]
    path = written(tmp_path, suffix, {"demand": [1.0, 2.0, 3.0], "when": when})
    (finding,) = refused(path, reading(split=FIFTH))
    assert (finding.code.name, finding.place.row) == ("NOT_A_NUMBER", 2)
    assert finding.message == "cell `tomorrow` is not a valid time"


def test_numbers_and_dates_do_not_mix(tmp_path):
    when = ["2023-11-16", "17", "2023-11-17"]
    path = written(tmp_path, "csv", {"demand": [1.0, 2.0, 3.0], "when": when})
    (finding,) = refused(path, reading(split=FIFTH))
    assert (finding.message, finding.place.row) == ("cell `17` is not a valid time", 2)


def test_whole_numbers_beyond_64_bits_are_still_times(tmp_path):
    when = [2**64, 3, 2**65]
    path = written(tmp_path, "csv", {"demand": [1.0, 2.0, 3.0], "when": when})
    trace = read_trace(path, reading(split=FIFTH))
    assert held_out_mask(trace, FIFTH).tolist() == [False, False, True]


def test_a_missing_id_is_named(tmp_path):
    path = tmp_path / "trace.parquet"
    pq.write_table(pa.table({"demand": [1.0, 2.0], "id": ["a", None]}), path)
    (finding,) = refused(path, reading(split=BY_ID))
    assert (finding.code.name, finding.place.row) == ("NOT_A_NUMBER", 2)


def test_a_timed_request_goes_by_its_first_row(tmp_path):
    columns = {
        "id": ["x", "y", "x", "y"],
        "degree": [1, 1, 2, 2],
        "took": [4.0, 3.0, 2.0, 2.0],
        "when": [2, 3, 9, 1],
    }
    timings = Timings("id", "degree", "took")
    recipe = reading(demand=None, curves=(), timings=timings, split=FIFTH)
    trace = read_trace(written(tmp_path, "csv", columns), recipe)
    assert held_out_mask(trace, FIFTH).tolist() == [False, True]
