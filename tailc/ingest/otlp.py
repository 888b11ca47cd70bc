"""Decode OTLP exports of spans, JSON or protobuf.

Protobuf is split into spans here, and the library of the format decodes each span. So memory is
bounded by one span, even if a message has very many empty ones.

Source: OpenTelemetry protocol 1.x, `trace.proto`, and its JSON encoding with ids in hexadecimal.
The plain JSON of protobuf, which has ids in base64 and may have the names of the fields in
`trace.proto` (`resource_spans`), is read as well, and so are scopes by their name before 0.15
(`instrumentationLibrarySpans`), and what Tempo answers, whose exports are called `batches` (version
1 of its API) or are inside of `trace` (version 2).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from tailc.errors import Code, Finding, TailcError
from tailc.ingest.sampling import weight_of_state
from tailc.ingest.span_table import TraceSpan
from tailc.ingest.spans import Attribute
from tailc.ingest.wire import WireError, parts
from tailc.units import shorten

TRACE_BYTES, SPAN_BYTES = 16, 8
# More in one span than any is; its links and events are many times larger once decoded.
MAX_SPAN_BYTES = 1 << 20
# The fields of a request, of a resource's spans (with that of releases 0.15 to 0.19), of a scope's
# spans; and those of a span's ids.
_RESOURCE_SPANS, _SCOPE_SPANS, _SPANS = 1, (2, 1000), 2
_RESOURCE_NAMES = ("resourceSpans", "resource_spans", "batches")
_SCOPE_NAMES = (
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "instrumentation_library_spans",
)
_BEGIN = re.compile(
    rb'\s*(\{\s*(?:"trace"\s*:\s*\{\s*)?"(resource_?[Ss]pans|batches)"\s*:?\s*\[?\s*)'
)
# Names of the fields of a span, in JSON and in `trace.proto`.
_TRACE, _SPAN, _PARENT, _START, _END, _STATE = (
    ("traceId", "trace_id"),
    ("spanId", "span_id"),
    ("parentSpanId", "parent_span_id"),
    ("startTimeUnixNano", "start_time_unix_nano"),
    ("endTimeUnixNano", "end_time_unix_nano"),
    ("traceState", "trace_state"),
)
_IDS = (1, 2)
# Fields of a resource's spans, of a resource, of an attribute and of its value, for its service.
_RESOURCE, _ATTRIBUTES, _KEY, _VALUE, _TEXT = 1, 1, 1, 2, 1
_SERVICE_KEY = "service.name"
_INTERNAL = (1, "SPAN_KIND_INTERNAL")
_SERVER = (2, "SPAN_KIND_SERVER")
_FAILED = (2, "STATUS_CODE_ERROR")
_NUMBERS = {"intValue": int, "int_value": int, "doubleValue": float, "double_value": float}


class SpanError(ValueError):
    """Error: a field of a span is invalid; the text is the reason."""


def export_begin(head: bytes) -> bytes | None:
    """The beginning of the JSON text of an OTLP export, up to its first element, or None."""
    found = _BEGIN.match(head)
    # The name of Tempo is also that of other things.
    is_export = found is not None and (found[2] != b"batches" or b'"spans"' in head)
    return found[1] if found is not None and is_export else None


def spans_of_json(text: bytes, attribute: Attribute | None) -> list[TraceSpan]:
    """Decode the spans of an OTLP export in JSON text; ValueError if the text is not an export."""
    try:
        export = json.loads(text)
    except RecursionError as error:
        raise ValueError("no export of spans") from error
    return spans_of_export(export, attribute)


def spans_of_export(export: Any, attribute: Attribute | None) -> list[TraceSpan]:
    """Decode the spans of a parsed OTLP export; ValueError if the value is not an export."""
    try:
        return [_of_json(span, service, attribute) for span, service in _objects(export)]
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError("no export of spans") from error


def _objects(export: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each span with the name of its service."""
    export = export.get("trace", export)
    name = next((name for name in _RESOURCE_NAMES if name in export), _RESOURCE_NAMES[0])
    for resource in export[name]:
        service = _service(resource.get("resource") or {})
        for scope in (scope for name in _SCOPE_NAMES for scope in resource.get(name, ())):
            for span in scope.get("spans", ()):
                yield span, service


def _service(resource: dict[str, Any]) -> str:
    """Name of the service of a resource, or empty."""
    for one in resource.get("attributes") or ():
        if one.get("key") == _SERVICE_KEY:
            value = one.get("value") or {}
            return str(value.get("stringValue") or value.get("string_value") or "")
    return ""


def _of_json(span: dict[str, Any], service: str, attribute: Attribute | None) -> TraceSpan:
    return TraceSpan(
        trace=_own_id(span, _TRACE, TRACE_BYTES),
        id=_own_id(span, _SPAN, SPAN_BYTES),
        parent=_id(span.get(_name(span, _PARENT), ""), SPAN_BYTES),
        start_ns=_ns(span, _START),
        end_ns=_ns(span, _END),
        is_server=span.get("kind") in _SERVER,
        is_internal=span.get("kind") in _INTERNAL,
        is_failed=span.get("status", {}).get("code") in _FAILED,
        service=service,
        reading=None if attribute is None else attribute.value_of(_values(span)),
        weight=weight_of_state(span.get(_name(span, _STATE))),
    )


