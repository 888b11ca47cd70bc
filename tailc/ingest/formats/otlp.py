"""OpenTelemetry spans as OTLP JSON, an export a line: what servers took, less what they called.

The time taken of a span of kind server is its own: its length less the union of those of its
children, where they lie within it. It is wall time, so it has waiting for a processor or a lock in
it, and how requests were sent is not told: it is taken for a response, not for a demand.

Source: OpenTelemetry protocol 1.x, `trace.proto` and the file exporter's JSON lines.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailc.errors import Code, TailcError
from tailc.ingest.format import Format
from tailc.ingest.taken import Asked, Loop, Taken
from tailc.traces.counted import Grain
from tailc.traces.histogram import MAX_NS, histogram_of
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_SERVER = (2, "SPAN_KIND_SERVER")
_FAILED = (2, "STATUS_CODE_ERROR")

Id = tuple[str, str]
"""Of the trace, and of the span in it."""


@dataclass(frozen=True)
class _Span:
    """When it was, in nanoseconds since 1970, and what it is."""

    id: Id
    parent: Id
    start_ns: int
    end_ns: int
    is_server: bool
    is_failed: bool


def read(source: Source, _asked: Asked) -> Taken:
    """The own times of server spans that ended without an error."""
    source.check_gzip()
    servers: list[_Span] = []
    children: dict[Id, list[tuple[int, int]]] = defaultdict(list)
    for span in _spans(source):
        children[span.parent].append((span.start_ns, span.end_ns))
        if span.is_server:
            servers.append(span)
    own_ns = [_own_ns(span, children[span.id]) for span in servers if not span.is_failed]
    if not own_ns:
        message = f"`{source.name}` has no span of kind server that ended without an error"
        hint = "export the spans of the service, those of its clients are not enough"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    histogram = histogram_of(np.array(own_ns).clip(1))
    return Taken(
        "OTLP JSON",
        "own time of server spans",
        TimeUnit.NS,
        Grain.REQUESTS,
        Loop.UNSTATED,
        histogram,
        left_out=len(servers) - len(own_ns),
    )


def _own_ns(span: _Span, children: list[tuple[int, int]]) -> int:
    """The span's length less the union of its children's."""
    covered, reached = 0, span.start_ns
    for start_ns, end_ns in sorted(children):
        begin, end = max(start_ns, reached), min(end_ns, span.end_ns)
        covered += max(0, end - begin)
        reached = max(reached, end)
    return span.end_ns - span.start_ns - covered


def _spans(source: Source) -> Iterator[_Span]:
    for row, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_BYTES:
            message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
            hint = "export fewer spans at a time"
            raise source.fault(Code.TRACE_TOO_LARGE, message, row=row, advice=hint)
        try:
            found = [_span(span) for span in _of_export(json.loads(line))]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise _broken(source, line, row) from None
        yield from found


def _of_export(export: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in export["resourceSpans"]:
        for scope in resource.get("scopeSpans", []):
            yield from scope.get("spans", [])


def _span(span: dict[str, Any]) -> _Span:
    """A span as it stands; ValueError where it ends before it begins, or lasts too long."""
    start_ns, end_ns = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
    if not 0 <= end_ns - start_ns <= MAX_NS:
        raise ValueError("a span that has no length")
    trace = str(span["traceId"])
    return _Span(
        id=(trace, str(span["spanId"])),
        parent=(trace, str(span.get("parentSpanId", ""))),
        start_ns=start_ns,
        end_ns=end_ns,
        is_server=span.get("kind") in _SERVER,
        is_failed=span.get("status", {}).get("code") in _FAILED,
    )


def _broken(source: Source, line: bytes, row: int) -> TailcError:
    cut = not line.endswith(b"\n")
    message = "the last line ends in the middle" if cut else "line is no export of spans in OTLP"
    code = Code.TRUNCATED if cut else Code.BROKEN_FORMAT
    hint = "give the JSON lines of a collector's file exporter, one export a line"
    return source.fault(code, message, row=row, advice=hint)


FORMATS = (Format("OTLP JSON", lambda head: head.lstrip().startswith(b'{"resourceSpans"'), read),)
