"""Determine from the times of rows whether a load generator sent them in a closed loop."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.ingest.input_times import Loop
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import Cells, numbers
from tailc.traces.closed_loop import is_closed_loop
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.split_keys import time_column
from tailc.traces.times import NS_PER_MS


def always(loop: Loop | None) -> Callable[[Source], Loop | None]:
    """Make the `loop` function of a format whose requests are always sent in the same way."""
    return lambda _source: loop


def loop_in(cells: Cells, start: str, time: str, unit: TimeUnit, otherwise: Loop) -> Loop:
    """Whether rows of a load generator were sent in a closed loop: CLOSED, else `otherwise`.

    The loop is closed if requests start when earlier ones end. start, time: columns of the start of
    a request (a date-time or a number of the unit) and of its duration. Bad cells are ignored here;
    the reader of the rows reports them.
    """
    probe = Cells(cells.source, {time: cells.columns[time]}, cells.count, cells.row)
    times = numbers(probe, time)
    at_ns = starts_ns(cells, start, unit)
    if at_ns is None or probe.findings:
        return otherwise
    order = np.argsort(at_ns, kind="stable")
    is_closed = is_closed_loop(at_ns[order], times[order] * (unit.in_ms * NS_PER_MS))
    return Loop.CLOSED if is_closed else otherwise


def starts_ns(cells: Cells, start: str, unit: TimeUnit) -> NDArray[np.float64] | None:
    """Start of each request since the first one [ns]; None if a cell of the column is no time.

    unit: of numbers; date-times have none.
    """
    probe = Cells(cells.source, {start: cells.columns[start]}, cells.count, cells.row)
    starts = time_column(probe, start, "the order of requests")
    if starts is None or probe.findings:
        return None
    is_date = pa.types.is_timestamp(starts.type)
    at = numpy_of(starts.cast(pa.int64()) if is_date else starts)
    return (at - at.min()) * (1.0 if is_date else unit.in_ms * NS_PER_MS)
