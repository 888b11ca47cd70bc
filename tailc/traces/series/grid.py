"""Rows with times put on a regular grid, or refused by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.traces.cells import Cells
from tailc.traces.series.gaps import Gaps, filled, gaps_of, short, span_text
from tailc.traces.series.reading import SeriesReading, Stamp
from tailc.traces.series.series import Floats, Mask, TimeSeries
from tailc.traces.zones import Clocked, utc_text
from tailc.units import counted

# A century of minutes; what is more is a wrong time in one row.
MAX_STEPS = 1 << 26
# Of any quantity in its unit; sums of so much over all steps stay finite.
LARGEST = 1e18

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Stamped:
    """Rows of a file: when each is, whether it has a value, and which."""

    cells: Cells
    clocked: Clocked
    value: Floats
    has_value: Mask


def on_grid(rows: Stamped, reading: SeriesReading) -> TimeSeries:
    """The rows as a series, in the quantity's unit.

    Raises TailcError, by row, for times that repeat, overlap, go back or are off the grid, for
    values outside what the quantity can be, and for gaps that may not be filled.
    """
    step_s = _step_s(rows, reading)
    at = _steps_of_rows(rows, reading, step_s)
    value, known = _clamped(rows, reading, step_s)
    steps = int(at[-1]) + 1
    gridded = np.zeros(steps), np.zeros(steps, dtype=np.bool_)
    gridded[0][at], gridded[1][at] = np.where(known, value, 0.0), known
    is_end = reading.stamp is Stamp.END
    start_unix_s = int(rows.clocked.unix_s[0]) - (step_s if is_end else 0)
    warnings = [*_clock_warning(rows, reading), *_night_warning(rows, reading)]
    gaps = gaps_of(gridded[1])
    if len(gaps.first):
        can_fill = short(gaps, steps, reading.fill_up_to_s // step_s)
        telling = _Telling(rows, reading, start_unix_s, step_s, at)
        if not (can_fill.all() or reading.skip_longer_gaps):
            raise TailcError(telling.refused(gaps.part(~can_fill)))
        gridded = filled(*gridded, gaps.part(can_fill))
        warnings.append(telling.told(gaps, can_fill))
    source = rows.cells.source
    return TimeSeries(reading.quantity, start_unix_s, step_s, *gridded, source, tuple(warnings))


def _step_s(rows: Stamped, reading: SeriesReading) -> int:
    """The step asked for, or else the most common difference, of equally common ones the least."""
    unix_s = rows.clocked.unix_s
    if reading.step_s is not None:
        return reading.step_s
    if len(unix_s) < 2:
        message = "one row does not say how long a step is"
        raise TailcError(_at_row(rows, reading, 0, Code.UNEVEN_TIMES, message, "state the step"))
    later = np.diff(unix_s)
    values, counts = np.unique(later[later > 0], return_counts=True)
    return int(values[np.argmax(counts)]) if len(values) else 1


def _steps_of_rows(rows: Stamped, reading: SeriesReading, step_s: int) -> Ints:
    """The step of each row, ascending from 0."""
    unix_s = rows.clocked.unix_s
    later = np.diff(unix_s)
    for bad, code, what, help_ in (
        (
            later == 0,
            Code.SAME_TIME,
            "is the time of the row above too",
            "where the clock goes back, name its zone, such as `America/Denver`; or drop one row",
        ),
        (later < 0, Code.OUT_OF_ORDER, "is before the row above", "sort the rows by time"),
        (
            (later > 0) & (later < step_s),
            Code.SAME_TIME,
            f"overlaps the row above, whose step takes {span_text(step_s)}",
            "leave one of them out, or state a shorter step",
        ),
        (
            later % step_s != 0,
            Code.UNEVEN_TIMES,
            f"is no whole number of steps of {span_text(step_s)} after the row above",
            "correct the time, or state a step that divides all differences",
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
        help_ = "correct the time, or give the series in parts"
        raise TailcError(_at_row(rows, reading, row, Code.TRACE_TOO_LARGE, message, help_))
    return at


def _clamped(rows: Stamped, reading: SeriesReading, step_s: int) -> tuple[Floats, Mask]:
    """Values in the quantity's unit, those a little below 0 set to it, and which there are."""
    quantity, known, factor = reading.quantity, rows.has_value, reading.factor(step_s)
    beyond = known & (np.abs(rows.value) > LARGEST / factor)
    value = np.where(beyond | _is_night(rows, reading), 0.0, rows.value) * factor
    below, above = known & (value < quantity.least), known & (value > quantity.most)
    too_low = f"is below the least {quantity.noun}, {quantity.least:g} {quantity.unit}".rstrip()
    if reading.night_share and np.isinf(quantity.most):
        too_low = f"is negative by more than {reading.night_share:.3g} of the largest value"
    too_high = f"is above the largest {quantity.noun}, {quantity.most:g} {quantity.unit}".rstrip()
    too_large = f"is beyond the largest that can be held, {LARGEST:g} {quantity.unit}".rstrip()
    help_ = "correct the cell, check its unit, or leave the cell empty"
    for bad, what in ((below, too_low), (above, too_high), (beyond, too_large)):
        rows.cells.refuse(bad, reading.value, Code.OUT_OF_RANGE, what, help_)
    rows.cells.stop_if_refused()
    return value, known


