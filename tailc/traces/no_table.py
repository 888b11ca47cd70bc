"""Refuse a file that is no table and in no known format: what it is, and what to do."""

from __future__ import annotations

import re

from tailc.errors import Code, TailcError
from tailc.traces.csv_dialect import NUMBER
from tailc.traces.json_rows import rows_within
from tailc.traces.logged_fields import field_in_lines
from tailc.traces.source import PARQUET_MAGIC, Source
from tailc.traces.telling_names import statistics_among

_MOST_BYTES = 1 << 16
_MOST_LINES = 50
_MOST_CONTROLS = 0.02
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_IDS_OF_SPANS = (rb'"trace_?id"', rb'"(?:span_?)?id"', rb'"parent_?(?:span_?)?id"')
_OF_ELASTICSEARCH = (rb'"_index"', rb'"_source"\s*:\s*\{')
# A line of a summary: a percentile or a statistic, and its value.
_PERCENTILE = rb"\d{1,2}(?:\.\d+)?(?:%|th\b)|p\d{2}(?:\.?\d+)?\b|\d{1,2}(?:st|nd|rd|th) perc"
_STATISTIC = rb"(?:mean|average|avg|median|max(?:imum)?|min(?:imum)?|std ?dev|stdev)\b"
_OF_SUMMARY = re.compile(
    rb"^[^\n\d]{0,40}?(?:" + _PERCENTILE + rb"|" + _STATISTIC + rb")[^\n]{0,40}?\d", re.I | re.M
)
_MANY = 3
# The line above their values.
_HEADINGS = re.compile(
    rb"^[^\n,;\t|]*?(?:\b(?:min|mean|avg|median|std ?dev|stdev|max|p\d\d)\b[ \t]{1,40}){3}",
    re.I | re.M,
)
# As containers and benchmarks write lines: a date or a mark, then an object.
_PREFIXED = re.compile(rb'(?:[^\n{"]{1,200}\{"[^\n]{1,4000}\}[ \t]*\r?\n){3}')
_NAME_OF_STATISTIC = re.compile(
    rb'"([\w. /()-]{0,60}?(?:avg|average|mean|median|p9\d|percentile|std)[\w. /()-]{0,60})"\s*:',
    re.I,
)
_GENERATOR = (
    "measure with a generator that writes every request, such as "
    "`oha -q RATE --output-format csv`, or give the log that it was computed from"
)


def no_table(source: Source) -> TailcError | None:
    """Make the error about a file that is certainly no table; None if it may be a table.

    Certain are binary data, JSON without a row on each line, and lines of a log.
    """
    head = source.head()
    if head.startswith(PARQUET_MAGIC):
        return None
    if _is_binary(head):
        what = "is a binary file"
        advice = "write its times as text, one on each line below a name, and give `--column`"
    elif not _is_utf8(head):
        what = "is text in another encoding than UTF-8"
        advice = "convert it, such as by `iconv -f WINDOWS-1252 -t UTF-8 FILE > table.csv`"
    elif (documents := _of_documents(head)) is not None:
        what, advice = documents
    elif (rows := rows_within(source)) is not None:
        if statistics_among(rows.names):
            return summary_error(source)
        what = f"is JSON in an unknown format, whose rows are in {rows.place}"
        advice = f"{rows.advice}, with `--column`, and what it measures with `--measure`"
    elif _PREFIXED.match(head[:_MOST_BYTES]):
        what = "has JSON behind other words of each line"
        advice = (
            "write the JSON alone, such as by `sed 's/^[^{]*//' FILE > rows.ndjson`, and give that"
        )
    elif (field := field_in_lines(head)) is not None:
        what, advice = "is a log of lines, not a table", field.advice
    elif (command := _of_blanks(head)) is not None:
        what = "is a table with blanks between its cells"
        advice = f"write commas between them, such as by `{command} FILE > table.csv`"
    else:
        return None
    return source.fault(Code.UNKNOWN_INPUT, f"`{source.name}` {what}", advice=advice)


def _of_documents(head: bytes) -> tuple[str, str] | None:
    """What JSON of stored documents or of spans is, and what to do; None for other text."""
    if _has(head, _OF_ELASTICSEARCH):
        return (
            "is an export of Elasticsearch, whose documents are in `_source`",
            "write them alone, such as by `jq -c '.. | objects | ._source // empty' FILE > "
            "documents.ndjson`, and give that; for spans, `jq -s . documents.ndjson > spans.json`",
        )
    if _has(head, _IDS_OF_SPANS):
        return (
            "has spans in an unknown layout, whose times contain those of their children",
            "send the spans to an OpenTelemetry collector, and give what its exporter `file` "
            "writes",
        )
    return None


def summary_error(source: Source) -> TailcError:
    """Make the error about a file that has only statistics of many requests."""
    message = f"`{source.name}` has means or percentiles of many requests, and no requests"
    return source.fault(Code.UNKNOWN_INPUT, message, advice=_GENERATOR)


def is_summary(head: bytes) -> bool:
    """Whether a text has statistics instead of requests, in lines or in one JSON document."""
    begin = head[:_MOST_BYTES]
    if begin.lstrip()[:1] in (b"{", b"["):
        names = _NAME_OF_STATISTIC.findall(begin)
        return len(names) >= _MANY and len(set(names)) == len(names)
    return len(_OF_SUMMARY.findall(begin)) >= _MANY or _HEADINGS.search(begin) is not None


def _is_utf8(head: bytes) -> bool:
    """Whether the first line is UTF-8."""
    try:
        head.split(b"\n", 1)[0].decode()
    except UnicodeDecodeError:
        return False
    return True


def _of_blanks(head: bytes) -> str | None:
    """A command that writes commas between the cells of lines with blanks; None for other text."""
    lines = head[:_MOST_BYTES].decode("utf-8", "replace").splitlines()[:_MOST_LINES]
    rows = [line.lstrip("# ").split() for line in lines if line.strip()]
    if len(rows) <= _MANY or any(set(line) & set(",;|\t") for line in lines):
        return None
    names, width = rows[0], len(rows[1])
    are_names = not any(map(NUMBER.fullmatch, names)) and width - len(names) in (0, 1)
    is_even = width > 1 and all(len(row) == width for row in rows[1:-1])
    if not (are_names and is_even and any(map(NUMBER.fullmatch, rows[1]))):
        return None
    # R writes no name for the numbers of rows.
    named = "" if width == len(names) else "; 1s/^/row,/"
    return f"sed -E 's/^[# ]+//; s/ +$//; s/ +/,/g{named}'"


def _is_binary(head: bytes) -> bool:
    """Whether many bytes are none of a text."""
    begin = head[:_MOST_BYTES]
    return len(_CONTROL.findall(begin)) > _MOST_CONTROLS * len(begin)


def _has(head: bytes, names: tuple[bytes, ...]) -> bool:
    begin = head[:_MOST_BYTES]
    is_json = begin.lstrip()[:1] in (b"{", b"[")
    return is_json and all(re.search(name, begin, re.IGNORECASE) for name in names)
