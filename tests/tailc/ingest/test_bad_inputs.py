"""Inputs that are cut, wrong or hostile: each is refused at its place, within limits."""

import base64
import contextlib
import gzip
import random
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest

from tailc.errors import Code
from tailc.ingest.hdr import MAX_INFLATED_BYTES, HdrError, decode_histogram
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import OPEN, refused

SAMPLES = Path(__file__).parent / "samples"


def changed(folder, name, old, new):
    data = (SAMPLES / name).read_bytes()
    assert old in data
    path = folder / name
    path.write_bytes(data.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "row"),
    [
        ("hey.csv", b",200,", b",two,", Code.NOT_A_NUMBER, 1),
        ("vegeta.csv", b",200,2", b",200,-2", Code.NOT_POSITIVE, None),
        ("k6.csv", b"221.899000", b"221x", Code.NOT_A_NUMBER, 2),
        ("k6.json", b'"value":221.899', b'"value":-1', Code.OUT_OF_RANGE, 4),
        ("k6.json", b'"value":221.899', b'"value":NaN', Code.BROKEN_FORMAT, 4),
        (
            "k6.json",
            b'"data":{"time":"2017-05-09T14:34:45.2',
            b'"data":["time',
            Code.BROKEN_FORMAT,
            4,
        ),
        ("oha.csv", b"0.002626127,11,200", b"0,11,200", Code.NOT_POSITIVE, 1),
        ("oha.json", b'"p50": 0.001,', b'"p50": 0.5,', Code.BROKEN_FORMAT, None),
        ("oha.json", b'"p50": 0.001,', b"", Code.BROKEN_FORMAT, None),
        ("oha.json", b'"200": 49990', b'"200": "many"', Code.BROKEN_FORMAT, None),
        ("oha.json", b'bution": {}', b'bution": {"refused": -1}', Code.BROKEN_FORMAT, None),
        ("oha.json", b'bution": {}', b'bution": {"refused": "x"}', Code.BROKEN_FORMAT, None),
    ],
)
def test_a_bad_value_is_refused_at_its_row(tmp_path, name, old, new, code, row):
    found = refused(changed(tmp_path, name, old, new))
    assert found.code is code
    assert found.place is not None
    if row is not None:
        assert found.place.row == row


@pytest.mark.parametrize(
    ("name", "line"),
    [("k6.json", b"{%s}\n"), ("jHiccup-2.0.7S.logV2.hlog", b"#%s\n"), ("otlp.json", b"%s\n")],
)
def test_what_follows_too_long_a_line_is_not_lost_in_silence(tmp_path, name, line):
    path = tmp_path / name
    sound = (SAMPLES / name).read_bytes()
    path.write_bytes(sound + line % (b" " * (1 << 22)) + sound)
    found = refused(path, unit=TimeUnit.NS if name.endswith("hlog") else None)
    assert found.code is Code.TRACE_TOO_LARGE


def test_a_last_line_of_k6_that_is_cut_before_its_metric_is_refused(tmp_path):
    path = tmp_path / "k6.json"
    sound = (SAMPLES / "k6.json").read_bytes()
    path.write_bytes(sound + b'{"metric":"http_req_dur')
    found = refused(path)
    assert found.code is Code.TRUNCATED
    path.write_bytes(sound + b'{"type":"Point","data":{},"metric":"vus"}')
    assert ingest([str(path)], InputOptions(), OPEN).counted.histogram.requests


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["hey.csv", "k6.json", "wrk2.txt"])
def test_what_a_shell_of_windows_wrote_is_read_as_what_it_is(tmp_path, name, encoding):
    path, stated = tmp_path / name, StatedMeasure(Measure.RESPONSE_CLOSED, interval_us=10_000)
    path.write_bytes((SAMPLES / name).read_text().encode(encoding))
    read = [ingest([str(one)], InputOptions(), stated) for one in (path, SAMPLES / name)]
    counts = [one.counted.histogram.count.tolist() for one in read]
    assert counts[0] == counts[1]


