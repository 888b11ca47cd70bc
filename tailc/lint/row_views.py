"""Make the views of a table's rows: cells, requests, arrivals and speed-ups."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.rows import is_success
from tailc.lint.demand_rows import DemandRows
from tailc.lint.hints import with_command
from tailc.lint.roles import Role, Roles, TraceOptions
from tailc.lint.views import (
    Attempts,
    CellColumns,
    Classes,
    RequestIds,
    SpeedupRows,
    Stream,
    TimeTexts,
    TimingRows,
)
from tailc.percentiles import fewest_requests
from tailc.traces.arrivals import ArrivalColumn, times_in
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import Cells, as_text, numbers, positive, texts, whole
from tailc.traces.curves import MAX_SPEEDUP, distinct_curves
from tailc.traces.demand_log import ONE_THREAD
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.reading import (
    DemandColumn,
    DemandReading,
    Rows,
    TimeUnit,
    TimingsReading,
    ValueMeaning,
)
from tailc.traces.reading import Timings as TimingColumns
from tailc.traces.request_rows import MAX_TOTAL_WEIGHT
from tailc.traces.source import Format, Source
from tailc.traces.speedup_check import curve_findings, speedup_summary
from tailc.traces.split_keys import time_column
from tailc.traces.table import ColumnsToRead
from tailc.traces.times import NS_PER_MS, suspect_unit, whole_ns
from tailc.traces.timings import MAX_DEGREE, timed_requests
from tailc.traces.trace import cells_of, table_of, trace_in
from tailc.units import format_ppm

# Times are that far apart, 146 years, where a unit is wrong.
_LONGEST_NS = 2.0**62
# What a status says of a request that has no answer, or none that it was sent for.
_FAILED = re.compile(
    r"\s*(time[-_ ]?d?[-_ ]?out|err(or)?\b|fail|cancel|abort|exception|reject|refuse|unavailable"
    r"|deadline|internal|unknown|drop)",
    re.IGNORECASE,
)
Views = list[object]


def table_in(source: Source, roles: Roles, format_: Format) -> CellColumns:
    """Read the columns with a role, as text if the format has text; TailcError as by a reader."""
    wanted = ColumnsToRead((), roles.columns, ())
    table = table_of(source, wanted, format_)
    return CellColumns(cells_of(table, wanted), roles, format_)


def distinct_requests(source: Source, roles: Roles, format_: Format) -> tuple[int, DemandRows]:
    """Read the number of rows, and the demands; equal demands are merged."""
    unit = roles.units.get(Role.DEMAND, TimeUnit.MS)
    demand, weight = roles.names[Role.DEMAND], roles.names.get(Role.WEIGHT)
    measured = ValueMeaning(Measure.DEMAND_BUSY, "", unit)
    reading = DemandReading(measured, Rows(), DemandColumn(demand), ONE_THREAD, weight)
    found = trace_in(source, reading, format_).requests
    no_row = np.zeros(0, np.int64)
    demands = found.demand_ms / unit.in_ms
    return found.rows, DemandRows(
        demands, unit.in_ms, no_row, found.weight, demand, is_ordered=False
    )


def only_demands(too_large: Finding, requests: DemandRows) -> Finding:
    """Make the warning that only demands are checked, because the file is too large."""
    message = f"{too_large.message}: only `{requests.column}` is checked, without its order"
    return replace(too_large, message=message, severity=Severity.WARNING)


def views_of(
    source: Source, table: CellColumns, options: TraceOptions
) -> tuple[Views, list[Finding]]:
    """Make the views for the checks; also return findings of the readers."""
    cells, roles = table.cells, table.roles
    requests = _requests(cells, roles)
    views: Views = [table]
    if requests is not None:
        views += [requests, *_of_requests(cells, roles, requests.row)]
    if (time := roles.names.get(Role.TIME)) is not None:
        # A stated pattern says what the texts mean.
        views += [] if options.time_pattern else _time_texts(cells, time)
        views += _streams(cells, roles, time, requests)
    findings = [*_status_findings(cells, roles), *_arrival_findings(source, table)]
    if roles.is_of_timings or roles.speedups:
        if roles.is_of_timings and requests is not None:
            made, of_curves = _timing_views(cells, roles, requests)
        else:
            made, of_curves = _curves(cells, roles, requests)
        views += made
        findings += of_curves
    if requests is not None and len(requests.demand):
        findings += _unit_findings(cells, requests)
        findings += small_sample(requests, cells.source, options.percentile_ppm)
    return views, [*cells.findings, *findings]


def _requests(cells: Cells, roles: Roles) -> DemandRows | None:
    demand = roles.names.get(Role.DEMAND)
    if demand is None:
        return None
    unit = roles.units.get(Role.DEMAND, TimeUnit.MS)
    demand_ns = whole_ns(cells, demand, unit)
    weight = np.ones(cells.count, np.int64)
    if (weights := roles.names.get(Role.WEIGHT)) is not None:
        weight = whole(cells, weights, MAX_TOTAL_WEIGHT)
    good = np.isfinite(demand_ns)
    return DemandRows(
        demand_ns[good] / (unit.in_ms * NS_PER_MS),
        unit.in_ms,
        np.flatnonzero(good) + 1,
        weight[good],
        demand,
        not roles.is_of_timings,
    )


def _of_requests(cells: Cells, roles: Roles, row: np.ndarray) -> Views:
    """Further views of rows of requests."""
    views: Views = []
    if (name := roles.names.get(Role.REQUEST_CLASS)) is not None:
        views.append(Classes(_texts_of(cells, name, row)))
    if (name := roles.names.get(Role.REQUEST)) is not None and not roles.is_of_timings:
        views.append(RequestIds(_texts_of(cells, name, row), row))
    if (name := roles.names.get(Role.ATTEMPT)) is not None:
        views.append(Attempts(numbers(cells, name)[row - 1], row))
    return views


def _texts_of(cells: Cells, name: str, row: np.ndarray) -> pa.ChunkedArray:
    return as_text(cells.columns[name]).take(pa.array(row - 1))


def small_sample(requests: DemandRows, source: str, ppm: int | None) -> tuple[Finding, ...]:
    """Warn if the sample is so small that all requests may be below the percentile."""
    if ppm is None or requests.requests >= (enough := fewest_requests(ppm)):
        return ()
    message = (
        f"{requests.requests:,} requests are too few to estimate the percentile "
        f"{format_ppm(ppm)}: all of them may be below it"
    )
    hint = f"measure {enough:,} requests or more, or use a lower percentile in the SLO"
    place = Place(source, field=requests.column)
    return (Finding(Code.SMALL_SAMPLE, message, place, hint, Severity.WARNING),)


def _unit_findings(cells: Cells, requests: DemandRows) -> tuple[Finding, ...]:
    demand_ms = requests.demand * requests.in_ms
    return suspect_unit(demand_ms, requests.weight, Place(cells.source, field=requests.column))


def _time_texts(cells: Cells, name: str) -> Views:
    column = cells.columns[name]
    if not pa.types.is_string(column.type):
        return []
    return [TimeTexts(tuple(column.to_pylist()), np.arange(1, cells.count + 1), name)]


def _streams(cells: Cells, roles: Roles, name: str, requests: DemandRows | None) -> Views:
    """View of arrivals of requests; none for a series of power."""
    noted = len(cells.findings)
    times = None if roles.series else time_column(cells, name, "a look at arrivals")
    if times is None or len(cells.findings) > noted:
        return []
    row = np.arange(1, cells.count + 1)
    is_date = pa.types.is_timestamp(times.type)
    values = numpy_of(times.cast(pa.int64()) if is_date else times)
    known = TimeUnit.NS if is_date else roles.units.get(Role.TIME)
    ns_per_unit = 1.0 if is_date else (known or TimeUnit.S).in_ms * NS_PER_MS
    demand_ns = np.full(cells.count, np.nan)
    if requests is not None:
        demand_ns[requests.row - 1] = requests.demand * requests.in_ms * NS_PER_MS
    apart_ns = (values - values[0]).astype(np.float64) * ns_per_unit
    at_ns = np.rint(apart_ns.clip(-_LONGEST_NS, _LONGEST_NS)).astype(np.int64)
    raw = None if is_date else values.astype(np.float64)
    return [Stream(at_ns, demand_ns, raw, row, name, known and known.value)]


def _arrival_findings(source: Source, table: CellColumns) -> tuple[Finding, ...]:
    """Errors that a replay of the recorded arrivals would have."""
    roles, time = table.roles, table.roles.names.get(Role.TIME)
    if time is None or roles.is_of_timings or roles.series:
        return ()
    is_date = _is_date(table.cells.columns[time])
    unit = None if is_date else roles.units.get(Role.TIME, TimeUnit.S)
    try:
        times_in(source, ArrivalColumn(time, unit), format=table.format)
    except TailcError as error:
        # A wrong unit is found by a check of its own.
        noted = {Code.USAGE, *(one.code for one in table.cells.findings)}
        found = (one for one in error.findings if one.code not in noted)
        return tuple(with_command(one, "tailc verify") for one in found)
    return ()


def _is_date(column: pa.ChunkedArray) -> bool:
    probe = Cells("", {"t": column}, len(column), None)
    times = time_column(probe, "t", "")
    return times is not None and pa.types.is_timestamp(times.type)


def _status_findings(cells: Cells, roles: Roles) -> tuple[Finding, ...]:
    """A warning about failed requests among the others."""
    name = roles.names.get(Role.STATUS)
    if name is None:
        return ()
    column = cells.columns[name]
    probe = Cells(cells.source, {name: column}, cells.count, None)
    status = numbers(probe, name)
    failed = ~is_success(status) & np.isfinite(status) & (status >= 100)
    failed |= _is_status_label(column)
    if not failed.any():
        return ()
    place = Place(cells.source, row=int(np.argmax(failed)) + 1, field=name)
    message = (
        f"{int(failed.sum()):,} of {cells.count:,} requests failed, and are not marked as such"
    )
    hint = "exclude them with `where`, or do not write them into the trace"
    return (Finding(Code.FAILED_REQUESTS, message, place, hint, Severity.WARNING),)


def _is_status_label(status: pa.ChunkedArray) -> np.ndarray:
    """Which cells have a word for a failed request."""
    words = as_text(status).fill_null("").combine_chunks().dictionary_encode()
    is_word = np.array([bool(_FAILED.match(word)) for word in words.dictionary.to_pylist()], bool)
    return is_word[numpy_of(words.indices)]


def _timing_views(
    cells: Cells, roles: Roles, requests: DemandRows
) -> tuple[Views, tuple[Finding, ...]]:
    """View of executions by degree, and of their speed-ups."""
    columns = TimingColumns(
        *(roles.names[role] for role in (Role.REQUEST, Role.DEGREE, Role.DEMAND))
    )
    degree = whole(cells, columns.degree, MAX_DEGREE)
    named = texts(cells, columns.request).combine_chunks().dictionary_encode()
    at = requests.row - 1
    request = numpy_of(named.indices).astype(np.int64)[at]
    duration_ms = requests.demand * requests.in_ms
    views: Views = [TimingRows(request, degree[at], duration_ms, requests.row, columns.duration)]
    measured = ValueMeaning(Measure.DEMAND_BUSY, "", roles.units.get(Role.DEMAND, TimeUnit.MS))
    reading = TimingsReading(measured, Rows(), columns)
    probe = Cells(cells.source, cells.columns, cells.count, None)
    try:
        timed = timed_requests(probe, reading)
    except TailcError as error:
        return views, tuple(one for one in error.findings if one.code is Code.BAD_TIMINGS)
    curves = timed.curves
    weight = np.ones(len(curves.of), np.int64)
    demand_ms = timed.demand_ns / NS_PER_MS
    profile = DemandProfile(
        demand_ms, weight, curves.speedup, curves.of, (), Measure.DEMAND_BUSY, ""
    )
    speedup = curves.speedup[curves.of]
    views.append(_speedup_rows(speedup, timed.first + 1, (columns.duration,), profile))
    return views, (*timed.warnings, *curve_findings(profile, cells.source))


def _curves(
    cells: Cells, roles: Roles, requests: DemandRows | None
) -> tuple[Views, tuple[Finding, ...]]:
    """View of speed-ups in columns, one per degree."""
    each = np.stack([positive(cells, name, MAX_SPEEDUP) for name in roles.speedups], axis=1)
    good = np.isfinite(each).all(axis=1)
    demand_ms, weight = np.ones(cells.count), np.ones(cells.count, np.int64)
    if requests is not None:
        has_demand = np.isin(np.arange(cells.count), requests.row - 1)
        good &= has_demand
        demand_ms[has_demand] = requests.demand * requests.in_ms
        weight[has_demand] = requests.weight
    if not good.any():
        return [], ()
    curves = distinct_curves(each[good])
    profile = DemandProfile(
        demand_ms[good], weight[good], curves.speedup, curves.of, (), Measure.DEMAND_BUSY, ""
    )
    row = np.flatnonzero(good) + 1
    if requests is None:
        mean = profile.mean_curve()
        views: Views = [SpeedupRows(each[good], row, roles.speedups, mean, "requests")]
    else:
        views = [_speedup_rows(each[good], row, roles.speedups, profile)]
    return views, curve_findings(profile, cells.source)


def _speedup_rows(
    speedup: NDArray[np.float64],
    row: NDArray[np.int64],
    columns: tuple[str, ...],
    profile: DemandProfile,
) -> SpeedupRows:
    longest = speedup_summary(profile).longest
    return SpeedupRows(speedup, row, columns, longest, "the longest 5 % of requests")
