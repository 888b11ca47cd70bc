"""Read the day of each row of a trace."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.arrow import numpy_of, text_array, truths_of
from tailc.traces.cells import MEND, texts
from tailc.traces.source import Format, open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import Filters, kept_cells

# More than a year of them are rather times, or ids.
MOST_DAYS = 400
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]|$)"
_DATE_LENGTH = 10
_MISSING = Code.NOT_A_NUMBER, "is missing", MEND


@dataclass(frozen=True, eq=False)
class RowDays:
    """The days of a trace's rows.

    names: of the days, in order. of_row: int32 (rows,), index of the row's day in `names`.
    """

    names: tuple[str, ...]
    of_row: NDArray[np.int32]

    def select(self, chosen: NDArray[np.bool_]) -> RowDays:
        """Select the rows where `chosen` is true; days without rows keep their index."""
        return RowDays(self.names, self.of_row[chosen])


def read_days(source: str, column: str, where: Filters = (), format: Format = "auto") -> RowDays:  # noqa: A002
    """Read the days of the rows that `where` selects, in file order.

    A cell that begins with a date belongs to that day as written, without regard to time zones; any
    other cell is the name of a day. Raises TailcError for empty cells and too many days.
    """
    with open_source(source) as opened:
        cells = kept_cells(opened, ColumnsToRead((), (column,), _names(where)), where, format)
    found = texts(cells, column)
    # A cell of a CSV file that holds nothing is a text.
    cells.refuse(truths_of(pc.equal(found, text_array([""])[0])), column, *_MISSING)
    cells.stop_if_refused()
    if pc.all(pc.match_substring_regex(found, _DATE)).as_py():
        found = pc.utf8_slice_codeunits(found, 0, _DATE_LENGTH)
    encoded = found.combine_chunks().dictionary_encode()
    names = encoded.dictionary.to_pylist()
    if len(names) > MOST_DAYS:
        raise _too_many(source, column, len(names))
    order = sorted(range(len(names)), key=names.__getitem__)
    number = np.empty(len(names), np.int32)
    number[order] = np.arange(len(names), dtype=np.int32)
    return RowDays(tuple(names[at] for at in order), number[numpy_of(encoded.indices)])


def _names(where: Filters) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name, _ in where))


def _too_many(source: str, column: str, count: int) -> TailcError:
    message = f"column `{column}` has {count:,} different days; the limit is {MOST_DAYS}"
    hint = "name a column of days, or of dates and times such as `2024-03-01 12:30`"
    return TailcError(Finding(Code.OUT_OF_RANGE, message, Place(source, field=column), hint))
