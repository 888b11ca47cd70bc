"""Requests of a load generator's log, one a row: those that succeeded, counted."""

# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.arrow import mask
from tailc.traces.cells import Cells
from tailc.traces.histogram import Histogram, histogram_of
from tailc.traces.reading import TimeUnit
from tailc.traces.times import whole_ns


def of_successes(
    cells: Cells, column: str, unit: TimeUnit, succeeded: NDArray[np.bool_]
) -> tuple[Histogram, int]:
    """The times of the requests that succeeded, and how many had failed."""
    if not succeeded.any():
        message = f"`{cells.source}` has {len(succeeded)} requests, and all of them failed"
        help_ = "measure again, with a server that answers"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(cells.source), help_))
    kept = _kept(cells, column, succeeded)
    demand_ns = whole_ns(kept, column, unit)
    kept.stop_if_refused()
    return histogram_of(demand_ns), int((~succeeded).sum())


def _kept(cells: Cells, column: str, chosen: NDArray[np.bool_]) -> Cells:
    rows = np.flatnonzero(chosen)
    values: pa.ChunkedArray = cells.columns[column].filter(mask(chosen))
    row = rows + 1 if cells.row is None else cells.row[rows]
    return Cells(cells.source, {column: values}, len(rows), row)


def is_success(status: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether HTTP status codes are of answers that are no errors."""
    return (status >= 200) & (status < 400)
