"""What a trace or a profile tells of the demand of a first spec, and what it leaves to say."""

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
from tailc.specs.openslo.read import Objective
from tailc.traces.profile_file import is_profile, read_counted
from tailc.traces.source import Source, format_of
from tailc.traces.telling_names import DEGREES, REQUESTS, first_of, speedups_of, times_of
from tailc.traces.trace import COLUMNS_TOLD, TABLES, own_unit_of

_HELD_OUT = "held_out: 20%"
_NONE_HELD_OUT = (
    "# The trace is too short to hold requests out: verify with the requests of another run."
)
# What YAML takes for text without quotes, but for some words.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NO_TEXTS = ("null", "true", "false")


@dataclass(frozen=True)
class SpeedupOfTrace:
    """The trace tells how requests speed up."""


@dataclass(frozen=True)
class ListedSpeedup:
    """Speed-ups at 1, 2, ... threads."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class SharedWork:
    """The share of a request's work that several threads can do, 0 to 1."""

    share: float


@dataclass(frozen=True)
class Columns:
    """Where a table has its times; None: where the names of columns tell it."""

    demand: str | None = None
    unit: str | None = None


@dataclass(frozen=True)
class Meaning:
    """What times measure, None of a profile; and why a response time may stand for demand."""

    measure: str | None = None
    because: str | None = None

    @property
    def line(self) -> str | None:
        """The reason as a line of a spec."""
        return self.because and f"response_time_because: {json.dumps(self.because)}"


@dataclass(frozen=True)
class Wishes:
    """What a trace does not tell.

    slos: of which the first is the search's target. fan_out: parallel servers that all must answer.
    rates_mrps: arrivals to be ready for, in thousandths of a request per second; empty: FIRST_LOADS
    of what the cores can do. name: None: that of the trace's file.
    """

    cores: int
    slos: tuple[Objective, ...]
    speedup: SpeedupOfTrace | ListedSpeedup | SharedWork = SpeedupOfTrace()
    columns: Columns = Columns()
    meaning: Meaning = Meaning()
    fan_out: int | None = None
    name: str | None = None
    rates_mrps: tuple[int, ...] = ()
    reference: str = "one thread of the server that was measured"

    @property
    def tell_speedup(self) -> bool:
        """Whether the trace need not."""
        return not isinstance(self.speedup, SpeedupOfTrace)


@dataclass(frozen=True)
class Demand:
    """Lines of `demand` below its trace, and that of the speed-up where the trace has it."""

    lines: tuple[str, ...]
    speedup: str | None

    @property
    def is_held_out(self) -> bool:
        """Whether a part is kept to verify on."""
        return _HELD_OUT in self.lines

    def whole(self) -> Demand:
        """The same with nothing held out."""
        lines = (_NONE_HELD_OUT if line == _HELD_OUT else line for line in self.lines)
        return replace(self, lines=tuple(lines))


def demand_of(source: Source, wishes: Wishes) -> Demand:
    """The keys of `demand` that the source tells, with what is wished.

    Raises TailcError, with all that is wanting, where its times and columns do not tell it.
    """
    found: list[Finding] = []
    demand = (_of_profile if is_profile(source) else _of_table)(source, wishes, found)
    if demand.speedup is None and not wishes.tell_speedup:
        found.append(_untold_speedup(source))
    if found:
        raise TailcError(found)
    return demand


def _of_profile(source: Source, wishes: Wishes, found: list[Finding]) -> Demand:
    meaning = wishes.meaning
    _check_unread(source, wishes.columns)
    measure = meaning.measure or read_counted(source).measure.value
    with _kept(found):
        _check_reason(source, measure, meaning)
    lines = (f"measure: {measure}", meaning.line)
    return Demand(tuple(filter(None, lines)), None)


def _of_table(source: Source, wishes: Wishes, found: list[Finding]) -> Demand:
    meaning, written_by = wishes.meaning, format_written(source)
    if written_by is not None and wishes.columns.demand is None:
        found += _of_report(source, written_by.name).findings
        return Demand((), None)
    with _kept(found):
        _check_measure(source, meaning)
    names = TABLES[format_of(source, "auto")](source).names
    column, unit = "", ""
    with _kept(found):
        column, unit = _times(source, names, wishes.columns)
    measured = (f"measure: {meaning.measure}", meaning.line, _HELD_OUT)
    shared = tuple(filter(None, measured))
    degree, request = first_of(DEGREES, names), first_of(REQUESTS, names)
    if degree and request and not wishes.tell_speedup:
        timings = f"timings: {{request: {request}, degree: {degree}, duration: {text_of(column)}}}"
        return Demand((timings, f"unit: {unit}", *shared), "")
    lines = (f"column: {json.dumps(column)}", f"unit: {unit}", *shared)
    return Demand(lines, None if wishes.tell_speedup else _speedup_columns(names))


