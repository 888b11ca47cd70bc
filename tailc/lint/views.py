"""A trace as the checks look at it: its cells, its requests, their arrivals, timings and series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.lint.roles import Role, Roles, SeriesColumn
from tailc.traces.cells import Cells
from tailc.traces.histogram import Histogram
from tailc.traces.jobs.log import JobLog
from tailc.traces.series.series import TimeSeries
from tailc.traces.source import Format
from tailc.traces.throughput import ThroughputTrace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NS_IN_MS = 1e-6
_OF_NUMBERS = (Role.DEMAND, Role.WEIGHT, Role.DEGREE, Role.ATTEMPT)


@dataclass(frozen=True, eq=False)
class Header:
    """The columns of a file, whatever stands in them.

    types, group_rows: of Parquet, the columns' types and the rows of each group. found_format: by
    the content; told_format: by the file's name, where that tells one.
    """

    names: tuple[str, ...]
    types: dict[str, pa.DataType]
    group_rows: Ints
    found_format: str
    told_format: str


@dataclass(frozen=True, eq=False)
class Unknown:
    """The columns of a table of which no name tells what it holds."""

    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class WithoutDemands:
    """The columns that are not recognised, of a table that has no demands, series or counters."""

    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """The columns that are looked at, as they stand in the file."""

    cells: Cells
    roles: Roles
    format: Format

    @property
    def number_columns(self) -> tuple[str, ...]:
        """The columns that are there and should hold numbers."""
        roles = self.roles
        named = [roles.names[role] for role in _OF_NUMBERS if role in roles.names]
        return tuple(name for name in (*named, *roles.speedups) if name in self.cells.columns)


@dataclass(frozen=True, eq=False)
class Requests:
    """The demands of a trace; bad cells are left out.

    demand: float64 (n,), in the unit of the column, and `in_ms` of it. row: int64 (n,), the rows of
    the file. weight: int64 (n,). is_ordered: whether rows follow one another in time, as requests
    do and the buckets of a profile do not.
    """

    demand: Floats
    in_ms: float
    row: Ints
    weight: Ints
    column: str | None
    is_ordered: bool

    @property
    def requests(self) -> int:
        """How many requests the rows stand for."""
        return int(self.weight.sum())


def counted_requests(histogram: Histogram) -> Requests:
    """Demands that were counted, in ms; they have no rows."""
    demand_ms = histogram.demand_ns.astype(np.float64) * _NS_IN_MS
    row = np.zeros(0, np.int64)
    return Requests(demand_ms, 1.0, row, histogram.count, None, is_ordered=False)


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of each request, as text."""

    names: pa.ChunkedArray


@dataclass(frozen=True, eq=False)
class RequestIds:
    """The id of each request, as text; row: int64 (n,), the rows of the file."""

    ids: pa.ChunkedArray
    row: Ints


@dataclass(frozen=True, eq=False)
class Attempts:
    """Which attempt at a request a row is: float64 (n,); row: int64 (n,), the rows of the file."""

    number: Floats
    row: Ints


@dataclass(frozen=True, eq=False)
class Stream:
    """Arrivals in the order of the file, as recorded.

    at_ns: int64 (n,), from the first. demand_ns: float64 (n,), NaN where there is none. raw: the
    column as numbers, None of date-times. row: int64 (n,). unit: of the raw numbers, None where it
    is not known.
    """

    at_ns: Ints
    demand_ns: Floats
    raw: Floats | None
    row: Ints
    column: str
    unit: str | None


@dataclass(frozen=True, eq=False)
class TimeTexts:
    """A column of times as text, as it stands in the file."""

    texts: tuple[str, ...]
    row: Ints
    column: str


@dataclass(frozen=True, eq=False)
class Timings:
    """Executions in file order: which request on how many threads took how long.

    request: int64 (n,), by order of appearance; degree: int64 (n,); duration_ms: float64 (n,).
    """

    request: Ints
    degree: Ints
    duration_ms: Floats
    row: Ints
    column: str


@dataclass(frozen=True, eq=False)
class Curves:
    """Speed-ups on 1, 2, ... threads: float64 (curves, degrees), and the row of each."""

    speedup: Floats
    row: Ints
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Steps:
    """A series of power or weather, with the hour of the day of each step, by its clock.

    is_local: whether that is the clock of the place, and not UTC.
    """

    series: TimeSeries
    column: SeriesColumn
    local_hour: Floats
    is_local: bool
    rows: int


@dataclass(frozen=True, eq=False)
class Machines:
    """Throughput and shares of machines, which their reader takes."""

    trace: ThroughputTrace


@dataclass(frozen=True, eq=False)
class Jobs:
    """A log of jobs, which its reader takes."""

    log: JobLog


@dataclass(frozen=True, eq=False)
class Counters:
    """Compute cycles and memory time of requests, float64 (n,), in file order.

    memory: in the unit of its column. row: int64 (n,).
    """

    cycles: Floats
    memory: Floats
    row: Ints
    column: str
    memory_column: str
