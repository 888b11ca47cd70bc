"""Read OpenTelemetry spans in OTLP protobuf: a request as sent, or messages with their lengths.

The file exporter of a collector writes messages with lengths with `format: proto`, and for both
encodings with `compression: zstd`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from tailc.ingest.format import Format
from tailc.ingest.frames import (
    LENGTH,
    ZSTD_MAGIC,
    TooLongError,
    fields_of,
    frames_of,
    inflated_start,
)
from tailc.ingest.input_times import InputTimes
from tailc.ingest.messages import Wording, decode_messages
from tailc.ingest.options import InputOptions
from tailc.ingest.otlp import Decoder, export_begin, spans_of_json, starts_with_spans
from tailc.ingest.span_table import TraceSpan
from tailc.ingest.spans import stated_attribute, times_of_spans
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_REQUEST, _FRAMED = "OTLP protobuf", "OTLP export of a file exporter"
# The field of a resource's spans, the only one of a request.
_KEY = b"\x0a"

_WORDING = Wording(
    "OTLP export of spans",
    "give the body of an export to a collector, or the output of its file exporter",
    "export fewer spans at a time, or check that the file is not damaged",
)

Messages = Callable[[pa.NativeFile], Iterator[bytes]]
Decode = Callable[[bytes], Iterable[TraceSpan]]


def read_request(source: Source, options: InputOptions) -> InputTimes:
    """Read the own times of the server spans in one or several export requests."""
    decoder = Decoder(stated_attribute(options.spans))
    spans = _spans(source, lambda stream: fields_of(stream, _KEY), decoder.spans)
    return times_of_spans(spans, source, options, _REQUEST, TimeUnit.NS)


def read_framed(source: Source, options: InputOptions) -> InputTimes:
    """Read the own times of the server spans in messages with lengths, protobuf or JSON."""
    attribute = stated_attribute(options.spans)
    decoder = Decoder(attribute)

    def decode(message: bytes) -> Iterable[TraceSpan]:
        if not message.startswith(b"{"):
            return decoder.spans(message)
        if len(message) > MAX_LINE_BYTES:
            raise TooLongError(f"is JSON of more than {MAX_LINE_BYTES:,} bytes")
        return spans_of_json(message, attribute)

    return times_of_spans(_spans(source, frames_of, decode), source, options, _FRAMED, TimeUnit.NS)


def _spans(source: Source, messages_of: Messages, decode: Decode) -> Iterator[TraceSpan]:
    """Spans of all messages; raises TailcError with the number of an unreadable one."""
    return decode_messages(source, messages_of, decode, _WORDING)


def is_request(head: bytes) -> bool:
    """Whether the input begins like an OTLP export request with a span."""
    return head.startswith(_KEY) and starts_with_spans(memoryview(head))


def is_framed(head: bytes) -> bool:
    """Whether the input begins with the length of an OTLP message with spans."""
    if len(head) <= LENGTH.size:
        return False
    length = LENGTH.unpack(head[: LENGTH.size])[0]
    message = head[LENGTH.size :][:length]
    if message.startswith(ZSTD_MAGIC):
        message = inflated_start(message)
    return is_request(message) or export_begin(message) is not None


FORMATS = (
    Format(_REQUEST, is_request, read_request, loose=True, has_spans=True),
    Format(_FRAMED, is_framed, read_framed, loose=True, has_spans=True),
)
