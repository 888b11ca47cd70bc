"""Read a file of measurements to a demand profile, as a reading describes.

A reading names columns, units and rows.
"""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError, did_you_mean
from tailc.traces.arrow import mask, text_array, truths_of
from tailc.traces.bins import merge_bins
from tailc.traces.cells import Cells, as_text, text_as_cell
from tailc.traces.csv_table import CsvTable
from tailc.traces.curves import Curves
from tailc.traces.equal_rows import equal_rows
from tailc.traces.expansion import TIMES_HELD, TooExpandedError, most_bytes, too_expanded
from tailc.traces.held_cells import cached_cells
from tailc.traces.jobs.steps import JOB_ID, steps_among
from tailc.traces.json_rows import rows_within
from tailc.traces.lengths import own_unit
from tailc.traces.names_below import line_of_names
from tailc.traces.ndjson_table import NdjsonTable
from tailc.traces.parquet_table import ParquetTable
from tailc.traces.profile import DemandProfile
from tailc.traces.profile_file import ProfileTable, is_profile, read_counted
from tailc.traces.reading import (
    DemandReading,
    RequestReading,
    TimeUnit,
    TimingsReading,
    clock_khz_of,
)
from tailc.traces.request_rows import RequestRows, request_rows, split_key, weights
from tailc.traces.rows_of_percentiles import of_percentiles
from tailc.traces.source import Format, Source, format_of, open_source
from tailc.traces.speedup_check import curve_findings
from tailc.traces.table import ColumnsToRead, Table
from tailc.traces.telling_names import is_of_a_row, is_running_total
from tailc.traces.times import CHECK_CYCLES, CHECK_UNIT, ms_of_ns, suspect_unit
from tailc.traces.timings import timed_requests

COLUMNS_TOLD = 10
Filters = tuple[tuple[str, str], ...]
Taken = TypeVar("Taken")
_UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)
_FILL = "check that it is the right file, and that the program that writes it has ended"
TABLES = {
    "parquet": ParquetTable,
    "csv": CsvTable,
    "ndjson": NdjsonTable,
    "profile": ProfileTable,
}


@dataclass(frozen=True, eq=False)
class Trace:
    """The requests of a file in file order, with warnings about them.

    split_key: one value per request: the time (int64 or float64; date-times as ns since 1970) for a
    split by time, the first 8 bytes of the SHA-256 of the id (uint64) for a split by hash, else
    None.
    """

    requests: DemandProfile
    split_key: NDArray | None
    warnings: tuple[Finding, ...]
    bin_us: int | None = None

    @cached_property
    def profile(self) -> DemandProfile:
        """The requests as a demand profile, binned if the reading requests it."""
        return self.requests if self.bin_us is None else merge_bins(self.requests, self.bin_us)


def read_trace(
    source: str,
    reading: RequestReading,
    format: Format = "auto",  # noqa: A002
) -> Trace:
    """Read a trace: a Parquet, CSV or NDJSON file, a profile, or `-` for standard input.

    All formats but Parquet may be compressed. Format `auto` depends on the content, or else on the
    suffix. Only the columns of the reading are read, in batches. Demands are rounded to whole
    nanoseconds and speed-ups to millionths, so equal data gives an equal profile in any format and
    unit. Row numbers in messages count all rows of the file from 1. Raises TailcError with all
    findings.
    """
    with open_source(source) as opened:
        return trace_in(opened, reading, format)


def trace_in(
    source: Source,
    reading: RequestReading,
    format: Format = "auto",  # noqa: A002
) -> Trace:
    """Read the trace of an open source; see `read_trace`.

    A source can be read with several readings.
    """
    table, wanted = _table(source, reading, format)
    if isinstance(reading, TimingsReading):
        return _timed_trace(cells_of(table, wanted, reading.rows.where), reading)
    try:
        limit = most_bytes(source, TIMES_HELD)
        rows = request_rows(cells_of(table, wanted, reading.rows.where, limit), reading)
    except TooExpandedError:
        merged = partial(equal_rows, reading=reading, source=source)
        rows = in_parts(merged, table, wanted, reading.rows.where)
    trace = _demand_trace(rows, reading, table)
    if not is_profile(source) or not read_counted(source).is_of_points:
        return trace
    return replace(trace, requests=replace(trace.requests, is_of_points=True))


