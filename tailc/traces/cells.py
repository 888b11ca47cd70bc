"""Convert columns of cells to numbers and texts; count bad cells and report the first ones."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.arrow import mask, nothing, numpy_of, text_array, truths_of
from tailc.traces.cell_faults import fault_of
from tailc.units import number_text, shorten

NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
INFINITY = r"(?i)^[+-]?inf(inity)?$"
# Text that is a whole number but for a decimal point. Leading zeros, as in `007`, make an id.
POINTED = r"^(-?(?:0|[1-9][0-9]*))\.0+$"
ROWS_NAMED = 3
MEND = "correct the cell, or remove the row"

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Column = TypeVar("Column", pa.Array, pa.ChunkedArray)


@dataclass
class Cells:
    """The selected rows of a trace as columns of cells, and the errors found in them before.

    row: number of each selected row in the file, from 1; None if all rows are selected.
    """

    source: str
    columns: dict[str, pa.ChunkedArray]
    count: int
    row: NDArray[np.int64] | None
    findings: list[Finding] = field(default_factory=list)

    def row_of(self, index: int) -> int:
        """Number, from 1, that a selected row has in the file."""
        return index + 1 if self.row is None else int(self.row[index])

    def text_of(self, name: str, index: int) -> str | None:
        """A cell as text, shortened if it is long; None if the cell is missing."""
        scalar = self.columns[name][index]
        is_duration = pa.types.is_duration(scalar.type)
        # Python has no duration of nanoseconds.
        cell = (scalar.cast(pa.int64()) if is_duration else scalar).as_py()
        return None if cell is None else shorten(str(cell))

    def refuse(self, bad: Mask, name: str, code: Code, what: str, help_: str) -> None:
        """Record an error about some cells of a column; does nothing if no cell is bad.

        bad: mask of the cells. what: describes them, such as `is not a number`.
        """
        rows = np.flatnonzero(bad)
        if not len(rows):
            return
        cell = self.text_of(name, int(rows[0]))
        shown = "cell is missing or empty" if not cell else f"cell `{cell}` {what}"
        named = [self.row_of(int(i)) for i in rows[:ROWS_NAMED]]
        place = Place(self.source, row=named[0], field=name)
        self.findings.append(Finding(code, shown + _others(named, len(rows)), place, help=help_))

    def stop_if_refused(self) -> None:
        """Raise all errors that were recorded about cells together, if there are any."""
        if self.findings:
            raise TailcError(self.findings)


def chosen_rows(cells: Cells, chosen: NDArray[np.bool_]) -> Cells:
    """Select rows of a trace, with all columns and their row numbers."""
    rows = np.flatnonzero(chosen)
    columns = {name: values.filter(mask(chosen)) for name, values in cells.columns.items()}
    row = rows + 1 if cells.row is None else cells.row[rows]
    return Cells(cells.source, columns, len(rows), row)


def _others(named: list[int], total: int) -> str:
    if total == 1:
        return ""
    dots = ", ..." if total > len(named) else ""
    return f" (first of {total} such cells, in rows {', '.join(map(str, named))}{dots})"


def numbers(cells: Cells, name: str) -> Floats:
    """Convert a column to float64; record bad cells and make them NaN.

    Bad cells are missing, not numbers, or infinite.
    """
    values = _as_floats(cells.columns[name])
    if np.isfinite(values).all():
        return values
    infinite = np.isinf(values)
    _refuse_other_texts(cells, name, np.isnan(values))
    cells.refuse(infinite, name, Code.NOT_FINITE, "is infinite", MEND)
    values = values.copy()
    values[infinite] = np.nan
    return values


def _refuse_other_texts(cells: Cells, name: str, bad: Mask) -> None:
    """Record an error about cells that are no numbers, with why the first one is none."""
    if not bad.any():
        return
    fault = fault_of(cells.text_of(name, int(np.argmax(bad))) or "")
    what = "is not a number" + (f": {fault.why}" if fault else "")
    cells.refuse(bad, name, Code.NOT_A_NUMBER, what, fault.mend if fault else MEND)


def positive(cells: Cells, name: str, largest: float, of_zero: str = MEND) -> Floats:
    """Convert a column to float64 above 0, up to `largest`; record bad cells and make them NaN.

    of_zero: advice if a cell is 0.
    """
    values = numbers(cells, name)
    good = (values > 0) & (values <= largest)
    if good.all():
        return values
    mend = of_zero if (values == 0).any() else MEND
    cells.refuse(values <= 0, name, Code.NOT_POSITIVE, "is not positive", mend)
    beyond = f"is above {largest:g}, the largest value that is supported"
    cells.refuse(values > largest, name, Code.OUT_OF_RANGE, beyond, MEND)
    return np.where(good, values, np.nan)


def not_negative(cells: Cells, name: str, largest: float) -> Floats:
    """Convert a column to float64 from 0 to `largest`; record bad cells and make them NaN."""
    values = numbers(cells, name)
    cells.refuse(values < 0, name, Code.NOT_POSITIVE, "is negative", MEND)
    beyond = f"is above {largest:g}, the largest value that is supported"
    cells.refuse(values > largest, name, Code.OUT_OF_RANGE, beyond, MEND)
    return np.where((values >= 0) & (values <= largest), values, np.nan)


def whole(cells: Cells, name: str, largest: int) -> NDArray[np.int64]:
    """Convert a column to positive whole numbers; record bad cells and make them 1."""
    values = positive(cells, name, largest)
    values = np.where(np.isnan(values), 1, values)
    parts = values != np.floor(values)
    cells.refuse(parts, name, Code.OUT_OF_RANGE, "is not a whole number", MEND)
    return values.astype(np.int64)


def texts(cells: Cells, name: str) -> pa.ChunkedArray:
    """Convert a column to canonical texts; record missing cells."""
    column = as_text(cells.columns[name])
    if column.null_count:
        missing = truths_of(column.is_null())
        cells.refuse(missing, name, Code.NOT_A_NUMBER, "is missing", MEND)
    return column


def as_text(column: Column) -> Column:
    """Convert cells to canonical text, which does not depend on the file format.

    Filters, classes and hashes use it. Numbers have the text of `number_text`. Texts are unchanged,
    except that a whole number with a decimal point, such as `17.0`, loses it, because CSV does not
    distinguish numbers from text.
    """
    if pa.types.is_floating(column.type):
        # By way of Arrow's own text, so that a float32 of 0.1 is `0.1`.
        column = _by_cell(column.cast(pa.string()), lambda text: number_text(float(text)))
    elif pa.types.is_decimal(column.type):
        column = _by_cell(column, number_text)
    elif not pa.types.is_string(column.type):
        return column.cast(pa.string())
    return _without_point(column)


def text_as_cell(text: str) -> str:
    """Convert a text to the canonical text of its cell; see `as_text`."""
    return as_text(text_array([text]))[0].as_py()


def _by_cell(column: Column, text_of: Callable[[Any], str]) -> Column:
    made = pa.array(
        [None if cell is None else text_of(cell) for cell in column.to_pylist()], pa.string()
    )
    return pa.chunked_array([made]) if isinstance(column, pa.ChunkedArray) else made


def _without_point(column: Column) -> Column:
    if not pc.any(pc.match_substring(column, ".0")).as_py():
        return column
    return pc.replace_substring_regex(column, POINTED, r"\1")


def _as_floats(column: pa.ChunkedArray) -> Floats:
    """float64 values; NaN where a cell is missing or no number, as a duration without a unit."""
    if pa.types.is_duration(column.type):
        return np.full(len(column), np.nan)
    if pa.types.is_string(column.type):
        column = _parse(column)
    elif column.type != pa.float64():
        column = column.cast(pa.float64(), safe=False)
    return numpy_of(column)


def _parse(column: pa.ChunkedArray) -> pa.ChunkedArray:
    trimmed = pc.utf8_trim_whitespace(column)
    is_number = pc.or_(
        pc.match_substring_regex(trimmed, NUMBER), pc.match_substring_regex(trimmed, INFINITY)
    )
    kept = pc.if_else(is_number, trimmed, nothing(trimmed.type))
    return kept.cast(pa.float64())
