"""An axis of time in UTC, and values that hold from one moment to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from tailc.report.page.axis import Axis
from tailc.report.page.plot import Point
from tailc.report.time_axis import make_ticks
from tailc.traces.zones import utc_text

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
# More cannot be told apart on the canvas, and would make a page too large to send.
_MOST_INTERVALS = 384


@dataclass(frozen=True)
class Intervals:
    """Times that follow one another: where each begins and the last ends [s since start_unix_s]."""

    start_unix_s: int
    edges_s: tuple[int, ...]

    @property
    def shown(self) -> Intervals:
        """The same time in intervals few enough to be drawn: each is as many of these together."""
        edges_s = (*self.edges_s[: -1 : self._together], self.edges_s[-1])
        return Intervals(self.start_unix_s, edges_s)

    @property
    def axis(self) -> Axis:
        """Seconds since the start; ticks tell the time in UTC."""
        length_s = self.edges_s[-1]
        ticks = make_ticks(self.start_unix_s, self.start_unix_s + length_s, UTC)
        shown = tuple((float(one.unix_s - self.start_unix_s), one.text) for one in ticks)
        return Axis("time [UTC]", 0.0, float(length_s), shown)

    @property
    def texts(self) -> list[str]:
        """When each begins."""
        return [utc_text(self.start_unix_s + edge_s) for edge_s in self.edges_s[:-1]]

    def means(self, values: Sequence[float] | Floats | Whole) -> Floats:
        """Of each interval that is shown, the mean over time of what these have."""
        lengths_s = np.diff(np.array(self.edges_s, np.float64))
        firsts = np.arange(0, len(lengths_s), self._together)
        sums = np.add.reduceat(np.asarray(values, np.float64) * lengths_s, firsts)
        return sums / np.add.reduceat(lengths_s, firsts)

    def steps(self, values: Iterable[float]) -> list[Point]:
        """A line along values that each hold for its interval; equal neighbours are one level."""
        kept = [float(value) for value in values]
        points: list[Point] = []
        for place, value in enumerate(kept):
            if place == 0 or value != kept[place - 1]:
                points.append((float(self.edges_s[place]), value))
            if place + 1 == len(kept) or value != kept[place + 1]:
                points.append((float(self.edges_s[place + 1]), value))
        return points

    @property
    def _together(self) -> int:
        return -(-(len(self.edges_s) - 1) // _MOST_INTERVALS)
