"""Detect the dialect of a CSV file from its first lines: delimiter, decimal mark, header."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

SAMPLE_LINES = 200
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*")
_WITH_COMMA = re.compile(r"\s*[+-]?(\d+),(\d+)\s*")
# What shows that a comma is no decimal mark: a point, or several commas.
_OTHERWISE = re.compile(r"\s*[+-]?(?:\d*\.\d+|\d+(?:,\d{3}){2,})\s*")
# Long words are cut for the look at a dialect: csv refuses cells over 131,072 characters.
_LONG_WORD = re.compile(r'(?<![^",;\t|\r\n])([^",;\t|\r\n]{1000})[^",;\t|\r\n]+')
_THOUSAND = 3
_MOST_DEGREES = 1000


@dataclass(frozen=True)
class Dialect:
    """Dialect of a CSV file: delimiter, decimal mark, and names of columns without a header."""

    delimiter: str = ","
    decimal: str = "."
    unnamed: tuple[str, ...] = ()

    @property
    def is_usual(self) -> bool:
        """Whether the file has commas between cells, decimal points and a header."""
        return self == Dialect()

    def in_points(self, cell: str) -> str:
        """Write a cell with a decimal point if it is a number in this dialect, else unchanged."""
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
        """Share of lines with as many cells as the first line; 0 if that has one cell."""
        cells = len(self.rows[0]) if self.rows else 1
        return 0.0 if cells < 2 else sum(len(row) == cells for row in self.rows) / len(self.rows)


def dialect_of(text: str) -> Dialect:
    """Detect the dialect of a file that begins with this text; by default the usual one."""
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
    return replace(dialect, unnamed=_default_names(rows, dialect))


def rows_of(text: str, delimiter: str) -> Iterable[list[str]]:
    """The records of a text; blank lines are empty records. Raises csv.Error for malformed ones."""
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _has_decimal_commas(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Whether commas in numbers are decimal marks and not thousands separators.

    `"8,010"` in quotes between commas has a thousands separator, unless all rows contradict it.
    """
    cells = [cell for row in rows[1:] or rows for cell in row]
    found = [match for cell in cells if (match := _WITH_COMMA.fullmatch(cell))]
    if not found or any(map(_OTHERWISE.fullmatch, cells)):
        return False
    decimals = [one for one in found if len(one[2]) != _THOUSAND or one[1].startswith("0")]
    return delimiter != "," or (bool(decimals) and len(found) >= len(rows) - 1)


def _default_names(rows: Sequence[Sequence[str]], dialect: Dialect) -> tuple[str, ...]:
    """Names for the columns of a file without a header; empty if the first line is a header."""
    first = [dialect.in_points(cell) for cell in rows[0]] if rows else []
    if not first or not all(map(NUMBER.fullmatch, first)) or _are_degrees(first):
        return ()
    return tuple(f"column_{number}" for number in range(1, len(first) + 1))


def _are_degrees(cells: Sequence[str]) -> bool:
    """Whether the names are ascending whole numbers, such as degrees of parallelism."""
    if len(cells) < 2 or not all(cell.strip().isdigit() for cell in cells):
        return False
    degrees = [int(cell) for cell in cells]
    return degrees == sorted(set(degrees)) and degrees[-1] <= _MOST_DEGREES
