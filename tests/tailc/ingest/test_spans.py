"""Server spans in every encoding: the same own times, and what they measured themselves."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.input_times import Loop
from tailc.ingest.options import InputOptions
from tailc.ingest.span_table import NO_SPAN, TraceSpan, own_ns, span_table, without_internal
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.histogram import histogram_of
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.protobuf import request, sized
from tests.tailc.ingest.refusal import OPEN, options
from tests.tailc.ingest.refusal import refused as refused_input

SAMPLES = Path(__file__).parent / "samples"
CPU = StatedMeasure(Measure.DEMAND_CPU)
ENCODINGS = {
    "spans.pb": "OTLP protobuf",
    "spans.file.pb": "OTLP export of a file exporter",
    "spans.file.zst.pb": "OTLP export of a file exporter",
    "spans.file.zst.json": "OTLP export of a file exporter",
    "spans.file.json": "OTLP JSON",
    "spans.jaeger.json": "Jaeger JSON",
}
# 100 ms less 10 to 60 and 90 to 100 ms; what was called; and 7 ms alone.
OWN_MS = (40, 20, 25, 7)


# The services of the samples with the same spans.
BOTH = ("web", "store")


def read(name, said=OPEN, **given):
    services = BOTH if name in ENCODINGS else ()
    found = ingest([str(SAMPLES / name)], options(services=services, **given), said)
    assert found.inputs[0].times is not None
    return found.counted, found.inputs[0].times


def refused(path, said=OPEN, **given):
    services = BOTH if path.name in ENCODINGS else ()
    return refused_input(path, said, services=services, **given)


def assert_same(histogram, times_ns):
    wanted = histogram_of(np.array(times_ns))
    np.testing.assert_array_equal(histogram.bucket, wanted.bucket)
    np.testing.assert_array_equal(histogram.count, wanted.count)
    assert (histogram.min_ns, histogram.max_ns) == (wanted.min_ns, wanted.max_ns)


@pytest.mark.parametrize("name", ENCODINGS)
def test_own_times_are_the_same_in_every_encoding(name):
    counted, taken = read(name)
    assert_same(counted.histogram, [ms * 1_000_000 for ms in OWN_MS])
    assert (taken.format, taken.left_out) == (ENCODINGS[name], 1)
    selected = "own time of server spans of web and store"
    assert (taken.selected, taken.loop) == (selected, Loop.UNSTATED)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    ("attribute", "unit", "least_ns"),
    # A reading of 0 took less than a unit.
    [
        ("app.cpu_time_us", TimeUnit.US, 500),
        ("app.startcputime..app.endcputime", TimeUnit.NS, 1),
    ],
)
def test_processor_time_that_spans_carry_is_a_demand(name, attribute, unit, least_ns):
    counted, taken = read(name, CPU, attribute=attribute, unit=unit)
    assert_same(counted.histogram, [31_250_000, 12_500_000, least_ns, 6_500_000])
    assert (counted.measure, counted.origins[0].because) == (Measure.DEMAND_CPU, None)
    selected = f"attribute {attribute} of server spans of web and store"
    assert (taken.selected, taken.left_out) == (selected, 1)


@pytest.mark.parametrize("name", ["spans.pb", "spans.file.pb", "spans.jaeger.json"])
def test_an_own_time_is_never_a_demand_unless_it_is_said_why(name):
    assert refused(SAMPLES / name, StatedMeasure()).code is Code.UNSTATED_MEASURE
    assert refused(SAMPLES / name, CPU).code is Code.RESPONSE_TIME
    alone = StatedMeasure(Measure.DEMAND_BUSY, because="one client was alone on the machine")
    assert read(name, alone)[0].measure is Measure.DEMAND_BUSY


@pytest.mark.parametrize(
    ("name", "said", "given", "code"),
    [
        ("spans.pb", CPU, {"attribute": "app.cpu_time_us"}, Code.MISSING_UNIT),
        (
            "spans.pb",
            StatedMeasure(),
            {"attribute": "app.cpu_time_us", "unit": TimeUnit.US},
            Code.UNSTATED_MEASURE,
        ),
        ("spans.pb", CPU, {"attribute": "cpu", "unit": TimeUnit.US}, Code.MISSING_COLUMN),
        (
            "spans.jaeger.json",
            CPU,
            {"attribute": "app.endcputime..app.startcputime", "unit": TimeUnit.NS},
            Code.OUT_OF_RANGE,
        ),
        (
            "spans.jaeger.json",
            CPU,
            {"attribute": "span.kind", "unit": TimeUnit.NS},
            Code.MISSING_COLUMN,
        ),
        ("hey.csv", CPU, {"attribute": "cpu"}, Code.USAGE),
        ("hey.csv", CPU, {"with_internal": True}, Code.USAGE),
        ("spans.pb", OPEN, {"unit": TimeUnit.MS}, Code.USAGE),
    ],
)
def test_what_is_asked_of_spans_must_be_there(name, said, given, code):
    assert refused(SAMPLES / name, said, **given).code is code


@pytest.mark.parametrize("name", ENCODINGS)
def test_spans_of_several_services_are_counted_only_for_a_named_one(name):
    found = refused_input(SAMPLES / name)
    assert found.code is Code.SEVERAL_SERVICES
    assert "server spans of 2 services: `web` (3), `store` (2)" in found.message
    assert "`--service NAME`" in found.help
    times = {}
    for service in BOTH:
        chosen = options(services=(service,))
        times[service] = ingest([str(SAMPLES / name)], chosen, OPEN).counted.histogram
    assert times["web"].requests + times["store"].requests == len(OWN_MS)
    # The calls of `web` to `store` are subtracted from its own times.
    assert_same(times["web"], [40_000_000, 7_000_000])
    assert_same(times["store"], [20_000_000, 25_000_000])


def test_a_service_without_server_spans_is_refused_with_the_names():
    found = refused_input(SAMPLES / "spans.pb", services=("webb",))
    assert found.code is Code.SEVERAL_SERVICES
    assert "no server span of the service `webb`" in found.message
    assert "did you mean `web`?" in found.help
    assert refused_input(SAMPLES / "hey.csv", services=("web",)).code is Code.USAGE


@pytest.mark.parametrize(
    ("service", "kind", "status", "message", "help_"),
    [
        ("web", 3, {}, "no span of kind server", "client spans are not enough"),
        ("web", 2, {"code": 2}, "kind server of web that ended", "successful requests"),
        ("", 2, {}, "no server span of the service `web`", "remove `--service`"),
    ],
)
def test_a_service_that_cannot_be_counted_is_refused_with_the_cause(
    tmp_path, service, kind, status, message, help_
):
    span = {"traceId": "1" * 32, "spanId": "2" * 16, "kind": kind, "status": status}
    span |= {"startTimeUnixNano": "1", "endTimeUnixNano": "9"}
    name = {"key": "service.name", "value": {"stringValue": service}}
    resource = {"resource": {"attributes": [name]}, "scopeSpans": [{"spans": [span]}]}
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({"resourceSpans": [resource]}))
    found = refused_input(path, services=("web",))
    assert message in found.message
    assert help_ in found.help


def test_a_run_of_telemetrygen_has_the_length_that_it_was_asked_for():
    counted, _ = read("telemetrygen.pb")
    assert_same(counted.histogram, [3_000_000] * 12)


@pytest.mark.parametrize("name", ["spans.pb", "spans.file.pb", "spans.file.zst.json"])
def test_exports_in_a_row_are_all_read(tmp_path, name):
    later = (SAMPLES / "telemetrygen.pb").read_bytes()
    if "file" in name:
        later = len(later).to_bytes(4) + later
    path = tmp_path / name
    path.write_bytes((SAMPLES / name).read_bytes() + later)
    chosen = options(services=(*BOTH, "telemetrygen"))
    counted = ingest([str(path)], chosen, OPEN).counted
    assert_same(counted.histogram, [*(ms * 1_000_000 for ms in OWN_MS), *[3_000_000] * 12])


def test_without_the_extra_protobuf_is_refused_and_json_is_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.proto.trace.v1", None)
    found = refused(SAMPLES / "spans.pb")
    assert (found.code, "tailc[otlp]" in found.help) == (Code.MISSING_PART, True)
    for name in ("spans.file.json", "spans.file.zst.json"):
        assert read(name)[0].histogram.requests == len(OWN_MS)


def test_too_many_spans_are_refused(monkeypatch):
    monkeypatch.setattr("tailc.ingest.spans.MAX_SPANS", 8)
    found = refused(SAMPLES / "spans.jaeger.json")
    assert (found.code, "more than 8 spans" in found.message) == (Code.TRACE_TOO_LARGE, True)


TIME = st.integers(0, 24)
# Few ids and traces, so that there are many children, also of spans that are not there.
SPANS = st.lists(
    st.tuples(st.integers(1, 2), st.integers(1, 6), st.integers(0, 6), TIME, TIME), max_size=14
)


def own_by_counting(span, spans):
    """How many units of a span's time are in none of its children, one unit after the other."""
    children = [
        (start, end)
        for trace, _, parent, start, end in spans
        if (trace, parent) == span[:2] and parent != NO_SPAN
    ]
    within = range(span[3], span[4])
    return sum(not any(start <= at < end for start, end in children) for at in within)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(SPANS)
