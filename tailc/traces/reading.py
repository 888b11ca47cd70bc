"""A reading: how a file of measurements becomes the input of a compile.

A reading names columns, units and rows. A spec defines it, the compile uses it, and the artifact
contains it, so that a held-out trace is read in the same way as the design trace.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from tailc.traces.profile import Measure
from tailc.traces.serial import Serial


class TimeUnit(enum.Enum):
    """The unit of a column of times; the enumeration value is its name in a spec."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"

    @property
    def in_ms(self) -> float:
        """Length of this unit of time in milliseconds."""
        return {TimeUnit.NS: 1e-6, TimeUnit.US: 1e-3, TimeUnit.MS: 1.0, TimeUnit.S: 1e3}[self]


class SplitBy(enum.Enum):
    """Rule by which requests are held out: by time, by the hash of an id, or at random."""

    TIME = "time"
    HASH = "hash"
    SEED = "seed"


@dataclass(frozen=True)
class SplitRule:
    """How requests are held out: by time, by the hash of a column, or at random.

    fraction_ppm: share of the requests that are held out [1e-6]; by time the latest ones. column:
    column of the time or id; None for `seed`.
    """

    by: SplitBy
    fraction_ppm: int
    column: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.fraction_ppm < 1_000_000:
            raise ValueError("the held-out fraction must lie between 0 % and 100 %")
        if (self.column is None) != (self.by is SplitBy.SEED):
            raise ValueError("a split by time or hash needs a column; a seeded one has none")


@dataclass(frozen=True)
class Curve:
    """A speed-up curve in millionths at degree 1, 2, ... (threads of a request).

    name: class of requests or source of the curve.
    """

    name: str | None
    speedup_ppm: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.speedup_ppm or min(self.speedup_ppm) <= 0:
            raise ValueError("a speed-up curve needs positive values")


@dataclass(frozen=True)
class ValueMeaning:
    """Meaning of the values of a trace: what was measured, on which reference rung, in which unit.

    unit: of the times. note: the user's reason for accepting a response time as demand.
    """

    measure: Measure
    reference: str
    unit: TimeUnit
    note: str | None = None


@dataclass(frozen=True)
class Rows:
    """Which rows of a file to read.

    where: columns and the values that a row must have in them. split: rule that holds out requests.
    """

    where: tuple[tuple[str, str], ...] = ()
    split: SplitRule | None = None

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Names of the columns that are read as text: the one that holds out requests, if any."""
        rule = self.split
        return () if rule is None or rule.column is None else (rule.column,)


@dataclass(frozen=True)
class DemandColumn:
    """Source of demand: one column of a table."""

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are read as numbers: the column of demands."""
        return (self.name,)


@dataclass(frozen=True)
class DemandAndMemory:
    """Source of demand: a column of demands, and one of the time in each that waits for memory."""

    name: str
    memory: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are read as numbers: demand and memory time."""
        return (self.name, self.memory)


@dataclass(frozen=True)
class CyclesAndMemory:
    """Source of demand: a column of compute cycles at a reference frequency, and memory time."""

    name: str
    memory: str
    clock_khz: int

    def __post_init__(self) -> None:
        if self.clock_khz <= 0:
            raise ValueError("`clock_khz` must be at least 1")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are read as numbers: cycles and memory time."""
        return (self.name, self.memory)


@dataclass(frozen=True)
class CommonCurve:
    """Source of speed-ups: one curve for all requests."""

    curve: Curve

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The speed-up curves that are not columns of the trace: the common one."""
        return (self.curve,)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Names of the columns that select a speed-up curve: none, because there is one curve."""
        return ()

    def number_columns(self, _max_degree: int | None) -> tuple[str, ...]:
        """Names of the columns of speed-ups: none, because one curve holds for all requests."""
        return ()


