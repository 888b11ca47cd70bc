"""A reading: the whole recipe from a file of measurements to what a policy is compiled from.

A spec states it, a compile follows it, and the artifact carries it, so that a held-out trace is
read exactly as the design trace was.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from tailc.traces.profile import Measure
from tailc.traces.serial import Serial


class TimeUnit(enum.Enum):
    """The unit of a column of times; the value is its name in a spec."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"

    @property
    def in_ms(self) -> float:
        """Milliseconds in one unit."""
        return {TimeUnit.NS: 1e-6, TimeUnit.US: 1e-3, TimeUnit.MS: 1.0, TimeUnit.S: 1e3}[self]


class SplitBy(enum.Enum):
    """What decides whether a request is held out."""

    TIME = "time"
    HASH = "hash"
    SEED = "seed"


@dataclass(frozen=True)
class SplitRule:
    """Hold out `fraction_ppm` of the requests: the latest (time), by hash of a column, or drawn.

    `column` is the time or id column, None for `seed`.
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
    """A speed-up curve: millionths at degree 1, 2, ...; `name` is the class or where it is from."""

    name: str | None
    speedup_ppm: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.speedup_ppm or min(self.speedup_ppm) <= 0:
            raise ValueError("a speed-up curve needs positive values")


@dataclass(frozen=True)
class Measured:
    """What the values of a trace are: how they were measured, relative to what, in which unit.

    unit: of the times. note: the user's reason where a response time is accepted as demand.
    """

    measure: Measure
    reference: str
    unit: TimeUnit
    note: str | None = None


@dataclass(frozen=True)
class Rows:
    """The rows that count: those whose columns equal the texts of `where`; and what of them is
    held out.
    """

    where: tuple[tuple[str, str], ...] = ()
    split: SplitRule | None = None

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The column that decides what is held out, if one does."""
        rule = self.split
        return () if rule is None or rule.column is None else (rule.column,)


@dataclass(frozen=True)
class DemandColumn:
    """A column of demands."""

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of numbers."""
        return (self.name,)


@dataclass(frozen=True)
class DemandAndMemory:
    """A column of demands, and one of the part of each that no clock shortens."""

    name: str
    memory: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of numbers."""
        return (self.name, self.memory)


@dataclass(frozen=True)
class CyclesAndMemory:
    """A column of compute cycles, counted at a clock, and one of memory time beside them."""

    name: str
    memory: str
    clock_khz: int

    def __post_init__(self) -> None:
        if self.clock_khz <= 0:
            raise ValueError("cycles are counted at a clock, beside a column of memory time")

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of numbers."""
        return (self.name, self.memory)


@dataclass(frozen=True)
class CommonCurve:
    """One speed-up curve for all requests."""

    curve: Curve

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves that the reading has itself."""
        return (self.curve,)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Those that choose a curve: none."""
        return ()

    def number_columns(self, _max_degree: int | None) -> tuple[str, ...]:
        """Those of speed-ups: none."""
        return ()


@dataclass(frozen=True)
class ClassCurves:
    """Several speed-up curves, chosen by the class of a request in a column."""

    column: str
    curves: tuple[Curve, ...]

    def __post_init__(self) -> None:
        if len(self.curves) < 2:
            raise ValueError(_CLASS_COLUMN)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The one that chooses a curve."""
        return (self.column,)

    def number_columns(self, _max_degree: int | None) -> tuple[str, ...]:
        """Those of speed-ups: none."""
        return ()


@dataclass(frozen=True)
class SpeedupColumns:
    """Columns of speed-ups, one a degree from 1 on: each request has its own curve."""

    names: tuple[str, ...]

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves that the reading has itself: none."""
        return ()

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Those that choose a curve: none."""
        return ()

    def number_columns(self, max_degree: int | None) -> tuple[str, ...]:
        """Those of speed-ups, up to the highest degree that is read."""
        return self.names[:max_degree]


Demands: TypeAlias = DemandColumn | DemandAndMemory | CyclesAndMemory
Speedups: TypeAlias = CommonCurve | ClassCurves | SpeedupColumns
_CLASS_COLUMN = "several curves need a class column, and a class column needs them"


def speedups_of(
    curves: tuple[Curve, ...], class_column: str | None, columns: tuple[str, ...]
) -> Speedups:
    """The one source of speed-ups that is given; ValueError where there is none, or another too."""
    if bool(curves) == bool(columns):
        raise ValueError("speed-ups come from timings, columns or curves: name one")
    if columns and class_column is None:
        return SpeedupColumns(columns)
    return curves_of(curves, class_column)


