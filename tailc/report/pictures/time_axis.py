"""A time axis, and values that are constant over intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

import numpy as np
from numpy.typing import NDArray

from tailc.report.pictures.axis import Axis
from tailc.report.pictures.clock_ticks import make_ticks
from tailc.report.pictures.plot import Point
from tailc.traces.zones import utc_text

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
# More intervals are not visible on the canvas, and make a page too large to send.
_MOST_INTERVALS = 384


@dataclass(frozen=True)
class Intervals:
    """Consecutive intervals: start of each and end of the last [s since start_unix_s].

    zone: time zone of the axis.
    """

    start_unix_s: int
    edges_s: tuple[int, ...]
    zone: tzinfo = UTC

    @property
    def coarse(self) -> Intervals:
        """The same time in fewer, longer intervals, few enough to be drawn."""
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
        """Mean over time of the values in each coarse interval."""
        lengths_s = np.diff(np.array(self.edges_s, np.float64))
        firsts = np.arange(0, len(lengths_s), self._together)
        sums = np.add.reduceat(np.asarray(values, np.float64) * lengths_s, firsts)
        return sums / np.add.reduceat(lengths_s, firsts)

    def at_edges(self, values: Sequence[float]) -> list[float]:
        """The values at the edges of the coarse intervals; `values` has one for each edge."""
        return [*values[: -1 : self._together], values[-1]]

    def steps(self, values: Iterable[float]) -> list[Point]:
        """Line along values that are constant in each interval.

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