def test_an_own_time_is_the_time_in_no_child(drawn):
    """Of children side by side, over one another, and outliving or preceding their parent."""
    spans = [(*ids, min(times), max(times)) for *ids, a, b in drawn for times in [(a, b)]]
    base = 1 << 62
    table = span_table(
        (
            TraceSpan(trace << 100, id_, parent, base + start, base + end, True, False, False)
            for trace, id_, parent, start, end in spans
        ),
        {},
    )
    assert own_ns(table, table).tolist() == [own_by_counting(span, spans) for span in spans]


KINDS = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=8)


def other_ancestor(span, spans):
    """The nearest ancestor that is not internal, step by step; 0 where there is none."""
    for _ in spans:
        span = spans[span - 1][1]
        if span == NO_SPAN or span > len(spans) or not spans[span - 1][0]:
            return span
    return None  # its ancestors are in a circle


@settings(max_examples=150, derandomize=True, deadline=None)
@given(KINDS)
def test_without_internal_spans_each_has_its_nearest_other_ancestor(spans):
    """Also below spans that are not there, and below those that are their own ancestors."""
    table = span_table(
        (
            TraceSpan(5 << 64, at, parent, 0, 1, False, is_internal, False)
            for at, (is_internal, parent) in enumerate(spans, 1)
        ),
        {},
    )
    found = without_internal(table)
    wanted = {
        at: other_ancestor(at, spans)
        for at, (is_internal, _) in enumerate(spans, 1)
        if not is_internal
    }
    internal = {at for at, (is_internal, _) in enumerate(spans, 1) if is_internal}
    assert found["id"].tolist() == list(wanted)
    for at, parent in zip(found["id"].tolist(), found["parent"].tolist(), strict=True):
        assert parent == wanted[at] or (wanted[at] is None and parent in internal)


