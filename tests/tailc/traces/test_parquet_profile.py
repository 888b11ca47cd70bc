import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import TailcError
from tailc.traces.bins import merge_bins
from tailc.traces.parquet_profile import METADATA_KEY, written_profile
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import DATA, reading, written
from tests.tailc.traces.parquet_readings import reading_of

# What was measured, and is nobody's demand.
NO_DEMANDS = (Measure.THROUGHPUT, Measure.RUN_TIME, Measure.TOKENS)


@st.composite
def profiles(draw):
    requests = draw(st.integers(1, 20))
    degrees = draw(st.integers(1, 4))
    named = draw(st.sampled_from([False, True]))
    kinds = draw(st.integers(1, 3))
    whole = st.integers(1, 5_000_000)

    def array(elements, *shape):
        size = int(np.prod(shape))
        return np.array(draw(st.lists(elements, min_size=size, max_size=size))).reshape(shape)

    demand_ns = array(st.integers(1, 2**50), requests)
    memory_ns = array(st.integers(0, 2**50), requests).clip(max=demand_ns)
    return DemandProfile(
        demand_ns / 1e6,
        array(st.one_of(st.just(1), st.integers(1, 2**31)), requests).astype(np.int64),
        array(whole, kinds, degrees) / 1e6,
        array(st.integers(0, kinds - 1), requests).astype(np.int32),
        ("short", "long", "a, b\n")[:kinds] if named else (),
        draw(st.sampled_from([each for each in Measure if each not in NO_DEMANDS])),
        draw(st.text(st.characters(codec="utf-8"))),
        memory_ns / 1e6 if draw(st.booleans()) else None,
    )


@settings(derandomize=True, deadline=None)
@given(profiles())
def test_a_profile_read_back_is_the_same_and_has_the_same_digest(tmp_path_factory, profile):
    path = tmp_path_factory.mktemp("written") / "part.parquet"
    path.write_bytes(written_profile(profile))
    recipe = reading_of(str(path))
    assert recipe is not None
    again = read_trace(str(path), recipe).profile
    assert again.digest == profile.digest
    assert again.demand_ms.tolist() == profile.demand_ms.tolist()
    assert again.weight.tolist() == profile.weight.tolist()
    assert _listed(again.memory_ms) == _listed(profile.memory_ms)
    assert (again.curves[again.curve_of] == profile.curves[profile.curve_of]).all()
    assert (again.measure, again.reference) == (profile.measure, profile.reference)
    if profile.curve_names:
        assert again.curve_names == profile.curve_names


def _listed(values):
    return None if values is None else values.tolist()


@settings(derandomize=True, deadline=None, max_examples=20)
@given(profiles(), st.integers(1, 10**6))
def test_a_binned_profile_survives_too(tmp_path_factory, profile, bin_us):
    merged = merge_bins(profile, bin_us)
    path = tmp_path_factory.mktemp("written") / "part.parquet"
    path.write_bytes(written_profile(merged))
    recipe = reading_of(str(path))
    assert recipe is not None
    assert read_trace(str(path), recipe).profile.digest == merged.digest


def test_equal_profiles_give_equal_bytes(tmp_path):
    recipe = reading(curves=(), speedup_columns=("s1", "s2"), weight="n")
    first = written_profile(read_trace(written(tmp_path, "csv", DATA), recipe).profile)
    second = written_profile(read_trace(written(tmp_path, "ndjson", DATA), recipe).profile)
    assert first == second


def test_the_file_holds_only_the_columns_that_say_something(tmp_path):
    path = written(tmp_path, "csv", DATA)
    common = written_profile(read_trace(path, reading()).profile)
    assert pq.ParquetFile(io.BytesIO(common)).schema_arrow.names == ["demand_ms"]
    recipe = reading(curves=(), speedup_columns=("s1", "s2"), weight="n")
    own = written_profile(read_trace(path, recipe).profile)
    names = pq.ParquetFile(io.BytesIO(own)).schema_arrow.names
    assert names == ["demand_ms", "weight", "speedup_1", "speedup_2"]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson.gz"])
def test_a_file_from_elsewhere_says_nothing(tmp_path, suffix):
    assert reading_of(written(tmp_path, suffix, DATA)) is None


@pytest.mark.parametrize("stated", [b"{", b"[]", b'{"version": 2}', json.dumps({}).encode()])
def test_metadata_that_cannot_be_followed_is_refused(tmp_path, stated):
    path = tmp_path / "part.parquet"
    table = pq.read_table(written(tmp_path, "parquet", DATA))
    pq.write_table(table.replace_schema_metadata({METADATA_KEY: stated}), path)
    with pytest.raises(TailcError) as caught:
        reading_of(str(path))
    assert caught.value.findings[0].code.name == "BROKEN_FORMAT"
