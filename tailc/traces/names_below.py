"""Find the line of column names in a CSV file that begins with other lines.

Files of weather services are an example.
"""

from __future__ import annotations

import csv
from collections.abc import Collection

from tailc.traces.csv_dialect import DELIMITERS, rows_of

_MOST_LINES, _MOST_BYTES = 200, 1 << 16


def line_of_names(head: bytes, names: Collection[str]) -> int | None:
    """Number of the first line, below the first one, that has all these names.

    None if there is no such line.
    """
    lines = head[:_MOST_BYTES].decode("utf-8", "replace").split("\n")[:_MOST_LINES]
    return next(
        (number for number, line in enumerate(lines, 1) if number > 1 and _has_all(line, names)),
        None,
    )


def _has_all(line: str, names: Collection[str]) -> bool:
    return any(set(names) <= set(_cells(line, delimiter)) for delimiter in DELIMITERS)


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(iter(rows_of(line.rstrip("\r"), delimiter)), [])
    except csv.Error:
        return []
