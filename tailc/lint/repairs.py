"""Repair what is certain in a text table: no repair changes, adds or removes a measurement.

Byte order marks, UTF-16 and JSON lists are rewritten; blank lines, comments and repeated headers
are removed; line ends become LF. Faults that need a decision are left to the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailc.errors import Code
from tailc.traces.csv_dialect import dialect_of
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.plain_text import Rewriting
from tailc.traces.source import PARQUET_MAGIC, Source, format_of

_QUOTE = b'"'
_REWRITTEN = {
    Rewriting.UTF8_MARK: ("TC1001", "byte-order-mark", "removed the byte order mark"),
    Rewriting.UTF16: ("TC1002", "utf-16", "converted from UTF-16 to UTF-8"),
    Rewriting.BARE_CR: ("TC1006", "carriage-return", "ended all lines with LF"),
    Rewriting.JSON_LIST: ("TC1014", "json-list", "wrote one object in each line"),
}


@dataclass(frozen=True)
class Repair:
    """A change at a line of the original file, by the code and the name of the defect."""

    line: int
    code: str
    name: str
    change: str


def repaired_lines(source: Source) -> Iterator[tuple[bytes, tuple[Repair, ...]]]:
    """Each line of a text table as it should be, empty if it is removed, with its repairs.

    Raises TailcError for Parquet and for lines that are too long. Lines within a quoted cell stay.
    """
    head = source.head()
    if head.startswith(PARQUET_MAGIC):
        message = f"`{source.name}` is Parquet, and only text has defects that can be repaired"
        raise source.fault(Code.USAGE, message, advice="remove `--fix`")
    is_csv = format_of(source, "auto") == "csv"
    has_header = is_csv and not dialect_of(head.decode(errors="replace")).unnamed
    whole = [Repair(1, *_REWRITTEN[one]) for one in Rewriting if one in source.rewritten]
    header, is_quoted = b"", False
    for number, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        if len(line) > MAX_LINE_BYTES:
            message = f"line {number} is longer than {MAX_LINE_BYTES:,} bytes"
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice="split it, or remove `--fix`")
        body = line.rstrip(b"\r\n")
        repairs, whole = whole, []
        reason = None if is_quoted else _removal(body, header if has_header else b"", is_csv)
        if reason is None:
            is_quoted ^= is_csv and body.count(_QUOTE) % 2 == 1
            header = header or body
            if line != body + b"\n" and not is_quoted:
                repairs.append(Repair(number, "TC1005", "line-end", "ended the line with LF"))
            yield (line if is_quoted else body + b"\n"), tuple(repairs)
        else:
            yield b"", (*repairs, Repair(number, *reason))


def _removal(body: bytes, header: bytes, is_csv: bool) -> tuple[str, str, str] | None:
    """Why a line is removed; None if it stays."""
    if not body.strip():
        return "TC1007", "blank-line", "removed the blank line"
    if is_csv and header and body.startswith(b"#"):
        return "TC1008", "comment-line", "removed the comment"
    if header and body == header:
        return "TC1009", "repeated-header", "removed the repeated header"
    return None
