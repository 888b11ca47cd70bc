"""Metric families in protobuf: what a server wrote, and what is written by hand to be wrong."""

import math
import struct
from pathlib import Path

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.native import upper_bound
from tailc.traces.counted_times import Grain
from tests.tailc.ingest.prometheus_case import OK, SEARCH, assert_answers, taken
from tests.tailc.ingest.protobuf import sized, varint
from tests.tailc.ingest.refusal import OPEN, options, refused

SAMPLES = Path(__file__).parent / "samples"
HISTOGRAM = 4


def number(field, value):
    return varint(field << 3) + varint(value)


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def zigzag(value):
    return 2 * value if value >= 0 else -2 * value - 1


def family(*histograms, kind=HISTOGRAM, name=b"x_seconds"):
    """A family after its length; a histogram is the bytes of its fields."""
    metrics = b"".join(sized(4, sized(7, one)) for one in histograms)
    message = sized(1, name) + sized(2, b"Help.") + number(3, kind) + metrics
    return varint(len(message)) + message


def span(left_out, length):
    return sized(12, number(1, zigzag(left_out)) + number(2, length))


def native(total, schema=0, spans=((1, 2),), deltas=(3, -1), zero=0, more=b""):
    """By default 3 requests from 1 to 2 s and 2 from 2 to 4 s."""
    told = number(1, total) + number(5, zigzag(schema)) + double(6, 1e-9) + number(7, zero)
    told += b"".join(span(*one) for one in spans)
    return told + b"".join(number(13, zigzag(delta)) for delta in deltas) + more


def classic(*reached, total):
    """Of pairs of an upper bound and how many took at most that."""
    buckets = (sized(3, number(1, count) + double(2, upper)) for upper, count in reached)
    return number(1, total) + b"".join(buckets)


def written(folder, data):
    path = folder / "scrape.pb"
    path.write_bytes(data)
    return path


def counted(path, **given):
    return ingest([str(path)], options(**given), OPEN).counted.histogram


# As `histogram_quantile` of the server of Prometheus 3.16, which scraped the same, answered.
@pytest.mark.parametrize(
    ("metric", "labels", "requests", "answers_s"),
    [
        (
            "search_duration_seconds",
            (SEARCH, OK),
            968,
            {500_000: 0.003748362484279209, 990_000: 0.021979048278310633},
        ),
        (
            "parse_duration_seconds",
            (),
            1_500,
            {500_000: 0.00009213759213759215, 900_000: 0.00043668751007379527},
        ),
        (
            "load_duration_seconds",
            (),
            1_500,
            {500_000: 0.00041762711864406783, 990_000: 0.004684210526315789},
        ),
    ],
)
def test_quantiles_are_those_that_the_server_answers(metric, labels, requests, answers_s):
    found = taken("prometheus.pb", metric=metric, labels=labels)
    assert found.histogram.requests == requests
    assert_answers(found.histogram, answers_s)
    is_classic = metric == "load_duration_seconds"
    assert found.grain is (Grain.LINEAR if is_classic else Grain.EXPONENTIAL)


def test_of_two_scrapes_what_was_counted_in_between_is_taken():
    earlier = str(SAMPLES / "prometheus.earlier.pb")
    metric = "parse_duration_seconds"
    before = taken("prometheus.earlier.pb", metric=metric).histogram.requests
    found = taken("prometheus.pb", metric=metric, since=earlier).histogram
    assert found.requests == 1_500 - before


@pytest.mark.parametrize("packed", [False, True])
def test_spans_and_deltas_are_buckets(tmp_path, packed):
    # From 1 to 2 s 3, from 2 to 4 s 2, none to 16 s, and from 16 to 32 s 6.
    spans, deltas = ((1, 2), (2, 1)), (3, -1, 4)
    data = native(11, spans=spans, deltas=() if packed else deltas)
    if packed:
        data += sized(13, b"".join(varint(zigzag(delta)) for delta in deltas))
    found = counted(written(tmp_path, family(data)))
    held = [
        found.count[(found.demand_ns > low * 1e9) & (found.demand_ns < 1.001 * high * 1e9)].sum()
        for low, high in ((1, 2), (2.01, 4), (4.01, 16), (16.1, 32))
    ]
    assert held == [3, 2, 0, 6]


