"""Recognise tables without requests: throughput of machines, lists of jobs, and counters.

They are recognised by the columns of a spec, or by the names of all required columns.
"""

from __future__ import annotations

import re

import numpy as np

from tailc.lint.roles import CounterColumns, Role, TraceOptions
from tailc.lint.views import CounterRows
from tailc.traces.cells import not_negative
from tailc.traces.compression import inner_name
from tailc.traces.jobs.job_list import JobColumns, JobTimeUnit, job_list_in
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.log import JobLog
from tailc.traces.jobs.swf import swf_in
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    Rows,
    ThroughputColumns,
    ThroughputReading,
    TimeUnit,
    ValueMeaning,
)
from tailc.traces.source import Format, Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.telling_names import with_unit_suffix
from tailc.traces.times import MAX_NS
from tailc.traces.trace import kept_cells

_TIME = re.compile(r"time(?:_(ns|us|ms|s))?", re.IGNORECASE)
_SUBMIT = re.compile(
    r"(?:submit|submitted|submit_?time|submission(?:_time)?|arrival)(?:_(s|min|h|d))?",
    re.IGNORECASE,
)
_RUN = re.compile(
    r"(?:run|run_?time|duration|elapsed(?:raw)?|wall_?time|wallclock)(?:_(s|min|h|d))?",
    re.IGNORECASE,
)
_WIDTHS = (
    re.compile(r"(?:width|servers|n?nodes|node_num|num_nodes|allocnodes)()", re.IGNORECASE),
    re.compile(
        r"(?:slots|processors|procs|n?cpus|cpu_num|num_cpus|(?:alloc|req)cpus)()", re.IGNORECASE
    ),
)
# As dates begin, whose column has no unit.
_DATE = re.compile(r"\d{4}[-/]\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}")
_NUMBER = re.compile(r"(?:job|job_id|job_number)()", re.IGNORECASE)
_CYCLES = re.compile(r"cycles()", re.IGNORECASE)
_MEMORY = re.compile(r"memory(?:_stall|_time)?(?:_(ns|us|ms|s))?", re.IGNORECASE)
# As a log of the Standard Workload Format begins.
_COMMENT = b";"


def is_swf(source: Source) -> bool:
    """Whether the file is a log in the Standard Workload Format, by its name or beginning."""
    name = inner_name(source.name).lower()
    return name.endswith(".swf") or source.head().lstrip().startswith(_COMMENT)


def job_readings(options: TraceOptions, columns: JobColumns | None) -> tuple[JobReading, ...]:
    """Readings of a job log to try: as in a spec, then without jobs that have no run time.

    Times without a time zone are in the stated zone, or in UTC.
    """
    is_dated = columns is not None and columns.arrival_unit is None
    zone = options.zone or ("UTC" if is_dated else None)
    readings = JobReading(zone=zone), JobReading(zone=zone, leaves_out_zero_runs=True)
    return readings[options.leaves_out_zero_runs :]


def jobs_in(
    source: Source, columns: JobColumns | None, reading: JobReading, form: Format
) -> JobLog:
    """Read jobs from a table, or without `columns` from a log in Standard Workload Format."""
    if columns is None:
        return swf_in(source, reading)
    return job_list_in(source, columns, reading, form)


def throughput_columns(names: tuple[str, ...], options: TraceOptions) -> ThroughputReading | None:
    """Make a reading of machines' throughput from the columns; None if some are missing."""
    if isinstance(options.table, ThroughputReading):
        return options.table
    time = _find_column(names, _TIME)
    machine, share, done = _all(names, "machine", "share", "throughput")
    if time is None or machine is None or share is None or done is None:
        return None
    unit = options.units.get(Role.TIME) or TimeUnit(time[1] or "s")
    columns = ThroughputColumns(done, time[0], machine, share)
    return ThroughputReading(ValueMeaning(Measure.THROUGHPUT, "", unit), Rows(), columns)


def job_columns(
    source: Source, names: tuple[str, ...], options: TraceOptions, form: Format
) -> JobColumns | None:
    """Find the columns of a list of jobs; None if a required one is missing."""
    if isinstance(options.table, JobColumns):
        return options.table
    submit, run, *widths = (_find_column(names, each) for each in (_SUBMIT, _RUN, *_WIDTHS))
    width = next(filter(None, widths), None)
    if submit is None or run is None or width is None:
        return None
    number = _find_column(names, _NUMBER)
    submit_unit, run_unit = (JobTimeUnit((each[1] or "s").lower()) for each in (submit, run))
    named = submit[0], run[0], width[0]
    cells = kept_cells(source, ColumnsToRead((), (submit[0],), ()), (), form)
    is_dated = _DATE.match(cells.text_of(submit[0], 0) or "") is not None
    arrival_unit = None if is_dated else submit_unit
    return JobColumns(*named, arrival_unit, run_unit, number=number and number[0])


def counter_columns(names: tuple[str, ...], options: TraceOptions) -> CounterColumns | None:
    """Find the columns of cycles and memory time; None unless both exist."""
    if isinstance(options.table, CounterColumns):
        return options.table
    cycles, memory = _find_column(names, _CYCLES), _find_column(names, _MEMORY)
    return None if cycles is None or memory is None else CounterColumns(cycles[0], memory[0])


def counters_in(source: Source, columns: CounterColumns, form: Format) -> CounterRows:
    """Read the rows with both cycles and memory time; TailcError for cells that are no amounts."""
    named = (columns.cycles, columns.memory)
    cells = kept_cells(source, ColumnsToRead(named, (), ()), (), form)
    cycles, memory = (not_negative(cells, name, MAX_NS) for name in named)
    cells.stop_if_refused()
    row = np.arange(1, cells.count + 1)
    return CounterRows(cycles, memory, row, columns.cycles, columns.memory)


def _find_column(names: tuple[str, ...], wanted: re.Pattern[str]) -> tuple[str, str | None] | None:
    """The first column with such a name, and the unit in it."""
    found = ((name, wanted.fullmatch(with_unit_suffix(name.strip()))) for name in names)
    return next(((name, match[1]) for name, match in found if match), None)


def _all(names: tuple[str, ...], *wanted: str) -> tuple[str | None, ...]:
    lower = {name.strip().lower(): name for name in names}
    return tuple(lower.get(name) for name in wanted)
