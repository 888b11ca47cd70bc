"""Convert a file to the views that checks need, and collect findings of its readers.

A view is a part of a trace, such as its arrivals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.ingest.formats import format_written
from tailc.ingest.ingest import ingest_source, text_error
from tailc.ingest.options import InputOptions
from tailc.lint.demand_rows import counted_requests
from tailc.lint.executions import execution_columns
from tailc.lint.hints import with_command
from tailc.lint.other_tables import (
    counter_columns,
    counters_in,
    is_swf,
    job_columns,
    job_readings,
    jobs_in,
    throughput_columns,
)
from tailc.lint.roles import Role, Roles, SeriesColumn, TraceOptions, roles_of
from tailc.lint.row_views import (
    distinct_requests,
    only_demands,
    small_sample,
    table_in,
    views_of,
)
from tailc.lint.sampled_columns import sampled_columns
from tailc.lint.series_view import series_in, steps_of, steps_of_weather
from tailc.lint.text_lines import TextLines, text_lines
from tailc.lint.views import (
    CounterRows,
    Header,
    Jobs,
    Machines,
    SeriesSteps,
    UnknownColumns,
    WithoutDemands,
)
from tailc.traces.compression import inner_name
from tailc.traces.expansion import TooExpandedError
from tailc.traces.jobs.job_list import JobColumns
from tailc.traces.names_below import table_below
from tailc.traces.profile_file import is_profile
from tailc.traces.series.weather import irradiance_of_nsrdb, is_nsrdb
from tailc.traces.source import PARQUET_MAGIC, SUFFIXES, Format, Source
from tailc.traces.table import ColumnsToRead
from tailc.traces.throughput import throughput_in
from tailc.traces.trace import TABLES, kept_cells, table_of

# A check takes half a millisecond for a column.
_MOST_COLUMNS = 10_000
_INGEST = "tailc ingest"
_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}")
_NAMES = {"csv": "CSV", "ndjson": "NDJSON", "parquet": "Parquet"}


@dataclass
class ViewedFile:
    """A file of a trace as the checks see it: format, views, and findings of reading it.

    looked_at: the checked parts, in words. views: parts of the trace, such as its arrivals.
    """

    format: str
    rows: int | None = None
    looked_at: tuple[str, ...] = ()
    text: TextLines | None = None
    views: list[object] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def views_of_file(source: Source, options: TraceOptions) -> ViewedFile:
    """Make all views of a file, even if parts of it cannot be read."""
    if is_swf(source):
        return _of_swf(source, options)
    if is_nsrdb(source.head()):
        return _of_nsrdb(source)
    is_report = Role.DEMAND not in options.columns and format_written(source) is not None
    if options.are_of_reports and not is_report:
        message = f"`{source.name}` is no known output of a tool, so it has no spans or tags"
        hint = "remove `--measure`, `--service`, `--tag`, `--metric` and `--label`"
        raise source.fault(Code.USAGE, message, advice=hint)
    return (_of_report if is_report or is_profile(source) else _of_table)(source, options)


def _of_report(source: Source, options: TraceOptions) -> ViewedFile:
    """Views of the output of a load generator or logger, or of a profile."""
    seen = ViewedFile("a profile or report")
    try:
        read = ingest_source(source, _input_options(options), options.stated)
    except TailcError as error:
        seen.findings += (with_command(one, _INGEST) for one in error.findings)
        return seen
    (input_,) = read.inputs
    seen.format = "a profile" if input_.times is None else input_.times.format
    seen.rows = read.counted.histogram.requests
    seen.findings += (with_command(one, _INGEST) for one in read.warnings)
    requests = counted_requests(read.counted.histogram)
    seen.views.append(requests)
    seen.findings += small_sample(requests, source.name, options.percentile_ppm)
    seen.looked_at = ("its times",)
    return seen


def _input_options(options: TraceOptions) -> InputOptions:
    metrics = replace(options.report.metrics, percentile_ppm=options.percentile_ppm)
    return replace(options.report, unit=options.units.get(Role.DEMAND), metrics=metrics)


def _of_table(source: Source, options: TraceOptions) -> ViewedFile:
    is_chosen = bool(options.columns or options.table)
    if not is_chosen and (other := text_error(source)) is not None:
        return ViewedFile("no table", findings=list(other.findings))
    format_of_content = _format_found(source)
    format_of_name = SUFFIXES.get(Path(inner_name(source.name)).suffix.lower(), format_of_content)
    viewed = ViewedFile(_NAMES[format_of_content])
    if format_of_content != "parquet":
        viewed.text = text_lines(source, format_of_content == "csv")
        viewed.views.append(viewed.text)
    with _told_in(viewed):
        names = TABLES[format_of_content](source).names
        viewed.views.append(_header(source, names, format_of_content, format_of_name))
        times_of = Counter(names)
        with _told_in(viewed):
            table_of(source, ColumnsToRead((), tuple(times_of), ()), format_of_content)
        if not _is_other(viewed, source, tuple(times_of), format_of_content, options):
            _look(viewed, source, times_of, format_of_content, options)
    return viewed


def _of_swf(source: Source, options: TraceOptions) -> ViewedFile:
    """View of a log in the Standard Workload Format, whose lines have no header."""
    seen = ViewedFile("Standard Workload Format", looked_at=("jobs",))
    _note_jobs(seen, source, None, options)
    return seen


def _of_nsrdb(source: Source) -> ViewedFile:
    """View of the irradiance in a weather file of NSRDB, whose first lines describe the site."""
    seen = ViewedFile("weather of NSRDB", looked_at=("GHI",))
    with _told_in(seen):
        series, ahead_h = irradiance_of_nsrdb(source)
        steps = steps_of_weather(series, ahead_h)
        seen.rows = steps.rows
        seen.views.append(steps)
        seen.findings += series.warnings
    return seen


def _note_jobs(
    seen: ViewedFile,
    source: Source,
    columns: JobColumns | None,
    options: TraceOptions,
    form: Format = "auto",
) -> None:
    """Add the view of jobs from the first reading that succeeds."""
    for reading in job_readings(options, columns):
        with _told_in(seen):
            log = jobs_in(source, columns, reading, form)
            seen.rows = len(log.submit_s)
            seen.views.append(Jobs(log))
            seen.findings += log.warnings
            return


def _is_other(
    seen: ViewedFile, source: Source, names: tuple[str, ...], form: Format, options: TraceOptions
) -> bool:
    """Whether it is a table of machines or jobs; adds its view."""
    if (reading := throughput_columns(names, options)) is not None:
        with _told_in(seen):
            trace = throughput_in(source, reading, form)
            seen.rows = trace.rows
            seen.views.append(Machines(trace))
        named = reading.columns
        seen.looked_at = (named.time, named.machine, named.throughput, named.share)
        return True
    if (columns := job_columns(source, names, options, form)) is not None:
        seen.looked_at = (columns.arrival, columns.run, columns.width)
        _note_jobs(seen, source, columns, options, form)
        return True
    return False


def _look(
    seen: ViewedFile, source: Source, times_of: Counter[str], form: Format, options: TraceOptions
) -> None:
    """Add views of the recognised columns; times_of: number of columns of each name."""
    names = tuple(times_of)
    if (counters := counter_columns(names, options)) is not None:
        with _told_in(seen):
            view = counters_in(source, counters, form)
            seen.rows = len(view.row)
            seen.views.append(view)
    options = _with_unnamed_times(source, times_of, form, options)
    roles = roles_of(names, options)
    if (number := len(roles.columns) + len(roles.series)) > _MOST_COLUMNS:
        seen.findings += _too_wide(source, number).findings
        return
    roles = _with_executions(seen, source, roles, form)
    counted = () if counters is None else (counters.cycles, counters.memory)
    seen.looked_at = (*counted, *roles.columns, *(column.name for column in roles.series))
    below = table_below(source.head()) if form == "csv" else None
    _note_unknown(seen, names, roles, options, below)
    if series := [column for column in roles.series if times_of[column.name] == 1]:
        with _told_in(seen):
            _look_at_series(seen, source, roles.names[Role.TIME], series, form, options)
    if roles.columns:
        with _told_in(seen):
            _look_at_rows(seen, source, roles, form, options)


def _with_unnamed_times(
    source: Source, times_of: Counter[str], form: Format, options: TraceOptions
) -> TraceOptions:
    """The options, with a column without a name as that of times if it has dates.

    pandas writes its index so.
    """
    if times_of[""] != 1 or Role.TIME in options.columns:
        return options
    try:
        cells = kept_cells(source, ColumnsToRead((), ("",), ()), (), form)
    except TailcError:  # reported where the rows are read
        return options
    if not cells.count or _DATE.match(cells.text_of("", 0) or "") is None:
        return options
    return replace(options, columns={**options.columns, Role.TIME: ""})


def _with_executions(seen: ViewedFile, source: Source, roles: Roles, form: Format) -> Roles:
    """The roles, with those of a table of executions if the names of its columns say so.

    Otherwise adds the view of columns of which rows may be executions.
    """
    if roles.is_of_timings or Role.WEIGHT in roles.names or Role.DEMAND not in roles.names:
        return roles
    others = tuple(filter(None, (roles.names.get(Role.TIME), *roles.speedups)))
    sample = sampled_columns(source, roles.names[Role.DEMAND], form, without=others)
    if sample is None:
        return roles
    found = execution_columns(sample)
    if found is None or not found.is_named:
        seen.views.append(sample)
        return roles
    return roles.with_executions(found)


def _too_wide(source: Source, number: int) -> TailcError:
    message = (
        f"`{source.name}` has {number:,} columns of times, speed-ups or power, and at most "
        f"{_MOST_COLUMNS:,} are checked"
    )
    hint = "give a file with fewer of them"
    return source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)


def _note_unknown(
    seen: ViewedFile,
    names: tuple[str, ...],
    roles: Roles,
    options: TraceOptions,
    below: int | None,
) -> None:
    """Add the columns that no name explains, if none is recognised or only others than demands."""
    known = set(seen.looked_at)
    rest = tuple(name for name in names if name not in known)
    is_chosen = roles.names.keys() & {Role.DEMAND, *options.columns}
    is_counted = any(isinstance(view, CounterRows) for view in seen.views)
    if not seen.looked_at:
        seen.views.append(UnknownColumns(names, below))
    elif rest and not (is_chosen or is_counted or roles.series):
        seen.views.append(WithoutDemands(rest))


def _look_at_series(
    seen: ViewedFile,
    source: Source,
    time: str,
    columns: list[SeriesColumn],
    form: Format,
    options: TraceOptions,
) -> None:
    """Add the series of the columns; some may be unreadable."""
    rows = series_in(source, time, columns, options, form)
    for column in columns:
        with _told_in(seen):
            steps = steps_of(rows, time, column, options)
            seen.rows = steps.rows
            seen.views.append(steps)
            seen.findings += steps.series.warnings
    if any(isinstance(view, SeriesSteps) for view in seen.views):
        seen.findings = [_as_warning_if_empty(one) for one in seen.findings]


def _as_warning_if_empty(finding: Finding) -> Finding:
    """The finding, as a warning if it is about one column of several without values."""
    is_empty = finding.code is Code.EMPTY_TRACE
    return replace(finding, severity=Severity.WARNING) if is_empty else finding


def _look_at_rows(
    seen: ViewedFile, source: Source, roles: Roles, form: Format, options: TraceOptions
) -> None:
    """Add the columns, or only the demands if the rows need too much memory."""
    try:
        table = table_in(source, roles, form)
    except TooExpandedError as error:
        if roles.is_of_timings or Role.DEMAND not in roles.names:
            raise
        seen.rows, requests = distinct_requests(source, roles, form)
        seen.views.append(requests)
        seen.findings += (only_demands(one, requests) for one in error.findings)
        return
    seen.rows = table.cells.count
    views, findings = views_of(source, table, options)
    seen.views += views
    seen.findings += findings


@contextmanager
def _told_in(seen: ViewedFile) -> Iterator[None]:
    """Context that collects errors of readers as findings."""
    try:
        yield
    except TailcError as error:
        seen.findings = list(dict.fromkeys((*seen.findings, *error.findings)))


def _format_found(source: Source) -> Format:
    """Format by the content, whatever the name of the file."""
    head = source.head()
    if head.startswith(PARQUET_MAGIC):
        return "parquet"
    return "ndjson" if head.lstrip().startswith(b"{") else "csv"


def _header(
    source: Source, names: tuple[str, ...], format_of_content: Format, format_of_name: Format
) -> Header:
    if format_of_content != "parquet":
        return Header(names, {}, np.zeros(0, np.int64), format_of_content, format_of_name)
    with source.raw() as stream:
        file = pq.ParquetFile(stream)
        meta, schema = file.metadata, file.schema_arrow
    groups = [meta.row_group(at).num_rows for at in range(meta.num_row_groups)]
    types = dict(zip(schema.names, schema.types, strict=True))
    return Header(names, types, np.array(groups, np.int64), format_of_content, format_of_name)