@dataclass(frozen=True)
class ClassCurves:
    """Source of speed-ups: several curves, selected by a column with the class of the request."""

    column: str
    curves: tuple[Curve, ...]

    def __post_init__(self) -> None:
        if len(self.curves) < 2:
            raise ValueError(_CLASS_COLUMN)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Names of the columns that are read as text: the one that selects a curve."""
        return (self.column,)

    def number_columns(self, _max_degree: int | None) -> tuple[str, ...]:
        """Names of the columns of speed-ups: none, because curves are by class of requests."""
        return ()


@dataclass(frozen=True)
class SpeedupColumns:
    """Source of speed-ups: columns, one per degree from 1, with a curve for each request."""

    names: tuple[str, ...]

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Speed-up curves of the reading: none, because they are columns of the trace."""
        return ()

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Names of the columns that select a speed-up curve: none, as each request has its own."""
        return ()

    def number_columns(self, max_degree: int | None) -> tuple[str, ...]:
        """Names of the columns of speed-ups, up to degree `max_degree`."""
        return self.names[:max_degree]


Demands: TypeAlias = DemandColumn | DemandAndMemory | CyclesAndMemory
Speedups: TypeAlias = CommonCurve | ClassCurves | SpeedupColumns
_CLASS_COLUMN = "several curves need a class column, and a class column needs them"


def speedups_of(
    curves: tuple[Curve, ...], class_column: str | None, columns: tuple[str, ...]
) -> Speedups:
    """Select the one given source of speed-ups; ValueError for none or several."""
    if bool(curves) == bool(columns):
        raise ValueError("speed-ups must come from exactly one of timings, columns and curves")
    if columns and class_column is None:
        return SpeedupColumns(columns)
    return curves_of(curves, class_column)


def curves_of(curves: tuple[Curve, ...], class_column: str | None) -> CommonCurve | ClassCurves:
    """Make a source of speed-ups: one curve for all requests, or several by class.

    Raises ValueError for several curves without a column of classes, and for one with it.
    """
    if (len(curves) == 1) != (class_column is None):
        raise ValueError(_CLASS_COLUMN)
    return CommonCurve(curves[0]) if class_column is None else ClassCurves(class_column, curves)


@dataclass(frozen=True)
class DemandReading:
    """How to read a table whose rows are requests, or `weight` requests of equal demand.

    `bin_us` merges demands into bins of that width (at the bin's mean) with weights. Degrees above
    `max_degree` are not read. serial: the beginning and end of each request on one thread.
    """

    measured: ValueMeaning
    rows: Rows
    demand: Demands
    speedups: Speedups
    weight: str | None = None
    bin_us: int | None = None
    max_degree: int | None = None
    serial: Serial | None = None

    def __post_init__(self) -> None:
        _check_of_requests(self.measured)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The speed-up curves that the reading itself has; those in columns are not included."""
        return self.speedups.curves

    @property
    def number_columns(self) -> tuple[str, ...]:
        """Names of the columns that the reading needs as numbers."""
        speedups = self.speedups.number_columns(self.max_degree)
        return (*self.demand.columns, *_column_names(self.weight), *speedups)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Names of the columns that the reading needs as text, without duplicates."""
        return _once((*self.speedups.text_columns, *self.rows.text_columns))

    def whole(self) -> DemandReading:
        """The same reading without its rule for held-out requests, so it reads all of them."""
        return replace(self, rows=replace(self.rows, split=None))


@dataclass(frozen=True)
class Timings:
    """Columns of a long table with one row per request, degree and repetition."""

    request: str
    degree: str
    duration: str


@dataclass(frozen=True)
class TimingsReading:
    """How to read a table of timed executions, which give demands and speed-ups.

    weight, bin_us, max_degree, serial: as of a DemandReading.
    """

    measured: ValueMeaning
    rows: Rows
    timings: Timings
    weight: str | None = None
    bin_us: int | None = None
    max_degree: int | None = None
    serial: Serial | None = None

    def __post_init__(self) -> None:
        _check_of_requests(self.measured)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The speed-up curves that the reading itself has: none, as timings give them."""
        return ()

    @property
    def number_columns(self) -> tuple[str, ...]:
        """Names of the columns that the reading needs as numbers."""
        return (self.timings.duration, self.timings.degree, *_column_names(self.weight))

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Names of the columns that the reading needs as text, without duplicates."""
        return _once((self.timings.request, *self.rows.text_columns))

    def whole(self) -> TimingsReading:
        """The same reading without its rule for held-out requests, so it reads all of them."""
        return replace(self, rows=replace(self.rows, split=None))


@dataclass(frozen=True)
class ThroughputColumns:
    """Columns of a table of throughput: machine, time, throughput and share of the host.

    waiting: column of the number of waiting requests; None if not recorded.
    """

    throughput: str
    time: str
    machine: str
    share: str
    waiting: str | None = None

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of the columns that are read as numbers."""
        return (self.time, self.throughput, self.share, *_column_names(self.waiting))


@dataclass(frozen=True)
class ThroughputReading:
    """How to read a table of machines' throughput.

    `measured.unit` is the unit of its times.
    """

    measured: ValueMeaning
    rows: Rows
    columns: ThroughputColumns

    def __post_init__(self) -> None:
        if self.measured.measure is not Measure.THROUGHPUT:
            raise ValueError(OF_MACHINES)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Speed-up curves: none, because throughput has no speed-ups."""
        return ()

    def whole(self) -> ThroughputReading:
        """The same reading without its rule for held-out rows, so it reads all of them."""
        return replace(self, rows=replace(self.rows, split=None))


@dataclass(frozen=True)
class RunTimeReading:
    """How to read the run times of jobs, from the column `run`.

    speedups: None if jobs have no speed-up.
    """

    measured: ValueMeaning
    rows: Rows
    run: str
    speedups: CommonCurve | ClassCurves | None = None

    def __post_init__(self) -> None:
        if self.measured.measure is not Measure.RUN_TIME:
            raise ValueError("run times are only for jobs")

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Speed-up curves of the jobs: run time on one server relative to several."""
        return () if self.speedups is None else self.speedups.curves


@dataclass(frozen=True)
class TokenColumns:
    """Names of the columns of requests to a language model: arrival, tokens of prompt and output.

    cached: column of the tokens of the prompt that are in a cache; None if not recorded.
    request_class, priority: columns of classes, and of the priority by which requests wait; None:
    all requests are equal.
    """

    time: str
    prompt: str
    output: str
    cached: str | None = None
    request_class: str | None = None
    priority: str | None = None

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of the columns that are read as numbers."""
        optional = (*_column_names(self.cached), *_column_names(self.priority))
        return (self.time, self.prompt, self.output, *optional)

    @property
    def texts(self) -> tuple[str, ...]:
        """Names of the columns that are read as text."""
        return _column_names(self.request_class)


@dataclass(frozen=True)
class TokensReading:
    """How to read requests to a language model; `unit` is that of the arrival times."""

    measured: ValueMeaning
    rows: Rows
    columns: TokenColumns

    def __post_init__(self) -> None:
        if self.measured.measure is not Measure.TOKENS:
            raise ValueError(OF_TOKENS)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Speed-up curves: none, because tokens have no degree of parallelism."""
        return ()

    def whole(self) -> TokensReading:
        """The same reading without its rule for held-out requests, so it reads all of them."""
        return replace(self, rows=replace(self.rows, split=None))


RequestReading: TypeAlias = DemandReading | TimingsReading
TraceReading: TypeAlias = (
    DemandReading | TimingsReading | ThroughputReading | RunTimeReading | TokensReading
)
OF_TOKENS = "tokens are of requests at arrival times, with a prompt and an output: name the columns"
OF_MACHINES = "throughput is of machines, at times, by share: name the columns"


def clock_khz_of(reading: TraceReading) -> int | None:
    """Frequency [kHz] at which the cycles of a reading are counted; None without cycles."""
    match reading:
        case DemandReading(demand=CyclesAndMemory(clock_khz=khz)):
            return khz
    return None


def memory_column(reading: TraceReading) -> str | None:
    """Name of the column of memory times of a reading; None if it has none."""
    match reading:
        case DemandReading(demand=DemandAndMemory(memory=name) | CyclesAndMemory(memory=name)):
            return name
    return None


def _column_names(column: str | None) -> tuple[str, ...]:
    return () if column is None else (column,)


def _once(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(columns))


def _check_of_requests(measured: ValueMeaning) -> None:
    if measured.measure in (Measure.THROUGHPUT, Measure.RUN_TIME, Measure.TOKENS):
        raise ValueError(f"a reading of requests has no `{measured.measure.value}`")
