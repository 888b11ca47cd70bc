"""Find the line of column names in a CSV file that begins with other lines.

Files of weather services are an example.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection

from tailc.traces.csv_dialect import DELIMITERS, NUMBER, rows_of

# What spreadsheets write above a table to say what is between its cells.
_SEPARATOR = re.compile(r"\"?sep=.\"?\s*$", re.IGNORECASE)
_MOST_LINES, _MOST_BYTES, _LEAST_LINES = 200, 1 << 16, 4


def line_of_names(head: bytes, names: Collection[str]) -> int | None:
    """Number of the first line, other than line 1, that has all these names of columns.

    None if there is no such line.
    """
    lines = head[:_MOST_BYTES].decode("utf-8", "replace").split("\n")[:_MOST_LINES]
    return next(
        (number for number, line in enumerate(lines, 1) if number > 1 and _has_all(line, names)),
        None,
    )


def table_below(head: bytes) -> int | None:
    """Number of the line with column names in a file whose table is below other lines.

    From that line on, all lines have as many cells, of which the names are no numbers. None if the
    table begins the file.
    """
    lines = head[:_MOST_BYTES].decode("utf-8", "replace").split("\n")[:_MOST_LINES]
    if _SEPARATOR.match(lines[0]):
        return 2
    lines = lines if len(lines) == _MOST_LINES else lines[:-1]
    found = (_table_below([_cells(line, delimiter) for line in lines]) for delimiter in DELIMITERS)
    return next((number for number in found if number is not None), None)


def _table_below(rows: list[list[str]]) -> int | None:
    width = len(rows[-1]) if rows else 0
    begin = next((at for at in range(len(rows), 0, -1) if len(rows[at - 1]) != width), 0)
    if width < 2 or begin == 0 or len(rows) - begin < _LEAST_LINES or len(rows[0]) == width:
        return None
    # The names are right above the first numbers; other lines may have as many cells as they.
    with_numbers = (at for at in range(begin, len(rows)) if any(map(NUMBER.fullmatch, rows[at])))
    first = next(with_numbers, begin)
    return first if first > begin else None


def _has_all(line: str, names: Collection[str]) -> bool:
    return any(set(names) <= set(_cells(line, delimiter)) for delimiter in DELIMITERS)


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(iter(rows_of(line.rstrip("\r"), delimiter)), [])
    except csv.Error:
        return []
