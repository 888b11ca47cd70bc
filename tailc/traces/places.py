"""Convert rows of findings to lines of the file, so that an editor can jump to them."""

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


def locate_findings(findings: Sequence[Finding], source: Source) -> tuple[Finding, ...]:
    """Add to findings the line of their row and its text, if the file has lines."""
    places = [_place_in(one, source) for one in findings]
    rows = {place.row for place in places if place and place.row and not place.line}
    line_of = dict(_lines_of_rows(source, rows)) if rows else {}
    placed = [place and _with_line(place, line_of) for place in places]
    lines = {place.line for place in placed if place and place.line and not place.excerpt}
    excerpts = dict(_excerpts(source, lines)) if lines else {}
    return tuple(
        one if place is None else replace(one, place=_with_excerpt(place, excerpts))
        for one, place in zip(findings, placed, strict=True)
    )


def _place_in(finding: Finding, source: Source) -> Place | None:
    place = finding.place
    return place if place is not None and place.source == source.name else None


def _with_line(place: Place, line_of: dict[int, int]) -> Place:
    if place.row is None or place.line is not None:
        return place
    return replace(place, line=line_of.get(place.row))


def _with_excerpt(place: Place, excerpts: dict[int, str]) -> Place:
    if place.line is None or place.excerpt is not None:
        return place
    return replace(place, excerpt=excerpts.get(place.line))


def _excerpts(source: Source, wanted: set[int]) -> Iterator[tuple[int, str]]:
    last = max(wanted)
    for number, line in enumerate(source.lines(_LONGEST_LINE), 1):
        if number in wanted:
            text = line.rstrip(b"\r\n").decode("utf-8", "replace")
            yield number, printable(text)[:_LONGEST_EXCERPT]
        if number >= last:
            return


def _lines_of_rows(source: Source, wanted: set[int]) -> Iterator[tuple[int, int]]:
    """Line at which each wanted row of a text table begins."""
    head = source.head()
    if b"\0" in head or Rewriting.JSON_LIST in source.rewritten:
        return
    rows = _object_lines(source) if head.lstrip().startswith(b"{") else _record_lines(source, head)
    last = max(wanted)
    for row, line in enumerate(rows, 1):
        if row in wanted:
            yield row, line
        if row >= last:
            return


def _object_lines(source: Source) -> Iterator[int]:
    """Lines of JSON objects; empty if an object spans several lines."""
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
    """Lines at which CSV records begin, without the header."""
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
