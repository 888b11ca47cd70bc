"""Geometry of ladder maps: the ranges of load and age, and the position of each row.

A ladder map shows the rung that a ladder gives a request, by load and age.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tailc.forms.ladder.table import AT_ONCE, Climb, Ladder, LoadAxis, Outside, Row
from tailc.models.occupancy import Occupancy
from tailc.report.ages import age_origin
from tailc.report.pictures.axis import Axis, count_axis, linear
from tailc.units import format_mrps, number_text

_US_PER_MS = 1_000
_MRPS = 1_000
# With more loads, columns are too thin to see.
_MOST_LOADS = 120
_ROOM = 1.25
# Loads with a smaller share of requests' time do not extend the map.
_SELDOM_PPM = 1_000


@dataclass(frozen=True)
class RowSpan:
    """The visible part of a ladder's row in a map: its range of loads in units of the axis."""

    row: Row
    left: float
    right: float
    loads: str


@dataclass(frozen=True)
class Extent:
    """The ranges of a map of decisions: loads up to `last_load`, and ages of requests.

    Loads are in whole units of the load axis. origin: what ages count from.
    """

    axis: LoadAxis
    last_load: int
    last_age_us: int
    origin: str

    @property
    def x(self) -> Axis:
        """The horizontal axis of a ladder map: loads."""
        if self.axis is LoadAxis.RATE:
            return linear("requests per second", 0.0, self.last_load / _MRPS)
        return count_axis("requests in the system", 1, self.last_load)

    @property
    def y(self) -> Axis:
        """The vertical axis of a ladder map: ages of requests."""
        return linear(f"age since {self.origin} [ms]", 0.0, self.last_age_us / _US_PER_MS)

    def spans(self, ladder: Ladder) -> Iterator[RowSpan]:
        """Yield the rows of a ladder that a runtime applies, lowest load first."""
        rows = guarded_rows(ladder)
        for row, following in zip(rows, (*rows[1:], None), strict=True):
            first = row.first_load if row is not rows[0] else 0
            if first > self.last_load:
                return
            end = self.last_load + 1 if following is None else following.first_load
            left, right = self.edges(first, min(end, self.last_load + 1))
            if right > left:
                yield RowSpan(row, left, right, self.loads(row.first_load, row.last_load))

    def edges(self, first: int, end: int) -> tuple[float, float]:
        """Ends of a range of loads on the axis of a map: `first` to `end` - 1."""
        if self.axis is LoadAxis.RATE:
            return first / _MRPS, end / _MRPS
        return max(first, 1) - 0.5, end - 0.5

    def loads(self, first: int, last: int | None) -> str:
        """Format a range of loads; `last` None: no upper end."""
        if self.axis is LoadAxis.RATE:
            return f"from {format_mrps(first)}"
        first = max(first, 1)
        if last is None:
            return f"{first} and more in the system"
        return f"{first if first >= last else f'{first} to {last}'} in the system"


def guarded_rows(ladder: Ladder) -> tuple[Row, ...]:
    """The rows that a runtime applies: at loads beyond the guard, requests keep the first rung.

    The guard is the range of loads for which the ladder was compiled.
    """
    guard = ladder.guard
    if guard.outside is not Outside.FIRST_RUNG:
        return ladder.rows
    plain = (Climb(0, 0),)
    below = [Row(0, guard.min_load - 1, AT_ONCE, plain)] if guard.min_load else []
    inside = [
        replace(row, first_load=first, last_load=last)
        for row in ladder.rows
        if (first := max(row.first_load, guard.min_load))
        <= (last := min(guard.max_load, guard.max_load if row.last_load is None else row.last_load))
    ]
    if inside:
        inside[0] = replace(inside[0], first_load=guard.min_load)
    return (*below, *inside, Row(guard.max_load + 1, None, AT_ONCE, plain))


def extent(*ladders: Ladder, occupancy: Occupancy | None = None) -> Extent:
    """The range of a map: every row and climb, and the loads where requests spend their time."""
    axis = ladders[0].load_axis
    last_age_us = max(row.climbs[-1].age_us for each in ladders for row in each.rows)
    last_age_us = round(last_age_us * _ROOM) or _US_PER_MS
    origin = age_origin(*ladders)
    first_of_last = max(guarded_rows(each)[-1].first_load for each in ladders)
    if axis is LoadAxis.RATE:
        last = max(max(first_of_last, each.guard.max_load) for each in ladders)
        return Extent(axis, round((last or _MRPS) * _ROOM), last_age_us, origin)
    last = max(first_of_last + 1, _last_frequent(occupancy))
    return Extent(axis, min(last, _MOST_LOADS), last_age_us, origin)


def _last_frequent(occupancy: Occupancy | None) -> int:
    shares = [] if occupancy is None else [sum(row) for row in occupancy.share_ppm]
    return max((load for load, share in enumerate(shares) if share >= _SELDOM_PPM), default=1)


def ms(time_us: int) -> str:
    """Format a time [us] as milliseconds for a table."""
    return number_text(time_us / _US_PER_MS)
