"""Read the arrival times of requests from one column of a trace."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import MEND, ROWS_NAMED, Cells
from tailc.traces.epochs import epoch_unit
from tailc.traces.reading import RequestReading, TimeUnit, TimingsReading
from tailc.traces.source import Format, Source
from tailc.traces.split_keys import time_column
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import kept_cells

NS_PER_S = 1e9
# A gap of so many means is a silence, if gaps that long are at most one in so many and so many are
# shorter. Of n exponential gaps the j longest exceed c means of the k others with a probability of
# at most C(n, j) (1 + jc/k)^-k; over all j that adds up to 4e-10 at n = 11, and less beyond.
LONGEST_MEAN_GAPS = 100
_SELDOM = 10
_FEWEST_SHORTER = 10
FEWEST_ARRIVALS = 2
# Differences of times beyond it (146 years) are not what was meant.
_LONGEST_NS = 2.0**62
_NS_PER_MS = 1e6
# The end of daylight saving, and how long nothing may arrive around it.
_HOUR_NS, _NEAR_NS = 3_600 * 10**9, 900 * 10**9

Times = NDArray[np.int64]


class GapTreatment(enum.Enum):
    """How to treat a long silence between recorded arrivals.

    ERROR: refuse it. KEEP: the service was idle. CLOSE: the recording paused, so the silence gets
    the mean length of the other gaps.
    """

    ERROR = "error"
    KEEP = "keep"
    CLOSE = "close"


@dataclass(frozen=True)
class ArrivalColumn:
    """The column of a trace that has the arrival times, and how to read it.

    unit: of numbers; None for date-times. is_rescaled: the arrivals are replayed at another mean
    rate, so their own does not matter. asked_at: the part of a spec that names the column; None if
    command-line options do.
    """

    name: str
    unit: TimeUnit | None = None
    gaps: GapTreatment = GapTreatment.ERROR
    is_rescaled: bool = False
    asked_at: str | None = None

    def fault(self, of_spec: Code) -> Code:
        """Code of an error about the column's unit: USAGE if an option gives it, else `of_spec`."""
        return Code.USAGE if self.asked_at is None else of_spec

    def unit_text(self, unit: str) -> str:
        """The option or spec key that sets the unit, for messages."""
        if self.asked_at is None:
            return f"`--arrival-unit {unit}` (`unit=TimeUnit.{unit.upper()}`)"
        return f"`unit: {unit}` in `{self.asked_at}`"

    def gaps_text(self, gaps: GapTreatment) -> str:
        """The option or spec key that sets the treatment of gaps, for messages."""
        if self.asked_at is None:
            return f"`--gaps {gaps.value}`"
        return f"`gaps: {gaps.value}` in `{self.asked_at}`"


@dataclass(frozen=True, eq=False)
class ArrivalTimes:
    """Arrival times [ns] of the selected rows in file order: int64 (rows,), ascending from 0."""

    times_ns: Times
    warnings: tuple[Finding, ...] = ()


def arrivals_in(
    source: Source,
    reading: RequestReading,
    column: ArrivalColumn,
    format: Format = "auto",  # noqa: A002
) -> ArrivalTimes:
    """Read the arrival times of the rows that the reading selects.

    Equal times are allowed. Raises TailcError, placed by row, for cells that are not times, times
    out of order, silences (unless `gaps` allows them), too few times, and times that are all equal.
    """
    if isinstance(reading, TimingsReading):
        raise _not_single(
            source,
            column,
            ("each row is a timed execution of a request at some degree, not an arrival"),
        )
    return times_in(source, column, reading.rows.where, format)


def times_in(
    source: Source,
    column: ArrivalColumn,
    where: tuple[tuple[str, str], ...] = (),
    format: Format = "auto",  # noqa: A002
) -> ArrivalTimes:
    """Read the arrival times of some rows from a column of a trace.

    where: pairs of a column and the value that a row must have in it. See `arrivals_in`.
    """
    wanted = ColumnsToRead((), (column.name,), tuple(name for name, _value in where))
    cells = kept_cells(source, wanted, where, format)
    read = _times_read(cells, column)
    times_ns = read.times_ns
    cells.stop_if_refused()
    is_late = np.diff(times_ns, prepend=times_ns[:1]) < 0
    hint = "sort the trace by this column"
    if not read.has_zone and 0 < is_late.sum() == is_clock_going_back(times_ns).sum():
        hint = (
            "write times with their offsets, as `01:30:00+02:00`, or in UTC: a clock that goes "
            "back has one hour twice, and sorting mixes the two"
        )
    what = "is earlier than the row before"
    cells.refuse(is_late, column.name, Code.OUT_OF_ORDER, what, hint)
    cells.stop_if_refused()
    check_span(times_ns, cells.source, column.name)
    found = _without_silences(times_ns, cells, column)
    return replace(found, warnings=(*read.warnings, *found.warnings))