MS = 1_000_000
# A server of 100 ms, in it a step of its own of 90 ms, and in that a call of 30 ms.
STEPS = (("server", 2, 1, 0, 0, 100), ("internal", 1, 2, 1, 5, 95), ("client", 3, 3, 2, 20, 50))


def steps_in_protobuf():
    def span(_, kind, id_, parent, start, end):
        ids = sized(1, b"\1" * 16) + sized(2, id_.to_bytes(8)) + sized(4, parent.to_bytes(8))
        times = b"\x39" + (start * MS).to_bytes(8, "little") + b"\x41"
        return ids + b"\x30" + bytes([kind]) + times + (end * MS).to_bytes(8, "little")

    return request(*(span(*step) for step in STEPS))


def steps_in_json():
    spans = [
        {
            "traceId": "1" * 32,
            "spanId": f"{id_:016x}",
            "parentSpanId": f"{parent:016x}",
            "kind": kind,
            "startTimeUnixNano": str(start * MS),
            "endTimeUnixNano": str(end * MS),
        }
        for _, kind, id_, parent, start, end in STEPS
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode() + b"\n"


def steps_in_jaeger():
    spans = [
        {
            "traceID": "1",
            "spanID": f"{id_:x}",
            "references": [{"refType": "CHILD_OF", "traceID": "1", "spanID": f"{parent:x}"}],
            "tags": [{"key": "span.kind", "value": kind}],
            "startTime": start * 1000,
            "duration": (end - start) * 1000,
        }
        for kind, _, id_, parent, start, end in STEPS
    ]
    return json.dumps({"data": [{"traceID": "1", "spans": spans}]}).encode()


@pytest.mark.parametrize("made", [steps_in_protobuf, steps_in_json, steps_in_jaeger])
def test_a_servers_own_steps_are_taken_off_with_a_warning_or_counted(tmp_path, made):
    path = tmp_path / "x"
    path.write_bytes(made())
    found = ingest([str(path)], InputOptions(), OPEN)
    assert_same(found.counted.histogram, [10 * MS])
    (warning,) = found.warnings
    assert (warning.code, "1 of 1 server spans" in warning.message) == (Code.INTERNAL_SPANS, True)
    found = ingest([str(path)], options(with_internal=True), OPEN)
    assert_same(found.counted.histogram, [70 * MS])
    assert found.warnings == ()
    taken = "own time of server spans, internal ones included"
    assert found.counted.origins[0].taken == taken
