"""Read inputs of known formats, determine what they measure, and add them up to one profile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.estimate import ShortIntervalError
from tailc.ingest.format import Format
from tailc.ingest.formats import format_written, line_of_format
from tailc.ingest.input_times import Bucket, InputTimes, Loop
from tailc.ingest.options import InputOptions, SpanOptions, TimeColumn
from tailc.ingest.responses import refuse_points
from tailc.ingest.stated_measure import StatedMeasure, count_times, short_interval
from tailc.ingest.texts import stated_unit
from tailc.progress import Progress, silent
from tailc.tasks.engine import LostTask, TaskEngine
from tailc.tasks.processes import LocalProcesses
from tailc.threads import at_most_threads, thread_count
from tailc.traces.counted_times import CountedTimes, Grain, together
from tailc.traces.csv_table import CsvTable
from tailc.traces.names_below import table_below
from tailc.traces.no_table import is_summary, no_table, summary_error
from tailc.traces.profile_file import is_profile, read_counted
from tailc.traces.reading import TimeUnit
from tailc.traces.source import PARQUET_MAGIC, Source, format_of, open_source
from tailc.traces.telling_names import statistics_among, times_first, times_of
from tailc.traces.times import NS_PER_MS, suspect_unit
from tailc.traces.trace import COLUMNS_TOLD, TABLES, own_unit_of
from tailc.units import format_percentile, shorten

if TYPE_CHECKING:
    from tailc.specs.column_map import ColumnMap

_SEVERAL = "ingest inputs of one measure together, and the others into another profile"

# Prometheus advises a native histogram a factor of 1.1 between bounds, which is below that.
WIDE = 0.1
_SPREAD = {Grain.LINEAR: "linearly", Grain.EXPONENTIAL: "exponentially"}
_NS_PER_US = 1_000
_HERE = LocalProcesses(1)
# A table with the ends of requests has their starts, too.
_END = re.compile(
    r"(?:\b|_)(?:end|ended|finish|finished|stop|completed)(?:\b|_|at|time)", re.IGNORECASE
)


@dataclass(frozen=True)
class CountedInput:
    """An input after reading; `times` is None for a profile, whose times are already counted."""

    name: str
    counted: CountedTimes
    times: InputTimes | None


@dataclass(frozen=True, eq=False)
class IngestResult:
    """The result of `tailc ingest`: the profile of all inputs, the inputs, and warnings."""

    counted: CountedTimes
    inputs: tuple[CountedInput, ...]
    warnings: tuple[Finding, ...]


def ingest(
    paths: Sequence[str],
    options: InputOptions,
    stated: StatedMeasure,
    engine: TaskEngine = _HERE,
    progress: Progress = silent,
) -> IngestResult:
    """Read one or more inputs, paths or `-`, into one profile of demands.

    engine: reads each input in a task of its own; the profile does not depend on it. Raises
    TailcError for an input that cannot be read, that contradicts the options, or that measures
    another quantity than the inputs before it.
    """
    if stated.interval_us is not None:
        options = replace(options, interval_ns=stated.interval_us * _NS_PER_US)
    threads = max(1, thread_count(None) // min(engine.slots, len(paths)))
    tasks = [_ReadTask(path, options, stated, threads) for path in paths]
    sizes = [file.stat().st_size if file.is_file() else 0 for file in map(Path, paths)]
    ended: list[int] = []

    def report(number: int, _input: CountedInput | LostTask) -> None:
        ended.append(sizes[number])
        progress(f"read {len(ended):,} of {len(paths):,} inputs", sum(ended) / max(1, sum(sizes)))

    progress(f"reading {paths[0]}" if len(paths) == 1 else "reading inputs", 0.0)
    inputs = engine.run_all(_read_task, tasks, report)
    return _add_inputs(tuple(map(_not_lost, inputs, paths)))


@dataclass(frozen=True)
class _ReadTask:
    """An input to read in the form that is sent to the process that reads it."""

    path: str
    options: InputOptions
    stated: StatedMeasure
    threads: int


def _read_task(task: _ReadTask) -> CountedInput:
    with at_most_threads(task.threads):
        return _input(task.path, task.options, task.stated)


def _not_lost(read: CountedInput | LostTask, path: str) -> CountedInput:
    if isinstance(read, CountedInput):
        return read
    message = f"every process that read `{path}` was killed"
    hint = "the memory may be too small: give a lower `--jobs`"
    raise TailcError(Finding(Code.LOST_TASK, message, Place(path), hint))


def ingest_source(
    source: Source, options: InputOptions, stated: StatedMeasure | None = None
) -> IngestResult:
    """Read an open input, by default without options about its measure; see `ingest`."""
    return _add_inputs((_input_in(source, options, stated or StatedMeasure()),))


def _add_inputs(inputs: tuple[CountedInput, ...]) -> IngestResult:
    first = inputs[0]
    for other in inputs[1:]:
        if other.counted.measure is not first.counted.measure:
            message = (
                f"`{other.name}` measures `{other.counted.measure.value}`, "
                f"but `{first.name}` measures `{first.counted.measure.value}`"
            )
            raise TailcError(Finding(Code.OTHER_PROFILE, message, Place(other.name), _SEVERAL))
    warnings = [warning for input_ in inputs for warning in _warnings(input_)]
    return IngestResult(together([input_.counted for input_ in inputs]), inputs, tuple(warnings))


def _input(path: str, options: InputOptions, stated: StatedMeasure) -> CountedInput:
    with open_source(path) as source:
        return _input_in(source, options, stated)


def _input_in(source: Source, options: InputOptions, stated: StatedMeasure) -> CountedInput:
    if is_profile(source):
        return CountedInput(source.name, _profile(source, stated), None)
    try:
        times = _read(source, options)
    except ShortIntervalError as error:
        raise short_interval(error, stated, source.name) from None
    _check_unit(times, options, source)
    if options.table is not None or options.unit is not None:
        # The unit is stated by a user or a name, not by the format.
        times = replace(times, warnings=(*times.warnings, *_of_unit(times, options, source.name)))
    return CountedInput(source.name, count_times(times, stated, source.name), times)


def _of_unit(times: InputTimes, options: InputOptions, name: str) -> tuple[Finding, ...]:
    """A warning if the times are likely in another unit."""
    column = options.table.name if isinstance(options.table, TimeColumn) else None
    histogram = times.histogram
    demand_ms = histogram.demand_ns / NS_PER_MS
    return suspect_unit(demand_ms, histogram.count, Place(name, field=column))


def _profile(source: Source, stated: StatedMeasure) -> CountedTimes:
    """The profile in a file; raises TailcError if the stated measure differs."""
    found = read_counted(source)
    if stated.measure not in (None, found.measure):
        message = (
            f"`{source.name}` is a profile of `{found.measure.value}`, "
            f"not of `{stated.measure.value}`"
        )
        hint = "remove `--measure`, or ingest the original measurements again"
        raise source.fault(Code.OTHER_PROFILE, message, advice=hint)
    return found


def _check_unit(times: InputTimes, options: InputOptions, source: Source) -> None:
    """Raise TailcError if the stated unit differs from that of the input."""
    if options.unit is not None and times.unit is not options.unit:
        message = (
            f"`{source.name}` is {times.format}, whose times are in `{times.unit.value}`, "
            f"not in `{options.unit.value}`"
        )
        hint = "remove `--unit`: it is for inputs without a unit"
        raise source.fault(Code.USAGE, message, advice=hint)


def _read(source: Source, options: InputOptions) -> InputTimes:
    """Read by the map or the column, or else by the format of the first bytes."""
    format_ = format_written(source)
    if options.table is not None:
        if format_ is not None:
            refuse_points(source, format_)
        # Columns of what a load generator wrote are of responses.
        times = _read_table(source, options.table, options)
        return times if format_ is None else replace(times, loop=format_.loop(source))
    if format_ is None:
        raise _unknown_format(source)
    _check_has(format_, options, source)
    return format_.read(source, options)


def _read_table(source: Source, table: TimeColumn | ColumnMap, options: InputOptions) -> InputTimes:
    """Read by the column of times, or by the map."""
    if isinstance(table, TimeColumn):
        from tailc.ingest.columns import read_column

        unit_of_name = times_of((table.name,)).get(table.name)
        own = own_unit_of(source, table.name)
        unit = own or options.unit or (TimeUnit(unit_of_name) if unit_of_name else None)
        return read_column(source, table, stated_unit(source, unit), options.interval_ns)
    from tailc.ingest.mapped_times import read_mapped

    return read_mapped(source, table, options.interval_ns)


def _check_has(format_: Format, options: InputOptions, source: Source) -> None:
    """Raise TailcError for options about spans, metrics or tags that the format does not have."""
    if options.spans != SpanOptions() and not format_.has_spans:
        message = f"`{source.name}` is {format_.name}, which has no spans"
        hint = "remove `--attribute`, `--service` and `--with-internal`"
        raise source.fault(Code.USAGE, message, advice=hint)
    if options.tags and not format_.has_tags:
        message = f"`{source.name}` is {format_.name}, which has no tags"
        raise source.fault(Code.USAGE, message, advice="remove `--tag`")
    if options.metrics.choose and not format_.has_metrics:
        message = f"`{source.name}` is {format_.name}, which has no metrics"
        hint = "remove `--metric`, `--label` and `--since`"
        raise source.fault(Code.USAGE, message, advice=hint)


def text_error(source: Source) -> TailcError | None:
    """Make the error about a text that is no table and in no known format; None for other files."""
    head = source.head()
    if head.startswith(PARQUET_MAGIC):
        return None
    if (below := line_of_format(source)) is not None:
        number, format_ = below
        message = f"`{source.name}` has other lines above {format_.name}"
        advice = f"remove them, as by `tail -n +{number} FILE > rest.txt`, and give that"
        return source.fault(Code.UNKNOWN_INPUT, message, line=number, advice=advice)
    if (other := no_table(source)) is not None:
        return other
    if not is_summary(head) or table_below(head) is not None or _columns(source):
        return None
    return summary_error(source)


def _unknown_format(source: Source) -> TailcError:
    if (other := text_error(source)) is not None:
        return other
    if (below := table_below(source.head())) is not None:
        message = f"`{source.name}` has other lines above its table"
        advice = f"remove them, as by `tail -n +{below} FILE > table.csv`, and give `--column`"
        return source.fault(Code.UNKNOWN_INPUT, message, line=below, advice=advice)
    names = _columns(source)
    if statistics_among(names) or (not times_of(names) and is_summary(source.head())):
        return summary_error(source)
    if names:
        likely = times_first(names)[:COLUMNS_TOLD]
        listed = ", ".join(f"`{shorten(name)}`" for name in likely)
        more = ", ..." if len(names) > COLUMNS_TOLD else ""
        message = f"`{source.name}` is a table, and it is unknown which column has the times"
        hint = f"give `--column`, and what it measures with `--measure`; columns: {listed}{more}"
        if _END.search(" ".join(names)):
            hint += "; for the difference of two columns, name them in a map for `--columns`"
        if _may_begin_with_row(source):
            hint = f"begin the file with a line of names, not with a row; then {hint}"
        return source.fault(Code.UNKNOWN_INPUT, message, advice=hint)
    message = f"`{source.name}` is not in a known format, and not a table"
    hint = (
        "give a file in one of the formats that `tailc ingest --help` lists; for a table, which "
        "has commas, semicolons, tabs or bars between cells, give `--column`; of a log with blanks "
        "between words, give those that are the times below a name, such as "
        "`(echo time_s; awk '{print $7}' FILE) > times.csv`"
    )
    return source.fault(Code.UNKNOWN_INPUT, message, advice=hint)


def _may_begin_with_row(source: Source) -> bool:
    return format_of(source, "auto") == "csv" and CsvTable(source).doubtful_name() is not None


def _columns(source: Source) -> tuple[str, ...]:
    """Names of the columns of a table; empty for text that is more likely something else."""
    try:
        table = TABLES[format_of(source, "auto")](source)
        names = tuple(dict.fromkeys(table.names))
    except TailcError:
        return ()
    is_text = isinstance(table, CsvTable) and not (table.dialect.unnamed or times_of(names))
    return () if is_text and (len(names) < 2 or names[0].startswith("#")) else names


def _warnings(input_: CountedInput) -> list[Finding]:
    """Warnings about losses in an input."""
    times = input_.times
    if times is None:
        return []
    found = list(times.warnings)
    if times.grain is Grain.PERCENTILES:
        message = (
            f"`{input_.name}` has only {times.points} points of the distribution; each request "
            "between two points counts with the larger time"
        )
        hint = "for accuracy, give a log with one row for each request, or an HdrHistogram log"
        found.append(_warning(Code.COARSE_INPUT, message, input_.name, hint))
    for count, where in ((times.left_out, "left out"), (times.failed_among, "counted")):
        if count:
            failed = f"{count:,} failed " + ("request" if count == 1 else "requests")
            message = f"`{input_.name}` has {failed}, {where}"
            hint = "find out why they failed; their service times are unknown"
            found.append(_warning(Code.FAILED_REQUESTS, message, input_.name, hint))
    if times.scraped is not None and times.scraped.at_percentile.width > WIDE:
        found.append(_wide_bucket(times.scraped.at_percentile, input_.name, times.grain))
    if times.with_internal:
        message = (
            f"{times.with_internal:,} of {times.requests:,} server spans of `{input_.name}` have "
            "child spans of kind internal, whose time is subtracted"
        )
        hint = "if the server works during them, give `--with-internal`"
        found.append(_warning(Code.INTERNAL_SPANS, message, input_.name, hint))
    if times.loop is Loop.CLOSED and input_.counted.origins[0].because is not None:
        message = (
            f"`{input_.name}` is of a closed loop, and its times are used as demand, as requested"
        )
        hint = "check that only one client used the server; else the times contain waiting"
        found.append(_warning(Code.CLOSED_AS_DEMAND, message, input_.name, hint))
    return found


def _wide_bucket(bucket: Bucket, name: str, grain: Grain) -> Finding:
    percentile = format_percentile(bucket.percentile_ppm)
    message = (
        f"{percentile} of `{name}` is in a bucket from {bucket.lower_ns / NS_PER_MS:.4g} to "
        f"{bucket.upper_ns / NS_PER_MS:.4g} ms, {bucket.width:.0%} wide: its position in the "
        f"bucket is unknown, so requests are distributed {_SPREAD[grain]}"
    )
    hint = "use narrower buckets around the latency of the SLO, or a native histogram"
    return _warning(Code.WIDE_BUCKET, message, name, hint)


def _warning(code: Code, message: str, name: str, help_: str) -> Finding:
    return Finding(code, message, Place(name), help_, Severity.WARNING)
