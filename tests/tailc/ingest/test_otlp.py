"""Spans of OpenTelemetry: the own time of each server span, and never taken for a demand."""

import json
import re
from pathlib import Path

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions, SpanOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import OPEN, refused

SAMPLE = Path(__file__).parent / "samples" / "otlp.json"


def test_a_span_has_its_length_less_the_union_of_its_children():
    found = ingest([str(SAMPLE)], InputOptions(), OPEN)
    # 100 ms with children at 10 to 40, 30 to 60 and 90 to 120 ms; and 7 ms with none.
    assert (found.counted.histogram.min_ns, found.counted.histogram.max_ns) == (7e6, 40e6)
    assert found.counted.histogram.requests == 2
    assert found.counted.origins[0].left_out == 1
    assert found.counted.origins[0].taken == "own time of server spans"


@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_exports_that_were_laid_out_anew_are_the_same(tmp_path, indent):
    exports = [json.loads(line) for line in SAMPLE.read_text().splitlines()]
    assert len(exports) == 3
    path = tmp_path / "x.json"
    path.write_text("\n".join(json.dumps(export, indent=indent) for export in exports))
    found, as_written = (ingest([str(each)], InputOptions(), OPEN) for each in (path, SAMPLE))
    assert found.counted.histogram.count.tolist() == as_written.counted.histogram.count.tolist()
    assert found.counted.histogram.bucket.tolist() == as_written.counted.histogram.bucket.tolist()


def in_names_of_proto(text):
    """The text with the names of keys as in `trace.proto`, such as `resource_spans`."""
    return re.sub(
        r'"(\w+)"(?=:)', lambda key: re.sub("[A-Z]", lambda one: f"_{one[0].lower()}", key[0]), text
    )


@pytest.mark.parametrize("indent", [None, 2])
def test_names_of_the_fields_in_protobuf_are_read_too(tmp_path, indent):
    lines = SAMPLE.read_text().splitlines()
    path = tmp_path / "x.json"
    path.write_text(
        "\n".join(
            in_names_of_proto(json.dumps(json.loads(line), indent=indent, separators=(",", ":")))
            for line in lines
        )
    )
    assert '"start_time_unix_nano"' in path.read_text()
    found, as_written = (ingest([str(each)], InputOptions(), OPEN) for each in (path, SAMPLE))
    assert found.counted.histogram.count.tolist() == as_written.counted.histogram.count.tolist()
    assert found.counted.histogram.bucket.tolist() == as_written.counted.histogram.bucket.tolist()


def test_numbers_of_attributes_by_the_names_in_protobuf(tmp_path):
    value = '{"key":"cpu","value":{"int_value":"11750"}}'
    span = '"trace_id":"Z6z8LqVvEI+kU1/Ci6mXBQ==","span_id":"gMEgDJS+EXg=","kind":2'
    times = '"start_time_unix_nano":1697982593201336000,"end_time_unix_nano":1697982593201347750'
    spans = f'[{{{span},{times},"attributes":[{value}]}}]'
    path = tmp_path / "x.json"
    path.write_text(f'{{"resource_spans":[{{"scope_spans":[{{"spans":{spans}}}]}}]}}')
    own = ingest([str(path)], InputOptions(), OPEN).counted.histogram
    named = InputOptions(unit=TimeUnit.NS, spans=SpanOptions("cpu"))
    read = ingest([str(path)], named, StatedMeasure(Measure.DEMAND_CPU)).counted.histogram
    assert (own.min_ns, read.min_ns, own.requests) == (11_750, 11_750, 1)


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("value", ["2024-07-30T09:37:04.365Z", "", None, [1]])
def test_a_time_that_is_no_number_is_named(tmp_path, value, indent, end):
    ids = {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174"}
    times = {"startTimeUnixNano": value, "endTimeUnixNano": "1722438155969000000"}
    spans = [{**ids, **times, "name": "x", "kind": 2}]
    export = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(export, indent=indent) + end)
    found = refused(path)
    assert (found.code, found.place.row) == (Code.BROKEN_FORMAT, 1)
    assert f"`startTimeUnixNano` is `{value}`, not whole nanoseconds" in found.message


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("name", "value"),
    [("traceId", ""), ("spanId", ""), ("traceId", "0" * 32), ("spanId", "0" * 16)],
)
def test_an_id_that_a_span_lacks_is_named(tmp_path, name, value, indent):
    ids = {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174"}
    span = {**ids, name: value, "startTimeUnixNano": "1", "endTimeUnixNano": "9", "kind": 2}
    export = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(export, indent=indent) + "\n")
    found = refused(path)
    assert (found.code, found.place.row) == (Code.BROKEN_FORMAT, 1)
    assert f"the `{name}` of a span is empty or zero" in found.message
    assert "correct the program" in (found.help or "")


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        (b'"spanId"', b'"span"', Code.BROKEN_FORMAT, "document 1 is not an OTLP export of spans"),
        (b'1111",', b'1111";', Code.BROKEN_FORMAT, "document 1 is not valid JSON"),
        (b"\n}", b"\n", Code.TRUNCATED, "in the middle, at document 1"),
        (b"\n}", b"\n} []", Code.BROKEN_FORMAT, "document 2 is not an OTLP export of spans"),
    ],
)
def test_bad_exports_that_were_laid_out_are_refused_by_number(tmp_path, old, new, code, words):
    export = json.loads(SAMPLE.read_text().splitlines()[0])
    path = tmp_path / "x.json"
    path.write_bytes(json.dumps(export, indent=1).encode().replace(old, new))
    found = refused(path)
    assert (found.code, bool(found.help)) == (code, True)
    assert words in found.message


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (StatedMeasure(), Code.UNSTATED_MEASURE),
        (StatedMeasure(Measure.DEMAND_BUSY), Code.RESPONSE_TIME),
    ],
)
def test_an_own_time_is_not_a_demand_unless_it_is_said_why(said, code):
    assert refused(SAMPLE, said).code is code


@pytest.mark.parametrize(
    ("old", "new", "code", "row"),
    [
        (b'"endTimeUnixNano":"17', b'"endTimeUnixNano":"16', Code.EMPTY_TRACE, None),
        (b'"endTimeUnixNano":"17', b'"endTimeUnixNano":"x', Code.BROKEN_FORMAT, 1),
        (b'"spanId"', b'"span"', Code.BROKEN_FORMAT, 1),
        (b'"kind":2', b'"kind":3', Code.EMPTY_TRACE, None),
        (b"]}]}]}\n", b"]}]}", Code.TRUNCATED, 1),
        (b'"scopeSpans":[', b'"scopeSpans":' + b"[" * 100_000, Code.BROKEN_FORMAT, 1),
    ],
)
def test_bad_spans_are_refused_at_their_line(tmp_path, old, new, code, row):
    path = tmp_path / "x.json"
    path.write_bytes(SAMPLE.read_bytes().replace(old, new))
    found = refused(path)
    assert (found.code, found.place.row, bool(found.help)) == (code, row, True)
