"""How a CSV file is written, seen from its first lines: delimiter, decimal mark, header or none."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

SAMPLE_LINES = 200
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_WITH_COMMA = re.compile(r"\s*[+-]?(\d+),(\d+)\s*")
# What shows that a comma is no decimal mark: a point, or several commas.
_OTHERWISE = re.compile(r"\s*[+-]?(?:\d*\.\d+|\d+(?:,\d{3}){2,})\s*")
# Long words are cut for the look at a dialect: csv refuses cells over 131,072 characters.
_LONG_WORD = re.compile(r'(?<![^",;\t|\r\n])([^",;\t|\r\n]{1000})[^",;\t|\r\n]+')
_THOUSAND = 3
_MOST_DEGREES = 1000


@dataclass(frozen=True)
class Dialect:
    """The delimiter and decimal mark, and names of the columns where no header names them."""

    delimiter: str = ","
    decimal: str = "."
    unnamed: tuple[str, ...] = ()

    @property
    def is_usual(self) -> bool:
        """Whether it is commas between cells, points in numbers, and a header."""
        return self == Dialect()

    def in_points(self, cell: str) -> str:
        """A number with the decimal mark of the dialect as one with a point; other cells as is."""
        return (
            cell.replace(",", ".") if self.decimal == "," and _WITH_COMMA.fullmatch(cell) else cell
        )


@dataclass(frozen=True)
class _Sample:
    """The first lines, split by one delimiter."""

    lines: tuple[str, ...]
    delimiter: str

    @cached_property
    def rows(self) -> list[list[str]]:
        return [row for row in rows_of("\n".join(self.lines), self.delimiter) if row]

    @property
    def agreement(self) -> float:
        """The share of lines with as many cells as the first; 0 where that has one."""
        cells = len(self.rows[0]) if self.rows else 1
        return 0.0 if cells < 2 else sum(len(row) == cells for row in self.rows) / len(self.rows)


def dialect_of(text: str) -> Dialect:
    """The dialect of a file that begins so; what tells nothing is taken for the usual one."""
    text = _LONG_WORD.sub(r"\1", text)
    lines = tuple(line for line in text.splitlines()[:SAMPLE_LINES] if line.strip())
    try:
        samples = [_Sample(lines, delimiter) for delimiter in DELIMITERS]
        usual, best = samples[0], max(samples, key=lambda sample: sample.agreement)
        # A comma in the header splits it, unless few of the rows agree.
        sample = usual if best.agreement < 0.5 or usual.agreement >= 0.5 else best
        rows = sample.rows
    except csv.Error:
        return Dialect()
    decimal = "," if _has_decimal_commas(rows, sample.delimiter) else "."
    dialect = Dialect(sample.delimiter, decimal)
    return replace(dialect, unnamed=_unnamed(rows, dialect))


def rows_of(text: str, delimiter: str) -> Iterable[list[str]]:
    """The records of a text, blank lines as empty ones; csv.Error where they are none."""
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _has_decimal_commas(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Whether commas in numbers are decimal marks, and not those of thousands.

    Who quotes `"8,010"` between commas writes thousands, unless every row says otherwise.
    """
    cells = [cell for row in rows[1:] or rows for cell in row]
    found = [match for cell in cells if (match := _WITH_COMMA.fullmatch(cell))]
    if not found or any(map(_OTHERWISE.fullmatch, cells)):
        return False
    decimals = [one for one in found if len(one[2]) != _THOUSAND or one[1].startswith("0")]
    return delimiter != "," or (bool(decimals) and len(found) >= len(rows) - 1)


def _unnamed(rows: Sequence[Sequence[str]], dialect: Dialect) -> tuple[str, ...]:
    """Names for the columns of a file whose first line is a row; none where it is a header."""
    first = [dialect.in_points(cell) for cell in rows[0]] if rows else []
    if not first or not all(map(_NUMBER.fullmatch, first)) or _are_degrees(first):
        return ()
    return tuple(f"column_{number}" for number in range(1, len(first) + 1))


def _are_degrees(cells: Sequence[str]) -> bool:
    """Whether they are ascending whole numbers, as columns by degree are called."""
    if len(cells) < 2 or not all(cell.strip().isdigit() for cell in cells):
        return False
    degrees = [int(cell) for cell in cells]
    return degrees == sorted(set(degrees)) and degrees[-1] <= _MOST_DEGREES