def test_a_spectrum_that_falls_is_refused_at_its_line(tmp_path):
    found = refused(changed(tmp_path, "wrk2.txt", b"       6.279", b"       1.279"))
    assert found.code is Code.OUT_OF_RANGE
    assert found.place is not None
    assert (found.place.line, found.place.column) == (24, 1)


@pytest.mark.parametrize("value", [b"     6.2.79", b"9" * 5000 + b" 0.5 " + b"9" * 5000])
def test_a_spectrum_with_a_line_without_numbers_is_refused(tmp_path, value):
    assert refused(changed(tmp_path, "wrk2.txt", b"      6.279", value)).code is Code.TRUNCATED


def test_a_spectrum_that_is_cut_is_refused(tmp_path):
    path = tmp_path / "wrk2.txt"
    path.write_bytes((SAMPLES / "wrk2.txt").read_bytes()[:1500])
    assert refused(path).code is Code.TRUNCATED


def test_a_sample_that_is_cut_is_refused(tmp_path):
    path = tmp_path / "k6.json"
    path.write_bytes((SAMPLES / "k6.json").read_bytes()[:-20])
    found = refused(path)
    assert found.code is Code.TRUNCATED
    assert found.place is not None
    assert found.place.row == 6


def test_a_run_in_which_all_failed_is_refused(tmp_path):
    path = tmp_path / "hey.csv"
    path.write_bytes((SAMPLES / "hey.csv").read_bytes().replace(b",200,", b",503,"))
    assert refused(path).code is Code.EMPTY_TRACE


def log_line(folder, encoded):
    path = folder / "x.hlog"
    path.write_text(f"#[Histogram log format version 1.3]\n0.1,1.0,2.7,{encoded}\n")
    return path


def histogram(counts=b"\x02", digits=3, lowest=1, highest=3_600_000, **changes):
    """A histogram of version 2, encoded; by default the value 0, once."""
    stated = {"cookie": 0x1C849313, "offset": 0, "ratio": 1.0, "length": len(counts)} | changes
    head = (stated["length"], stated["offset"], digits, lowest, highest, stated["ratio"])
    body = struct.pack(">iiiiqqd", stated["cookie"], *head) + counts
    packed = zlib.compress(body)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(packed)) + packed).decode()


def pairs(encoded):
    """Values and counts."""
    return list(zip(*(part.tolist() for part in decode_histogram(encoded)), strict=True))


@pytest.mark.parametrize(
    "numbers",
    ["0,1,2", "0,127,1,007,2,769", "0.127,1.007,2.769", "1438613579,290,1,2,5", "0,1.0,2,7"],
)
@pytest.mark.parametrize("tag", ["", "Tag=READ,"])
def test_numbers_of_an_interval_may_have_decimal_commas(tmp_path, numbers, tag):
    path = tmp_path / "x.hlog"
    encoded = histogram(bytes([0x80 | (597 & 0x7F), 597 >> 7, 10]))
    path.write_text(f"#[Histogram log format version 1.3]\n{tag}{numbers},{encoded}\n")
    found = ingest([str(path)], InputOptions(TimeUnit.MS), StatedMeasure(Measure.DEMAND_BUSY))
    assert found.counted.histogram.requests == 5


def test_a_histogram_written_by_hand_is_read():
    # Zig-zag: a run of 299 zeros is 2 * 299 - 1 = 597, a count of 5 is 10.
    counts = bytes([0x80 | (597 & 0x7F), 597 >> 7, 10])
    assert pairs(histogram(counts)) == [(299, 5)]


def varint(value):
    """Zig-zag LEB128 as HdrHistogram has it: the ninth byte, if there is one, has eight bits."""
    coded, found = (value << 1) ^ (value >> 63), []
    while coded >= 0x80 and len(found) < 8:
        found.append(0x80 | (coded & 0x7F))
        coded >>= 7
    return bytes([*found, coded])


