"""Count the successful requests in a log with one request per row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.estimate import histogram_with_missing
from tailc.traces.cells import Cells, chosen_rows
from tailc.traces.histogram import Histogram
from tailc.traces.reading import TimeUnit
from tailc.traces.times import whole_ns


def of_successes(
    cells: Cells,
    column: str,
    unit: TimeUnit,
    succeeded: NDArray[np.bool_],
    interval_ns: int | None,
) -> tuple[Histogram, int, int]:
    """Histogram of successful requests, number added for an interval, and number of failed
    requests."""
    if not succeeded.any():
        message = f"`{cells.source}` has {len(succeeded)} requests, and all of them failed"
        help_ = "measure again with a server that answers"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(cells.source), help_))
    chosen = chosen_rows(cells, succeeded)
    demand_ns = whole_ns(chosen, column, unit)
    chosen.stop_if_refused()
    return *histogram_with_missing(demand_ns, interval_ns), int((~succeeded).sum())


def is_success(status: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether HTTP status codes are not errors."""
    return (status >= 200) & (status < 400)