def _name(span: dict[str, Any], names: tuple[str, str]) -> str:
    """The name that the span has for a field; the first one if it has none."""
    return names[1] if names[1] in span else names[0]


def _ns(span: dict[str, Any], names: tuple[str, str]) -> int:
    name = _name(span, names)
    value = span.get(name, 0)
    try:
        return int(value)
    except (ValueError, TypeError, OverflowError):
        given = shorten(str(value))
        raise SpanError(f"`{name}` is `{given}`, not whole nanoseconds since 1970") from None


def _own_id(span: dict[str, Any], names: tuple[str, str], length: int) -> int:
    """An id that a span needs; raises SpanError if it is empty or zero."""
    name = _name(span, names)
    found = _id(span[name], length)
    if not found:
        raise SpanError(f"the `{name}` of a span is empty or zero")
    return found


def _id(text: str, length: int) -> int:
    """An id with this number of bytes; 0 for empty text. Raises ValueError if it is not one."""
    if len(text) == 2 * length or not text:
        return int.from_bytes(bytes.fromhex(text))
    data = base64.b64decode(text, validate=True)
    if len(data) != length:
        raise ValueError("an id of the wrong length")
    return int.from_bytes(data)


def _values(span: dict[str, Any]) -> dict[str, object]:
    """Attributes with numbers; JSON has whole numbers as text."""
    return {
        one["key"]: read(one["value"][name])
        for one in span.get("attributes", [])
        for name, read in _NUMBERS.items()
        if name in one["value"]
    }


def starts_with_spans(request: memoryview) -> bool:
    """Whether an OTLP request in protobuf begins with a span that has ids."""
    try:
        first = next(_spans_in(request, is_start=True), None)
        if first is None:
            return False
        lengths = [[len(part) for part in parts(first[0], field)] for field in _IDS]
    except WireError:
        return False
    return lengths == [[TRACE_BYTES], [SPAN_BYTES]]


def _spans_in(request: memoryview, *, is_start: bool = False) -> Iterator[tuple[memoryview, str]]:
    """Bytes of each span, and its service; raises WireError if the message is not a request."""
    for resource in parts(request, _RESOURCE_SPANS, is_start=is_start):
        service = "" if is_start else _service_in(resource)
        for field in _SCOPE_SPANS:
            for scope in parts(resource, field, is_start=is_start):
                for span in parts(scope, _SPANS, is_start=is_start):
                    yield span, service


def _service_in(resource_spans: memoryview) -> str:
    """Name of the service of a resource's spans, or empty."""
    for resource in parts(resource_spans, _RESOURCE):
        for attribute in parts(resource, _ATTRIBUTES):
            if any(bytes(key) == _SERVICE_KEY.encode() for key in parts(attribute, _KEY)):
                for value in parts(attribute, _VALUE):
                    for text in parts(value, _TEXT):
                        return bytes(text).decode(errors="replace")
    return ""


class Decoder:
    """Decodes spans of protobuf with the library of the format.

    It needs the extra `otlp`; raises TailcError (MISSING_PART) at the first span without it.
    """

    def __init__(self, attribute: Attribute | None) -> None:
        self._attribute = attribute

    @cached_property
    def _library(self) -> tuple[Any, type[Exception]]:
        """The message class of a span, and the exception for malformed bytes."""
        try:
            from google.protobuf.message import DecodeError
            from opentelemetry.proto.trace.v1 import trace_pb2
        except ImportError as error:
            message = (
                f"spans in protobuf need `opentelemetry-proto`, which cannot be imported: {error}"
            )
            help_ = "pip install 'tailc[otlp]', or give the spans as OTLP JSON"
            raise TailcError(Finding(Code.MISSING_PART, message, help=help_)) from None
        return trace_pb2.Span, DecodeError

    def spans(self, request: bytes) -> Iterator[TraceSpan]:
        """Decode the spans of an OTLP export request, one at a time; ValueError for other bytes."""
        for data, service in _spans_in(memoryview(request)):
            yield self._span(data, service)

    def _span(self, data: memoryview, service: str) -> TraceSpan:
        if len(data) > MAX_SPAN_BYTES:
            raise WireError(f"a span of more than {MAX_SPAN_BYTES:,} bytes")
        message, error = self._library
        try:
            span = message.FromString(bytes(data))
        except error:
            raise WireError("a span that cannot be decoded") from None
        if len(span.trace_id) != TRACE_BYTES or len(span.span_id) != SPAN_BYTES:
            raise WireError("a span that has no id")
        return TraceSpan(
            trace=int.from_bytes(span.trace_id),
            id=int.from_bytes(span.span_id),
            parent=int.from_bytes(span.parent_span_id),
            start_ns=span.start_time_unix_nano,
            end_ns=span.end_time_unix_nano,
            is_server=span.kind in _SERVER,
            is_internal=span.kind in _INTERNAL,
            is_failed=span.status.code in _FAILED,
            service=service,
            reading=None
            if self._attribute is None
            else self._attribute.value_of(_decode_numbers(span)),
            weight=weight_of_state(span.trace_state),
        )


def _decode_numbers(span: Any) -> dict[str, object]:
    """Attributes with numbers."""
    values = ((one.key, one.value) for one in span.attributes)
    return {
        key: getattr(value, kind)
        for key, value in values
        if (kind := value.WhichOneof("value")) in ("int_value", "double_value")
    }