def curves_of(curves: tuple[Curve, ...], class_column: str | None) -> CommonCurve | ClassCurves:
    """One curve for all requests, or several by class; ValueError where it is neither."""
    if (len(curves) == 1) != (class_column is None):
        raise ValueError(_CLASS_COLUMN)
    return CommonCurve(curves[0]) if class_column is None else ClassCurves(class_column, curves)


@dataclass(frozen=True)
class DemandReading:
    """One row a request, or several requests of one demand: column `weight` has how many.

    `bin_us` merges demands into bins of that width (at the bin's mean) with weights. Degrees above
    `max_degree` are not read. serial: the beginning and end of each request on one thread.
    """

    measured: Measured
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
        """The speed-up curves that are no columns of the trace."""
        return self.speedups.curves

    @property
    def number_columns(self) -> tuple[str, ...]:
        """Those of the file that hold numbers."""
        speedups = self.speedups.number_columns(self.max_degree)
        return (*self.demand.columns, *_named(self.weight), *speedups)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Those of the file that are read as text, each once."""
        return _once((*self.speedups.text_columns, *self.rows.text_columns))

    def whole(self) -> DemandReading:
        """The same with nothing held out."""
        return replace(self, rows=replace(self.rows, split=None))


@dataclass(frozen=True)
class Timings:
    """Columns of a long table: one row per (request, degree, repetition)."""

    request: str
    degree: str
    duration: str


@dataclass(frozen=True)
class TimingsReading:
    """Executions of requests at several degrees, from which demands and speed-ups follow.

    weight, bin_us, max_degree, serial: as of a DemandReading.
    """

    measured: Measured
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
        """The speed-up curves that are no columns of the trace: none."""
        return ()

    @property
    def number_columns(self) -> tuple[str, ...]:
        """Those of the file that hold numbers."""
        return (self.timings.duration, self.timings.degree, *_named(self.weight))

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Those of the file that are read as text, each once."""
        return _once((self.timings.request, *self.rows.text_columns))

    def whole(self) -> TimingsReading:
        """The same with nothing held out."""
        return replace(self, rows=replace(self.rows, split=None))


@dataclass(frozen=True)
class ThroughputColumns:
    """Columns of measured throughput: of a machine, at a time, by its share of the host.

    waiting: how many of its requests wait; None where it is not recorded.
    """

    throughput: str
    time: str
    machine: str
    share: str
    waiting: str | None = None

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those that hold numbers."""
        return (self.time, self.throughput, self.share, *_named(self.waiting))


@dataclass(frozen=True)
class ThroughputReading:
    """Throughput of machines; the unit is that of its times."""

    measured: Measured
    rows: Rows
    columns: ThroughputColumns

    def __post_init__(self) -> None:
        if self.measured.measure is not Measure.THROUGHPUT:
            raise ValueError(OF_MACHINES)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Speed-up curves: none."""
        return ()

    def whole(self) -> ThroughputReading:
        """The same with nothing held out."""
        return replace(self, rows=replace(self.rows, split=None))


@dataclass(frozen=True)
class RunTimeReading:
    """Run times of jobs, in column `run`; speedups: None where jobs gain nothing from servers."""

    measured: Measured
    rows: Rows
    run: str
    speedups: CommonCurve | ClassCurves | None = None

    def __post_init__(self) -> None:
        if self.measured.measure is not Measure.RUN_TIME:
            raise ValueError("run times are of jobs")

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The speed-up curves."""
        return () if self.speedups is None else self.speedups.curves


RequestReading: TypeAlias = DemandReading | TimingsReading
TraceReading: TypeAlias = DemandReading | TimingsReading | ThroughputReading | RunTimeReading
OF_MACHINES = "throughput is of machines, at times, by share: name the columns"


def clock_khz_of(reading: TraceReading) -> int | None:
    """The clock that the cycles of a reading are counted at; None: it reads no cycles."""
    match reading:
        case DemandReading(demand=CyclesAndMemory(clock_khz=khz)):
            return khz
    return None


def memory_column(reading: TraceReading) -> str | None:
    """The column of memory times; None: it reads none."""
    match reading:
        case DemandReading(demand=DemandAndMemory(memory=name) | CyclesAndMemory(memory=name)):
            return name
    return None


def _named(column: str | None) -> tuple[str, ...]:
    return () if column is None else (column,)


def _once(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(columns))


def _check_of_requests(measured: Measured) -> None:
    if measured.measure in (Measure.THROUGHPUT, Measure.RUN_TIME):
        raise ValueError(f"a reading of requests has no `{measured.measure.value}`")
