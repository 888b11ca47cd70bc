"""Read the output of `hey -o csv`: one request per row, in seconds.

hey sends the next request of a worker after the last answer: a closed loop. Older versions write no
status. The summary of hey, eleven bars and seven percentiles, is refused.
"""

from __future__ import annotations

import numpy as np

from tailc.errors import Code, Finding, Place, Severity
from tailc.ingest.format import Format, begins_with_names
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import always
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import is_success, of_successes
from tailc.traces.cells import numbers
from tailc.traces.counted_times import Grain
from tailc.traces.csv_table import CsvTable
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

_is_csv = begins_with_names("response-time", "DNS+dialup", "DNS", "Request-write", "Response-delay")
_TIME, _STATUS = "response-time", "status-code"


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the response times of requests from CSV of hey, without those with an error status."""
    status = (_STATUS,) if _STATUS in CsvTable(source).names else ()
    cells = kept_cells(source, ColumnsToRead((_TIME, *status), (), ()), format="csv")
    succeeded = is_success(numbers(cells, _STATUS)) if status else np.ones(cells.count, np.bool_)
    cells.stop_if_refused()
    histogram, added, failed = of_successes(
        cells, _TIME, TimeUnit.S, succeeded, options.interval_ns
    )
    return InputTimes(
        "hey CSV",
        _TIME,
        TimeUnit.S,
        Grain.REQUESTS,
        Loop.CLOSED,
        histogram,
        left_out=failed,
        estimated=added,
        warnings=() if status else (_without_status(source),),
    )


def _without_status(source: Source) -> Finding:
    message = f"`{source.name}` has no column `{_STATUS}`, so failed requests cannot be recognised"
    hint = "measure again with a newer version of hey"
    return Finding(Code.FAILED_REQUESTS, message, Place(source.name), hint, Severity.WARNING)


def _is_summary(head: bytes) -> bool:
    return head.lstrip().startswith(b"Summary:") and b"Response time histogram:" in head


def _refuse(source: Source, _options: InputOptions) -> InputTimes:
    message = f"`{source.name}` is a summary of hey, which has no times of requests"
    hint = "write one row for each request with `hey -o csv`"
    raise source.fault(Code.UNKNOWN_INPUT, message, advice=hint)


FORMATS = (
    Format("hey CSV", _is_csv, read, loop=always(Loop.CLOSED)),
    Format("hey summary", _is_summary, _refuse),
)