def trace_by_row(
    source: Source,
    reading: RequestReading,
    format: Format = "auto",  # noqa: A002
) -> Trace:
    """Read a trace with one request for each row, in file order; equal rows are not merged.

    See `trace_in`. Raises TailcError (TRACE_TOO_LARGE) if the rows need far more memory than the
    file has bytes.
    """
    if not isinstance(reading, DemandReading):
        return trace_in(source, reading, format)
    table, wanted = _table(source, reading, format)
    cells = cells_of(table, wanted, reading.rows.where)
    return _demand_trace(request_rows(cells, reading), reading, table)


def _table(
    source: Source,
    reading: RequestReading,
    format: Format,  # noqa: A002
) -> tuple[Table, ColumnsToRead]:
    wanted = wanted_columns(reading)
    table = table_of(source, wanted, format_of(source, format))
    refuse_running_total(source, table, reading.weight)
    refuse_steps(source, table)
    return table, wanted


def refuse_running_total(source: Source, table: Table, weight: str | None) -> None:
    """Raise TailcError if the column of weights (requests per row) is a running total."""
    if weight is not None and is_running_total(weight, table.names):
        message = f"`{weight}` is a running total: it counts the requests of all rows so far"
        hint = (
            "name a column with the number of requests of each row; `tailc ingest` reads "
            "percentiles of HdrHistogram as they are"
        )
        raise source.fault(Code.RUNNING_TOTAL, message, field=weight, advice=hint)


def refuse_steps(source: Source, table: Table) -> None:
    """Raise TailcError if the first rows of jobs of Slurm include steps of these jobs.

    The time of a step is part of that of its job, so it would count again as a request.
    """
    if table.names.count(JOB_ID) != 1:
        return
    first = _first_batch(table, ColumnsToRead((), (JOB_ID,), ()))
    if first is None:
        return
    ids = pa.chunked_array([first.column(0)])
    is_step = steps_among(ids, ids)
    if is_step.any():
        at = int(np.argmax(is_step))
        message = f"the row of `{ids[at].as_py()}` is a step of a job that has its own row"
        hint = (
            "write the jobs without steps by `sacct -X`; if the steps are the requests, give a "
            f"file without the rows of jobs, or rename the column `{JOB_ID}`"
        )
        raise source.fault(Code.STEPS_AS_REQUESTS, message, row=at + 1, field=JOB_ID, advice=hint)


def kept_cells(
    source: Source,
    wanted: ColumnsToRead,
    where: Filters = (),
    format: Format = "auto",  # noqa: A002
) -> Cells:
    """Read the wanted columns of the rows that `where` selects; TailcError for missing columns.

    The first attempt is fast. After an error the file is read again in a slower way that can report
    the place.
    """
    table = table_of(source, wanted, format_of(source, format))
    return cells_of(table, wanted, where)


def table_of(source: Source, wanted: ColumnsToRead, format: Format) -> Table:  # noqa: A002
    """Open the table of a source; TailcError unless it has each wanted column once."""
    table: Table = TABLES[format](source)
    if isinstance(table, CsvTable):
        _refuse_row_as_names(table, wanted, source)
    _check_names(table, wanted)
    return table


def cells_of(
    table: Table, wanted: ColumnsToRead, where: Filters = (), limit: int | None = None
) -> Cells:
    """Read the wanted columns of the rows of a table that `where` selects.

    All wanted columns must exist. limit: bytes of memory, by default `most_bytes`; raises
    TooExpandedError above it.
    """
    source, most = table.source, limit or most_bytes(table.source)

    def read() -> Cells:
        try:
            return _gather(table.batches(wanted), wanted, where, source, most)
        except _UNREADABLE:
            return _gather(table.careful_batches(wanted), wanted, where, source, most)

    return cached_cells((type(table), source, table.names, wanted, where, most), read)


def own_unit_of(source: Source, name: str) -> TimeUnit | None:
    """The unit of a column of times, as the first cells state it; None if they state no unit.

    Raises TailcError if there is no such column.
    """
    wanted = ColumnsToRead((name,), (), ())
    table = table_of(source, wanted, format_of(source, "auto"))
    first = _first_batch(table, wanted)
    return None if first is None else own_unit(pa.chunked_array([first.column(0)]))


