"""The demand of a first spec: what a trace or profile provides, and what is missing."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.formats import format_written
from tailc.lint.executions import execution_columns
from tailc.lint.sampled_columns import sampled_columns
from tailc.specs.openslo.read import ImportedObjective
from tailc.traces.profile_file import is_profile, read_counted
from tailc.traces.source import Source, format_of
from tailc.traces.telling_names import (
    DEGREES,
    REQUESTS,
    first_of,
    speedups_of,
    times_first,
    times_of,
)
from tailc.traces.trace import COLUMNS_TOLD, TABLES, own_unit_of

_HELD_OUT = "held_out: 20%"
_NONE_HELD_OUT = (
    "# The trace is too short to hold requests out: verify with the requests of another run."
)
# Words that are text in YAML without quotes, apart from `_NO_TEXTS`.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NO_TEXTS = ("null", "true", "false")


@dataclass(frozen=True)
class SpeedupOfTrace:
    """The user's choice to take speed-ups from the trace, which contains them."""


@dataclass(frozen=True)
class ListedSpeedup:
    """The user's list of speed-ups at 1, 2, ... threads."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class SharedWork:
    """The user's choice to compute speed-ups from the parallel share of work, 0 to 1."""

    share: float


@dataclass(frozen=True)
class TimeColumns:
    """The column of demands in a table, and its unit; None: chosen by the column names."""

    demand: str | None = None
    unit: str | None = None


@dataclass(frozen=True)
class TimingColumns:
    """Columns of a table with one row per execution of a request at some degree.

    unit: of the durations; None: given by the column's name.
    """

    request: str
    degree: str
    duration: str
    unit: str | None = None


@dataclass(frozen=True)
class Meaning:
    """What the times in a trace measure, and why response times may serve as demand.

    None for a profile, which states this itself.
    """

    measure: str | None = None
    because: str | None = None

    @property
    def line(self) -> str | None:
        """The line of a spec with the reason why response times are demands.

        None without a reason.
        """
        return self.because and f"response_time_because: {json.dumps(self.because)}"


@dataclass(frozen=True)
class Wishes:
    """What the user states for a first spec, because a trace does not contain it.

    slos: the first is the target of the search. fan_out: number of parallel servers that must all
    answer a user's query. rates_mrps: expected arrival rates in thousandths of a request per
    second; empty: chosen from the measured capacity. name: of the service; None: that of the
    trace's file.
    """

    cores: int
    slos: tuple[ImportedObjective, ...]
    speedup: SpeedupOfTrace | ListedSpeedup | SharedWork = SpeedupOfTrace()
    columns: TimeColumns | TimingColumns = TimeColumns()
    meaning: Meaning = Meaning()
    fan_out: int | None = None
    name: str | None = None
    rates_mrps: tuple[int, ...] = ()
    reference: str = "one thread of the server that was measured"

    @property
    def has_speedup(self) -> bool:
        """Whether the user gives the speed-up, so that the trace need not have it."""
        return not isinstance(self.speedup, SpeedupOfTrace)

    @property
    def has_column(self) -> bool:
        """Whether the user names the column of times, so that it need not be recognised."""
        return isinstance(self.columns, TimingColumns) or self.columns.demand is not None


@dataclass(frozen=True)
class DraftDemand:
    """Lines of a spec's key `demand`, and lines of speed-ups if the trace has them."""

    lines: tuple[str, ...]
    speedup: str | None

    @property
    def is_held_out(self) -> bool:
        """Whether the drafted spec holds out a part of the trace for verification."""
        return _HELD_OUT in self.lines

    def whole(self) -> DraftDemand:
        """The lines of the spec's key `demand` without a held-out part."""
        lines = (_NONE_HELD_OUT if line == _HELD_OUT else line for line in self.lines)
        return replace(self, lines=tuple(lines))


