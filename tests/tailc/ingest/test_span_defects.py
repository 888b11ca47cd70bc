"""Spans that exporters get wrong: each is named and mended or left out, and the others count."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import Code, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.span_table import TraceSpan, is_own_ancestor, is_repeated, span_table
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.protobuf import framed, request, server, sized
from tests.tailc.ingest.refusal import OPEN, options, refused
from tests.tailc.ingest.span_defects_case import (
    CLIENT,
    MS,
    TRACE,
    child,
    child_of,
    export,
    jaeger,
    jaeger_span,
    span,
    times_of,
)


def assert_times(found, wanted_ns):
    # A bucket is 1/1024 of its value wide.
    assert found == pytest.approx(sorted(wanted_ns), rel=2**-10)


def base64_ids(text):
    """The export with ids in base64, as the plain JSON of protobuf has them."""
    document = json.loads(text)
    for scope in document["resourceSpans"][0]["scopeSpans"]:
        for each in scope["spans"]:
            for name in ("traceId", "spanId", "parentSpanId"):
                if name in each:
                    each[name] = base64.b64encode(bytes.fromhex(each[name])).decode()
    return json.dumps(document)


FAMILY = export(span(1), child(2, 1, 10, 70, CLIENT))


@pytest.mark.parametrize(
    "written",
    [
        base64_ids(FAMILY).replace("scopeSpans", "instrumentationLibrarySpans"),
        FAMILY.replace("scopeSpans", "instrumentationLibrarySpans"),
        FAMILY.replace('"scopeSpans"', '"scopeSpans": [], "instrumentationLibrarySpans"'),
        json.dumps(json.loads(FAMILY), indent=2).replace("scope", "instrumentationLibrary"),
        framed(FAMILY.strip().replace("scope", "instrumentationLibrary").encode()),
        base64_ids(FAMILY).replace("resourceSpans", "batches"),
        FAMILY.replace("resourceSpans", "batches").replace("scope", "instrumentationLibrary"),
        json.dumps(json.loads(FAMILY.replace("resourceSpans", "batches")), indent=1),
        json.dumps({"trace": json.loads(base64_ids(FAMILY)), "metrics": {"inspectedBytes": "1"}}),
        json.dumps({"trace": json.loads(FAMILY)}, indent="\t"),
    ],
)
def test_older_names_and_those_of_tempo_are_read(tmp_path, written):
    found, warnings = times_of(tmp_path, written)
    assert_times(found, [40 * MS])
    assert warnings == ()


def test_the_older_field_of_protobuf_is_read(tmp_path):
    scopes = sized(1000, sized(2, server(5_000)))
    found, _ = times_of(tmp_path, sized(1, scopes))
    assert_times(found, [5_000])
    both = sized(1, scopes + sized(2, sized(2, server(5_000))))
    assert_times(times_of(tmp_path, both)[0], [5_000])


def test_batches_of_anything_else_are_no_traces(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"batches": [{"id": 1}]}\n')
    assert refused(path).code is Code.UNKNOWN_INPUT


BAD_TIMES = {
    "ends before it starts": export(span(0xBAD, 3, 0), span(2, 0, 50)),
    "has no end": export(span(0xBAD) | {"endTimeUnixNano": 0}, span(2, 0, 50)),
    "has no end ": export(
        {key: value for key, value in span(0xBAD).items() if key != "endTimeUnixNano"},
        span(2, 0, 50),
    ),
    "lasts more than 104 days": export(
        {key: value for key, value in span(0xBAD).items() if key != "startTimeUnixNano"},
        span(2, 0, 50),
    ),
    "ends before it starts ": jaeger(
        jaeger_span("bad", duration_us=-3_000), jaeger_span("2", duration_us=50_000)
    ),
    # A negative duration that became unsigned.
    "is not between the years 1970 and 2554": jaeger(
        jaeger_span("bad", duration_us=2**64 - 3_000), jaeger_span("2", duration_us=50_000)
    ),
}


@pytest.mark.parametrize("reason", BAD_TIMES)
def test_a_span_without_a_length_is_named_and_the_others_count(tmp_path, reason):
    found, (warning,) = times_of(tmp_path, BAD_TIMES[reason])
    assert_times(found, [50 * MS])
    assert warning.code is Code.SPANS_LEFT_OUT
    assert f"`0000000000000bad` {reason.strip()} (1 of 2 spans" in warning.message


def test_a_span_of_protobuf_without_a_length_is_named_and_the_others_count(tmp_path):
    bad = server(2**63).replace(b"\x22" * 8, b"\x23" * 8)
    found, (warning,) = times_of(tmp_path, request(server(5_000), bad))
    assert_times(found, [5_000])
    assert "`2323232323232323` lasts more than 104 days" in warning.message


def test_many_spans_without_a_length_are_counted_and_some_named(tmp_path):
    written = export(*(span(id_, 3, 0) for id_ in range(1, 8)), span(9, 0, 50))
    found, (warning,) = times_of(tmp_path, written)
    assert_times(found, [50 * MS])
    assert "`0000000000000003` ends before it starts, ... (7 of 8 spans" in warning.message


def test_a_file_whose_spans_all_have_no_length_says_why_it_has_none(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(export(span(1, 3, 0)))
    with pytest.raises(TailcError) as caught:
        ingest([str(path)], options(), OPEN)
    assert [each.code for each in caught.value.findings] == [Code.EMPTY_TRACE, Code.SPANS_LEFT_OUT]


@pytest.mark.parametrize(
    ("written", "wanted_ms"),
    [
        (export(span(1)) + export(span(1)), [100]),
        (export(span(1), span(1)), [100]),
        (FAMILY * 3, [40]),
        # A span exported while it ran, and again at its end.
        (export(span(1, 0, 60)) + export(span(1, 0, 100)), [100]),
        (export(span(1, 0, 100)) + export(span(1, 0, 60)), [100]),
        (jaeger(jaeger_span("1"), jaeger_span("1"), jaeger_span("2")), [100, 100]),
        (request(server(5 * MS)) * 2, [5]),
    ],
)
def test_a_span_exported_again_counts_once(tmp_path, written, wanted_ms):
    found, (warning,) = times_of(tmp_path, written)
    assert_times(found, [ms * MS for ms in wanted_ms])
    assert warning.code is Code.SPANS_REPEATED


@pytest.mark.parametrize(
    "written",
    [
        # A client and the server that it called share an id, as in Zipkin.
        export(span(1, 0, 100, CLIENT), span(1, 0, 100)) + export(span(2)),
        # The same id in another trace, and at another time.
        export(span(1), span(1) | {"traceId": "a" * 32}),
        export(span(1), span(1, 200, 300)),
    ],
)
def test_spans_that_only_look_alike_all_count(tmp_path, written):
    found, warnings = times_of(tmp_path, written)
    assert_times(found, [100 * MS] * 2)
    assert warnings == ()


@pytest.mark.parametrize(
    "references",
    [
        [child_of("4503"), child_of("0f60")],
        [child_of("0f60"), child_of("4503")],
        [child_of("4503")],
        [child_of("4503", trace="007f")],
        [child_of("0f60", trace="a")],
    ],
)
def test_a_span_of_jaeger_that_refers_to_itself_keeps_its_time(tmp_path, references):
    found, warnings = times_of(tmp_path, jaeger(jaeger_span("4503", 0, 2_725, references)))
    assert_times(found, [2_725_000])
    only_itself = {reference["spanID"] for reference in references} == {"4503"}
    assert [each.code for each in warnings] == [Code.CYCLIC_SPANS] * only_itself


def test_another_reference_than_to_itself_is_the_parent(tmp_path):
    caller = jaeger_span("1")
    called = jaeger_span("2", 0, 60_000, [child_of("2"), child_of("1", trace="007f")])
    assert_times(times_of(tmp_path, jaeger(caller, called))[0], [40 * MS, 60 * MS])


@pytest.mark.parametrize(
    ("more", "wanted_ms"),
    [
        ({"parentSpanID": "1"}, [40, 60]),
        ({"parentSpanID": "1", "references": None}, [40, 60]),
        ({"parentSpanID": ""}, [60, 100]),
        ({"parentSpanID": "1", "references": [child_of("1") | {"refType": "FOLLOWS_FROM"}]}, None),
    ],
)
def test_the_older_parent_of_jaeger_counts_without_references(tmp_path, more, wanted_ms):
    written = jaeger(jaeger_span("1"), jaeger_span("2", 0, 60_000, **more))
    found, warnings = times_of(tmp_path, written)
    assert_times(found, [ms * MS for ms in wanted_ms or [60, 100]])
    assert warnings == ()


@pytest.mark.parametrize(
    ("written", "wanted_ms", "words"),
    [
        (export(child(1, 1)), [100], "their own parents: `0000000000000001` (1 of 1"),
        (export(child(1, 1), child(2, 1, 10, 70)), [40, 60], "their own parents"),
        (
            export(child(1, 2), child(2, 1), span(3, 0, 7)),
            [7],
            "one another: `0000000000000001`, `0000000000000002` (2 of 3",
        ),
        (export(child(1, 2), child(2, 3), child(3, 1), child(4, 3, 0, 7)), [7], "one another"),
        (
            jaeger(
                jaeger_span("1", references=[child_of("2")]),
                jaeger_span("2", references=[child_of("1")]),
                jaeger_span("3", duration_us=7_000),
            ),
            [7],
            "one another",
        ),
    ],
)
@pytest.mark.parametrize("with_internal", [False, True])
def test_spans_on_a_cycle_take_no_time_from_one_another(
    tmp_path, written, wanted_ms, words, with_internal
):
    found, (warning,) = times_of(tmp_path, written, with_internal=with_internal)
    assert_times(found, [ms * MS for ms in wanted_ms])
    assert (warning.code, words in warning.message) == (Code.CYCLIC_SPANS, True)


def test_a_reading_of_a_span_on_a_cycle_counts(tmp_path):
    cpu = [{"key": "cpu_ms", "value": {"intValue": "5"}}]
    written = export(child(1, 2) | {"attributes": cpu}, child(2, 1) | {"attributes": cpu})
    found, warnings = times_of(tmp_path, written, attribute="cpu_ms", unit=TimeUnit.MS)
    assert_times(found, [5 * MS] * 2)
    assert warnings == ()


@pytest.mark.parametrize(
    ("written", "wanted_ns"),
    [
        (jaeger(jaeger_span("1", duration_us=0), jaeger_span("2", duration_us=800)), [500, 800e3]),
        (jaeger(jaeger_span("1", duration_us=0, kind="SERVER")), [500]),
        (export(span(1, 0, 0), span(2)), [1, 100 * MS]),
        (request(server(0x0100) + b"\x39" + (0x0100).to_bytes(8, "little")), [1]),
    ],
)
def test_a_server_span_of_length_zero_takes_half_a_unit(tmp_path, written, wanted_ns):
    found, (warning,) = times_of(tmp_path, written)
    assert_times(found, wanted_ns)
    assert (warning.code, " have length 0" in warning.message) == (Code.ZERO_LENGTH, True)


EDGES = st.lists(st.integers(0, 9), max_size=9)


def is_reached_again(start, parents):
    """Whether the parents of a span lead back to it, step by step."""
    at = start
    for _ in parents:
        at = parents[at - 1] if 0 < at <= len(parents) else 0
        if at == start:
            return parents[start - 1] != start
    return False


@settings(max_examples=150, derandomize=True, deadline=None)
@given(EDGES)
def test_ancestors_of_themselves_are_those_that_their_parents_lead_back_to(parents):
    table = span_table(
        (
            TraceSpan(7, id_, parent, 0, 1, True, False, False)
            for id_, parent in enumerate(parents, 1)
        ),
        {},
    )
    wanted = [is_reached_again(id_, parents) for id_ in range(1, len(parents) + 1)]
    assert is_own_ancestor(table).tolist() == wanted


EXPORTED = st.lists(
    st.tuples(st.integers(1, 2), st.integers(1, 3), st.booleans(), st.integers(0, 1)), max_size=12
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(EXPORTED)
def test_the_last_end_of_each_span_stays(rows):
    spans = [
        TraceSpan(trace << 64, id_, 0, start, start + 1 + at % 5, kind, False, False)
        for at, (trace, id_, kind, start) in enumerate(rows)
    ]
    table = span_table(spans, {})
    latest = {}
    for each in spans:
        key = (each.trace, each.id, each.is_server, each.start_ns)
        latest[key] = max(latest.get(key, 0), each.end_ns)
    stay = table[~is_repeated(table)]
    assert sorted(stay["end_ns"].tolist()) == sorted(latest.values())


@pytest.mark.parametrize(
    ("children", "own_ms", "is_told"),
    [
        ([(2, 1, -20, 40)], 60, True),
        ([(2, 1, -30, -10)], 100, True),
        ([(2, 1, 10, 40), (3, 1, -2, 10)], 60, True),
        ([(2, 1, -1, 40)], 60, False),
        ([(2, 1, 10, 40), (3, 2, 5, 20)], 70, False),
        ([(2, 1, 110, 160)], 100, False),
        ([(2, 9, -20, 40)], 100, False),
    ],
)
def test_a_child_before_its_parent_shows_that_clocks_differ(tmp_path, children, own_ms, is_told):
    spans = [span(1), *(child(*each, kind=CLIENT) for each in children)]
    times, warnings = times_of(tmp_path, export(*spans))
    assert times == pytest.approx([own_ms * MS], rel=1e-3)
    assert [one.code for one in warnings] == [Code.SKEWED_SPANS] * is_told
    if is_told:
        assert "1 of 1 server spans" in warnings[0].message
        assert "`0000000000000001`" in warnings[0].message


def test_a_span_of_another_trace_is_no_child_before_its_parent(tmp_path):
    other = child(2, 1, -50, 40, CLIENT) | {"traceId": TRACE[::-1]}
    assert times_of(tmp_path, export(span(1), other))[1] == ()
