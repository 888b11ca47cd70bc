"""Read the output of k6, `--out csv` and `--out json`: one sample of a metric per line, in ms.

The times are `http_req_duration`: sending, waiting and receiving, without connecting. The file does
not state whether requests were sent at a rate or by virtual users that wait. Requests of `setup()`
and `teardown()` are not load, and are left out.
"""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.estimate import histogram_with_missing
from tailc.ingest.format import Format, begins_with_names
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import always
from tailc.ingest.options import InputOptions
from tailc.ingest.rows import is_success, of_successes
from tailc.ingest.texts import first_object
from tailc.traces.arrow import truths_of
from tailc.traces.cells import Cells, as_text, chosen_rows, numbers
from tailc.traces.counted_times import Grain
from tailc.traces.csv_table import CsvTable
from tailc.traces.histogram import MAX_NS, Histogram
from tailc.traces.ndjson_table import MAX_LINE_BYTES
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

METRIC = "http_req_duration"
_STATUS, _GROUP = "status", "group"
_OUTSIDE = r"^::(setup|teardown)(::|$)"
_NS_PER_MS = 1e6
_WITH_STATUS = "add `status` to `systemTags` of k6, and measure again"
_is_csv = begins_with_names("metric_name", "timestamp", "metric_value")


def read_csv(source: Source, options: InputOptions) -> InputTimes:
    """Read from CSV the times of requests that were answered without an error."""
    names = CsvTable(source).names
    if _STATUS not in names:
        raise _without_status(source)
    groups = (_GROUP,) if _GROUP in names else ()
    wanted = ColumnsToRead(("metric_value", _STATUS), groups, ("metric_name",))
    try:
        every = kept_cells(source, wanted, (("metric_name", METRIC),), "csv")
    except TailcError as error:
        raise _without_requests(source) if _is_empty(error) else error from None
    cells, outside = _of_load(every)
    succeeded = is_success(numbers(cells, _STATUS))
    cells.stop_if_refused()
    histogram, added, failed = of_successes(
        cells, "metric_value", TimeUnit.MS, succeeded, options.interval_ns
    )
    return _times("k6 CSV", histogram, added, failed, outside, source)


def _of_load(cells: Cells) -> tuple[Cells, int]:
    """Rows that are not of setup() or teardown(), and the number of the others."""
    if _GROUP not in cells.columns:
        return cells, 0
    groups = as_text(cells.columns[_GROUP])
    outside = truths_of(pc.match_substring_regex(groups, _OUTSIDE).fill_null(False))
    return chosen_rows(cells, ~outside), int(outside.sum())


def read_json(source: Source, options: InputOptions) -> InputTimes:
    """Read from JSON lines the times of requests that were answered without an error."""
    source.check_whole()
    requests = _Requests()
    for row, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        _check_length(source, line, row)
        # The last line may be cut before it names its metric.
        is_other = METRIC.encode() not in line and line.endswith(b"\n")
        if is_other or not line.strip():
            continue
        _add(requests, source, line, row)
    if not requests.ns:
        raise _without_requests(source)
    histogram, added = histogram_with_missing(np.array(requests.ns), options.interval_ns)
    return _times("k6 JSON", histogram, added, requests.failed, requests.outside, source)


@dataclass
class _Requests:
    """Times [whole ns] of successful requests; number of failed ones, and of those of setup() or
    teardown()."""

    ns: list[int] = field(default_factory=list)
    failed: int = 0
    outside: int = 0


def _times(
    name: str, histogram: Histogram, added: int, failed: int, outside: int, source: Source
) -> InputTimes:
    return InputTimes(
        name,
        METRIC,
        TimeUnit.MS,
        Grain.REQUESTS,
        Loop.UNSTATED,
        histogram,
        left_out=failed,
        estimated=added,
        warnings=(_outside(outside, source),) if outside else (),
    )


def _outside(count: int, source: Source) -> Finding:
    requests = f"{count:,} request" if count == 1 else f"{count:,} requests"
    message = f"{requests} of setup() or teardown() in `{source.name}` left out"
    hint = "no change is needed: k6 sends them before and after the load"
    return Finding(Code.OUTSIDE_LOAD, message, Place(source.name), hint, Severity.WARNING)


def _is_empty(error: TailcError) -> bool:
    return error.findings[0].code is Code.EMPTY_TRACE


def _without_requests(source: Source) -> TailcError:
    message = f"`{source.name}` has no `{METRIC}` of a request that succeeded"
    hint = "give the output of a script whose HTTP requests succeed"
    return source.fault(Code.EMPTY_TRACE, message, advice=hint)


def _without_status(source: Source, row: int | None = None) -> TailcError:
    message = f"`{METRIC}` has no tag `{_STATUS}`, so failed requests cannot be recognised"
    return source.fault(Code.MISSING_COLUMN, message, row, _STATUS, line=row, advice=_WITH_STATUS)


def _check_length(source: Source, line: bytes, row: int) -> None:
    """Raise TailcError for a line that is too long, after which reading stopped."""
    if len(line) > MAX_LINE_BYTES:
        message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
        raise source.fault(Code.TRACE_TOO_LARGE, message, row, line=row, advice="remove the line")


def _add(requests: _Requests, source: Source, line: bytes, row: int) -> None:
    """Add the request of a line; raises TailcError if the line is not a sample, or has no
    status."""
    try:
        point = json.loads(line)
        if point["type"] != "Point" or point["metric"] != METRIC:
            return
        tags = point["data"].get("tags") or {}
        if re.match(_OUTSIDE, tags.get(_GROUP, "")):
            requests.outside += 1
            return
        ns = round(float(point["data"]["value"]) * _NS_PER_MS)
        status = float(tags[_STATUS]) if _STATUS in tags else None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise _row_error(source, line, row) from None
    if status is None:
        raise _without_status(source, row)
    if not is_success(np.array(status)):
        requests.failed += 1
        return
    if not 1 <= ns <= MAX_NS:
        message = f"the time `{point['data']['value']}` is not positive, or beyond 104 days"
        raise source.fault(Code.OUT_OF_RANGE, message, row, line=row, advice="remove the line")
    requests.ns.append(ns)


def _row_error(source: Source, line: bytes, row: int) -> TailcError:
    cut = not line.endswith(b"\n")
    message = "the last line ends in the middle" if cut else "line is not a sample of a k6 metric"
    code = Code.TRUNCATED if cut else Code.BROKEN_FORMAT
    return source.fault(code, message, row, line=row, advice="write or copy the file again")


def _is_json(head: bytes) -> bool:
    first = first_object(head)
    return first.get("type") in ("Metric", "Point") and isinstance(first.get("metric"), str)


FORMATS = (
    Format("k6 CSV", _is_csv, read_csv, loop=always(Loop.UNSTATED)),
    Format("k6 JSON", _is_json, read_json),
)
