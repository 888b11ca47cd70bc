"""Decide whether the first line of a CSV table is a row of values instead of column names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tailc.traces.csv_dialect import NUMBER, Dialect
from tailc.traces.telling_names import values_in

# No name, but what a row may have in place of a number, as that of a request without an answer.
_IN_PLACE = "na|n/a|nan|nil|none|null|inf|infinity|missing|unknown|timeout|error|failed|skipped"
_WORD = re.compile(rf"\s*(?!(?:{_IN_PLACE})\s*$)[^\W\d]", re.IGNORECASE)


def doubtful_value(
    first: Sequence[str], rows: Iterable[Sequence[str]], dialect: Dialect
) -> str | None:
    """The first cell in the first line of a table that looks like a value; None if all are names.

    Also None if a word in that line is above numbers only, which shows that the line has names.
    """
    values = values_in(first)
    if not values or any(
        _WORD.match(name) and _is_above_numbers(at, rows, dialect) for at, name in enumerate(first)
    ):
        return None
    return values[0].strip()


def _is_above_numbers(at: int, rows: Iterable[Sequence[str]], dialect: Dialect) -> bool:
    cells = [row[at] for row in rows if at < len(row) and row[at].strip()]
    return bool(cells) and all(NUMBER.fullmatch(dialect.in_points(cell)) for cell in cells)