def _is_night(rows: Stamped, reading: SeriesReading) -> Mask:
    """Which values are a little below 0, of a quantity that cannot be negative."""
    largest = np.max(rows.value, where=rows.has_value, initial=0.0)
    if reading.quantity.least != 0 or np.isfinite(reading.quantity.most):
        return np.zeros(len(rows.value), dtype=np.bool_)
    return rows.has_value & (rows.value < 0) & (rows.value >= -reading.night_share * largest)


def _night_warning(rows: Stamped, reading: SeriesReading) -> list[Finding]:
    is_night = _is_night(rows, reading)
    if not is_night.any():
        return []
    least = rows.value[is_night].min()
    values = counted(int(is_night.sum()), "value")
    message = f"{values} a little below 0 set to 0, down to {least:g} {reading.unit}"
    row = int(np.argmax(is_night))
    help_ = "nothing, where it is a sensor's or an inverter's offset; else empty those cells"
    return [_at_row(rows, reading, row, Code.NIGHT_CLAMPED, message, help_, reading.value)]


def _clock_warning(rows: Stamped, reading: SeriesReading) -> list[Finding]:
    clocked = rows.clocked
    changes = sorted((*clocked.back_at, *clocked.forward_at))
    if not changes:
        return []
    back, forward = counted(len(clocked.back_at), "time"), counted(len(clocked.forward_at), "time")
    message = (
        f"the clock of `{reading.zone}` goes back {back} and forward {forward}; the passes of a "
        "repeated hour are told apart by the order of rows"
    )
    help_ = "look at the rows of that hour, or log in UTC, whose clock does not change"
    return [_at_row(rows, reading, changes[0], Code.CLOCK_CHANGE, message, help_)]


@dataclass(frozen=True)
class _Telling:
    """What messages about gaps need to know."""

    rows: Stamped
    reading: SeriesReading
    start_unix_s: int
    step_s: int
    at: Ints

    def refused(self, gaps: Gaps) -> Finding:
        """The first of the gaps that may not be filled."""
        first, length = int(gaps.first[0]), int(gaps.length[0])
        others = len(gaps.first) - 1
        more = f", and in {counted(others, 'other gap')}" if others else ""
        most = (
            f"up to {span_text(self.reading.fill_up_to_s)}" if self.reading.fill_up_to_s else "none"
        )
        message = (
            f"no value from `{self._utc(first)}` on for {span_text(length * self.step_s)}{more}; "
            f"{most} is to be filled"
        )
        row = int(np.searchsorted(self.at, first))
        changes = (*self.rows.clocked.back_at, *self.rows.clocked.forward_at)
        help_ = "raise `fill_up_to`, set `skip_longer_gaps`, or cut a part without gaps"
        if row in changes or row + 1 in changes:
            help_ = "the clock changes here: name the zone that the logger kept, such as `-07:00`"
        return _at_row(self.rows, self.reading, row, Code.SERIES_GAP, message, help_)

    def told(self, gaps: Gaps, can_fill: Mask) -> Finding:
        """How many gaps there were, and what became of them."""
        parts = []
        for chosen, became in ((can_fill, "filled"), (~can_fill, "marked as not known")):
            if chosen.any():
                length = gaps.length[chosen]
                longest = span_text(int(length.max()) * self.step_s)
                steps = counted(int(length.sum()), "step")
                parts.append(f"{len(length)} of {steps} {became}, the longest {longest}")
        message = f"gaps: {'; '.join(parts)}; the first from `{self._utc(int(gaps.first[0]))}` on"
        row = int(np.searchsorted(self.at, gaps.first[0]))
        help_ = "give the missing values, if the logger has them"
        return _at_row(self.rows, self.reading, row, Code.SERIES_GAPS, message, help_)

    def _utc(self, step: int) -> str:
        return utc_text(self.start_unix_s + step * self.step_s)


def _at_row(
    rows: Stamped,
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