def _first_batch(table: Table, wanted: ColumnsToRead) -> pa.RecordBatch | None:
    try:
        return next(table.batches(wanted), None)
    except _UNREADABLE:
        return next(table.careful_batches(wanted), None)


def in_parts(
    take: Callable[[Iterator[Cells]], Taken],
    table: Table,
    wanted: ColumnsToRead,
    where: Filters = (),
) -> Taken:
    """Apply `take` to the cells of a table: all at once, or in batches if memory is too small."""
    try:
        return take(_parts(table.batches(wanted), wanted, where, table.source.name))
    except _UNREADABLE:
        return take(_parts(table.careful_batches(wanted), wanted, where, table.source.name))


def wanted_columns(reading: RequestReading) -> ColumnsToRead:
    """The columns of a file that a reading needs, as numbers and as text."""
    filters = (name for name, _value in reading.rows.where)
    return ColumnsToRead(
        reading.number_columns, reading.text_columns, tuple(dict.fromkeys(filters))
    )


def _refuse_row_as_names(table: CsvTable, wanted: ColumnsToRead, source: Source) -> None:
    """Raise TailcError if a column of numbers is called by a number of a line that may be a row."""
    if called := table.values_as_names(wanted.names):
        message = (
            f"there is no column `{called[0]}`: the first line of `{source.name}` has only "
            "numbers, so it counts as a row"
        )
        raise source.fault(Code.MISSING_COLUMN, message, advice=_names_advice(called[0]))
    if any(map(is_of_a_row, wanted.numbers)) and (value := table.doubtful_name()) is not None:
        message = (
            f"the first line of `{source.name}` is used as the header, but has the value "
            f"`{value}` like a row, so its request would be lost"
        )
        raise source.fault(Code.MISSING_COLUMN, message, advice=_names_advice(value))


def _names_advice(value: str) -> str:
    return (
        "begin the file with a line of names; if its first line has names, begin those that are "
        f"numbers with a letter, such as `x{value}`"
    )


def _check_names(table: Table, wanted: ColumnsToRead) -> None:
    names, source = table.names, table.source
    if not names:
        raise _no_rows(source.name, "no rows", _FILL)
    findings, times_of = [], Counter(names)
    for name in wanted.names:
        place = Place(source.name, field=name)
        if (times := times_of[name]) > 1:
            message = f"the trace has {times} columns `{name}`"
            findings.append(Finding(Code.DUPLICATE_COLUMN, message, place, "rename one of them"))
        elif not times:
            message = f"there is no column `{name}`"
            similar = did_you_mean(name, tuple(dict.fromkeys(names)), COLUMNS_TOLD)
            help_ = _below(table, wanted.names) or _nested(table) or _unnamed(table) or similar
            findings.append(Finding(Code.MISSING_COLUMN, message, place, help_))
    if findings:
        raise TailcError(findings)


def _below(table: Table, names: tuple[str, ...]) -> str | None:
    """Advice if missing names are in a later line of a CSV file; None otherwise."""
    missing = [name for name in names if name not in table.names]
    if not isinstance(table, CsvTable) or not missing:
        return None
    line = line_of_names(table.source.head(), missing)
    if line is None:
        return None
    return f"line {line} has it: remove the lines above, as by `tail -n +{line} FILE > table.csv`"


def _nested(table: Table) -> str | None:
    """Advice if a file of JSON has its numbers in nested objects; None otherwise."""
    if not isinstance(table, NdjsonTable):
        return None
    rows = rows_within(table.source)
    return None if rows is None else rows.advice


def _unnamed(table: Table) -> str | None:
    """Advice if the first line of a CSV file may be a row; None otherwise."""
    value = table.doubtful_name() if isinstance(table, CsvTable) else None
    if value is None:
        return None
    return (
        f"the first line is used as the header, but has the value `{value}` like a row: begin the "
        "file with a line of names, such as by `(echo 'NAMES'; cat FILE) > named.csv`"
    )


def _no_rows(name: str, what: str, help_: str) -> TailcError:
    return TailcError(Finding(Code.EMPTY_TRACE, f"`{name}` has {what}", Place(name), help=help_))


