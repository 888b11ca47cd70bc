"""Inputs of any known format, each read and said what it measures, added up to one profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.estimate import ShortIntervalError
from tailc.ingest.format import Format
from tailc.ingest.formats import format_written
from tailc.ingest.input_times import Bucket, InputTimes, Loop
from tailc.ingest.measured import StatedMeasure, counted, short_interval
from tailc.ingest.options import InputOptions, SpanOptions, TimeColumn
from tailc.ingest.responses import refuse_points
from tailc.ingest.texts import stated_unit
from tailc.traces.counted import Counted, Grain, together
from tailc.traces.csv_table import CsvTable
from tailc.traces.profile_file import is_profile, read_counted
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source, format_of, open_source
from tailc.traces.telling_names import times_of
from tailc.traces.trace import COLUMNS_TOLD, TABLES, own_unit_of
from tailc.units import format_percentile, shorten

if TYPE_CHECKING:
    from tailc.specs.column_map import ColumnMap

_SEVERAL = "ingest what measures the same thing, and keep the rest in another profile"

# Prometheus advises a native histogram a factor of 1.1 between bounds, which is below that.
WIDE = 0.1
_SPREAD = {Grain.LINEAR: "linearly", Grain.EXPONENTIAL: "exponentially"}
_NS_PER_US = 1_000
_NS_PER_MS = 1e6


@dataclass(frozen=True, eq=False)
class Input:
    """An input as it was read; `times` is None of a profile, which has counted them."""

    name: str
    counted: Counted
    times: InputTimes | None


@dataclass(frozen=True, eq=False)
class Ingested:
    """The profile of all inputs, each of them, and what is odd."""

    counted: Counted
    inputs: tuple[Input, ...]
    warnings: tuple[Finding, ...]


def ingest(paths: Sequence[str], options: InputOptions, stated: StatedMeasure) -> Ingested:
    """The inputs, one or more paths or `-`, as one profile.

    Raises TailcError where one cannot be read, or is not what is said, or measures something else
    than the others.
    """
    if stated.interval_us is not None:
        options = replace(options, interval_ns=stated.interval_us * _NS_PER_US)
    return _added(tuple(_input(path, options, stated) for path in paths))


def ingest_source(source: Source, options: InputOptions) -> Ingested:
    """As `ingest`, of an input that is open already, and of which nothing is stated."""
    return _added((_input_in(source, options, StatedMeasure()),))


def _added(inputs: tuple[Input, ...]) -> Ingested:
    first = inputs[0]
    for other in inputs[1:]:
        if other.counted.measure is not first.counted.measure:
            message = (
                f"`{other.name}` measures `{other.counted.measure.value}`, "
                f"but `{first.name}` measures `{first.counted.measure.value}`"
            )
            raise TailcError(Finding(Code.OTHER_PROFILE, message, Place(other.name), _SEVERAL))
    warnings = [warning for input_ in inputs for warning in _warnings(input_)]
    return Ingested(together([input_.counted for input_ in inputs]), inputs, tuple(warnings))


def _input(path: str, options: InputOptions, stated: StatedMeasure) -> Input:
    with open_source(path) as source:
        return _input_in(source, options, stated)


def _input_in(source: Source, options: InputOptions, stated: StatedMeasure) -> Input:
    if is_profile(source):
        return Input(source.name, _profile(source, stated), None)
    try:
        times = _read(source, options)
    except ShortIntervalError as error:
        raise short_interval(error, stated, source.name) from None
    _check_unit(times, options, source)
    return Input(source.name, counted(times, stated, source.name), times)


def _profile(source: Source, stated: StatedMeasure) -> Counted:
    """The profile in a file; TailcError where it is said to measure something else."""
    found = read_counted(source)
    if stated.measure not in (None, found.measure):
        message = (
            f"`{source.name}` is a profile of `{found.measure.value}`, "
            f"not of `{stated.measure.value}`"
        )
        hint = "leave out `--measure`; or ingest the measurements that it was made from again"
        raise source.fault(Code.OTHER_PROFILE, message, advice=hint)
    return found


def _check_unit(times: InputTimes, options: InputOptions, source: Source) -> None:
    """Raise TailcError where another unit is asked for than the input states."""
    if options.unit is not None and times.unit is not options.unit:
        message = (
            f"`{source.name}` is {times.format}, whose times are in `{times.unit.value}`, "
            f"not in `{options.unit.value}`"
        )
        hint = "leave out `--unit`: it is for inputs that do not state theirs"
        raise source.fault(Code.USAGE, message, advice=hint)


def _read(source: Source, options: InputOptions) -> InputTimes:
    """By the map or the column asked for, or else as the format that its first bytes look like."""
    format_ = format_written(source)
    if options.table is not None:
        if format_ is not None:
            refuse_points(source, format_)
        # Columns of what a load generator wrote are of responses.
        times = _read_table(source, options.table, options)
        return times if format_ is None else replace(times, loop=format_.loop(source))
    if format_ is None:
        raise _unknown(source)
    _check_has(format_, options, source)
    return format_.read(source, options)


def _read_table(source: Source, table: TimeColumn | ColumnMap, options: InputOptions) -> InputTimes:
    """By the column of times, or by the map."""
    if isinstance(table, TimeColumn):
        from tailc.ingest.columns import read_column

        told = times_of((table.name,)).get(table.name)
        own = own_unit_of(source, table.name)
        unit = own or options.unit or (TimeUnit(told) if told else None)
        return read_column(source, table, stated_unit(source, unit), options.interval_ns)
    from tailc.ingest.mapped import read_mapped

    return read_mapped(source, table, options.interval_ns)


def _check_has(format_: Format, options: InputOptions, source: Source) -> None:
    """Raise TailcError where something of spans, metrics or tags is asked for of what has none."""
    if options.spans != SpanOptions() and not format_.has_spans:
        message = f"`{source.name}` is {format_.name}, which has no spans"
        hint = "leave out `--attribute` and `--with-internal`"
        raise source.fault(Code.USAGE, message, advice=hint)
    if options.tags and not format_.has_tags:
        message = f"`{source.name}` is {format_.name}, which has no tags"
        raise source.fault(Code.USAGE, message, advice="leave out `--tag`")
    if options.metrics.choose and not format_.has_metrics:
        message = f"`{source.name}` is {format_.name}, which has no metrics"
        hint = "leave out `--metric`, `--label` and `--since`"
        raise source.fault(Code.USAGE, message, advice=hint)


def _unknown(source: Source) -> TailcError:
    names = _columns(source)
    if names:
        listed = ", ".join(f"`{shorten(name)}`" for name in names[:COLUMNS_TOLD])
        more = ", ..." if len(names) > COLUMNS_TOLD else ""
        message = f"`{source.name}` is a table, and which column has the times is not said"
        hint = (
            f"name it by `--column`, and what it measures by `--measure`; columns: {listed}{more}"
        )
        return source.fault(Code.UNKNOWN_INPUT, message, advice=hint)
    message = f"`{source.name}` is in no format that is known here, and no table"
    hint = "`tailc ingest --help` lists the known formats; for a table, give `--column`"
    return source.fault(Code.UNKNOWN_INPUT, message, advice=hint)


def _columns(source: Source) -> tuple[str, ...]:
    """Those of a table; none of text that is more likely something else."""
    try:
        table = TABLES[format_of(source, "auto")](source)
        names = tuple(dict.fromkeys(table.names))
    except TailcError:
        return ()
    is_text = isinstance(table, CsvTable) and not (table.dialect.unnamed or times_of(names))
    return () if is_text and (len(names) < 2 or names[0].startswith("#")) else names


def _warnings(input_: Input) -> list[Finding]:
    """What is lost in an input that was read."""
    times = input_.times
    if times is None:
        return []
    found = list(times.warnings)
    if times.grain is Grain.PERCENTILES:
        message = (
            f"`{input_.name}` has only {times.points} points of the distribution; "
            "each time between two of them counts as the larger one"
        )
        hint = "a log with one row for each request, or an HdrHistogram log, is more accurate"
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
            f"{times.with_internal:,} of {times.requests:,} server spans of "
            f"`{input_.name}` have spans of kind internal, whose time is taken off"
        )
        hint = "count it as the server's own by `--with-internal`; or take off what only waits"
        found.append(_warning(Code.INTERNAL_SPANS, message, input_.name, hint))
    if times.loop is Loop.CLOSED and input_.counted.origins[0].because is not None:
        message = f"`{input_.name}` is of a closed loop, and is used as a demand, as requested"
        hint = "that is right of one client alone on an idle server"
        found.append(_warning(Code.CLOSED_AS_DEMAND, message, input_.name, hint))
    return found


def _wide_bucket(bucket: Bucket, name: str, grain: Grain) -> Finding:
    percentile = format_percentile(bucket.percentile_ppm)
    message = (
        f"{percentile} of `{name}` is in a bucket from {bucket.lower_ns / _NS_PER_MS:.4g} to "
        f"{bucket.upper_ns / _NS_PER_MS:.4g} ms, {bucket.width:.0%} wide: its position there is "
        f"unknown, and its requests are spread {_SPREAD[grain]}"
    )
    hint = "use narrower buckets around the latency of the SLO, or a native histogram"
    return _warning(Code.WIDE_BUCKET, message, name, hint)


def _warning(code: Code, message: str, name: str, help_: str) -> Finding:
    return Finding(code, message, Place(name), help_, Severity.WARNING)
