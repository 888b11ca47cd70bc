import json
from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.traces.counted_times import CountedTimes, Origin, together
from tailc.traces.histogram import histogram_of
from tailc.traces.profile import Measure
from tailc.traces.profile_file import read_counted, reading_of_profile, written_counted
from tailc.traces.reading import Curve, TimeUnit
from tailc.traces.source import open_source
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading

ORIGIN = Origin("hey CSV", "response-time", "s", "requests", 3)


def counted(*demand_ns, measure=Measure.DEMAND_BUSY, origin=ORIGIN):
    histogram = histogram_of(np.array(demand_ns))
    return CountedTimes(histogram, measure, (replace(origin, requests=len(demand_ns)),))


def written(folder, profile, name="x.profile"):
    path = folder / name
    path.write_bytes(written_counted(profile))
    return str(path)


def read(path):
    with open_source(str(path)) as source:
        return read_counted(source)


def test_what_is_read_is_what_was_written(tmp_path):
    profile = counted(1_000_000, 2_500_000, 2_500_000)
    got = read(written(tmp_path, profile))
    assert written_counted(got) == written_counted(profile)
    assert got.histogram.requests == 3
    assert got.origins == profile.origins


def test_the_file_is_the_same_in_whatever_parts_the_rows_were_counted():
    whole = written_counted(counted(5, 70, 900, 70))
    parts = [counted(70, 900), counted(70), counted(5)]
    assert written_counted(together(parts)) == whole
    assert written_counted(together([together(parts[1:]), parts[0]])) == whole


def test_origins_of_other_kinds_stand_side_by_side():
    other = replace(ORIGIN, format="oha CSV", left_out=2)
    both = together([counted(5), counted(70, 9, origin=other), counted(6)])
    found = [(origin.format, origin.requests, origin.left_out) for origin in both.origins]
    assert found == [("hey CSV", 2, 0), ("oha CSV", 2, 2)]


def test_a_profile_is_a_trace_of_a_row_a_bucket(tmp_path):
    path = written(tmp_path, counted(1_000, 2_000, 2_000))
    trace = read_trace(path, reading(demand="demand_ms", weight="weight"))
    assert trace.profile.demand_ms.tolist() == [0.001, 0.002]
    assert trace.profile.weight.tolist() == [1, 2]


def test_a_profile_is_known_by_its_first_bytes_too(tmp_path):
    path = written(tmp_path, counted(1_000), name="x.json")
    assert read_trace(path, reading(demand="demand_ms")).profile.demand_ms.tolist() == [0.001]


def test_its_reading_has_the_speedups_of_another_and_its_own_measure(tmp_path):
    path = written(tmp_path, counted(1_000, measure=Measure.RESPONSE_OPEN))
    with open_source(path) as source:
        got = reading_of_profile(source, reading(demand="other", unit=TimeUnit.S))
    assert got == reading(
        demand="demand_ms", weight="weight", unit=TimeUnit.MS, measure=Measure.RESPONSE_OPEN
    )


def test_speedups_by_request_cannot_come_with_a_profile(tmp_path):
    path = written(tmp_path, counted(1_000))
    classes = (Curve("a", (1_000_000,)), Curve("b", (1_000_000,)))
    for like in (
        reading(curves=(), speedup_columns=("s1",)),
        reading(curves=classes, class_column="kind"),
    ):
        with open_source(path) as source, pytest.raises(TailcError) as caught:
            reading_of_profile(source, like)
        assert caught.value.findings[0].code is Code.MISSING_COLUMN


@pytest.mark.parametrize("at", range(0, 500, 7))
def test_a_damaged_byte_is_found(tmp_path, at):
    data = bytearray(written_counted(counted(1_000_000, 2_500_000)))
    data[at % len(data)] ^= 1
    path = tmp_path / "x.profile"
    path.write_bytes(data)
    with pytest.raises(TailcError) as caught:
        read(path)
    assert caught.value.findings[0].code is Code.BROKEN_FORMAT
    assert caught.value.findings[0].help


def forged(profile, **changes):
    """The document with the changes, and a digest that fits them."""
    import hashlib

    document = json.loads(written_counted(profile)) | changes
    del document["digest"]
    text = json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return (f'{{"digest":"{digest}",' + text[1:]).encode()


GOOD = {"buckets": [[0, 3]], "buckets_a_doubling": 1024, "max_ns": 1, "min_ns": 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"measure": "guesses"},
        {"origins": []},
        {"origins": [{"format": "x"}]},
        {"histogram": GOOD | {"buckets": [[0, -3]]}},
        {"histogram": GOOD | {"buckets": [[0, 2.5]]}},
        {"histogram": GOOD | {"buckets": [[0, 10**30]]}},
        {"histogram": GOOD | {"buckets": []}},
        {"histogram": GOOD | {"buckets": [[0, 3, 1]]}},
        {"histogram": GOOD | {"buckets_a_doubling": 16}},
        {"histogram": GOOD | {"max_ns": "one"}},
        {"histogram": []},
    ],
)
def test_a_forged_profile_is_refused(tmp_path, changes):
    path = tmp_path / "x.profile"
    path.write_bytes(forged(counted(1, 1, 1), **changes))
    with pytest.raises(TailcError) as caught:
        read(path)
    assert caught.value.findings[0].code is Code.BROKEN_FORMAT


def test_the_forger_can_write_what_is_right(tmp_path):
    path = tmp_path / "x.profile"
    path.write_bytes(forged(counted(1, 1, 1), histogram=GOOD))
    assert read(path).histogram.requests == 3


def test_a_profile_that_is_too_long_is_refused(tmp_path):
    path = tmp_path / "x.profile"
    path.write_bytes(written_counted(counted(1)) + b" " * (1 << 23))
    with pytest.raises(TailcError) as caught:
        read(path)
    assert caught.value.findings[0].code is Code.TRACE_TOO_LARGE
