"""What k6 writes with `--out csv` and `--out json`: a sample of a metric a line, in milliseconds.

The times are those of `http_req_duration`: sending, waiting and receiving, without the connection.
How requests were sent, by an executor with an arrival rate or by virtual users, is not told.
"""

from __future__ import annotations

import json

import numpy as np

from tailc.errors import Code, TailcError
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import always
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import is_success, of_successes
from tailc.ingest.texts import first_object
from tailc.traces.cells import numbers
from tailc.traces.counted import Grain
from tailc.traces.histogram import MAX_NS, Histogram, histogram_of
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.table import Wanted
from tailc.traces.trace import kept_cells

METRIC = "http_req_duration"
FAILED = -1
_NS_PER_MS = 1e6
_HEADER = b"metric_name,timestamp,metric_value,"


def read_csv(source: Source, _options: InputOptions) -> InputTimes:
    """The times of the requests that were answered without an error."""
    wanted = Wanted(("metric_value", "status"), (), ("metric_name",))
    cells = kept_cells(source, wanted, (("metric_name", METRIC),), "csv")
    succeeded = is_success(numbers(cells, "status"))
    cells.stop_if_refused()
    histogram, failed = of_successes(cells, "metric_value", TimeUnit.MS, succeeded)
    return _times("k6 CSV", histogram, failed)


def read_json(source: Source, _options: InputOptions) -> InputTimes:
    """The same of JSON lines."""
    source.check_whole()
    ns: list[int] = []
    failed = 0
    for row, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        _check_length(source, line, row)
        # The last line may be cut before it names its metric.
        is_other = METRIC.encode() not in line and line.endswith(b"\n")
        if is_other or not line.strip():
            continue
        value = _value(source, line, row)
        failed += value == FAILED
        if value not in (None, FAILED):
            ns.append(value)
    if not ns:
        message = f"`{source.name}` has no `{METRIC}` of a request that succeeded"
        hint = "give the output of a script that sends HTTP requests"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)
    return _times("k6 JSON", histogram_of(np.array(ns)), failed)


def _times(name: str, histogram: Histogram, failed: int) -> InputTimes:
    return InputTimes(
        name, METRIC, TimeUnit.MS, Grain.REQUESTS, Loop.UNSTATED, histogram, left_out=failed
    )


def _check_length(source: Source, line: bytes, row: int) -> None:
    """Raise TailcError where the line was cut, and no more lines follow, since it is too long."""
    if len(line) > MAX_LINE_BYTES:
        message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
        raise source.fault(
            Code.TRACE_TOO_LARGE, message, row, line=row, advice="leave the line out"
        )


def _value(source: Source, line: bytes, row: int) -> int | None:
    """Whole ns of a request, or FAILED; None where the line is of something else."""
    try:
        point = json.loads(line)
        if point["type"] != "Point" or point["metric"] != METRIC:
            return None
        if not is_success(np.array(point["data"]["tags"]["status"], dtype=np.float64)):
            return FAILED
        ns = round(float(point["data"]["value"]) * _NS_PER_MS)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise _broken(source, line, row) from None
    if not 1 <= ns <= MAX_NS:
        message = f"the time `{point['data']['value']}` is not positive, or beyond 104 days"
        raise source.fault(Code.OUT_OF_RANGE, message, row, line=row, advice="leave the line out")
    return ns


def _broken(source: Source, line: bytes, row: int) -> TailcError:
    cut = not line.endswith(b"\n")
    message = "the last line ends in the middle" if cut else "line is no sample of a k6 metric"
    code = Code.TRUNCATED if cut else Code.BROKEN_FORMAT
    return source.fault(code, message, row, line=row, advice="write or copy the file again")


def _is_json(head: bytes) -> bool:
    first = first_object(head)
    return first.get("type") in ("Metric", "Point") and isinstance(first.get("metric"), str)


FORMATS = (
    Format("k6 CSV", lambda head: head.startswith(_HEADER), read_csv, loop=always(Loop.UNSTATED)),
    Format("k6 JSON", _is_json, read_json),
)
