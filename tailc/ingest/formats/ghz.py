"""Read the output of ghz: JSON (or `pretty`) with each request in `details`, in ns, or CSV in ms.

CSV does not state how requests were sent, and its error texts may have commas and line breaks. In
JSON, a run without `rps` sends when answers arrive. With `rps` it sends at that rate, unless all
workers wait for answers, except with `async`. `details` has the first million requests, and `count`
says how many there were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.format import Format, begins_with_names
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import always
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import in_half_ticks, of_successes
from tailc.ingest.texts import report
from tailc.traces.cells import Cells
from tailc.traces.counted_times import Grain
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_NAME, _TIME, _GOOD = "ghz JSON", "latency", "OK"
# A request takes about 130 bytes.
_MAX_BYTES = 100_000_000
_CSV_NAME, _CSV_TIME = "ghz CSV", "duration (ms)"
_HALF_TICK_MS = 0.005
_MAX_LINE_BYTES = 1 << 16
_ROW = re.compile(r"\s*(\d+(?:\.\d+)?),(\w+),")
_is_csv = begins_with_names(_CSV_TIME, "status", "error")


def read(source: Source, options: InputOptions) -> InputTimes:
    """Read the latencies of calls with the status `OK` from a file of ghz."""
    try:
        document = json.loads(report(source, _MAX_BYTES))
        details = document["details"] or ()
        times_ns = np.array([float(one[_TIME]) for one in details], np.float64)
        succeeded = np.array([one["status"] == _GOOD for one in details], np.bool_)
        loop = _loop(document["options"])
        warnings = _of_missing(source.name, len(times_ns), int(document.get("count") or 0))
    except RecursionError:
        raise _format_error(source, "it is nested too deeply") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise _format_error(source, str(error)) from None
    cells = Cells(source.name, {_TIME: pa.chunked_array([times_ns])}, len(times_ns), None)
    histogram, added, failed = of_successes(
        cells, _TIME, TimeUnit.NS, succeeded, options.interval_ns
    )
    return InputTimes(
        _NAME,
        _TIME,
        TimeUnit.NS,
        Grain.REQUESTS,
        loop,
        histogram,
        left_out=failed,
        estimated=added,
        warnings=warnings,
    )


def read_csv(source: Source, options: InputOptions) -> InputTimes:
    """Read the durations of calls with the status `OK` from CSV of ghz."""
    rows = [(float(time), status) for time, status in _rows(source)]
    time_ms = np.array([time for time, _status in rows], np.float64)
    succeeded = np.array([status == _GOOD for _time, status in rows], np.bool_)
    cells = Cells(source.name, {_CSV_TIME: pa.chunked_array([time_ms])}, len(rows), None)
    timed, ticks = in_half_ticks(cells, _CSV_TIME, succeeded, _HALF_TICK_MS)
    histogram, added, failed = of_successes(
        timed, _CSV_TIME, TimeUnit.MS, succeeded, options.interval_ns
    )
    return InputTimes(
        _CSV_NAME,
        _CSV_TIME,
        TimeUnit.MS,
        Grain.REQUESTS,
        Loop.UNSTATED,
        histogram,
        left_out=failed,
        estimated=added,
        warnings=ticks,
    )


def _rows(source: Source) -> Iterator[tuple[str, str]]:
    """The time and the status of each row; TailcError for a line that is no row.

    The lines below the row of a failed call may belong to its error.
    """
    status, is_header = _GOOD, True
    for number, line in enumerate(source.lines(_MAX_LINE_BYTES), 1):
        text = line.decode("utf-8", "replace").strip()
        if not text or is_header:
            is_header = is_header and not text
        elif (row := _ROW.match(text)) is not None:
            status = row[2]
            yield row[1], status
        elif status == _GOOD:
            message = f"`{source.name}` has a line that is no row of ghz: time, status, error"
            hint = "give the unchanged output of the tool"
            raise source.fault(Code.BROKEN_FORMAT, message, line=number, advice=hint)


def _of_missing(name: str, written: int, count: int) -> tuple[Finding, ...]:
    """A warning if `details` does not have all requests."""
    if written == 0 or count <= written:
        return ()
    message = (
        f"`{name}` has the times of {written:,} of {count:,} requests: the last "
        f"{count - written:,} are missing"
    )
    hint = "measure in runs of at most a million requests, which is all that ghz writes"
    return (Finding(Code.CUT_SHORT, message, Place(name), hint, Severity.WARNING),)


def _loop(options: dict[str, Any]) -> Loop:
    if options.get("async"):
        return Loop.OPEN
    return Loop.UNSTATED if options.get("rps") else Loop.CLOSED


def _format_error(source: Source, why: str) -> TailcError:
    message = f"`{source.name}` is incomplete JSON of ghz ({why})"
    return source.fault(Code.BROKEN_FORMAT, message, advice="give the unchanged output of the tool")


def _matches(head: bytes) -> bool:
    names = (b'"latencyDistribution"', b'"statusCodeDistribution"', b'"options"')
    return head.lstrip().startswith(b"{") and all(name in head for name in names)


FORMATS = (
    Format(_NAME, _matches, read),
    Format(_CSV_NAME, _is_csv, read_csv, loop=always(Loop.UNSTATED)),
)
