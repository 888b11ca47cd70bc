"""Count the successful requests in a log with one request per row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.estimate import histogram_with_missing
from tailc.traces.cells import Cells, chosen_rows, numbers
from tailc.traces.histogram import Histogram
from tailc.traces.reading import TimeUnit
from tailc.traces.times import whole_ns

_HALF_MS = 0.5


def of_successes(
    cells: Cells,
    column: str,
    unit: TimeUnit,
    succeeded: NDArray[np.bool_],
    interval_ns: int | None,
) -> tuple[Histogram, int, int]:
    """Count the times of successful requests in a table with one request per row.

    Returns their histogram, the number of requests added for `interval_ns`, and the number of
    failed requests.
    """
    if not succeeded.any():
        count = len(succeeded)
        what = f"{count} requests, and all of them failed" if count else "no requests"
        message = f"`{cells.source}` has {what}"
        help_ = "measure again with a server that answers"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(cells.source), help_))
    chosen = chosen_rows(cells, succeeded)
    demand_ns = whole_ns(chosen, column, unit)
    chosen.stop_if_refused()
    return *histogram_with_missing(demand_ns, interval_ns), int((~succeeded).sum())


def in_half_ticks(
    cells: Cells, column: str, succeeded: NDArray[np.bool_], half_tick_ms: float = _HALF_MS
) -> tuple[Cells, tuple[Finding, ...]]:
    """Replace times of 0 ms by half a clock tick, by default in a column of whole milliseconds.

    Also returns a warning if a successful request took 0 ms.
    """
    time_ms = numbers(cells, column)
    cells.stop_if_refused()
    is_zero = time_ms == 0
    made = pa.chunked_array([np.where(is_zero, half_tick_ms, time_ms)])
    timed = Cells(cells.source, {column: made}, cells.count, cells.row)
    count = int((succeeded & is_zero).sum())
    if not count:
        return timed, ()
    requests = f"{count:,} of {cells.count:,} requests of `{cells.source}`"
    message = f"{requests} took 0 ms, and count as {half_tick_ms:g} ms"
    hint = "use a generator with a finer clock if requests this short matter"
    place = Place(cells.source)
    return timed, (Finding(Code.ZERO_LENGTH, message, place, hint, Severity.WARNING),)


def is_success(status: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each HTTP status code means success."""
    return (status >= 200) & (status < 400)