def demand_of(source: Source, wishes: Wishes) -> DraftDemand:
    """Write the lines of a spec's key `demand` for a trace and the user's settings.

    Raises TailcError with every missing setting.
    """
    missing: list[Finding] = []
    demand = (_of_profile if is_profile(source) else _of_table)(source, wishes, missing)
    if demand.speedup is None and not wishes.has_speedup:
        missing.append(_untold_speedup(source))
    if missing:
        raise TailcError(missing)
    return demand


def _of_profile(source: Source, wishes: Wishes, missing: list[Finding]) -> DraftDemand:
    meaning = wishes.meaning
    _check_unread(source, wishes.columns)
    measure = meaning.measure or read_counted(source).measure.value
    with _collecting(missing):
        _check_reason(source, measure, meaning)
    lines = (f"measure: {measure}", meaning.line)
    return DraftDemand(tuple(filter(None, lines)), None)


def _of_table(source: Source, wishes: Wishes, missing: list[Finding]) -> DraftDemand:
    meaning, written_by = wishes.meaning, format_written(source)
    if written_by is not None and not wishes.has_column:
        missing += _of_report(source, written_by.name).findings
        return DraftDemand((), None)
    with _collecting(missing):
        _check_measure(source, meaning)
    names = TABLES[format_of(source, "auto")](source).names
    measured = tuple(filter(None, (f"measure: {meaning.measure}", meaning.line, _HELD_OUT)))
    columns: TimeColumns | TimingColumns = TimeColumns("", "")
    with _collecting(missing):
        columns = _columns(source, names, wishes)
    match columns:
        case TimingColumns(request=request, degree=degree, duration=duration, unit=unit):
            named = {"request": request, "degree": degree, "duration": duration}
            listed = ", ".join(f"{key}: {yaml_text(name)}" for key, name in named.items())
            return DraftDemand((f"timings: {{{listed}}}", f"unit: {unit}", *measured), "")
        case TimeColumns(demand=column, unit=unit):
            lines = (f"column: {json.dumps(column)}", f"unit: {unit}", *measured)
            return DraftDemand(lines, None if wishes.has_speedup else _speedup_columns(names))


def _columns(source: Source, names: tuple[str, ...], wishes: Wishes) -> TimeColumns | TimingColumns:
    """The columns to read, and their unit: given, or recognised by names and content."""
    given = wishes.columns
    if isinstance(given, TimingColumns):
        _, unit = _times(source, names, TimeColumns(given.duration, given.unit))
        return replace(given, unit=unit)
    column, unit = _times(source, names, given)
    degree, request = first_of(DEGREES, names), first_of(REQUESTS, names)
    if wishes.has_speedup:
        return TimeColumns(column, unit)
    if degree and request:
        return TimingColumns(request, degree, column, unit)
    sample = sampled_columns(source, column)
    found = sample and execution_columns(sample)
    if found and found.is_named:
        return TimingColumns(found.request, found.degree, column, unit)
    return TimeColumns(column, unit)


@contextmanager
def _collecting(missing: list[Finding]) -> Iterator[None]:
    """Collect the findings of a TailcError instead of raising it."""
    try:
        yield
    except TailcError as error:
        missing += error.findings


def _untold_speedup(source: Source) -> Finding:
    message = f"`{source.name}` has no speed-ups of requests on several threads"
    hint = (
        "give speed-ups measured at 1, 2, 3 threads, such as `--speedup 1,1.9,2.7`; or as a first "
        "estimate the share of the work that several threads can do, such as `--speedup 90%`; if "
        "each row is an execution of a request on some number of threads, name its columns with "
        "`--timings REQUEST,DEGREE,DURATION`"
    )
    place = Place(source.name)
    return Finding(Code.MISSING_KEY, message, place, hint, about=("speedup",))


