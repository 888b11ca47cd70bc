"""OpenTelemetry spans as OTLP JSON, an export a line, as a collector's file exporter writes."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.errors import Code, TailcError
from tailc.ingest.format import Format
from tailc.ingest.otlp import spans_of_json
from tailc.ingest.span_table import Span
from tailc.ingest.spans import attribute_asked, taken_of
from tailc.ingest.taken import Asked, Taken
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_NAME = "OTLP JSON"


def read(source: Source, asked: Asked) -> Taken:
    """The times of the server spans in all exports."""
    source.check_gzip()
    return taken_of(_spans(source, asked), source, asked, _NAME, TimeUnit.NS)


def _spans(source: Source, asked: Asked) -> Iterator[Span]:
    attribute = attribute_asked(asked)
    for row, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_BYTES:
            message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
            hint = "export fewer spans at a time"
            raise source.fault(Code.TRACE_TOO_LARGE, message, row=row, advice=hint)
        try:
            found = spans_of_json(line, attribute)
        except ValueError:
            raise _broken(source, line, row) from None
        yield from found


def _broken(source: Source, line: bytes, row: int) -> TailcError:
    cut = not line.endswith(b"\n")
    message = "the last line ends in the middle" if cut else "line is no export of spans in OTLP"
    code = Code.TRUNCATED if cut else Code.BROKEN_FORMAT
    hint = "give the JSON lines of a collector's file exporter, one export a line"
    return source.fault(code, message, row=row, advice=hint)


def matches(head: bytes) -> bool:
    """Whether it begins as an export of spans."""
    return head.lstrip().startswith(b'{"resourceSpans"')


FORMATS = (Format(_NAME, matches, read, has_spans=True),)
