"""Place rows with times on a regular grid; refuse rows that do not fit."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.traces.cells import Cells
from tailc.traces.series.gaps import SeriesGaps, fill_gaps, gaps_of, short, span_text
from tailc.traces.series.reading import SeriesReading, Stamp
from tailc.traces.series.series import Floats, Mask, TimeSeries
from tailc.traces.zones import ClockTimes, utc_text
from tailc.units import plural

# A century of minutes; what is more is a wrong time in one row.
MAX_STEPS = 1 << 26
# Largest accepted value in the unit of any quantity, so that sums over all steps stay finite.
LARGEST = 1e18
# A time of a day, with or without minutes, or a Unix time.
_CLOCK_TIME = re.compile(r"\d:\d|T\d|\d{9}")
# Fewer times than these may be repeated by mistake.
_FEW_TIMES = 3
_OFFSET = re.compile(r"(?:Z|[+-]\d{2}:?\d{2})\s*$")

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class StampedRows:
    """Rows of a file with their times [Unix s], before they become a time series.

    value: float64 (rows,). has_value: bool (rows,), false for an empty cell.
    """

    cells: Cells
    clocked: ClockTimes
    value: Floats
    has_value: Mask


def on_grid(rows: StampedRows, reading: SeriesReading) -> TimeSeries:
    """Convert rows with times to a series on a regular grid, in the unit of its quantity.

    Raises TailcError, by row, for times that repeat, overlap, go back or are not on the grid, for
    values outside the range of the quantity, and for gaps that may not be filled.
    """
    step_s = _step_s(rows, reading)
    at = _steps_of_rows(rows, reading, step_s)
    value, known = _clamp(rows, reading, step_s)
    steps = int(at[-1]) + 1
    gridded = np.zeros(steps), np.zeros(steps, dtype=np.bool_)
    gridded[0][at], gridded[1][at] = np.where(known, value, 0.0), known
    is_end = reading.stamp is Stamp.END
    start_unix_s = int(rows.clocked.unix_s[0]) - (step_s if is_end else 0)
    warnings = [*_clock_warning(rows, reading), *_night_warning(rows, reading)]
    gaps = gaps_of(gridded[1])
    if len(gaps.first):
        can_fill = short(gaps, steps, reading.fill_up_to_s // step_s)
        messages = _GapMessages(rows, reading, start_unix_s, step_s, at)
        if not (can_fill.all() or reading.skip_longer_gaps):
            raise TailcError(messages.unfilled_error(gaps.part(~can_fill)))
        gridded = fill_gaps(*gridded, gaps.part(can_fill))
        warnings.append(messages.filled_warning(gaps, can_fill))
    source = rows.cells.source
    return TimeSeries(reading.quantity, start_unix_s, step_s, *gridded, source, tuple(warnings))


def _step_s(rows: StampedRows, reading: SeriesReading) -> int:
    """The stated step, else the most common difference of times (the smallest of several) [s]."""
    unix_s = rows.clocked.unix_s
    if reading.step_s is not None:
        return reading.step_s
    if len(unix_s) < 2:
        message = "a series of one row needs the length of its step"
        raise TailcError(
            _at_row(rows, reading, 0, Code.UNEVEN_TIMES, message, ("state it with `step`"))
        )
    later = np.diff(unix_s)
    values, counts = np.unique(later[later > 0], return_counts=True)
    return int(values[np.argmax(counts)]) if len(values) else 1


def _steps_of_rows(rows: StampedRows, reading: SeriesReading, step_s: int) -> Ints:
    """Step number of each row, ascending from 0."""
    unix_s = rows.clocked.unix_s
    later = np.diff(unix_s)
    _refuse_several_series(rows, reading)
    _refuse_same_times(rows, reading, later == 0)
    sort = "sort the rows by time"
    if len(later) > 1 and (later < 0).all():
        sort += ", which are from the latest to the earliest: "
        sort += "`(head -1 FILE; tail -n +2 FILE | tac) > sorted.csv`"
    for bad, code, what, help_ in (
        (later < 0, Code.OUT_OF_ORDER, "is earlier than the row above", sort),
        (
            (later > 0) & (later < step_s),
            Code.SAME_TIME,
            f"is less than one step, {span_text(step_s)}, after the row above",
            "remove one of the two rows, or state a shorter `step`",
        ),
        (
            later % step_s != 0,
            Code.UNEVEN_TIMES,
            f"is not a whole number of steps of {span_text(step_s)} after the row above",
            "correct the time, or state a `step` that divides all differences",
        ),
    ):
        if bad.any():
            row = int(np.argmax(bad)) + 1
            message = f"`{rows.cells.text_of(reading.time, row)}` {what}"
            raise TailcError(_at_row(rows, reading, row, code, message, help_))
    at = (unix_s - unix_s[0]) // step_s
    if at[-1] >= MAX_STEPS:
        row = int(np.argmax(later)) + 1
        message = f"the times span {at[-1] + 1:,} steps; the limit is {MAX_STEPS:,}"
        help_ = "correct the time, or split the series"
        raise TailcError(_at_row(rows, reading, row, Code.TRACE_TOO_LARGE, message, help_))
    return at


def _refuse_several_series(rows: StampedRows, reading: SeriesReading) -> None:
    """Raise TailcError if most times have several rows, as in a file of several places."""
    found, index, times = np.unique(rows.clocked.unix_s, return_index=True, return_counts=True)
    row = int(index[np.argmax(times)])
    text = rows.cells.text_of(reading.time, row) or ""
    if len(found) < _FEW_TIMES or np.median(times) < 2 or not _CLOCK_TIME.search(text):
        return
    message = f"`{text}` is the time of {times.max():,} rows, so the file has several series"
    help_ = (
        "give the rows of one place or kind, such as by `(head -1 FILE; grep KIND FILE) > t.csv`"
    )
    raise TailcError(_at_row(rows, reading, row, Code.SAME_TIME, message, help_))


def _refuse_same_times(rows: StampedRows, reading: SeriesReading, bad: Mask) -> None:
    """Raise TailcError for the first row after one of the same time."""
    if not bad.any():
        return
    row = int(np.argmax(bad)) + 1
    text = rows.cells.text_of(reading.time, row) or ""
    message = f"`{text}` is also the time of the row above"
    help_ = (
        "if the clock went back, state the time zone, such as `America/Denver`; else remove one row"
    )
    if not _CLOCK_TIME.search(text):
        message += ", and has no time of day"
        help_ = (
            "if the hour is in another column, write both into one, such as 2012-10-01T06:00; the "
            "hour that ends at 24 begins at 23"
        )
    elif _OFFSET.search(text):
        help_ = "remove the row whose value is wrong"
    raise TailcError(_at_row(rows, reading, row, Code.SAME_TIME, message, help_))


def _clamp(rows: StampedRows, reading: SeriesReading, step_s: int) -> tuple[Floats, Mask]:
    """Values in the unit of the quantity, with slightly negative ones set to 0; and which are
    known."""
    quantity, known, factor = reading.quantity, rows.has_value, reading.factor(step_s)
    beyond = known & (np.abs(rows.value) > LARGEST / factor)
    value = np.where(beyond | _is_night(rows, reading), 0.0, rows.value) * factor
    below, above = known & (value < quantity.least), known & (value > quantity.most)
    too_low = (
        f"is below the lowest possible {quantity.noun}, {quantity.least:g} {quantity.unit}".rstrip()
    )
    if reading.night_share and np.isinf(quantity.most):
        too_low = f"is negative by more than {reading.night_share:.3g} of the largest value"
    too_high = (
        f"is above the highest possible {quantity.noun}, {quantity.most:g} {quantity.unit}".rstrip()
    )
    too_large = f"is above the largest accepted value, {LARGEST:g} {quantity.unit}".rstrip()
    help_ = "correct the cell or its unit, or leave the cell empty"
    for bad, what in ((below, too_low), (above, too_high), (beyond, too_large)):
        rows.cells.refuse(bad, reading.value, Code.OUT_OF_RANGE, what, help_)
    rows.cells.stop_if_refused()
    return value, known


def _is_night(rows: StampedRows, reading: SeriesReading) -> Mask:
    """Which values are slightly negative, of a quantity that cannot be negative."""
    largest = np.max(rows.value, where=rows.has_value, initial=0.0)
    if reading.quantity.least != 0 or np.isfinite(reading.quantity.most):
        return np.zeros(len(rows.value), dtype=np.bool_)
    return rows.has_value & (rows.value < 0) & (rows.value >= -reading.night_share * largest)


def _night_warning(rows: StampedRows, reading: SeriesReading) -> list[Finding]:
    is_night = _is_night(rows, reading)
    if not is_night.any():
        return []
    least = rows.value[is_night].min()
    values = plural(int(is_night.sum()), "value")
    message = f"{values} slightly below 0 (down to {least:g} {reading.unit}) set to 0"
    row = int(np.argmax(is_night))
    help_ = "no change is needed if a sensor or inverter has this offset; else empty those cells"
    return [_at_row(rows, reading, row, Code.NIGHT_CLAMPED, message, help_, reading.value)]


def _clock_warning(rows: StampedRows, reading: SeriesReading) -> list[Finding]:
    clocked = rows.clocked
    changes = sorted((*clocked.back_at, *clocked.forward_at))
    if not changes:
        return []
    back, forward = (
        plural(len(clocked.back_at), "time"),
        plural(len(clocked.forward_at), "time"),
    )
    message = (
        f"the clock of `{reading.zone}` goes back {back} and forward {forward}; the two "
        "occurrences of a repeated hour are distinguished by the order of rows"
    )
    help_ = "check the rows of that hour, or log in UTC, which has no clock changes"
    return [_at_row(rows, reading, changes[0], Code.CLOCK_CHANGE, message, help_)]


@dataclass(frozen=True)
class _GapMessages:
    """Inputs of the messages about gaps."""

    rows: StampedRows
    reading: SeriesReading
    start_unix_s: int
    step_s: int
    at: Ints

    def unfilled_error(self, gaps: SeriesGaps) -> Finding:
        """The error about the first gap that may not be filled."""
        first, length = int(gaps.first[0]), int(gaps.length[0])
        others = len(gaps.first) - 1
        more = f", and in {plural(others, 'other gap')}" if others else ""
        longest_s = self.reading.fill_up_to_s
        filled = (
            f"only gaps up to {span_text(longest_s)} are filled" if longest_s else "none is filled"
        )
        message = (
            f"gap of {span_text(length * self.step_s)} from `{self._utc(first)}` on{more}; {filled}"
        )
        row = int(np.searchsorted(self.at, first))
        changes = (*self.rows.clocked.back_at, *self.rows.clocked.forward_at)
        help_ = "raise `fill_up_to`, set `skip_longer_gaps`, or give a part without gaps"
        if row in changes or row + 1 in changes:
            help_ = "the clock changes here: state the time zone of the logger, such as `-07:00`"
        return _at_row(self.rows, self.reading, row, Code.SERIES_GAP, message, help_)

    def filled_warning(self, gaps: SeriesGaps, can_fill: Mask) -> Finding:
        """The warning about gaps that were filled or marked as unknown."""
        parts = []
        for chosen, became in ((can_fill, "filled"), (~can_fill, "marked as unknown")):
            if chosen.any():
                length = gaps.length[chosen]
                longest = span_text(int(length.max()) * self.step_s)
                steps = plural(int(length.sum()), "step")
                count = plural(len(length), "gap")
                parts.append(f"{count} {became} ({steps}, the longest {longest})")
        first = self._utc(int(gaps.first[0]))
        message = f"{' and '.join(parts)}; the first gap starts at `{first}`"
        row = int(np.searchsorted(self.at, gaps.first[0]))
        help_ = "add the missing values if you have them"
        return _at_row(self.rows, self.reading, row, Code.SERIES_GAPS, message, help_)

    def _utc(self, step: int) -> str:
        return utc_text(self.start_unix_s + step * self.step_s)


def _at_row(
    rows: StampedRows,
    reading: SeriesReading,
    row: int,
    code: Code,
    message: str,
    help_: str | None,
    field: str | None = None,
) -> Finding:
    place = Place(rows.cells.source, row=rows.cells.row_of(row), field=field or reading.time)
    is_warning = code in (Code.SERIES_GAPS, Code.NIGHT_CLAMPED, Code.CLOCK_CHANGE)
    severity = Severity.WARNING if is_warning else Severity.ERROR
    return Finding(code, message, place, help_, severity)