def _check_unread(source: Source, columns: TimeColumns | TimingColumns) -> None:
    """Raise TailcError for column options of a profile, which has one column in microseconds."""
    match columns:
        case TimingColumns():
            options = {"`--timings`": columns.duration, "`--unit`": columns.unit}
        case TimeColumns():
            options = {"`--column`": columns.demand, "`--unit`": columns.unit}
    given = [option for option, value in options.items() if value is not None]
    if not given:
        return
    verb = "is" if len(given) == 1 else "are"
    message = f"{' and '.join(given)} {verb} for tables, but `{source.name}` is a profile"
    hint = f"remove {'it' if len(given) == 1 else 'them'}: a profile has its own times"
    raise TailcError(Finding(Code.USAGE, message, help=hint))


def _check_reason(source: Source, measure: str, meaning: Meaning) -> None:
    """Raise TailcError for response times without a reason why they may serve as demand."""
    if measure.startswith("response-") and not meaning.because:
        message = f"`{source.name}` has response times, which contain waiting and are not a demand"
        hint = (
            "give the reason why few requests waited, such as `--because 'one client sent at a "
            "tenth of what the server can do'`; or measure demand in the server"
        )
        raise _about_setting("because", source.fault(Code.RESPONSE_TIME, message, advice=hint))


def _check_measure(source: Source, meaning: Meaning) -> None:
    """Raise TailcError unless it is given what the times of a table measure."""
    if meaning.measure is None:
        message = f"`{source.name}` does not say what its times measure"
        hint = (
            "give `--measure`: `demand-busy` for the time in which the server works on a request, "
            "or `demand-cpu` for processor time"
        )
        fault = source.fault(Code.UNSTATED_MEASURE, message, advice=hint)
        raise _about_setting("measure", fault)
    _check_reason(source, meaning.measure, meaning)


def _of_report(source: Source, written_by: str) -> TailcError:
    """The error for the output of a load generator or tracing system, with its remedy."""
    message = f"`{source.name}` is {written_by}, which a spec cannot name as its trace"
    profile = f"{Path(source.name).stem}.profile"
    command = shlex.join(("tailc", "ingest", source.name, "-o", profile))
    hint = (
        f"convert it to a profile with `{command}`, and name that; for response times, state with "
        "`--because` why they can be used as demand"
    )
    return source.fault(Code.UNSTATED_MEASURE, message, advice=hint)


def _about_setting(wish: str, fault: TailcError) -> TailcError:
    """The error marked as about the setting that resolves it."""
    return TailcError([replace(finding, about=(wish,)) for finding in fault.findings])


def _times(source: Source, names: tuple[str, ...], columns: TimeColumns) -> tuple[str, str]:
    """The column of times and its unit: given, or the only one that the names suggest."""
    units = times_of(names)
    likely = [name for name in units if name.startswith("demand")] or list(units)
    column = columns.demand or (likely[0] if len(likely) == 1 else None)
    if column is None:
        known = likely or times_first(names)
        listed = ", ".join(f"`{name}`" for name in known[:COLUMNS_TOLD])
        listed += ", ..." if len(known) > COLUMNS_TOLD else ""
        message = f"the column with the demand cannot be recognised by the names in `{source.name}`"
        hint = f"name it with `--column`: {listed}"
        raise source.fault(Code.MISSING_COLUMN, message, advice=hint)
    own = own_unit_of(source, column)
    unit = own.value if own is not None else columns.unit or units.get(column)
    if unit is None:
        message = f"the name of column `{column}` does not contain its unit"
        hint = "give it with `--unit ns`, `us`, `ms` or `s`"
        raise source.fault(Code.MISSING_UNIT, message, advice=hint)
    return column, unit


def _speedup_columns(names: tuple[str, ...]) -> str | None:
    columns = speedups_of(names)
    return f"{{columns: [{', '.join(columns)}]}}" if columns else None


def yaml_text(word: str) -> str:
    """Quote a word if YAML would not read it as text."""
    is_plain = _PLAIN.fullmatch(word) is not None and word.lower() not in _NO_TEXTS
    return word if is_plain else json.dumps(word)
