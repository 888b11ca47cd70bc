"""Read spans of Zipkin: JSON of version 2, a list of spans or of traces.

A list of spans is opened as lines with a span each. `timestamp` and `duration` are whole
microseconds. A span without a kind is a step inside of its process. A server may share the id of
the span of its caller (`shared`), whose parent it names too. The tag `error` has any text for a
failed span.

Source: Zipkin API 2 (`zipkin2-api.yaml`), and "Instrumenting a library" for `shared` and `error`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tailc.errors import Code
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes
from tailc.ingest.options import InputOptions
from tailc.ingest.sampling import weight_of_state
from tailc.ingest.span_table import TraceSpan
from tailc.ingest.spans import Attribute, stated_attribute, times_of_spans
from tailc.traces.json_items import documents_of, items_of
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source, brief

_NAME = "Zipkin JSON"
_BEGIN = re.compile(r"\s*\[")
# A list of spans has been opened as lines; one of traces may begin with empty ones.
_HEAD = re.compile(rb"\s*(?:\[\s*(?:\[\s*\]\s*,\s*){0,1000}\[\s*)?(?=\{)")
_FIELDS = {"traceId", "id"}
_ALL_FIELDS = {
    *_FIELDS,
    *("parentId", "kind", "name", "timestamp", "duration", "localEndpoint", "remoteEndpoint"),
    *("annotations", "tags", "debug", "shared"),
}
_OF_V2 = re.compile(rb'"localEndpoint"\s*:|"kind"\s*:\s*"(?:CLIENT|SERVER|PRODUCER|CONSUMER)"')
_OF_V1 = b'"binaryAnnotations"'
_NS_PER_US = 1000
_HEX = 16
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the own times of the server spans in all traces of a Zipkin file."""
    source.check_whole()
    return times_of_spans(_spans(source, options), source, options, _NAME, TimeUnit.US)


def _spans(source: Source, options: InputOptions) -> Iterator[TraceSpan]:
    attribute = stated_attribute(options.spans)
    is_list = source.head().lstrip().startswith(b"[")
    elements = items_of(source, _BEGIN) if is_list else documents_of(source)
    for row, element in enumerate(elements, 1):
        try:
            spans = element if isinstance(element, list) else [element]
            yield from [_span(span, attribute) for span in spans]
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            message = f"element {row} has a span that Zipkin does not write ({brief(error)})"
            hint = "give the unchanged answer of `/api/v2/traces` or `/api/v2/trace/ID`"
            raise source.fault(Code.BROKEN_FORMAT, message, row=row, advice=hint) from None


def _span(span: dict[str, Any], attribute: Attribute | None) -> TraceSpan:
    tags = span.get("tags") or {}
    kind = span.get("kind")
    start_ns, length_ns = (_ns(span.get(name)) for name in ("timestamp", "duration"))
    return TraceSpan(
        trace=int(span["traceId"], _HEX),
        id=int(span["id"], _HEX),
        parent=int(span.get("parentId") or "0", _HEX),
        start_ns=start_ns or 0,
        # A span that another process completes has only one of the two, so it has no end.
        end_ns=0 if start_ns is None or length_ns is None else start_ns + length_ns,
        is_server=kind == "SERVER",
        is_internal=kind is None,
        is_failed=tags.get("error", "false") != "false",
        service=str((span.get("localEndpoint") or {}).get("serviceName") or ""),
        reading=None if attribute is None else attribute.value_of(_numbers(tags)),
        weight=weight_of_state(tags.get("w3c.tracestate")),
    )


def _ns(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("a time that is not a whole number of microseconds")
    return value * _NS_PER_US


def _numbers(tags: dict[str, str]) -> dict[str, object]:
    """Tags with numbers, which Zipkin writes as text."""
    return {name: float(text) for name, text in tags.items() if _NUMBER.fullmatch(text)}


def matches(head: bytes) -> bool:
    """Whether the input begins like a list of spans or of traces."""
    begin = _HEAD.match(head)
    if begin is None or b'"duration"' not in head or _OF_V1 in head or not _OF_V2.search(head):
        return False
    return _is_span(head[begin.end() :])


def _is_span(text: bytes) -> bool:
    """Whether the text begins with a span: other logs of requests have fields of their own."""
    try:
        fields, _end = json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    has_ids = all(isinstance(fields.get(name), str) for name in _FIELDS)
    return has_ids and ("localEndpoint" in fields or fields.keys() <= _ALL_FIELDS)


FORMATS = (Format(_NAME, matches, read, has_spans=True),)
