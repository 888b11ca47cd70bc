"""Views of a trace for the checks: cells, requests, arrivals, timings and series.

A view has only the part of the trace that a check needs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.lint.roles import Role, Roles, SeriesColumn
from tailc.traces.cells import Cells
from tailc.traces.jobs.log import JobLog
from tailc.traces.series.series import TimeSeries
from tailc.traces.source import Format
from tailc.traces.throughput import ThroughputTrace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_OF_NUMBERS = (Role.DEMAND, Role.WEIGHT, Role.DEGREE, Role.ATTEMPT)


@dataclass(frozen=True, eq=False)
class Header:
    """View of a file's column names, their types, and its format.

    types, group_rows: for Parquet, types of the columns and rows of each row group. found_format:
    by the content. told_format: by the name of the file, if it indicates one.
    """

    names: tuple[str, ...]
    types: dict[str, pa.DataType]
    group_rows: Ints
    found_format: str
    told_format: str


@dataclass(frozen=True, eq=False)
class UnknownColumns:
    """View of a table in which no column name is recognised by `tailc lint-trace`.

    below: line of the names of a table in the middle of the file; None if there is none.
    """

    names: tuple[str, ...]
    below: int | None


@dataclass(frozen=True, eq=False)
class WithoutDemands:
    """View of the unrecognised columns of a table without demands, series or counters."""

    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CellColumns:
    """View of the recognised columns, with cells as in the file."""

    cells: Cells
    roles: Roles
    format: Format

    @property
    def number_columns(self) -> tuple[str, ...]:
        """Names of the existing columns that should have numbers."""
        roles = self.roles
        named = [roles.names[role] for role in _OF_NUMBERS if role in roles.names]
        return tuple(name for name in (*named, *roles.speedups) if name in self.cells.columns)


@dataclass(frozen=True, eq=False)
class Classes:
    """View of the class of each request, as text."""

    names: pa.ChunkedArray


@dataclass(frozen=True, eq=False)
class RequestIds:
    """View of each request's id, as text; row: int64 (n,), rows of the file."""

    ids: pa.ChunkedArray
    row: Ints


@dataclass(frozen=True, eq=False)
class Attempts:
    """View of each row's attempt number, float64 (n,); row: int64 (n,), rows of the file."""

    number: Floats
    row: Ints


@dataclass(frozen=True, eq=False)
class Stream:
    """View of recorded arrivals in file order.

    at_ns: int64 (n,), since the first. demand_ns: float64 (n,), NaN if unknown. raw: the column as
    numbers, None for date-times. row: int64 (n,). unit: of the raw numbers, None if unknown.
    """

    at_ns: Ints
    demand_ns: Floats
    raw: Floats | None
    row: Ints
    column: str
    unit: str | None


@dataclass(frozen=True, eq=False)
class TimeTexts:
    """View of a column of times as text, as in the file."""

    texts: tuple[str, ...]
    row: Ints
    column: str


@dataclass(frozen=True, eq=False)
class TimingRows:
    """View of timed executions in file order: request, degree and duration; int64 or float64 (n,).

    request: number of the request by order of appearance. degree: number of threads.
    """

    request: Ints
    degree: Ints
    duration_ms: Floats
    row: Ints
    column: str


@dataclass(frozen=True, eq=False)
class SpeedupRows:
    """View of speed-ups on 1, 2, ... threads: float64 (curves, degrees).

    row: row of each curve. longest: float64 (degrees,), mean speed-ups of the longest 5 % of
    requests, or of all if demands are unknown. longest_are: the name of these requests, as text.
    """

    speedup: Floats
    row: Ints
    columns: tuple[str, ...]
    longest: Floats
    longest_are: str


@dataclass(frozen=True, eq=False)
class SeriesSteps:
    """View of a time series of power or weather, with the hour of the day of each step.

    is_local: whether the hour is that of the local clock, and not UTC.
    """

    series: TimeSeries
    column: SeriesColumn
    local_hour: Floats
    is_local: bool
    rows: int


@dataclass(frozen=True, eq=False)
class Machines:
    """View of a trace of machines' throughput and CPU shares, for `tailc lint-trace`."""

    trace: ThroughputTrace


@dataclass(frozen=True, eq=False)
class Jobs:
    """View of a log of jobs, as its reader reads it, for the checks of `tailc lint-trace`."""

    log: JobLog


@dataclass(frozen=True, eq=False)
class CounterRows:
    """View of the compute cycles and memory time of requests, float64 (n,), in file order.

    memory: in the unit of its column. row: int64 (n,).
    """

    cycles: Floats
    memory: Floats
    row: Ints
    column: str
    memory_column: str
