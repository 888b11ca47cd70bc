"""Read traces in the answer of Jaeger's `/api/traces`, as its pages save it: one JSON document.

`data` has the traces; times are whole microseconds. The parent of a span is in a reference of type
CHILD_OF, or in `parentSpanID` without references; a span that FOLLOWS_FROM another is not a part of
it. Tags have the kind of a span and whether it failed.

Source: Jaeger 1.60, `model/json/model.go`; "The OpenTracing Semantic Specification" 1.1 for the
references and the tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tailc.errors import Code
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes
from tailc.ingest.options import InputOptions
from tailc.ingest.sampling import weight_of_tags
from tailc.ingest.span_table import LOW_64, NO_SPAN, TraceSpan
from tailc.ingest.spans import Attribute, stated_attribute, times_of_spans
from tailc.traces.json_items import items_of
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source, brief

_NAME = "Jaeger JSON"
_DATA = r'\s*\{\s*"data"\s*:\s*\['
_BEGIN = re.compile(_DATA)
_HEAD = re.compile((_DATA + r"\s*[{\]]").encode())
_FIELDS = (b'"traceID"', b'"spans"')
_NS_PER_US = 1000
_HEX = 16
_TRUE = (True, "true")


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the own times of the server spans in all traces of a Jaeger file."""
    source.check_whole()
    return times_of_spans(_spans(source, options), source, options, _NAME, TimeUnit.US)


def _spans(source: Source, options: InputOptions) -> Iterator[TraceSpan]:
    attribute = stated_attribute(options.spans)
    for row, trace in enumerate(items_of(source, _BEGIN), 1):
        try:
            processes = trace.get("processes") or {}
            yield from [_span(span, processes, attribute) for span in trace["spans"]]
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            message = f"trace {row} has a span that Jaeger does not write ({brief(error)})"
            hint = "give the unchanged answer of the query service"
            raise source.fault(Code.BROKEN_FORMAT, message, row=row, advice=hint) from None


def _span(
    span: dict[str, Any], processes: dict[str, Any], attribute: Attribute | None
) -> TraceSpan:
    tags = {tag["key"]: tag["value"] for tag in span.get("tags") or ()}
    kind = str(tags.get("span.kind")).lower()
    process = span.get("process") or processes.get(str(span.get("processID"))) or {}
    start_ns = _us(span["startTime"]) * _NS_PER_US
    return TraceSpan(
        trace=int(span["traceID"], _HEX),
        id=int(span["spanID"], _HEX),
        parent=_parent(span),
        start_ns=start_ns,
        end_ns=start_ns + _us(span["duration"]) * _NS_PER_US,
        is_server=kind == "server",
        is_internal=kind == "internal",
        is_failed=tags.get("error") in _TRUE or tags.get("otel.status_code") == "ERROR",
        service=str(process.get("serviceName") or ""),
        reading=None if attribute is None else attribute.value_of(tags),
        weight=weight_of_tags(tags),
    )


def _us(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("a time that is not a whole number of microseconds")
    return value


def _parent(span: dict[str, Any]) -> int:
    """Parent of the span in the same trace, by the first CHILD_OF reference to another span."""
    references = span.get("references") or ()
    if not references:
        return int(span.get("parentSpanID") or "0", _HEX)
    trace, id_ = (int(span[name], _HEX) for name in ("traceID", "spanID"))
    parents = [
        int(reference["spanID"], _HEX)
        for reference in references
        if reference["refType"] == "CHILD_OF" and _is_same(int(reference["traceID"], _HEX), trace)
    ]
    return next((parent for parent in parents if parent != id_), id_ if parents else NO_SPAN)


def _is_same(one: int, other: int) -> bool:
    """Whether two ids are of the same trace; one of them may be half of the other."""
    return one == other or (min(one, other) <= LOW_64 and one & LOW_64 == other & LOW_64)


def matches(head: bytes) -> bool:
    """Whether the input begins like an answer with traces."""
    found = _HEAD.match(head)
    return found is not None and (found[0].endswith(b"]") or all(one in head for one in _FIELDS))


FORMATS = (Format(_NAME, matches, read, has_spans=True),)
