"""HdrHistogram logs that are written, and read again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import Code
from tailc.ingest.hdr import decode_histogram
from tailc.ingest.hdr_written import encode_histogram
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions
from tailc.traces.histogram import MAX_NS, Histogram, histogram_of
from tailc.traces.profile_file import read_counted
from tailc.traces.reading import TimeUnit
from tailc.traces.source import open_source
from tests.tailc.ingest.refusal import OPEN, refused

# Encoded by the library hdrhistogram 0.10.8, with three digits, of these values.
TIMES = [1, 1_000, 2_047, 2_048, 2_049, 10**6, 10**9, 10**9]
OF_LIBRARY = "HISTFAAAADJ4nJNpmSzMwMAgyAABzFCaEch0M9ixgMH+A1SA6TQ/02oBJpb9fYxMC+czsgAAvsUIkQ=="


@given(st.lists(st.integers(1, MAX_NS // 2), min_size=1, max_size=40))
@settings(max_examples=100)
def test_what_is_written_is_read_with_the_same_counts(times: list[int]) -> None:
    histogram = histogram_of(np.array(times, dtype=np.float64))
    values, counts = decode_histogram(encode_histogram(histogram))
    again = histogram_of(values.astype(np.float64), counts)
    np.testing.assert_array_equal(again.bucket, histogram.bucket)
    np.testing.assert_array_equal(again.count, histogram.count)


@pytest.mark.parametrize("count", [1, 63, 64, 2**31, 2**52])
def test_counts_of_any_size_are_read_again(count: int) -> None:
    histogram = histogram_of(np.array([5_000.0]), np.array([count]))
    _, counts = decode_histogram(encode_histogram(histogram))
    assert counts.tolist() == [count]


def test_the_counts_are_those_of_the_library() -> None:
    ours = encode_histogram(histogram_of(np.array(TIMES, dtype=np.float64)))
    (values, counts), (wanted, of_library) = map(decode_histogram, (ours, OF_LIBRARY))
    assert values.tolist() == wanted.tolist()
    assert counts.tolist() == of_library.tolist()


def test_a_log_is_a_file_that_is_ingested_with_the_same_profile(in_folder, tailc) -> None:
    (in_folder / "a.csv").write_text("ms\n0.5\n12.5\n12.5\n400\n")
    measure = ("--measure", "demand-busy")
    column = ("--column", "ms", "--unit", "ms")
    first = tailc("ingest", "a.csv", *column, *measure, "-o", "a.profile", "--hdr", "a.hlog")
    assert first.code == 0, first.err
    again = tailc("ingest", "a.hlog", *measure, "-o", "b.profile")
    assert again.code == 0, again.err
    was, now = map(histogram_in, ("a.profile", "b.profile"))
    np.testing.assert_array_equal(was.bucket, now.bucket)
    np.testing.assert_array_equal(was.count, now.count)


UNITS_OF_NOSQLBENCH = (
    "#UNITS: StartTimestamp = seconds since StartTime; Interval_Length = seconds, "
    "Interval_Max = milliseconds, values in the histogram = {}"
)


def logged(folder, comment: str) -> str:
    path = folder / "a.hlog"
    path.write_text(f"#[Histogram log format version 1.3]\n{comment}\n0,1,0,{OF_LIBRARY}\n")
    return str(path)


@pytest.mark.parametrize(
    ("comment", "least_ns"),
    [
        (UNITS_OF_NOSQLBENCH.format("nanoseconds"), 1),
        (UNITS_OF_NOSQLBENCH.format("microseconds"), 1_000),
        ("#[Times in milliseconds]", 1_000_000),
    ],
)
def test_the_unit_that_a_comment_states_is_used(tmp_path, comment, least_ns) -> None:
    path = logged(tmp_path, comment)
    assert ingest([path], InputOptions(), OPEN).counted.histogram.min_ns == least_ns
    assert refused(path, unit=TimeUnit.S).code is Code.USAGE


@pytest.mark.parametrize(
    "comment", ["#[StartTime: 1.0 (seconds since epoch)]", "#values in ms", "#Times: nanoseconds"]
)
def test_other_comments_state_no_unit(tmp_path, comment) -> None:
    assert refused(logged(tmp_path, comment)).code is Code.MISSING_UNIT


def histogram_in(path: str) -> Histogram:
    with open_source(path) as source:
        return read_counted(source).histogram


@pytest.mark.parametrize("file", ["a.csv", "a.profile"])
def test_a_log_replaces_no_other_file_of_the_command(in_folder, tailc, file: str) -> None:
    (in_folder / "a.csv").write_text("ms\n0.5\n")
    words = ("--column", "ms", "--unit", "ms", "--measure", "demand-busy", "-o", "a.profile")
    ended = tailc("ingest", "a.csv", *words, "--hdr", file)
    assert ended.code == 64
    assert f"`{file}` is already a file of this command:" in ended.err
    assert "give another file with `--hdr`" in ended.err
    assert (in_folder / "a.csv").read_text() == "ms\n0.5\n"
