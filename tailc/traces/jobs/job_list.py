"""Read tables of jobs in Parquet, CSV or NDJSON: one row per job.

The user names the columns.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import PPM
from tailc.traces.cells import MEND, Cells, Floats, not_negative, numbers, texts
from tailc.traces.jobs.job_selection import JobReading, StatedJobs, chosen_jobs
from tailc.traces.jobs.log import Ints, JobLog, LogHeader, RowPositions
from tailc.traces.jobs.steps import JOB_ID, STATE, without_steps, without_unfinished
from tailc.traces.lengths import in_unit
from tailc.traces.source import Format, Source, format_of, open_source
from tailc.traces.table import ColumnsToRead, Table
from tailc.traces.trace import Filters, cells_of, table_of
from tailc.traces.zones import ADVICE, TimeError, instants
from tailc.units import shorten

# Seconds of centuries, in a column that counts from the log's start or from 1970.
LARGEST_S = 1e11
LARGEST_WIDTH = 1e9
LARGEST_NUMBER = 2.0**53
_MS_PER_S = 1e3
_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}")


class JobTimeUnit(enum.Enum):
    """Unit of a column of times in a list of jobs; the value is its name."""

    SECOND = "s"
    MINUTE = "min"
    HOUR = "h"
    DAY = "d"

    @property
    def in_s(self) -> int:
        """Length of this unit of time in seconds."""
        return {"s": 1, "min": 60, "h": 3_600, "d": 86_400}[self.value]


@dataclass(frozen=True)
class ShareColumn:
    """A column of shares. unit: `%`, or `1` for parts of 1; None: `%` if a share is above 1."""

    name: str
    unit: Literal["%", "1"] | None = None


@dataclass(frozen=True)
class JobColumns:
    """Names and units of the columns of a list of jobs.

    arrival_unit: unit of submit times, counted from the start of the log; if None, `arrival` has
    dates with a time of day, in the time zone that they state or in that of the reading. requested:
    column of requested times, in the unit of run times, or None. number: column of the job numbers;
    if None, a job has the number of its row. green: column of green shares, or None. deadline:
    column of the times by which jobs must have ended, as `arrival`, or None. where: selects the
    rows whose columns equal these values.
    """

    arrival: str
    run: str
    width: str
    arrival_unit: JobTimeUnit | None
    run_unit: JobTimeUnit
    requested: str | None = None
    number: str | None = None
    green: ShareColumn | None = None
    deadline: str | None = None
    where: Filters = ()

    @property
    def columns_to_read(self) -> ColumnsToRead:
        """The columns that must be read from the list of jobs."""
        green = None if self.green is None else self.green.name
        others = (self.run, self.width, self.requested, self.number, green)
        named = tuple(name for name in others if name is not None)
        times = (self.arrival, *(() if self.deadline is None else (self.deadline,)))
        filters = tuple(dict.fromkeys(name for name, _text in self.where))
        if self.arrival_unit is None:
            return ColumnsToRead(named, times, filters)
        return ColumnsToRead((*times, *named), (), filters)


def read_job_list(
    source: str,
    columns: JobColumns,
    reading: JobReading | None = None,
    format: Format = "auto",  # noqa: A002
) -> JobLog:
    """Read the jobs in a Parquet, CSV or NDJSON file, or in `-` for standard input.

    CSV and NDJSON may be compressed. Times are rounded to whole seconds. Jobs of width 0, and in
    lists of Slurm steps of jobs and jobs that have not ended, are left out and counted in warnings.
    Raises TailcError, by row and column, for cells that are not numbers, negative run times and
    widths, widths that are not whole, times without a time zone or out of order; for a list without
    a job that ended; and for everything that `JobReading` refuses.
    """
    with open_source(source) as opened:
        return job_list_in(opened, columns, reading or JobReading(), format)


def job_list_in(
    source: Source,
    columns: JobColumns,
    reading: JobReading,
    format: Format = "auto",  # noqa: A002
) -> JobLog:
    """Read the jobs of an open source; see `read_job_list`."""
    table = table_of(source, columns.columns_to_read, format_of(source, format))
    wanted = _with_texts(columns.columns_to_read, table)
    # The job of a step may be a row that `where` does not select.
    has_others = columns.where and JOB_ID in wanted.texts
    every = cells_of(table, ColumnsToRead((), (JOB_ID,), ())) if has_others else None
    cells, of_steps = without_steps(cells_of(table, wanted, columns.where), every)
    cells, of_states = without_unfinished(cells)
    warnings = (*of_steps, *of_states)
    if not cells.count:
        message = f"`{cells.source}` has no job to read: {warnings[0].message}"
        help_ = "give a list with jobs that have ended"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(cells.source), help_))
    submit_s, start_unix_s = _arrivals(cells, columns, reading)
    run_s = _seconds(cells, columns.run, columns.run_unit)
    width = _whole(cells, columns.width, LARGEST_WIDTH)
    requested_s = np.zeros(cells.count, dtype=np.int64)
    if columns.requested is not None:
        requested_s = _seconds(cells, columns.requested, columns.run_unit)
    row = np.arange(1, cells.count + 1) if cells.row is None else cells.row
    number = row if columns.number is None else _whole(cells, columns.number, LARGEST_NUMBER)
    green_ppm = None if columns.green is None else _shares(cells, columns.green)
    deadline_s = None
    if columns.deadline is not None:
        due_s = _times_s(cells, columns.deadline, columns, reading)
        deadline_s = _whole_s(due_s) - (start_unix_s or 0)
        is_short = deadline_s < submit_s + run_s
        hint = "a job must be able to end by its deadline if it starts at once"
        cells.refuse(is_short, columns.deadline, Code.OUT_OF_RANGE, "is before the job ends", hint)
    cells.stop_if_refused()
    none_marked = np.zeros(cells.count, dtype=np.bool_)
    stated = StatedJobs(
        number,
        submit_s,
        run_s,
        width,
        requested_s,
        none_marked,
        none_marked,
        RowPositions(row),
        green_ppm,
        deadline_s,
    )
    return chosen_jobs(stated, reading, cells.source, LogHeader(start_unix_s), warnings)


def _with_texts(wanted: ColumnsToRead, table: Table) -> ColumnsToRead:
    """The wanted columns, with the ids that distinguish steps from jobs and the states, as text."""
    there = tuple(name for name in (JOB_ID, STATE) if table.names.count(name) == 1)
    return replace(wanted, texts=tuple(dict.fromkeys((*wanted.texts, *there))))


def _arrivals(cells: Cells, columns: JobColumns, reading: JobReading) -> tuple[Ints, int | None]:
    """Submit times [s] since the start of the log, and that start [Unix s] if the column states
    it."""
    time_s = _times_s(cells, columns.arrival, columns, reading)
    is_late = np.diff(time_s, prepend=time_s[:1]) < 0
    hint = "sort the rows by arrival"
    cells.refuse(is_late, columns.arrival, Code.OUT_OF_ORDER, "is earlier than the row above", hint)
    if columns.arrival_unit is not None:
        return _whole_s(time_s), None
    start_unix_s = int(time_s[0])
    return _whole_s(time_s) - start_unix_s, start_unix_s


def _times_s(cells: Cells, name: str, columns: JobColumns, reading: JobReading) -> Floats:
    """A column of times: seconds since the start of the log, or dates as Unix seconds."""
    if columns.arrival_unit is None:
        return _dates_s(cells, name, reading).astype(np.float64)
    if _DATE.match(first := cells.text_of(name, 0) or ""):
        message = f"cell `{shorten(first)}` is a date, and the column is read as numbers"
        place = Place(cells.source, row=cells.row_of(0), field=name)
        raise TailcError(Finding(Code.NOT_A_NUMBER, message, place, "set `submit_unit: date`"))
    time_s = numbers(cells, name) * columns.arrival_unit.in_s
    beyond = np.abs(time_s) > LARGEST_S
    cells.refuse(beyond, name, Code.OUT_OF_RANGE, "is centuries from the start", "check its unit")
    return np.where(beyond, np.nan, time_s)


def _whole_s(time_s: Floats) -> Ints:
    """Times in whole seconds; 0 for refused cells."""
    return np.rint(np.nan_to_num(time_s, posinf=0, neginf=0)).astype(np.int64)


def _dates_s(cells: Cells, name: str, reading: JobReading) -> Ints:
    stated = texts(cells, name)
    cells.stop_if_refused()
    try:
        return instants(stated.to_pylist(), reading.zone).unix_s
    except TimeError as error:
        code = Code.NO_ZONE if error.lacks_zone else Code.NOT_A_NUMBER
        place = Place(cells.source, row=cells.row_of(error.index), field=name)
        help_ = ADVICE if error.lacks_zone else "write times like 2012-10-01T06:30:00"
        raise TailcError(Finding(code, shorten(str(error), 100), place, help_)) from None


def _shares(cells: Cells, column: ShareColumn) -> Ints:
    """A column of shares in millionths; refuses shares that may be per cent or parts of 1."""
    largest = 1.0 if column.unit == "1" else 100.0
    share = np.nan_to_num(not_negative(cells, column.name, largest))
    if column.unit is None:
        is_unclear = (share > 0) & (share <= 1) & bool(share.max(initial=0) <= 1)
        hint = "state the unit: `%` for shares from 0 to 100, or `1` for shares from 0 to 1"
        what = "may be per cent or a part of 1, since no share is above 1"
        cells.refuse(is_unclear, column.name, Code.BAD_UNIT, what, hint)
    return np.rint(share * (PPM / largest)).astype(np.int64)


def _seconds(cells: Cells, name: str, unit: JobTimeUnit) -> Ints:
    """A column of lengths of time in whole seconds; bad cells are noted and made 0."""
    cells = in_unit(cells, name, unit.in_s * _MS_PER_S)
    length = not_negative(cells, name, LARGEST_S / unit.in_s) * unit.in_s
    return np.rint(np.nan_to_num(length)).astype(np.int64)


def _whole(cells: Cells, name: str, largest: float) -> Ints:
    """A column of whole numbers from 0; records bad cells and makes them 0."""
    values = np.nan_to_num(not_negative(cells, name, largest))
    is_part = values != np.floor(values)
    cells.refuse(is_part, name, Code.OUT_OF_RANGE, "is not a whole number", MEND)
    return values.astype(np.int64)
