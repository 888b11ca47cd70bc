"""Checks of cells that are not plain numbers."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting, first_rows
from tailc.lint.demand_rows import DemandRows
from tailc.lint.roles import Role
from tailc.lint.text_lines import TextLines
from tailc.lint.views import CellColumns
from tailc.traces.arrow import truths_of
from tailc.traces.cell_faults import (
    CLOCK,
    DECIMAL_COMMA,
    FORMULA,
    MISSING,
    THOUSANDS,
    WITH_UNIT,
)
from tailc.traces.cells import NUMBER
from tailc.traces.written_units import UNLIKE_OTHERS, have_units, without_unit

_ROUNDED = r"^[+-]?[0-9](\.[0-9]{1,2})?[eE]\+[0-9]+$"
_SENTINELS = (9999.0, 99999.0, 999999.0, 9999999.0, 2.0**31 - 1, 2.0**32 - 1)
_QUOTED = '"'
_MOST, _NEARLY_NONE, _ENOUGH = 0.5, 0.05, 40


def _matching(
    pattern: str, what: str, share: float = 0.0
) -> Callable[[CellColumns], Iterator[Sighting]]:
    """Cells of number columns with this pattern, if more than a share of the column has it."""

    def find(table: CellColumns) -> Iterator[Sighting]:
        for name in table.number_columns:
            column = table.cells.columns[name]
            if not pa.types.is_string(column.type) or have_units(column):
                continue
            found = _matches(column, pattern)
            if found.sum() > share * len(found):
                yield _of_cells(table, name, found, what)

    return find


def _units(table: CellColumns) -> Iterator[Sighting]:
    """Cells with a unit among plain numbers, or plain numbers among more cells with a unit."""
    for name in table.number_columns:
        column = table.cells.columns[name]
        if not pa.types.is_string(column.type) or have_units(column):
            continue
        plain, found = without_unit(column), _matches(column, WITH_UNIT)
        if plain.any():
            yield _of_cells(table, name, plain, UNLIKE_OTHERS)
        elif found.any():
            yield _of_cells(table, name, found, "has a unit")


def _matches(column: pa.ChunkedArray, pattern: str) -> NDArray[np.bool_]:
    return truths_of(pc.fill_null(pc.match_substring_regex(column, pattern), False))


def _of_cells(table: CellColumns, name: str, found: NDArray[np.bool_], what: str) -> Sighting:
    message = f"cell `{table.cells.text_of(name, int(np.argmax(found)))}` {what}"
    rows = first_rows(np.arange(1, len(found) + 1), found)
    return Sighting(message, int(found.sum()), rows, column=name)


def _sentinels(requests: DemandRows) -> Iterator[Sighting]:
    for value in _SENTINELS:
        found = requests.demand == value
        if found.sum() > 1 and value >= requests.demand.max():
            rows = first_rows(requests.row, found)
            message = f"the largest demand is `{value:.0f}`, which often means a missing value"
            yield Sighting(message, int(found.sum()), rows, column=requests.column)


def _minus_one(table: CellColumns) -> Iterator[Sighting]:
    name = table.roles.names.get(Role.DEMAND)
    if name is None or name not in table.cells.columns:
        return
    column = table.cells.columns[name]
    texts = column if pa.types.is_string(column.type) else column.cast(pa.string())
    found = truths_of(pc.fill_null(pc.match_substring_regex(texts, r"^-1(\.0*)?$"), False))
    if found.any():
        rows = first_rows(np.arange(1, len(found) + 1), found)
        yield Sighting("demand `-1` means a missing value", int(found.sum()), rows, column=name)


def _quoted_numbers(text: TextLines) -> Iterator[Sighting]:
    lines = [line for line in text.sample if text.is_csv]
    cells = [cell.strip() for line in lines for cell in line.split(",")]
    quoted = [cell for cell in cells if cell[:1] == cell[-1:] == _QUOTED and _is_number(cell)]
    if quoted and len(quoted) > _MOST * len(lines):
        yield Sighting(f"numbers are in quotes, such as {quoted[0]}", lines=(text.header_line + 1,))


def _is_number(cell: str) -> bool:
    return re.match(NUMBER, cell.strip(_QUOTED)) is not None


def _mixed_numbers(table: CellColumns) -> Iterator[Sighting]:
    """A demand column of whole numbers in one half and of fractions in the other."""
    for name in table.number_columns:
        column = table.cells.columns[name]
        if not pa.types.is_string(column.type) or table.roles.names.get(Role.DEMAND) != name:
            continue
        pointed = truths_of(pc.fill_null(pc.match_substring(column, "."), False))
        if len(pointed) < _ENOUGH:
            return
        fewer, more = sorted(
            (pointed[: len(pointed) // 2].mean(), pointed[len(pointed) // 2 :].mean())
        )
        if fewer < _NEARLY_NONE and more > _MOST:
            other = pointed != pointed[0]
            rows = first_rows(np.arange(1, len(other) + 1), other)
            message = "some demands have a decimal point, and others are whole"
            yield Sighting(message, int(other.sum()), rows, column=name)


def _defect(number: int, name: str, title: str, why: str, fix: str) -> Defect:
    return Defect(f"TC{1100 + number}", name, Severity.ERROR, title, why, fix)


CHECKS = (
    Check(
        _defect(
            1,
            "decimal-comma",
            "a number has a decimal comma",
            "it cannot be read, or is read as two cells",
            "write numbers with a decimal point",
        ),
        CellColumns,
        _matching(DECIMAL_COMMA, "has a decimal comma"),
    ),
    Check(
        _defect(
            2,
            "thousands-separator",
            "a number has thousands separators",
            "it cannot be read, and only long requests have such numbers",
            "write numbers without separators",
        ),
        CellColumns,
        _matching(THOUSANDS, "has a thousands separator"),
    ),
    Check(
        _defect(
            3,
            "unit-in-cell",
            "a number has a unit",
            "cells may have several units, which differ by a factor of a thousand",
            "write all numbers in one unit, and put the unit in the column's name",
        ),
        CellColumns,
        _units,
    ),
    Check(
        _defect(
            4,
            "missing-marker",
            "a cell marks a missing value",
            "requests without a time are usually those that took too long",
            "find out why it is missing, and leave the row out if it is not a timeout",
        ),
        CellColumns,
        _matching(MISSING, "marks a missing value"),
    ),
    Check(
        _defect(
            5,
            "formula-error",
            "a cell is a spreadsheet's error",
            "the number is lost",
            "export the measured values instead of computed ones",
        ),
        CellColumns,
        _matching(FORMULA, "is a spreadsheet error"),
    ),
    Check(
        _defect(
            6,
            "clock-text",
            "a duration has two parts, such as 01:30",
            "hours and minutes cannot be distinguished from minutes and seconds",
            "write it with seconds, as 00:01:30 or 01:30.0, or as a number of one unit",
        ),
        CellColumns,
        _matching(CLOCK, "may be hours and minutes, or minutes and seconds"),
    ),
    Check(
        Defect(
            "TC1107",
            "rounded-exponents",
            Severity.WARNING,
            "numbers were rounded to a few digits with an exponent",
            "large demands are wrong by several per cent, and their tail has steps",
            "export all digits; spreadsheets show fewer",
        ),
        CellColumns,
        _matching(_ROUNDED, "was rounded to a few digits", _MOST / 2),
    ),
    Check(
        _defect(
            8,
            "minus-one",
            "a demand is -1",
            "a request without a value usually failed or took too long",
            "find out what -1 means, and leave those rows out if it is not a timeout",
        ),
        CellColumns,
        _minus_one,
    ),
    Check(
        Defect(
            "TC1109",
            "sentinel",
            Severity.WARNING,
            "the largest demand is a number such as 999999",
            "a missing value counts as the longest request and determines the tail",
            "leave those rows out if the number means a missing value",
        ),
        DemandRows,
        _sentinels,
    ),
    Check(
        Defect(
            "TC1110",
            "quoted-numbers",
            Severity.NOTE,
            "numbers are in quotes",
            "tailc reads them, but the writer treated them as text, and other tools may too",
            "write numbers without quotes",
        ),
        TextLines,
        _quoted_numbers,
    ),
    Check(
        Defect(
            "TC1111",
            "mixed-precision",
            Severity.WARNING,
            "some demands have decimals, and others are whole numbers",
            "two writers filled the column, perhaps in two units or with two clocks",
            "find where it changes, and separate the parts",
        ),
        CellColumns,
        _mixed_numbers,
    ),
)
