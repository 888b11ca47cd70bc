"""Read the file that `ab -g` writes: one request per row, in whole milliseconds, sorted by time.

ab sends the next request of a connection after the last answer: a closed loop. The file does not
state which requests failed. What ab prints, and its file of percentages (`-e`), are refused.
"""

from __future__ import annotations

import re

import numpy as np

from tailc.errors import Code, Finding, Place, Severity
from tailc.ingest.format import Format, begins_with_names
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import always
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import in_half_ticks, of_successes
from tailc.traces.counted_times import Grain
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

_TIME = "ttime"
_is_rows = begins_with_names("starttime", "seconds", "ctime", "dtime", "ttime", "wait")
_SUMMARY = re.compile(rb"This is ApacheBench, Version |Percentage served,Time in ms")


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the times of all requests in a file of ApacheBench, from connection to last byte."""
    cells = kept_cells(source, ColumnsToRead((_TIME,), (), ()), format="csv")
    succeeded = np.ones(cells.count, np.bool_)
    timed, ticks = in_half_ticks(cells, _TIME, succeeded)
    histogram, added, _failed = of_successes(
        timed, _TIME, TimeUnit.MS, succeeded, options.interval_ns
    )
    return InputTimes(
        "ab TSV",
        _TIME,
        TimeUnit.MS,
        Grain.REQUESTS,
        Loop.CLOSED,
        histogram,
        estimated=added,
        warnings=(*ticks, _without_status(source)),
    )


def _without_status(source: Source) -> Finding:
    message = f"`{source.name}` does not state which requests failed, so all count"
    hint = "check that ab printed no `Failed requests` and no `Non-2xx responses`"
    return Finding(Code.FAILED_REQUESTS, message, Place(source.name), hint, Severity.WARNING)


def _refuse(source: Source, _options: InputOptions) -> InputTimes:
    message = f"`{source.name}` is a summary of ab, which has no times of requests"
    hint = "write one row for each request with `ab -g FILE`"
    raise source.fault(Code.UNKNOWN_INPUT, message, advice=hint)


FORMATS = (
    Format("ab TSV", _is_rows, read, loop=always(Loop.CLOSED)),
    Format("ab summary", lambda head: _SUMMARY.match(head) is not None, _refuse),
)
