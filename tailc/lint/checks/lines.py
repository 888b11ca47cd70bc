"""Checks of bytes and lines of text tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting
from tailc.lint.text_lines import Tally, TextLines
from tailc.traces.csv_dialect import DELIMITERS, Dialect, rows_of
from tailc.traces.first_line import doubtful_value
from tailc.traces.plain_text import Rewriting
from tailc.units import shorten

_NAMES_TOLD = 10
_AGAIN = "write or copy the file again"
_SUMS = ("total", "totals", "sum", "mean", "average", "avg", "count", "grand total")


def _line_finding(tally: Tally, message: str) -> Iterator[Sighting]:
    if tally.count:
        yield Sighting(message, tally.count, lines=tuple(tally.first))


def _utf8_mark(text: TextLines) -> Iterator[Sighting]:
    if Rewriting.UTF8_MARK in text.rewritten:
        yield Sighting("the file begins with a byte order mark", lines=(1,))


def _utf16(text: TextLines) -> Iterator[Sighting]:
    if Rewriting.UTF16 in text.rewritten:
        yield Sighting("the file is in UTF-16", lines=(1,))


def _json_list(text: TextLines) -> Iterator[Sighting]:
    if Rewriting.JSON_LIST in text.rewritten:
        yield Sighting("the rows are one JSON list")


def _undecodable(text: TextLines) -> Iterator[Sighting]:
    yield from _line_finding(text.undecodable, "a line holds bytes that are not UTF-8")


def _nul(text: TextLines) -> Iterator[Sighting]:
    yield from _line_finding(text.nul, "a line holds a NUL byte")


def _mixed_ends(text: TextLines) -> Iterator[Sighting]:
    if text.crlf.count and text.lf.count:
        rarer = min((text.crlf, text.lf), key=lambda tally: tally.count)
        yield from _line_finding(rarer, "lines end in both LF and CR LF; the fewer are here")


def _carriage_returns(text: TextLines) -> Iterator[Sighting]:
    yield from _line_finding(text.cr, "a line has a carriage return in the middle")


def _blank(text: TextLines) -> Iterator[Sighting]:
    yield from _line_finding(text.blank, "a line is blank")


def _comments(text: TextLines) -> Iterator[Sighting]:
    yield from _line_finding(text.comment, "a line begins with `#`, but CSV has no comments")


def _repeated_lines(text: TextLines) -> Iterator[Sighting]:
    yield from _line_finding(text.repeated, "the header is repeated among the rows")


def _missing_end(text: TextLines) -> Iterator[Sighting]:
    if not text.is_ended and text.sample:
        yield Sighting("the last line has no line break", lines=(text.last_line,))


def _delimiter(text: TextLines) -> Iterator[Sighting]:
    if text.dialect.delimiter != ",":
        noun = DELIMITERS[text.dialect.delimiter]
        yield Sighting(f"cells are separated by {noun}, not commas", lines=(text.header_line,))


def _decimal_commas(text: TextLines) -> Iterator[Sighting]:
    if text.dialect.decimal == ",":
        yield Sighting("numbers have decimal commas", lines=(text.header_line + 1,))


def _no_header(text: TextLines) -> Iterator[Sighting]:
    if text.dialect.unnamed:
        named = ", ".join(f"`{name}`" for name in text.dialect.unnamed[:_NAMES_TOLD])
        more = ", ..." if len(text.dialect.unnamed) > _NAMES_TOLD else ""
        message = f"the first line has numbers, not names: columns are called {named}{more}"
        yield Sighting(message, lines=(text.header_line,))
    elif (value := _doubtful_value(text)) is not None:
        message = (
            f"the first line is used as the header, but has the value `{shorten(value)}` like a row"
        )
        yield Sighting(message, lines=(text.header_line,))


def _doubtful_value(text: TextLines) -> str | None:
    if not text.is_csv:
        return None
    header, *rows = (_cells(line, text.dialect) for line in (text.header, *text.sample))
    return doubtful_value(header, rows, text.dialect)


def _sums(text: TextLines) -> Iterator[Sighting]:
    first = _cells(text.last, text.dialect)[:1] if text.is_csv and text.sample else []
    if first and first[0].strip().lower() in _SUMS:
        yield Sighting(f"the last row is a `{first[0].strip()}`", lines=(text.last_line,))


def _cells(line: str, dialect: Dialect) -> list[str]:
    """Cells of a line; empty if it is not a record, for example if a cell is too long."""
    try:
        return next(iter(rows_of(line.replace("\0", ""), dialect.delimiter)), [])
    except csv.Error:
        return []


def _defect(number: int, name: str, severity: Severity, *texts: str) -> Defect:
    return Defect(f"TC{1000 + number}", name, severity, *texts)


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

CHECKS = (
    Check(
        _defect(
            1,
            "byte-order-mark",
            _NOTE,
            "the file begins with a byte order mark",
            "tailc skips it, but other tools read it as a part of the first column's name",
            "save the file as UTF-8 without a byte order mark",
        ),
        TextLines,
        _utf8_mark,
    ),
    Check(
        _defect(
            2,
            "utf-16",
            _NOTE,
            "the file is in UTF-16",
            "tailc reads it, but few other tools do",
            "save the file as UTF-8; spreadsheets call it `CSV UTF-8`",
        ),
        TextLines,
        _utf16,
    ),
    Check(
        _defect(
            3,
            "not-utf-8",
            _ERROR,
            "a line holds bytes that are not UTF-8",
            "names of classes and requests would be confused",
            "convert the file from its encoding, for example with `iconv -f latin1 -t utf-8`",
        ),
        TextLines,
        _undecodable,
    ),
    Check(
        _defect(
            4,
            "nul-byte",
            _ERROR,
            "a line holds a NUL byte",
            "the file was overwritten or cut when the machine stopped, so rows are missing",
            "remove the rows after it, and measure again if they are many",
        ),
        TextLines,
        _nul,
    ),
    Check(
        _defect(
            5,
            "mixed-line-ends",
            _WARNING,
            "lines have two kinds of line ends",
            "two files were joined, from two systems and perhaps from two runs",
            "find where the line ends change, and separate the runs",
        ),
        TextLines,
        _mixed_ends,
    ),
    Check(
        _defect(
            6,
            "carriage-return",
            _WARNING,
            "a line has a carriage return in the middle",
            "the text after it may be a separate row that is not counted",
            "write lines that end in LF",
        ),
        TextLines,
        _carriage_returns,
    ),
    Check(
        _defect(
            7,
            "blank-line",
            _NOTE,
            "a line is blank",
            "blank lines are not rows, but often mark where two files were joined",
            "check whether rows are missing there, and remove the blank lines",
        ),
        TextLines,
        _blank,
    ),
    Check(
        _defect(
            8,
            "comment-line",
            _ERROR,
            "a line begins with `#`",
            "CSV has no comments, so it counts as a row",
            "remove it",
        ),
        TextLines,
        _comments,
    ),
    Check(
        _defect(
            9,
            "repeated-header",
            _ERROR,
            "the header is repeated among the rows",
            "several files were joined, so times and warm-ups of several runs are mixed",
            "remove it, and check whether the runs belong together",
        ),
        TextLines,
        _repeated_lines,
    ),
    Check(
        _defect(
            10,
            "no-last-line-break",
            _WARNING,
            "the last line has no line break",
            "the writer may have stopped within a row, so the last number may be cut",
            f"{_AGAIN}, or end the last line if it is whole",
        ),
        TextLines,
        _missing_end,
    ),
    Check(
        _defect(
            11,
            "other-delimiter",
            _NOTE,
            "the cells are not separated by commas",
            "tailc reads it, but other tools read the whole line as one cell",
            "write the file with commas",
        ),
        TextLines,
        _delimiter,
    ),
    Check(
        _defect(
            12,
            "no-header",
            _WARNING,
            "the first line has numbers, so there is no header",
            "columns have numbers instead of names, so a spec that uses them is hard to read",
            "begin the file with a line of names",
        ),
        TextLines,
        _no_header,
    ),
    Check(
        _defect(
            13,
            "sum-row",
            _ERROR,
            "the last row is a sum of the others",
            "the sum counts as a very long request",
            "remove the row",
        ),
        TextLines,
        _sums,
    ),
    Check(
        _defect(
            14,
            "json-list",
            _NOTE,
            "the rows are one JSON list",
            "each read rewrites it with one row per line, which takes time",
            "write one row per line, for example by `jq -c '.[]'`",
        ),
        TextLines,
        _json_list,
    ),
    Check(
        _defect(
            15,
            "decimal-commas",
            _NOTE,
            "numbers have decimal commas",
            "tailc reads them, but other tools read them as thousands or as text",
            "write numbers with decimal points",
        ),
        TextLines,
        _decimal_commas,
    ),
)
