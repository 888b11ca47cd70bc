"""Properties of a text table's lines, found in one pass."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailc.lint.defect import ROWS_NAMED
from tailc.traces.csv_dialect import Dialect, dialect_of
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.plain_text import Rewriting
from tailc.traces.source import Source

SAMPLE_LINES = 200


@dataclass
class Tally:
    """Lines of a file that have some property, such as a line end: a count, and the first few."""

    count: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, number: int) -> None:
        """Count a line of a file, and record its number if it is one of the first few."""
        self.count += 1
        if len(self.first) < ROWS_NAMED:
            self.first.append(number)


@dataclass
class TextLines:
    """Properties of the lines of a CSV or NDJSON file; lines count from 1.

    rewritten: conversions that were applied to the text. header, header_line: first line that is
    not blank, and its number. sample: the first lines after it. last: the last line that is not
    blank. crlf, lf: lines with this end. cr: lines with a carriage return inside. is_ended: whether
    the file ends with a line break.
    """

    is_csv: bool
    dialect: Dialect = field(default_factory=Dialect)
    rewritten: frozenset[Rewriting] = frozenset()
    header: str = ""
    header_line: int = 0
    last: str = ""
    last_line: int = 0
    is_ended: bool = True
    sample: list[str] = field(default_factory=list)
    crlf: Tally = field(default_factory=Tally)
    lf: Tally = field(default_factory=Tally)
    cr: Tally = field(default_factory=Tally)
    nul: Tally = field(default_factory=Tally)
    undecodable: Tally = field(default_factory=Tally)
    blank: Tally = field(default_factory=Tally)
    comment: Tally = field(default_factory=Tally)
    repeated: Tally = field(default_factory=Tally)


def text_lines(source: Source, is_csv: bool) -> TextLines:
    """Read the properties of all lines of a text file (ends, blanks), in one pass."""
    dialect = dialect_of(source.head().decode(errors="replace")) if is_csv else Dialect()
    seen = TextLines(is_csv, dialect, source.rewritten)
    header = last = b""
    line = b"\n"
    for number, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        body = line.rstrip(b"\r\n")
        _note_ends(line, body, number, seen)
        if not body.strip():
            seen.blank.add(number)
            continue
        _note_bytes(body, number, seen)
        last, seen.last_line = body, number
        if body.startswith(b"#"):
            seen.comment.add(number)
        if not header:
            header, seen.header_line = body, number
        elif is_csv and not dialect.unnamed and body == header:
            seen.repeated.add(number)
        elif len(seen.sample) < SAMPLE_LINES:
            seen.sample.append(body.decode("utf-8", "replace"))
    seen.is_ended = line.endswith((b"\n", b"\r"))
    seen.header, seen.last = header.decode("utf-8", "replace"), last.decode("utf-8", "replace")
    return seen


def _note_ends(line: bytes, body: bytes, number: int, seen: TextLines) -> None:
    if line.endswith(b"\r\n"):
        seen.crlf.add(number)
    elif line.endswith(b"\n"):
        seen.lf.add(number)
    if b"\r" in body or line.endswith(b"\r"):
        seen.cr.add(number)


def _note_bytes(body: bytes, number: int, seen: TextLines) -> None:
    if b"\0" in body:
        seen.nul.add(number)
    if not body.isascii():
        try:
            body.decode()
        except UnicodeDecodeError:
            seen.undecodable.add(number)
