"""Read the output of oha: JSON with percentiles in seconds, or CSV with one request per row.

Without `-q`, oha waits for answers before it sends. With it, times begin when a request was sent,
unless `--latency-correction` is given. The output states neither, but the rows of a few connections
reveal a closed loop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.format import Format, begins_with_names
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import loop_in
from tailc.ingest.options import InputOptions
from tailc.ingest.percentiles import of_points
from tailc.ingest.prometheus import DEFAULT_PERCENTILE_PPM
from tailc.ingest.rows import is_success, of_successes
from tailc.ingest.texts import report
from tailc.percentiles import PPM, percentile_rank
from tailc.traces.cells import Cells, numbers
from tailc.traces.counted_times import Grain
from tailc.traces.histogram import MAX_NS, MAX_REQUESTS
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells
from tailc.units import format_percentile, shorten

_is_csv = begins_with_names(
    "request-start", "DNS", "DNS+dialup", "Response-delay", "request-duration", "bytes", "status"
)
_START, _TIME, _STATUS = "request-start", "request-duration", "status"
_NS_PER_S = 1e9
_CUT_SHORT = "aborted due to deadline"
# The names of the percentiles, and what they are.
_PERCENTILES_PPM = {
    "p10": 100_000,
    "p25": 250_000,
    "p50": 500_000,
    "p75": 750_000,
    "p90": 900_000,
    "p95": 950_000,
    "p99": 990_000,
    "p99.9": 999_000,
    "p99.99": 999_900,
}


def read_csv(source: Source, options: InputOptions) -> InputTimes:
    """Read the durations of requests that were answered without an error from CSV of oha."""
    cells = kept_cells(source, ColumnsToRead((_START, _TIME, _STATUS), (), ()), format="csv")
    succeeded = is_success(numbers(cells, _STATUS))
    cells.stop_if_refused()
    histogram, added, failed = of_successes(
        cells, _TIME, TimeUnit.S, succeeded, options.interval_ns
    )
    return InputTimes(
        "oha CSV",
        _TIME,
        TimeUnit.S,
        Grain.REQUESTS,
        _loop_in(cells),
        histogram,
        left_out=failed,
        estimated=added,
    )


def loop_of(source: Source) -> Loop:
    """Determine whether the rows' requests were sent at a rate or in a closed loop."""
    return _loop_in(kept_cells(source, ColumnsToRead((_START, _TIME), (), ()), format="csv"))


def _loop_in(cells: Cells) -> Loop:
    return loop_in(cells, _START, _TIME, TimeUnit.S, Loop.UNSTATED)


def read_json(source: Source, options: InputOptions) -> InputTimes:
    """Read the percentiles of the answered requests from JSON of oha."""
    try:
        document = json.loads(report(source))
        _check_answered(document, source)
        points = list(_points(document))
        histogram = of_points(points)
        failed, lost, cut_short = (
            _failed_requests(document),
            _lost_requests(document),
            _cut_short(document),
        )
    except RecursionError:
        raise _format_error(source, "it is nested too deeply") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise _format_error(source, str(error)) from None
    return InputTimes(
        "oha JSON",
        "latencyPercentiles",
        TimeUnit.S,
        Grain.PERCENTILES,
        Loop.UNSTATED,
        histogram,
        points=len(points),
        left_out=lost,
        failed_among=failed,
        warnings=_warnings(source, histogram.requests, cut_short, options),
    )


def _warnings(
    source: Source, answered: int, cut_short: int, options: InputOptions
) -> tuple[Finding, ...]:
    """That the percentile is among the requests that the end of the run cut short."""
    requested_ppm = options.metrics.percentile_ppm
    ppm = DEFAULT_PERCENTILE_PPM if requested_ppm is None else requested_ppm
    total = answered + cut_short
    if not cut_short or cut_short * PPM < (PPM - ppm) * total:
        return ()
    message = (
        f"{cut_short:,} of {total:,} requests of `{source.name}` were cut short by the end of the "
        f"run and are left out. They may be the slowest, so {format_percentile(ppm)} is unknown"
    )
    hint = "run for longer, or find out why the server did not answer them"
    return (Finding(Code.CUT_SHORT, message, Place(source.name), hint, Severity.WARNING),)


def _check_answered(document: dict[str, Any], source: Source) -> None:
    if document["statusCodeDistribution"] == {}:
        errors = ", ".join(f"`{shorten(reason)}`" for reason in _errors(document)) or "none"
        message = f"no request of `{source.name}` was answered (errors: {errors})"
        hint = "measure again with a server that answers"
        raise source.fault(Code.EMPTY_TRACE, message, advice=hint)


def _points(document: dict[str, Any]) -> Iterator[tuple[int, int]]:
    total = sum(document["statusCodeDistribution"].values())
    if not isinstance(total, int) or not 0 < total <= MAX_REQUESTS:
        raise ValueError(f"{total} answers")
    summary, percentiles = document["summary"], document["latencyPercentiles"]
    yield _ns(summary["fastest"]), 1
    for name, ppm in _PERCENTILES_PPM.items():
        yield _ns(percentiles[name]), percentile_rank(ppm, total)
    yield _ns(summary["slowest"]), percentile_rank(PPM, total)


def _ns(seconds: Any) -> int:
    ns = round(float(seconds) * _NS_PER_S)
    if not 0 <= ns <= MAX_NS:
        raise ValueError(f"its time `{seconds}` s is negative, or beyond 104 days")
    return ns


def _failed_requests(document: dict[str, Any]) -> int:
    """Number of answers with an error status; their times are among the others."""
    by_status = document["statusCodeDistribution"].items()
    return sum(count for status, count in by_status if not 200 <= int(status) < 400)


def _lost_requests(document: dict[str, Any]) -> int:
    """Number of requests without an answer, other than those that the end of the run cut short."""
    return sum(_errors(document).values()) - _cut_short(document)


def _cut_short(document: dict[str, Any]) -> int:
    """Number of requests that were under way at the end of the run."""
    return _errors(document).get(_CUT_SHORT, 0)


def _errors(document: dict[str, Any]) -> dict[str, int]:
    """Number of requests without an answer, by reason."""
    errors = document.get("errorDistribution", {})
    if not all(isinstance(count, int) and count >= 0 for count in errors.values()):
        raise ValueError("its number of errors is not valid")
    return errors


def _format_error(source: Source, why: str) -> TailcError:
    message = f"`{source.name}` is JSON of oha, but incomplete ({why})"
    return source.fault(Code.BROKEN_FORMAT, message, advice="give the unchanged output of the tool")


def _is_json(head: bytes) -> bool:
    return head.lstrip().startswith(b"{") and b'"latencyPercentiles"' in head


FORMATS = (
    Format("oha CSV", _is_csv, read_csv, loop=loop_of),
    Format("oha JSON", _is_json, read_json),
)