@pytest.mark.parametrize("largest", [3, 1 << 20, 1 << 61])
def test_counts_are_read_whatever_their_length(largest):
    """The largest takes nine bytes, and so all are read one by one."""
    draw = random.Random(5)
    wanted, stream, index = [], b"", 0
    for _ in range(500):
        gap, count = draw.randrange(1, 300), draw.randrange(1, largest)
        stream += varint(-gap) + varint(count)
        index += gap
        wanted.append((index, count))
        index += 1
    # Of five digits and unit 1 the values up to 2^18 have an index each.
    assert pairs(histogram(stream, digits=5)) == wanted


@pytest.mark.parametrize(
    ("encoded", "words"),
    [
        ("!!!", "not base64"),
        ("AAAA", "truncated"),
        (base64.b64encode(b"\0" * 40).decode(), "not an encoded histogram"),
        (base64.b64encode(b"\x0c\x72\x12\x4f" + b"\0" * 40).decode(), "floating-point values"),
        (histogram(digits=9), "states an"),
        (histogram(lowest=0), "states an"),
        (histogram(highest=-1), "states an"),
        (histogram(offset=3), "shifted or scaled"),
        (histogram(ratio=0.5), "shifted or scaled"),
        (histogram(length=10**9), "its header states"),
        (histogram(b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x02"), "above its highest"),
        (histogram(b"\x80"), "counts are"),
        (histogram(b"\x02" * 2048, lowest=1 << 60, highest=1 << 62), "above its highest"),
        (histogram(cookie=0x0C72124E), "not a histogram of whole numbers"),
    ],
)
def test_a_forged_histogram_is_refused(tmp_path, encoded, words):
    with pytest.raises(HdrError, match=words):
        decode_histogram(encoded)
    found = refused(log_line(tmp_path, encoded), unit=TimeUnit.NS)
    assert found.code is Code.BROKEN_FORMAT
    assert found.place is not None
    assert (found.place.line, found.place.column) == (2, 13)
    assert ("log integers" in found.help) == (words == "floating-point values")


@pytest.mark.parametrize("at", range(0, 100, 9))
def test_a_damaged_histogram_is_refused_or_read_as_it_was(at):
    """What it counts is under zlib's checksum; its head has bits that say nothing."""
    intact = histogram(bytes(range(2, 120, 2)))
    data = bytearray(base64.b64decode(intact))
    data[at % len(data)] ^= 0x55
    found = None
    with contextlib.suppress(HdrError):
        found = pairs(base64.b64encode(data).decode())
    assert found in (None, pairs(intact))


def peak_bytes(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_bomb_in_a_log_is_refused_within_its_limit():
    packed = zlib.compress(b"\0" * (1 << 28), 9)
    encoded = base64.b64encode(struct.pack(">ii", 0x1C849314, len(packed)) + packed).decode()

    def read():
        with pytest.raises(HdrError, match="expands to more"):
            decode_histogram(encoded)

    assert peak_bytes(read) < 4 * MAX_INFLATED_BYTES


def test_a_gzipped_report_that_swells_is_refused(tmp_path):
    path = tmp_path / "wrk2.txt.gz"
    path.write_bytes(gzip.compress((SAMPLES / "wrk2.txt").read_bytes() + b"\n" * (1 << 25)))
    assert refused(path).code is Code.TRACE_TOO_LARGE


def test_an_endless_line_of_a_log_is_refused(tmp_path):
    path = tmp_path / "x.hlog.gz"
    start = b'"StartTimestamp","Interval_Length"\n0.1,1.0,2.7,'
    path.write_bytes(gzip.compress(start + b"A" * (1 << 25)))
    assert refused(path, unit=TimeUnit.NS).code is Code.TRACE_TOO_LARGE


def test_a_log_without_values_is_refused(tmp_path):
    path = tmp_path / "x.hlog"
    path.write_text('#[Histogram log format version 1.3]\n"StartTimestamp"\n')
    assert refused(path, unit=TimeUnit.NS).code is Code.EMPTY_TRACE
