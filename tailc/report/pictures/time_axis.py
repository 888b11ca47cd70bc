"""A time axis, and values that are constant over intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import LATEST_UNIX_S
from tailc.report.pictures.axis import Axis
from tailc.report.pictures.plot import Point
from tailc.traces.series.series import SECONDS_PER_DAY, SECONDS_PER_HOUR
from tailc.traces.zones import utc_text

# The number of ticks, with dates below them, that fit across a picture.
_MOST_TICKS = 10
_MINUTE_S = 60
_STEPS_S = (
    *(1, 5, 10, 15, 30),
    *(minutes * _MINUTE_S for minutes in (1, 5, 10, 15, 30)),
    *(hours * SECONDS_PER_HOUR for hours in (1, 2, 3, 6, 12)),
    *(days * SECONDS_PER_DAY for days in (1, 2, 7, 14, 28)),
)


class Tick(NamedTuple):
    """A labelled tick of a time axis: a time in Unix seconds and the text below it."""

    unix_s: int
    text: str


def make_ticks(start_unix_s: int, end_unix_s: int, zone: tzinfo) -> list[Tick]:
    """Ticks from start to end at which the zone's clock shows multiples of one step.

    Times that the clock skips have no tick; times that it shows twice have one. The first tick and
    the first of each day have a date below.
    """
    step_s = _step_s(end_unix_s - start_unix_s)
    first_s = start_unix_s + _utc_offset_s(start_unix_s, zone)
    last_s = min(end_unix_s + _utc_offset_s(end_unix_s, zone), LATEST_UNIX_S)
    ticks: list[Tick] = []
    day = None
    for clock_s in range(-(-first_s // step_s) * step_s, last_s + 1, step_s):
        unix_s = _unix_s_at(clock_s, zone)
        if unix_s is not None and start_unix_s <= unix_s <= end_unix_s:
            shown = datetime.fromtimestamp(clock_s, UTC)
            ticks.append(Tick(unix_s, _text(shown, step_s, shown.date() != day)))
            day = shown.date()
    return ticks


def _step_s(length_s: int) -> int:
    """Shortest step that gives few enough ticks; beyond the longest step, a multiple of it."""
    for step_s in _STEPS_S:
        if length_s // step_s < _MOST_TICKS:
            return step_s
    longest_s = _STEPS_S[-1]
    return (length_s // (_MOST_TICKS * longest_s) + 1) * longest_s


def _utc_offset_s(unix_s: int, zone: tzinfo) -> int:
    """Offset of the zone's clock from UTC [s]; 0 beyond the range of the calendar."""
    moment = datetime.fromtimestamp(min(unix_s, LATEST_UNIX_S - SECONDS_PER_DAY), zone)
    offset = moment.utcoffset()
    assert offset is not None
    return offset.days * SECONDS_PER_DAY + offset.seconds


def _unix_s_at(clock_s: int, zone: tzinfo) -> int | None:
    """Unix time at which the zone's clock shows `clock_s`, the first of two; None if it is skipped.

    clock_s: seconds since 1970 on that clock.
    """
    for day_s in (-SECONDS_PER_DAY, SECONDS_PER_DAY):
        unix_s = clock_s - _utc_offset_s(clock_s + day_s, zone)
        if unix_s + _utc_offset_s(unix_s, zone) == clock_s:
            return unix_s
    return None


def _text(shown: datetime, step_s: int, is_new_day: bool) -> str:
    date = shown.date().isoformat()
    if step_s >= SECONDS_PER_DAY:
        return date
    time = shown.strftime("%H:%M" if step_s >= _MINUTE_S else "%H:%M:%S")
    return f"{time}\n{date}" if is_new_day else time


Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
# More intervals are not visible on the canvas, and make a page too large to send.
_MOST_INTERVALS = 384


@dataclass(frozen=True)
class Intervals:
    """Consecutive intervals of a time axis: start of each, and end of the last.

    edges_s: in seconds since start_unix_s. zone: time zone of the axis.
    """

    start_unix_s: int
    edges_s: tuple[int, ...]
    zone: tzinfo = UTC

    @property
    def coarse(self) -> Intervals:
        """Merge the intervals to fewer, longer ones, few enough to be drawn."""
        edges_s = (*self.edges_s[: -1 : self._together], self.edges_s[-1])
        return replace(self, edges_s=edges_s)

    @property
    def axis(self) -> Axis:
        """Axis of seconds since the start, with ticks labelled in the time zone."""
        length_s = self.edges_s[-1]
        ticks = make_ticks(self.start_unix_s, self.start_unix_s + length_s, self.zone)
        labels = tuple((float(one.unix_s - self.start_unix_s), one.text) for one in ticks)
        return Axis(f"time [{self.zone}]", 0.0, float(length_s), labels)

    @property
    def texts(self) -> list[str]:
        """Start of each interval as text, in UTC."""
        return [utc_text(self.start_unix_s + edge_s) for edge_s in self.edges_s[:-1]]

    def means(self, values: Sequence[float] | Floats | Whole) -> Floats:
        """Mean over time of the values in each coarse interval; `values` has one per interval."""
        lengths_s = np.diff(np.array(self.edges_s, np.float64))
        firsts = np.arange(0, len(lengths_s), self._together)
        sums = np.add.reduceat(np.asarray(values, np.float64) * lengths_s, firsts)
        return sums / np.add.reduceat(lengths_s, firsts)

    def at_edges(self, values: Sequence[float]) -> list[float]:
        """The values at the edges of the coarse intervals; `values` has one for each edge."""
        return [*values[: -1 : self._together], values[-1]]

    def steps(self, values: Iterable[float]) -> list[Point]:
        """The points of a line through values that are constant in each interval.

        Equal neighbours are one segment.
        """
        heights = [float(value) for value in values]
        points: list[Point] = []
        for place, value in enumerate(heights):
            if place == 0 or value != heights[place - 1]:
                points.append((float(self.edges_s[place]), value))
            if place + 1 == len(heights) or value != heights[place + 1]:
                points.append((float(self.edges_s[place + 1]), value))
        return points

    @property
    def _together(self) -> int:
        return -(-(len(self.edges_s) - 1) // _MOST_INTERVALS)