@contextmanager
def _kept(found: list[Finding]) -> Iterator[None]:
    """Keep what is refused, to tell it with the rest."""
    try:
        yield
    except TailcError as error:
        found += error.findings


def _untold_speedup(source: Source) -> Finding:
    message = f"`{source.name}` does not say how requests speed up on more threads"
    hint = (
        "say it by `--speedup 1,1.9,2.7`, measured at 1, 2, 3 threads, or for a first look by "
        "the share of a request's work that several threads can do, as `--speedup 90%`"
    )
    place = Place(source.name)
    return Finding(Code.MISSING_KEY, message, place, hint, about=("speedup",))


def _check_unread(source: Source, columns: Columns) -> None:
    """A profile has one column, in microseconds: who names others may mean another file."""
    options = {"`--column`": columns.demand, "`--unit`": columns.unit}
    given = [option for option, value in options.items() if value is not None]
    if not given:
        return
    verb = "is" if len(given) == 1 else "are"
    message = f"{' and '.join(given)} {verb} for tables, and `{source.name}` is a profile"
    hint = f"leave {'it' if len(given) == 1 else 'them'} out: a profile has its own times"
    raise TailcError(Finding(Code.USAGE, message, help=hint))


def _check_reason(source: Source, measure: str, meaning: Meaning) -> None:
    """A response time stands for demand only with a reason."""
    if measure.startswith("response-") and not meaning.because:
        message = f"`{source.name}` holds response times: they contain waiting and are no demand"
        hint = (
            "give the reason why few requests waited, such as `--because 'one client sent at a "
            "tenth of what the server can do'`; or measure demand in the server"
        )
        raise _wanting("because", source.fault(Code.RESPONSE_TIME, message, advice=hint))


def _check_measure(source: Source, meaning: Meaning) -> None:
    """What the times of a table measure is said."""
    if meaning.measure is None:
        message = f"`{source.name}` does not say what its times measure"
        hint = "say it by `--measure`, as `demand-busy`"
        fault = source.fault(Code.UNSTATED_MEASURE, message, advice=hint)
        raise _wanting("measure", fault)
    _check_reason(source, meaning.measure, meaning)


def _of_report(source: Source, written_by: str) -> TailcError:
    """What to do about the output of a load generator or a tracing system."""
    message = f"`{source.name}` is {written_by}, which a spec cannot name as its trace"
    profile = f"{Path(source.name).stem}.profile"
    command = shlex.join(("tailc", "ingest", source.name, "-o", profile))
    hint = (
        f"make it a profile by `{command}`, and name that; of responses, `--because` says why "
        "they may stand for demand"
    )
    return source.fault(Code.UNSTATED_MEASURE, message, advice=hint)


def _wanting(wish: str, fault: TailcError) -> TailcError:
    """The same, about the wish that would mend it."""
    return TailcError([replace(finding, about=(wish,)) for finding in fault.findings])


def _times(source: Source, names: tuple[str, ...], asked: Columns) -> tuple[str, str]:
    """The column of times and its unit: those asked for, else as the only name there is."""
    units = times_of(names)
    likely = [name for name in units if name.startswith("demand")] or list(units)
    column = asked.demand or (likely[0] if len(likely) == 1 else None)
    if column is None:
        known = likely or names
        listed = ", ".join(f"`{name}`" for name in known[:COLUMNS_TOLD])
        listed += ", ..." if len(known) > COLUMNS_TOLD else ""
        message = f"which column of `{source.name}` has the demand is not told by their names"
        hint = f"name it by `--column`: {listed}"
        raise source.fault(Code.MISSING_COLUMN, message, advice=hint)
    own = own_unit_of(source, column)
    unit = own.value if own is not None else asked.unit or units.get(column)
    if unit is None:
        message = f"the name of column `{column}` does not say its unit"
        hint = "say it by `--unit ns`, `us`, `ms` or `s`"
        raise source.fault(Code.MISSING_UNIT, message, advice=hint)
    return column, unit


def _speedup_columns(names: tuple[str, ...]) -> str | None:
    columns = speedups_of(names)
    return f"{{columns: [{', '.join(columns)}]}}" if columns else None


def text_of(word: str) -> str:
    """The word as YAML reads it as text."""
    is_plain = _PLAIN.fullmatch(word) is not None and word.lower() not in _NO_TEXTS
    return word if is_plain else json.dumps(word)
