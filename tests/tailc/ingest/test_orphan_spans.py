"""Spans with missing parents: a server span that contains one is likely too long, and is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import Code
from tailc.ingest.orphan_spans import orphans_in
from tailc.ingest.span_table import NO_SPAN, TraceSpan, span_table
from tests.tailc.ingest.span_defects_case import (
    CLIENT,
    MS,
    child,
    child_of,
    export,
    jaeger,
    jaeger_span,
    span,
    times_of,
)

INTERNAL = 1


@pytest.mark.parametrize(
    ("written", "own_ms"),
    [
        # Between the server 1 and its call 3, span 2 is missing.
        (export(span(1), child(3, 2, 20, 50, CLIENT)), [100]),
        (export(span(1), child(3, 2, 20, 50, INTERNAL)), [100]),
        (export(child(1, 9), child(3, 2, 20, 50, CLIENT)), [100]),
        # The client's span of a call is missing, and the server's is there.
        (export(span(1), child(3, 2, 20, 50)), [30, 100]),
        # The time of another call is subtracted, and not that of the one below the missing span.
        (export(span(1), child(2, 1, 0, 10, CLIENT), child(4, 3, 50, 90, CLIENT)), [90]),
        (
            jaeger(
                jaeger_span("1"), jaeger_span("3", 20_000, 30_000, [child_of("2")], kind="client")
            ),
            [100],
        ),
    ],
)
def test_a_server_span_around_a_span_without_its_parent_is_named(tmp_path, written, own_ms):
    found, (warning,) = times_of(tmp_path, written)
    assert found == pytest.approx([ms * MS for ms in own_ms], rel=2**-10)
    assert warning.code is Code.ORPHAN_SPANS
    assert f"1 of {len(own_ms)} server spans" in warning.message
    assert ("`0000000000000004`" if "0004" in written else "`0000000000000003`") in warning.message


@pytest.mark.parametrize(
    "spans",
    [
        # Only a part of the service is in the file: the callers of its servers are not.
        [child(1, 8), child(2, 9, 20, 50)],
        [child(1, 9)],
        # Outside of all servers, or in the time of a call, or in another trace.
        [span(1), child(3, 2, 110, 150, CLIENT)],
        [span(1), child(2, 1, 10, 60, CLIENT), child(4, 3, 20, 50, CLIENT)],
        [span(1), child(3, 2, 20, 50, CLIENT) | {"traceId": "a" * 32}],
        # No more than a percent of the server.
        [span(1), child(3, 2, 20, 21, CLIENT)],
        # The span with a missing parent is the caller of the server.
        [child(2, 9, 0, 100, CLIENT), child(1, 2)],
        [child(2, 9, 0, 100, INTERNAL), child(3, 2, 0, 100, CLIENT), child(1, 3)],
    ],
)
def test_spans_that_make_no_server_span_longer_are_not_named(tmp_path, spans):
    assert times_of(tmp_path, export(*spans))[1] == ()


def test_the_innermost_server_span_is_the_one_that_is_too_long(tmp_path):
    spans = [span(1), child(2, 1, 10, 90, CLIENT), child(3, 2, 11, 89), child(5, 4, 30, 60, CLIENT)]
    (warning,) = times_of(tmp_path, export(*spans))[1]
    assert "1 of 2 server spans" in warning.message


def test_a_span_that_is_left_out_leaves_its_children_without_a_parent(tmp_path):
    lost = child(2, 1, 10, 70, CLIENT) | {"endTimeUnixNano": 0}
    warnings = times_of(tmp_path, export(span(1), lost, child(3, 2, 12, 68)))[1]
    assert [one.code for one in warnings] == [Code.SPANS_LEFT_OUT, Code.ORPHAN_SPANS]


def test_many_spans_without_their_parents_are_counted_by_servers(tmp_path):
    spans = [
        each | {"traceId": f"{trace:032x}"}
        for trace in range(1, 6)
        for each in (span(1), child(3, 2, 20, 50, CLIENT), child(4, 2, 60, 70, CLIENT))
    ]
    (warning,) = times_of(tmp_path, export(*spans))[1]
    assert "5 of 5 server spans" in warning.message


def test_with_steps_of_the_server_counted_calls_in_them_still_need_their_parents(tmp_path):
    spans = [span(1), child(2, 1, 5, 95, INTERNAL), child(4, 3, 20, 50, CLIENT)]
    assert [one.code for one in times_of(tmp_path, export(*spans))[1]] == [Code.INTERNAL_SPANS]
    (warning,) = times_of(tmp_path, export(*spans), with_internal=True)[1]
    assert warning.code is Code.ORPHAN_SPANS


TIME = st.integers(0, 400)
SPANS = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, 9), TIME, TIME, st.booleans()),
    min_size=1,
    max_size=7,
)


def chain_of(at, spans):
    """Rows from this one to its first ancestor, and the id that this one's parent would have."""
    trace, chain = spans[at][0], [at]
    while 0 < (parent := spans[chain[-1]][1]) <= len(spans) and spans[parent - 1][0] == trace:
        chain.append(parent - 1)
    return chain, parent


def longer_by_search(spans):
    """Servers that are too long, by trying every server for every span with a missing parent."""
    calls = {at: [] for at in range(len(spans))}
    for at, (trace, _, begin, end, is_server) in enumerate(spans):
        chain, missing = chain_of(at, spans)
        if len(chain) > 1:
            calls[chain[1]].append((begin, end))
        elif missing != NO_SPAN:
            around = [
                other
                for other, (in_trace, _, start, stop, serves) in enumerate(spans)
                if serves and in_trace == trace and start <= begin and end <= stop and other != at
                if not is_server or chain_of(other, spans)[1] == NO_SPAN
            ]
            if around:
                last = max(around, key=lambda one: (spans[one][2], -spans[one][3], one))
                if chain_of(last, spans)[1] != missing:
                    calls[last].append((begin, end, "adopted"))
    return [
        is_server
        and sum(
            any(one[0] <= t < one[1] for one in calls[at])
            and not any(one[0] <= t < one[1] for one in calls[at] if len(one) == 2)
            for t in range(begin, end)
        )
        > (end - begin) // 100
        for at, (_, _, begin, end, is_server) in enumerate(spans)
    ]


@settings(max_examples=150, derandomize=True, deadline=None)
@given(SPANS)
def test_the_servers_that_are_too_long_are_those_of_a_search(drawn):
    """A parent has a smaller number than its child, so that there are no cycles."""
    spans = [
        (trace, parent if parent <= at or parent > len(drawn) else NO_SPAN, *sorted(times), serves)
        for at, (trace, parent, *times, serves) in enumerate(drawn)
    ]
    table = span_table(
        (
            TraceSpan(trace << 64, at, parent, 1 + begin, 1 + end, serves, False, False)
            for at, (trace, parent, begin, end, serves) in enumerate(spans, 1)
        ),
        {},
    )
    found = orphans_in(table[table["is_server"]], table)
    wanted = longer_by_search(spans)
    is_longer = dict(zip(table["id"][table["is_server"]].tolist(), found.is_longer, strict=True))
    assert [is_longer.get(at, False) for at in range(1, len(spans) + 1)] == wanted
    assert bool(len(found.spans)) == any(wanted)