def is_clock_going_back(times_ns: Times) -> NDArray[np.bool_]:
    """Whether each time is about an hour before the previous time, as if a clock went back.

    This happens at the end of daylight saving time. The step back may be shorter than an hour by
    one usual step between times, of 15 to 30 minutes.
    """
    back_ns = -np.diff(times_ns)
    forward_ns = -back_ns[back_ns < 0]
    step_ns = int(np.median(forward_ns)) if len(forward_ns) else 0
    usual_ns = min(max(step_ns, _NEAR_NS), _HOUR_NS // 2)
    return (back_ns <= _HOUR_NS) & (back_ns >= _HOUR_NS - usual_ns)


def check_span(times_ns: Times, source: str, column: str) -> None:
    """Raise TailcError for fewer than two arrivals, or if all are at the same time."""
    count = len(times_ns)
    place = Place(source, field=column)
    if count < FEWEST_ARRIVALS:
        message = (
            f"there are too few arrivals for gaps between them: {count} of at least "
            f"{FEWEST_ARRIVALS}"
        )
    elif times_ns[-1] == times_ns[0]:
        message = f"all {count} arrivals have the same time, so there is no rate"
    else:
        return
    raise TailcError(Finding(Code.FEW_ARRIVALS, message, place, "give a longer recording"))


def _not_single(source: Source, column: ArrivalColumn, why: str) -> TailcError:
    help_ = "use a trace with one row for each request"
    return source.fault(Code.NOT_SINGLE, why, field=column.name, advice=help_)


@dataclass(frozen=True, eq=False)
class _ReadTimes:
    """Times [ns] since the first row. has_zone: false for date-times without a time zone."""

    times_ns: Times
    has_zone: bool = True
    warnings: tuple[Finding, ...] = ()


def _times_read(cells: Cells, column: ArrivalColumn) -> _ReadTimes:
    """Read the column as times; record a finding for each cell that is not a time."""
    times = time_column(cells, column.name, "a stream of arrivals")
    if times is None or cells.findings:
        return _ReadTimes(np.zeros(cells.count, np.int64))
    if pa.types.is_timestamp(times.type):
        if column.unit is not None:
            message = (
                f"the column has date-times, but a unit for numbers is given: {column.unit.value}"
            )
            hint = f"remove {column.unit_text(column.unit.value)}: date-times need no unit"
            place = Place(cells.source, field=column.name)
            cells.findings.append(Finding(column.fault(Code.BAD_UNIT), message, place, hint))
        since = _since_first(numpy_of(times.cast(pa.int64())), 1.0, cells, column)
        return _ReadTimes(since, times.type.tz is not None)
    if column.unit is None:
        message = "the column has numbers, and no unit is given"
        hint = f"give the unit, s, ms, us or ns, such as {column.unit_text('s')}"
        place = Place(cells.source, field=column.name)
        cells.findings.append(Finding(column.fault(Code.MISSING_UNIT), message, place, hint))
        return _ReadTimes(np.zeros(cells.count, np.int64))
    values = numpy_of(times)
    warnings = _epoch_warnings(values, column.unit, cells, column)
    since = _since_first(values, column.unit.in_ms * _NS_PER_MS, cells, column)
    return _ReadTimes(since, warnings=warnings)


def _epoch_warnings(
    values: NDArray, unit: TimeUnit, cells: Cells, column: ArrivalColumn
) -> tuple[Finding, ...]:
    """Warnings about times since 1970 that are in another unit than the stated one.

    In a coarser unit they would be thousands of years ahead, which is recorded as an error. In a
    finer unit they may be times since the start of a machine, which is a warning.
    """
    found = epoch_unit(values) if len(values) else None
    if found in (None, unit.value):
        return ()
    message = (
        f"the times look like {found} since 1970, but the unit is {unit.value}, so rates are wrong"
    )
    place, hint = Place(cells.source, field=column.name), f"write {column.unit_text(found)}"
    if TimeUnit(found).in_ms > unit.in_ms:
        return (Finding(Code.UNIT_SUSPECT, message, place, hint, Severity.WARNING),)
    cells.findings.append(Finding(column.fault(Code.BAD_UNIT), message, place, hint))
    return ()


def _since_first(
    values: NDArray[np.int64] | NDArray[np.float64],
    ns_per_unit: float,
    cells: Cells,
    column: ArrivalColumn,
) -> Times:
    """Times [ns] since the first row; subtracting before scaling keeps all digits."""
    infinite = ~np.isfinite(values)
    cells.refuse(infinite, column.name, Code.NOT_FINITE, "is infinite", MEND)
    if cells.findings:
        return np.zeros(cells.count, np.int64)
    apart = values.astype(float) - float(values[0])
    far = np.abs(apart) * ns_per_unit > _LONGEST_NS
    what, hint = (
        "is more than 100 years from the time of the first row",
        ("correct the cell, or the unit of the times"),
    )
    cells.refuse(far, column.name, Code.OUT_OF_RANGE, what, hint)
    if cells.findings:
        return np.zeros(cells.count, np.int64)
    since = values - values[0]
    if values.dtype == np.int64:
        return since * round(ns_per_unit)
    return np.rint(since * ns_per_unit).astype(np.int64)


def _without_silences(times_ns: Times, cells: Cells, column: ArrivalColumn) -> ArrivalTimes:
    """The times after silences are kept, closed or refused, as `column.gaps` says."""
    gaps_ns = np.diff(times_ns)
    is_silence = _silences(gaps_ns)
    if column.gaps is GapTreatment.KEEP or not is_silence.any():
        return ArrivalTimes(times_ns)
    if column.gaps is GapTreatment.ERROR:
        raise TailcError(_silence(gaps_ns, is_silence, cells, column))
    closed_ns = gaps_ns.copy()
    closed_ns[is_silence] = round(gaps_ns[~is_silence].mean())
    closed = np.concatenate([times_ns[:1], closed_ns.cumsum()])
    removed_s = (times_ns[-1] - closed[-1]) / NS_PER_S
    count = int(is_silence.sum())
    were = "silence was" if count == 1 else "silences were"
    message = f"{count} {were} shortened, which removes {removed_s:.6g} s of the recording"
    place = Place(cells.source, field=column.name)
    hint = "rates are computed without the silences; to keep the silences, use "
    hint += column.gaps_text(GapTreatment.KEEP)
    return ArrivalTimes(closed, (Finding(Code.GAP_CLOSED, message, place, hint, Severity.WARNING),))


def _silences(gaps_ns: Times) -> NDArray[np.bool_]:
    """Which gaps are longer than 100 times the mean of all gaps shorter than them.

    Longer gaps do not enter the mean, so that several silences do not hide one another. Gaps of
    length 0 do not either: with arrivals in batches, the time between batches would count as a
    silence.
    """
    lengths_ns = np.sort(gaps_ns[gaps_ns > 0])
    shorter = np.arange(1, len(lengths_ns))
    # A hundred times all of decades is beyond 64 bits, so divided first.
    is_long = lengths_ns[1:] > LONGEST_MEAN_GAPS * (lengths_ns.cumsum()[:-1] / shorter)
    is_seldom = (len(lengths_ns) - shorter) * _SELDOM <= len(lengths_ns)
    silences_ns = lengths_ns[1:][is_long & is_seldom & (shorter >= _FEWEST_SHORTER)]
    return gaps_ns >= silences_ns.min(initial=np.iinfo(np.int64).max)


def _silence(
    gaps_ns: Times, is_silence: NDArray[np.bool_], cells: Cells, column: ArrivalColumn
) -> Finding:
    """The error about silences, at the end of the first one."""
    ends = np.flatnonzero(is_silence) + 1
    rows = [cells.row_of(int(row)) for row in ends[:ROWS_NAMED]]
    length_s = gaps_ns[ends[0] - 1] / NS_PER_S
    mean_s = gaps_ns[~is_silence & (gaps_ns > 0)].mean() / NS_PER_S
    message = (
        f"no request arrives for {length_s:.4g} s before this row, {length_s / mean_s:.0f} times "
        f"the mean of the other gaps ({mean_s:.4g} s)"
    )
    if len(ends) > 1:
        dots = ", ..." if len(ends) > len(rows) else ""
        shown = ", ".join(map(str, rows))
        message += f" (first of {len(ends)} such silences, before rows {shown}{dots})"
    keep, close = (column.gaps_text(one) for one in (GapTreatment.KEEP, GapTreatment.CLOSE))
    help_ = f"use {keep} if the service was idle, or {close} if the recording paused"
    return Finding(
        Code.ARRIVAL_GAP, message, Place(cells.source, row=rows[0], field=column.name), help_
    )
