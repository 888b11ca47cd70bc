"""From the rows of findings to lines of the file, for who opens it in an editor."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tailc.errors import Finding, Place
from tailc.traces.csv_dialect import dialect_of
from tailc.traces.plain_text import Rewriting
from tailc.units import printable

if TYPE_CHECKING:
    from tailc.traces.source import Source

_LONGEST_LINE = 1 << 22
_LONGEST_EXCERPT = 400


def located(findings: Sequence[Finding], source: Source) -> tuple[Finding, ...]:
    """The findings with the line of their row, and what stands there, where a file has lines."""
    wanted = {one.place.row for one in findings if _is_unplaced(one.place, source)}
    line_of = dict(_lines_of_rows(source, wanted - {None})) if wanted else {}
    placed = [_with_line(one, line_of, source) for one in findings]
    lines = {one.place.line for one in placed if _has_no_excerpt(one.place, source)}
    excerpts = dict(_excerpts(source, lines)) if lines else {}
    return tuple(_with_excerpt(one, excerpts, source) for one in placed)


def _is_unplaced(place: Place | None, source: Source) -> bool:
    return place is not None and place.source == source.name and bool(place.row) and not place.line


def _has_no_excerpt(place: Place | None, source: Source) -> bool:
    return (
        place is not None and place.source == source.name and bool(place.line) and not place.excerpt
    )


def _with_line(finding: Finding, line_of: dict[int | None, int], source: Source) -> Finding:
    place = finding.place
    if place is None or not _is_unplaced(place, source) or place.row not in line_of:
        return finding
    return replace(finding, place=replace(place, line=line_of[place.row]))


def _with_excerpt(finding: Finding, excerpts: dict[int | None, str], source: Source) -> Finding:
    place = finding.place
    if place is None or not _has_no_excerpt(place, source) or place.line not in excerpts:
        return finding
    return replace(finding, place=replace(place, excerpt=excerpts[place.line]))


def _excerpts(source: Source, wanted: set[int | None]) -> Iterator[tuple[int, str]]:
    last = max(line or 0 for line in wanted)
    for number, line in enumerate(source.lines(_LONGEST_LINE), 1):
        if number in wanted:
            text = line.rstrip(b"\r\n").decode("utf-8", "replace")
            yield number, printable(text)[:_LONGEST_EXCERPT]
        if number >= last:
            return


def _lines_of_rows(source: Source, wanted: set[int | None]) -> Iterator[tuple[int, int]]:
    """The line on which each wanted row of a table of text begins."""
    head = source.head()
    if b"\0" in head or Rewriting.JSON_LIST in source.rewritten:
        return
    rows = _object_lines(source) if head.lstrip().startswith(b"{") else _record_lines(source, head)
    last = max(row or 0 for row in wanted)
    for row, line in enumerate(rows, 1):
        if row in wanted:
            yield row, line
        if row >= last:
            return


def _object_lines(source: Source) -> Iterator[int]:
    """The lines of JSON objects; none of what is one object laid out over several lines."""
    for number, line in enumerate(source.lines(_LONGEST_LINE), 1):
        if number == 1 and not _is_json(line):
            return
        if line.strip():
            yield number


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return not line.strip()
    return True


def _record_lines(source: Source, head: bytes) -> Iterator[int]:
    """The lines on which the records of CSV begin, but for a header."""
    dialect = dialect_of(head.decode(errors="replace"))
    lines = (
        line.decode("utf-8", "replace").rstrip("\r\n") + "\n"
        for line in source.lines(_LONGEST_LINE)
    )
    records = csv.reader(lines, delimiter=dialect.delimiter)
    is_row, begin = bool(dialect.unnamed), 1
    try:
        for record in records:
            if record and is_row:
                yield begin
            is_row |= bool(record)
            begin = records.line_num + 1
    except csv.Error:
        return
