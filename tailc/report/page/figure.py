"""A picture with what stands behind it: words for who cannot see it, and the numbers as a file."""

from __future__ import annotations

import base64
import csv
import io
import re
from dataclasses import dataclass

from markupsafe import Markup

from tailc.units import printable

# What a spreadsheet would take for a formula, but for numbers.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_MOST_SHOWN = 200
_NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")


@dataclass(frozen=True)
class Numbers:
    """The numbers of a picture, a row each; `name` is that of the file, without its ending."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.heads) for row in self.rows)

    @property
    def csv(self) -> str:
        """As CSV (RFC 4180), with nothing in it that a spreadsheet would run."""
        written = io.StringIO()
        csv.writer(written).writerows([_kept(cell) for cell in row] for row in self._all)
        return written.getvalue()

    @property
    def shown_rows(self) -> tuple[tuple[str, ...], ...]:
        """As many as a page shows as a table."""
        return self.rows[:_MOST_SHOWN]

    @property
    def link(self) -> str:
        """The CSV as a data URL."""
        return "data:text/csv;base64," + base64.b64encode(self.csv.encode()).decode()

    @property
    def _all(self) -> tuple[tuple[str, ...], ...]:
        return (self.heads, *self.rows)


@dataclass(frozen=True)
class Figure:
    """`says` is what the picture shows, in a sentence or two; `svg` None: the numbers tell all."""

    ident: str
    title: str
    says: str
    numbers: tuple[Numbers, ...]
    svg: Markup | None = None


def _kept(cell: str) -> str:
    text = printable(cell)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
