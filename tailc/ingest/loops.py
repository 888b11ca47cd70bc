"""How the requests of a load generator were sent, by the times in its rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from tailc.ingest.input_times import Loop
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import Cells, numbers
from tailc.traces.closed_loop import is_closed_loop
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.split_keys import time_column
from tailc.traces.times import NS_PER_MS


def always(loop: Loop | None) -> Callable[[Source], Loop | None]:
    """The loop of a format whose every file was sent in the same way."""
    return lambda _source: loop


def loop_in(cells: Cells, start: str, time: str, unit: TimeUnit, otherwise: Loop) -> Loop:
    """CLOSED if the requests start as earlier ones end, else `otherwise`.

    start, time: the columns of when a request starts, a date-time or a number of the unit, and of
    how long it takes. Cells that are no times are for the reader of the rows to refuse.
    """
    columns = {name: cells.columns[name] for name in (start, time)}
    probe = Cells(cells.source, columns, cells.count, cells.row)
    starts = time_column(probe, start, "the order of requests")
    times = numbers(probe, time)
    if starts is None or probe.findings:
        return otherwise
    ns_per_unit = unit.in_ms * NS_PER_MS
    is_date = pa.types.is_timestamp(starts.type)
    at = numpy_of(starts.cast(pa.int64()) if is_date else starts)
    order = np.argsort(at, kind="stable")
    at_ns = (at - at[order[:1]])[order] * (1.0 if is_date else ns_per_unit)
    is_closed = is_closed_loop(at_ns, times[order] * ns_per_unit)
    return Loop.CLOSED if is_closed else otherwise