@pytest.mark.parametrize(
    ("schema", "index", "bound"),
    [
        # As the documentation has it: a bound is 2^(2^-schema) to the power of the index.
        (0, 10, 1024.0),
        (3, 8, 2.0),
        (3, -8, 0.5),
        (8, 1, 2 ** (1 / 256)),
        (-4, 1, 65536.0),
        (-4, 100, math.inf),
        (8, -(1 << 20), 0.0),
    ],
)
def test_bounds_of_native_buckets_are_powers(schema, index, bound):
    assert upper_bound(schema, index) == pytest.approx(bound, rel=1e-15)


def test_a_family_of_both_kinds_is_taken_for_its_native_one(tmp_path):
    both = native(5, more=sized(3, number(1, 5) + double(2, 9.0)))
    path = written(tmp_path, family(both))
    assert counted(path).max_ns == 4_000_000_000


def test_times_of_nothing_at_all_are_the_least_there_is(tmp_path):
    path = written(tmp_path, family(native(12, zero=7, more=double(6, 0.0))))
    found = counted(path)
    assert (found.min_ns, found.count[0], found.requests) == (1, 7, 12)


def test_other_families_are_passed_over(tmp_path):
    counter = family(number(1, 7), kind=0, name=b"x_total")
    assert counted(written(tmp_path, counter + family(native(5)))).requests == 5
    assert refused(written(tmp_path, counter)).code is Code.EMPTY_TRACE


@pytest.mark.parametrize(
    ("histogram", "code", "words"),
    [
        (native(6), Code.BROKEN_FORMAT, "requests in buckets, but"),
        (native(4), Code.BROKEN_FORMAT, "requests in buckets, but"),
        (native(5, deltas=(3, -5)), Code.BROKEN_FORMAT, "1 requests in buckets"),
        (
            native(5, spans=((1, 3),)),
            Code.BROKEN_FORMAT,
            "bucket spans whose lengths do not add up",
        ),
        (
            native(5, spans=((1, 1 << 31),)),
            Code.BROKEN_FORMAT,
            ("bucket spans whose lengths do not add up"),
        ),
        (native(5, schema=9), Code.BROKEN_FORMAT, "unknown schema 9"),
        (native(5, schema=-53), Code.BROKEN_FORMAT, "unknown schema -53"),
        (native(5, more=double(4, 5.5)), Code.BROKEN_FORMAT, "not whole"),
        (native(5, more=sized(1, b"")), Code.BROKEN_FORMAT, "a field of the wrong type"),
        (native(7, more=sized(9, b"")), Code.OUT_OF_RANGE, "0 or less"),
        (native(5, spans=((1023, 2),)), Code.OPEN_BUCKET, "2 of 5 requests"),
        (
            native(5, spans=((2000, 2),)),
            Code.BROKEN_FORMAT,
            "lower bound is not below its upper bound",
        ),
        (
            native(5, more=double(6, 3.0)),
            Code.BROKEN_FORMAT,
            "lower bound is not below its upper bound",
        ),
        (
            native(5, more=double(6, math.nan)),
            Code.BROKEN_FORMAT,
            "lower bound is not below its upper bound",
        ),
        (classic((0.5, 3), total=5), Code.OPEN_BUCKET, "2 of 5 requests"),
        (classic((0.5, 3), (0.1, 4), total=5), Code.BROKEN_FORMAT, "in the buckets below"),
        (
            classic((0.5, 3), (0.5, 4), total=5),
            Code.BROKEN_FORMAT,
            "two buckets with the upper bound",
        ),
        (classic((math.nan, 3), total=5), Code.BROKEN_FORMAT, "an upper bound"),
        (classic((math.inf, 3), total=5), Code.BROKEN_FORMAT, "states 5"),
    ],
)
def test_a_histogram_that_cannot_be_is_refused(tmp_path, histogram, code, words):
    found = refused(written(tmp_path, family(histogram)))
    assert found.code is code
    assert words in found.message


def test_a_family_that_is_cut_or_damaged_is_refused_by_its_number(tmp_path):
    good = family(native(5))
    for data, code in (
        (good + good[:-1], Code.TRUNCATED),
        (good + varint(3) + b"\x0a\x05x", Code.BROKEN_FORMAT),
        (good + varint(1 << 40), Code.TRACE_TOO_LARGE),
    ):
        found = refused(written(tmp_path, data))
        assert found.code is code
        assert found.place is not None
        assert found.place.row == 2
