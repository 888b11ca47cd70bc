"""Spans that are cut, forged or hostile: each is refused at its message or trace, within limits."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import Code, TailcError
from tailc.ingest.frames import MAX_MESSAGE_BYTES
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions
from tailc.traces.json_items import MAX_ITEM_CHARACTERS
from tests.tailc.ingest.protobuf import framed, request, server, sized, varint
from tests.tailc.ingest.refusal import OPEN, refused

SAMPLES = Path(__file__).parent / "samples"
GOOD = request(server())
# Attributes in attributes, deeper than the library of the format goes.
DEEP = b""
for _ in range(200):
    DEEP = sized(6, sized(1, sized(2, DEEP)))
FORGED = {
    "a span without ids": (b"\x30\x02", "no id"),
    "ids of another length": (sized(1, b"1") + sized(2, b"2"), "no id"),
    "an id of zeros": (server().replace(b"\x22", b"\0"), "no id"),
    "deep attributes": (
        server(more=sized(9, sized(2, DEEP))),
        "cannot be decoded",
    ),
    "a name that is no text": (server(more=sized(5, b"\xff")), "be decoded"),
    "a huge span": (server(more=sized(5, b"a" * (1 << 20))), "more than"),
}


def finding(folder, data, name="x"):
    path = folder / name
    path.write_bytes(data)
    return refused(path)


@pytest.mark.parametrize("wrapped", [lambda data: data, framed], ids=["request", "framed"])
@pytest.mark.parametrize("name", FORGED)
def test_a_span_that_is_none_is_refused_at_its_message(tmp_path, name, wrapped):
    span, words = FORGED[name]
    found = finding(tmp_path, wrapped(GOOD) + wrapped(request(server(), span)))
    assert (found.code, found.place.row) == (Code.BROKEN_FORMAT, 2)
    assert words in found.message


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        # Forged lengths: of a request's field, of a value in it, of a message in a file.
        (GOOD + sized(1, b"", 1 << 62), Code.TRACE_TOO_LARGE, "4,611,686,018,427,387,904 bytes"),
        (
            GOOD + sized(1, sized(2, b"", 1 << 62)),
            Code.BROKEN_FORMAT,
            "bytes than the message has",
        ),
        (framed(GOOD) + framed(GOOD, 2**32 - 1), Code.TRACE_TOO_LARGE, "4,294,967,295 bytes"),
        (GOOD + sized(1, b"a", MAX_MESSAGE_BYTES), Code.TRUNCATED, "middle of message 2"),
        # Numbers that do not end, or are cut.
        (GOOD + b"\x0a" + b"\xff" * 100, Code.BROKEN_FORMAT, "a length of more than 10 bytes"),
        (GOOD + sized(1, b"\xff" * 100), Code.BROKEN_FORMAT, "a number without an end"),
        (GOOD + sized(1, b"\x12"), Code.BROKEN_FORMAT, "a number without an end"),
        (GOOD + b"\x0a\xff", Code.TRUNCATED, "middle of message 2"),
        # Other fields, numbers and wire types than such a message has.
        (GOOD + b"\x10\x01", Code.BROKEN_FORMAT, "a field that such a message does not have"),
        (GOOD + sized(1, b"\x10\x01"), Code.BROKEN_FORMAT, "(a field of the wrong type)"),
        (GOOD + sized(1, b"\x02\x00"), Code.BROKEN_FORMAT, "a field with the number 0"),
        (GOOD + sized(1, b"\x13\x14"), Code.BROKEN_FORMAT, "an unknown wire type"),
        # Messages that are cut, or compressed unsoundly.
        (framed(GOOD) + b"\0\0", Code.TRUNCATED, "middle of message 2"),
        (framed(GOOD) + framed(GOOD)[:-1], Code.TRUNCATED, "middle of message 2"),
        (framed(GOOD) + framed(b"\x28\xb5\x2f\xfd" * 9), Code.BROKEN_FORMAT, "damaged zstd data"),
        (framed(GOOD) + framed(b'{"resourceSpans":[1]}'), Code.BROKEN_FORMAT, "no export of spans"),
        (
            framed(GOOD) + framed(b'{"resourceSpans":' + b"[" * 100_000),
            Code.BROKEN_FORMAT,
            "no export",
        ),
    ],
)
def test_a_forged_or_cut_message_is_refused_by_its_number(tmp_path, data, code, words):
    found = finding(tmp_path, data)
    assert (found.code, found.place.row) == (code, 2)
    assert words in found.message


def test_a_message_that_inflates_beyond_its_limit_is_refused(tmp_path):
    swollen = pa.compress(GOOD * (MAX_MESSAGE_BYTES // len(GOOD) + 1), "zstd", asbytes=True)
    found = finding(tmp_path, framed(GOOD) + framed(swollen))
    assert (found.code, found.place.row) == (Code.TRACE_TOO_LARGE, 2)


def test_fields_that_are_not_known_are_passed_over(tmp_path):
    more = (
        varint(200 << 3) + varint(7) + b"\x51" + b"\0" * 8 + b"\x55" + b"\0" * 4 + sized(99, b"x")
    )
    path = tmp_path / "x"
    path.write_bytes(sized(1, more + sized(2, sized(2, server(5_000)) + more) + more))
    found = ingest([str(path)], InputOptions(), OPEN).counted.histogram
    assert (found.requests, found.min_ns, found.max_ns) == (1, 5_000, 5_000)


@pytest.mark.parametrize("data", [b"\n\n\n{}", b"\x0a\x00" * 9, b"\0\0\0\x02\x0a\x00", b"\n" * 99])
def test_what_has_no_span_is_not_taken_for_protobuf(tmp_path, data):
    assert finding(tmp_path, data).code is Code.UNKNOWN_INPUT


def jaeger(*traces, then=b""):
    """An answer with these traces, and with more after the last of them."""
    answer = json.dumps({"data": list(traces), "total": 0, "errors": None}).encode()
    return answer.replace(b'], "total"', then + b'], "total"')


def trace(**changes):
    """A trace with a span of 5 ms, from which another follows that lies within it."""
    tags = [{"key": "span.kind", "type": "string", "value": "server"}]
    span = {"traceID": "a", "spanID": "1", "references": [], "startTime": 1, "duration": 5_000}
    follows = [{"refType": "FOLLOWS_FROM", "traceID": "a", "spanID": "1"}]
    after = {**span, "spanID": "2", "references": follows, "tags": []}
    return {"traceID": "a", "spans": [{**span, "tags": tags, **changes}, after], "processes": {}}


def test_what_follows_from_a_span_of_jaeger_takes_no_time_of_it(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(jaeger(trace(), trace(traceID="b", duration=7_000)))
    found = ingest([str(path)], InputOptions(), OPEN).counted.histogram
    assert (found.requests, found.min_ns, found.max_ns) == (2, 5_000_000, 7_000_000)


@pytest.mark.parametrize(
    ("data", "code", "row"),
    [
        (jaeger(), Code.EMPTY_TRACE, None),
        (jaeger(trace(tags=None)), Code.EMPTY_TRACE, None),
        (jaeger(trace(tags=[{"key": "error", "value": True}])), Code.EMPTY_TRACE, None),
        (jaeger(trace(), trace(duration=0.5)), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(duration=2**62)), Code.EMPTY_TRACE, None),
        (jaeger(trace(startTime=2**70)), Code.EMPTY_TRACE, None),
        (jaeger(trace(), trace(spanID="xyz")), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(), trace(traceID="1" * 33)), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(), trace(references=[{}])), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(), {"traceID": "a"}), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(), [1]), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(), trace())[:-90], Code.TRUNCATED, 2),
        (jaeger(trace())[:-30], Code.TRUNCATED, 2),
        (jaeger(trace()).replace(b"}], ", b"}; ", 1), Code.BROKEN_FORMAT, 1),
        (jaeger(trace(), 1).replace(b", 1]", b"; 1]"), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(), then=b', {"a":' + b"[" * 100_000), Code.BROKEN_FORMAT, 2),
        (jaeger(trace(), then=b", " + b"1" * 5_000), Code.BROKEN_FORMAT, 2),
    ],
)
def test_bad_traces_of_jaeger_are_refused_by_their_number(tmp_path, data, code, row):
    found = finding(tmp_path, data)
    assert (found.code, found.place.row) == (code, row)


def test_a_trace_longer_than_its_limit_is_refused(tmp_path):
    swollen = trace(operationName="a" * 2 * MAX_ITEM_CHARACTERS)
    found = finding(tmp_path, gzip.compress(jaeger(trace(), swollen), 1), "x.json.gz")
    assert (found.code, found.place.row) == (Code.TRACE_TOO_LARGE, 2)


DAMAGE = st.tuples(st.floats(0, 1), st.integers(0, 9), st.binary(max_size=6))


@settings(max_examples=120, derandomize=True, deadline=None)
@given(st.sampled_from(sorted(SAMPLES.glob("spans.*"))), st.lists(DAMAGE, min_size=1, max_size=3))
def test_damaged_spans_are_read_or_refused_with_help(tmp_path_factory, sample, damages):
    data = sample.read_bytes()
    for where, cut, put in damages:
        at = int(where * len(data))
        data = data[:at] + put + data[at + cut :]
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(data)
    findings = ()
    try:
        read = ingest([str(path)], InputOptions(), OPEN)
        assert read.counted.histogram.requests > 0
    except TailcError as error:
        findings = error.findings
    assert all(found.help and found.place for found in findings)
