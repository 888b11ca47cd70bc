"""From the rows of findings to lines of the file, for who opens it in an editor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tailc.errors import Finding
from tailc.lint.text_lines import TextLines
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.source import Source
from tailc.units import printable

_LONGEST_EXCERPT = 400


class LinePlaces:
    """Lines of one file; a file that is not text has none.

    Where blank lines or quotes keep lines from being rows, rows alone are told.
    """

    def __init__(self, source: Source, text: TextLines | None) -> None:
        self._source, self._text = source, text

    def located(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings with the line of their row, and what stands there."""
        placed = [self._with_line(finding) for finding in findings]
        wanted = {one.place.line for one in placed if one.place and one.place.line}
        excerpts = self._excerpts(wanted)
        for finding in placed:
            place = finding.place
            if place is not None and place.line in excerpts:
                place = replace(place, excerpt=excerpts[place.line])
            yield replace(finding, place=place)

    def _with_line(self, finding: Finding) -> Finding:
        text, place = self._text, finding.place
        if text is None or place is None or place.row is None or not text.lines_are_rows:
            return finding
        header = text.header_line if text.is_csv else 0
        return replace(finding, place=replace(place, line=header + place.row))

    def _excerpts(self, wanted: set[int]) -> dict[int | None, str]:
        if self._text is None or not wanted:
            return {}
        last, found = max(wanted), {}
        for number, line in enumerate(self._source.lines(MAX_LINE_BYTES), 1):
            if number in wanted:
                text = line.rstrip(b"\r\n").decode("utf-8", "replace")
                found[number] = printable(text)[:_LONGEST_EXCERPT]
            if number >= last:
                break
        return found