def _parts(
    batches: Iterator[pa.RecordBatch], wanted: ColumnsToRead, where: Filters, name: str
) -> Iterator[Cells]:
    total, any_kept = 0, False
    for batch, rows, total in _selected_batches(batches, wanted, where):
        columns = {key: pa.chunked_array([batch.column(key)]) for key in batch.schema.names}
        every = np.arange(total - batch.num_rows, total) + 1
        any_kept |= batch.num_rows > 0
        yield Cells(name, columns, batch.num_rows, every if rows is None else rows)
    _check_rows(total, any_kept, where, name)


def _selected_batches(
    batches: Iterator[pa.RecordBatch], wanted: ColumnsToRead, where: Filters
) -> Iterator[tuple[pa.RecordBatch, NDArray[np.int64] | None, int]]:
    """Selected rows of each batch, their row numbers (None if all are selected), and number of
    rows read."""
    total = 0
    for batch in batches:
        before, total = total, total + batch.num_rows
        if where:
            chosen = _where(batch, where)
            kept = batch.select(wanted.after_filter).filter(mask(chosen))
            yield kept, np.flatnonzero(chosen) + before + 1, total
        else:
            yield batch, None, total


def _gather(
    batches: Iterator[pa.RecordBatch],
    wanted: ColumnsToRead,
    where: Filters,
    source: Source,
    limit: int,
) -> Cells:
    kept, rows, total, held = [], [], 0, 0
    for batch, chosen, so_far in _selected_batches(batches, wanted, where):
        kept.append(batch)
        if (held := held + batch.nbytes) > limit:
            raise too_expanded(source, limit)
        total = so_far
        if chosen is not None:
            rows.append(chosen)
    _check_rows(total, any(batch.num_rows for batch in kept), where, source.name)
    table = pa.Table.from_batches(kept)
    columns = {column: table.column(column) for column in table.column_names}
    return Cells(source.name, columns, table.num_rows, np.concatenate(rows) if rows else None)


def _check_rows(total: int, any_kept: bool, where: Filters, name: str) -> None:
    if total == 0:
        raise _no_rows(name, "no rows", _FILL)
    if not any_kept:
        condition = " and ".join(f"`{column}` = `{value}`" for column, value in where)
        raise _no_rows(
            name, f"{total} rows, but none where {condition}", "check the `where` filter"
        )


def _where(batch: pa.RecordBatch, where: Filters) -> NDArray[np.bool_]:
    chosen = np.ones(batch.num_rows, dtype=bool)
    for name, value in where:
        wanted = text_array([text_as_cell(value)])[0]
        chosen &= truths_of(pc.equal(as_text(batch.column(name)), wanted))
    return chosen


def _demand_trace(rows: RequestRows, reading: DemandReading, table: Table) -> Trace:
    source = table.source.name
    requests = _requests(ms_of_ns(rows.demand_ns), rows.weight, rows.curves, reading)
    hint = CHECK_UNIT if clock_khz_of(reading) is None else CHECK_CYCLES
    place = Place(source, field=reading.demand.name)
    warnings = suspect_unit(requests.demand_ms, requests.weight, place, hint)
    warnings += of_percentiles(place, reading.weight, table.names)
    warnings += curve_findings(requests, source)
    memory_ms = None if rows.memory_ns is None else ms_of_ns(rows.memory_ns)
    requests = replace(requests, memory_ms=memory_ms, repeats=rows.repeats)
    return Trace(requests, rows.split_key, warnings, reading.bin_us)


def _timed_trace(cells: Cells, reading: TimingsReading) -> Trace:
    timed = timed_requests(cells, reading)
    weight = timed.of_requests(cells, weights(cells, reading.weight), reading.weight)
    key = split_key(cells, reading.rows)
    cells.stop_if_refused()
    key = None if key is None else key[timed.first]
    requests = _requests(ms_of_ns(timed.demand_ns), weight, timed.curves, reading)
    place = Place(cells.source)
    warnings = timed.warnings + suspect_unit(requests.demand_ms, requests.weight, place)
    warnings += curve_findings(requests, cells.source)
    return Trace(requests, key, warnings, reading.bin_us)


def _requests(
    demand_ms: NDArray[np.float64],
    weight: NDArray[np.int64],
    curves: Curves,
    reading: RequestReading,
) -> DemandProfile:
    return DemandProfile(
        demand_ms,
        weight,
        curves.speedup,
        curves.of,
        curves.names,
        reading.measured.measure,
        reading.measured.reference,
        serial=reading.serial,
    )
