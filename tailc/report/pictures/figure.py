"""A picture with its caption and its numbers as a CSV file."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from tailc.units import printable

# A cell that a spreadsheet would interpret as a formula.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_MOST_SHOWN = 200
_NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")


@dataclass(frozen=True)
class Numbers:
    """The numbers of a picture as rows; `name` is the file name without its extension."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.heads) for row in self.rows)

    @property
    def csv(self) -> str:
        """Format the numbers as CSV (RFC 4180).

        Quote formulas, so that spreadsheets ignore them.
        """
        buffer = io.StringIO()
        csv.writer(buffer).writerows([_safe_cell(cell) for cell in row] for row in self._all)
        return buffer.getvalue()

    @property
    def table_rows(self) -> tuple[tuple[str, ...], ...]:
        """The first rows of numbers, as many as the table on a page shows."""
        return self.rows[:_MOST_SHOWN]

    @property
    def link(self) -> str:
        """Format the numbers of a picture as a data URL of CSV, for a link."""
        return "data:text/csv;base64," + base64.b64encode(self.csv.encode()).decode()

    @property
    def json_link(self) -> str:
        """Format the numbers of a picture as a data URL of JSON: a list with an object per row."""
        rows = [dict(zip(self.heads, row, strict=True)) for row in self.rows]
        return (
            "data:application/json;base64," + base64.b64encode(json.dumps(rows).encode()).decode()
        )

    @property
    def _all(self) -> tuple[tuple[str, ...], ...]:
        return (self.heads, *self.rows)


class Picture(NamedTuple):
    """A picture as SVG, and its height."""

    svg: Markup
    height: float


@dataclass(frozen=True)
class Figure:
    """A figure of a page or of a file.

    caption: one or two sentences about the picture. picture: None if there are only numbers.
    """

    ident: str
    title: str
    caption: str
    numbers: tuple[Numbers, ...]
    picture: Picture | None = None

    @property
    def svg(self) -> Markup | None:
        """The picture as SVG, if there is one."""
        return None if self.picture is None else self.picture.svg


def _safe_cell(cell: str) -> str:
    text = printable(cell)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
