"""Read lists of jobs in Parquet, CSV or NDJSON: one row per job, with columns that the user
names."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.cells import MEND, Cells, not_negative, numbers, texts
from tailc.traces.jobs.job_selection import JobReading, StatedJobs, chosen_jobs
from tailc.traces.jobs.log import Ints, JobLog, LogHeader, RowPositions
from tailc.traces.jobs.steps import JOB_ID, without_steps
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


class JobTimeUnit(enum.Enum):
    """Unit of a column of times in a list of jobs; the value is its name."""

    SECOND = "s"
    MINUTE = "min"
    HOUR = "h"
    DAY = "d"

    @property
    def in_s(self) -> int:
        """Seconds in one unit."""
        return {"s": 1, "min": 60, "h": 3_600, "d": 86_400}[self.value]


@dataclass(frozen=True)
class JobColumns:
    """Names and units of the columns of a list of jobs.

    arrival_unit: unit of submit times, counted from the start of the log; if None, `arrival` has
    dates with a time of day, in the time zone that they state or in that of the reading. requested:
    column of requested times, in the unit of run times, or None. number: column of the job numbers;
    if None, a job has the number of its row. where: selects the rows whose columns equal these
    values.
    """

    arrival: str
    run: str
    width: str
    arrival_unit: JobTimeUnit | None
    run_unit: JobTimeUnit
    requested: str | None = None
    number: str | None = None
    where: Filters = ()

    @property
    def columns_to_read(self) -> ColumnsToRead:
        """The columns to read."""
        others = (self.run, self.width, self.requested, self.number)
        named = tuple(name for name in others if name is not None)
        filters = tuple(dict.fromkeys(name for name, _text in self.where))
        if self.arrival_unit is None:
            return ColumnsToRead(named, (self.arrival,), filters)
        return ColumnsToRead((self.arrival, *named), (), filters)


def read_job_list(
    source: str,
    columns: JobColumns,
    reading: JobReading | None = None,
    format: Format = "auto",  # noqa: A002
) -> JobLog:
    """Read the jobs in a Parquet, CSV or NDJSON file (the last two also compressed), or `-` for
    standard input.

    Times are rounded to whole seconds. Jobs of width 0, and steps of jobs in a list of Slurm, are
    left out and counted in warnings.
    Raises TailcError, by row and column, for cells that are not numbers, negative run times and
    widths, widths that are not whole, times without a time zone or out of order, and whatever
    `JobReading` refuses.
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
    wanted = _with_ids(columns.columns_to_read, table)
    # The job of a step may be a row that `where` does not select.
    has_others = columns.where and JOB_ID in wanted.texts
    every = cells_of(table, ColumnsToRead((), (JOB_ID,), ())) if has_others else None
    cells, warnings = without_steps(cells_of(table, wanted, columns.where), every)
    submit_s, start_unix_s = _arrivals(cells, columns, reading)
    run_s = _seconds(cells, columns.run, columns.run_unit)
    width = _whole(cells, columns.width, LARGEST_WIDTH)
    requested_s = np.zeros(cells.count, dtype=np.int64)
    if columns.requested is not None:
        requested_s = _seconds(cells, columns.requested, columns.run_unit)
    row = np.arange(1, cells.count + 1) if cells.row is None else cells.row
    number = row if columns.number is None else _whole(cells, columns.number, LARGEST_NUMBER)
    cells.stop_if_refused()
    nobody = np.zeros(cells.count, dtype=np.bool_)
    stated = StatedJobs(
        number, submit_s, run_s, width, requested_s, nobody, nobody, RowPositions(row)
    )
    return chosen_jobs(stated, reading, cells.source, LogHeader(start_unix_s), warnings)


def _with_ids(wanted: ColumnsToRead, table: Table) -> ColumnsToRead:
    """The wanted columns, with the ids that distinguish steps from jobs, as text, if there are
    some."""
    has_ids = table.names.count(JOB_ID) == 1
    return replace(wanted, texts=(*wanted.texts, JOB_ID)) if has_ids else wanted


def _arrivals(cells: Cells, columns: JobColumns, reading: JobReading) -> tuple[Ints, int | None]:
    """Submit times [s] since the start of the log, and that start [Unix s] if the column states
    it."""
    if columns.arrival_unit is None:
        return _dated_arrivals(cells, columns.arrival, reading)
    time_s = numbers(cells, columns.arrival) * columns.arrival_unit.in_s
    beyond = np.abs(time_s) > LARGEST_S
    cells.refuse(
        beyond, columns.arrival, Code.OUT_OF_RANGE, "is centuries from the start", "check its unit"
    )
    _note_disorder(cells, columns.arrival, time_s)
    return np.rint(np.where(np.isfinite(time_s) & ~beyond, time_s, 0)).astype(np.int64), None


def _dated_arrivals(cells: Cells, name: str, reading: JobReading) -> tuple[Ints, int | None]:
    stated = texts(cells, name)
    cells.stop_if_refused()
    try:
        unix_s = instants(stated.to_pylist(), reading.zone).unix_s
    except TimeError as error:
        code = Code.NO_ZONE if error.lacks_zone else Code.NOT_A_NUMBER
        place = Place(cells.source, row=cells.row_of(error.index), field=name)
        help_ = ADVICE if error.lacks_zone else "write times like 2012-10-01T06:30:00"
        raise TailcError(Finding(code, shorten(str(error), 100), place, help_)) from None
    _note_disorder(cells, name, unix_s.astype(np.float64))
    start_unix_s = int(unix_s[0])
    return unix_s - start_unix_s, start_unix_s


def _note_disorder(cells: Cells, name: str, time_s: NDArray[np.float64]) -> None:
    is_late = np.diff(time_s, prepend=time_s[:1]) < 0
    hint = "sort the rows by arrival"
    cells.refuse(is_late, name, Code.OUT_OF_ORDER, "is earlier than the row above", hint)


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
