"""Read OpenTelemetry spans in OTLP JSON: one export per line, or laid out over several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tailc.errors import Code, TailcError
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes
from tailc.ingest.options import InputOptions
from tailc.ingest.otlp import SpanError, export_begin, spans_of_export, spans_of_json
from tailc.ingest.span_table import TraceSpan
from tailc.ingest.spans import Attribute, stated_attribute, times_of_spans
from tailc.traces.json_items import documents_of
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_NAME = "OTLP JSON"
# A collector may write all that it gets to one file.
_OTHER_SIGNAL = re.compile(rb'\s*\{\s*"resource_?(?:[Mm]etrics|[Ll]ogs|[Pp]rofiles)"')
_WRITE = "give the JSON lines of the file exporter of a collector, one export on each line"
_CORRECT = "correct the program that writes the span, or leave the span out"


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the own time (without child spans) of each server span in all OTLP exports of a file."""
    source.check_whole()
    is_laid_out = b"\n" in (export_begin(source.head()) or b"")
    spans = (_of_documents if is_laid_out else _of_lines)(source, stated_attribute(options.spans))
    return times_of_spans(spans, source, options, _NAME, TimeUnit.NS)


def _of_documents(source: Source, attribute: Attribute | None) -> Iterator[TraceSpan]:
    for row, export in enumerate(documents_of(source), 1):
        try:
            found = spans_of_export(export, attribute)
        except ValueError as error:
            message = f"document {row} {_reason(error)}"
            advice = _advice(error)
            raise source.fault(Code.BROKEN_FORMAT, message, row=row, advice=advice) from None
        yield from found


def _of_lines(source: Source, attribute: Attribute | None) -> Iterator[TraceSpan]:
    for row, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        # Too long a line is cut, and no more lines follow.
        if len(line) > MAX_LINE_BYTES:
            message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
            hint = "export fewer spans at a time"
            raise source.fault(Code.TRACE_TOO_LARGE, message, row, line=row, advice=hint)
        if not line.strip() or _OTHER_SIGNAL.match(line):
            continue
        try:
            found = spans_of_json(line, attribute)
        except ValueError as error:
            raise _row_error(source, line, row, error) from None
        yield from found


def _row_error(source: Source, line: bytes, row: int, error: ValueError) -> TailcError:
    cut = not (line.endswith(b"\n") or isinstance(error, SpanError))
    message = "the last line ends in the middle" if cut else f"line {_reason(error)}"
    code = Code.TRUNCATED if cut else Code.BROKEN_FORMAT
    return source.fault(code, message, row, line=row, advice=_advice(error))


def _reason(error: ValueError) -> str:
    if isinstance(error, SpanError):
        return f"has a span that cannot be read: {error}"
    return "is not an OTLP export of spans"


def _advice(error: ValueError) -> str:
    return _CORRECT if isinstance(error, SpanError) else _WRITE


def matches(head: bytes) -> bool:
    """Whether the input begins like an export of spans."""
    return export_begin(head) is not None


FORMATS = (Format(_NAME, matches, read, has_spans=True),)
