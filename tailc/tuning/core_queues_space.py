"""Search spaces of tail tables, relative to a given table.

A point consists of natural logarithms: of the factor of the latency bound; of the factors of
entries at some positions, with linear interpolation; and of additional factors at some rows, 0 for
the first row. So a search adapts how much the waiting times, the queue's length and the progress of
the running request count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.tail_table import (
    LARGEST_BOUND_US,
    LARGEST_CYCLES,
    LARGEST_TIME_NS,
    TailRow,
    TailTable,
)
from tailc.percentiles import PPM

# Positions with a factor of their own, and rows as parts of the way to the last.
_COARSE_POSITIONS, _FINE_POSITIONS = (0, 1, 3, 9), (0, 1, 2, 3, 5, 9)
_COARSE_ROWS, _FINE_ROWS = (0.0, 1.0), (0.0, 0.5, 1.0)
_SPREAD = 0.3
# Largest factor by which a point changes the table's bound, and its entries.
MOST_TIMES = 4
_LARGEST_LOG = math.log(MOST_TIMES)
_STARTS = (1.0, 2.0)
STARTS = len(_STARTS)


@dataclass(frozen=True, eq=False)
class CoreQueuesSpace:
    """The parameter space of tail tables that have the levels and rows of `base`.

    positions, rows: positions of the queue, and fractions of the rows, that have a parameter.
    """

    base: TailTable
    positions: tuple[int, ...] = _COARSE_POSITIONS
    rows: tuple[float, ...] = _COARSE_ROWS

    def table(self, point: NDArray[np.float64]) -> TailTable:
        """Make the tail table that a point of the parameter space describes."""
        bound, by_position, later = self._parts(point)
        logs = np.interp(np.arange(self.base.positions), self.positions, by_position)

        def scale_rows(given: tuple[TailRow, ...], most: int) -> tuple[TailRow, ...]:
            added = np.interp(np.linspace(0, 1, len(given)), self.rows, later)
            pairs = zip(given, added, strict=True)
            return tuple(_scaled_row(row, logs + more, most) for row, more in pairs)

        base = with_bound_scaled(self.base, round(PPM * math.exp(_share_in_range(bound))))
        return replace(
            base,
            cycles=scale_rows(self.base.cycles, LARGEST_CYCLES),
            memory_ns=scale_rows(self.base.memory_ns, LARGEST_TIME_NS),
        )

    def starts(self) -> Iterator[NDArray[np.float64]]:
        """Initial points of a search for a tail table.

        They are the table `base`, and tables with a longer bound and larger entries. In those, the
        waiting times of requests count less.
        """
        for times in _STARTS:
            log = math.log(times)
            yield np.array([*[log] * (1 + len(self.positions)), *[0.0] * (len(self.rows) - 1)])

    def spread(self, age: float, load: float, narrower: float) -> NDArray[np.float64]:  # noqa: ARG002 - there are no ages
        """Standard deviation of each parameter in the first generation of a search.

        See `SearchSpace.spread` for the arguments.
        """
        return np.full(len(self.positions) + len(self.rows), narrower * _SPREAD)

    def finer(self) -> CoreQueuesSpace:
        """The same parameter space with more parameters: factors for more positions and rows."""
        return replace(self, positions=_FINE_POSITIONS, rows=_FINE_ROWS)

    def refine(self, point: NDArray[np.float64], fine: CoreQueuesSpace) -> NDArray[np.float64]:
        """Convert a point of this space to the finer space `fine`; its table stays the same.

        Up to rounding.
        """
        bound, by_position, later = self._parts(point)
        entries = np.interp(fine.positions, self.positions, by_position)
        added = np.interp(fine.rows[1:], self.rows, later)
        return np.array([bound, *entries, *added])

    def next_to(self, table: TailTable) -> NDArray[np.float64]:
        """The point at which a search near `table` starts.

        Its table is `base` with the latency bound of `table`.
        """
        entries = np.zeros(len(self.positions) + len(self.rows) - 1)
        return np.array([math.log(table.bound_us / self.base.bound_us), *entries])

    def _parts(
        self, point: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Of the bound, by position, and what rows have added."""
        bound, entries = float(point[0]), point[1:]
        at = len(self.positions)
        return bound, entries[:at], np.concatenate([[0.0], entries[at:]])


def with_bound_scaled(table: TailTable, part_ppm: int) -> TailTable:
    """Scale the latency bound of a tail table, up to the largest that a table can have."""
    bound_us = min(max(table.bound_us * part_ppm // PPM, 1), LARGEST_BOUND_US)
    return replace(table, bound_us=bound_us)


def _share_in_range(log: float) -> float:
    return min(max(log, -_LARGEST_LOG), _LARGEST_LOG)


def _scaled_row(row: TailRow, logs: NDArray[np.float64], most: int) -> TailRow:
    """Later positions never have less; a row that asks for the highest frequency still does."""
    if row.left[0] >= most:
        return row
    factors = np.exp(np.clip(logs, -_LARGEST_LOG, _LARGEST_LOG))
    left = np.maximum.accumulate(np.rint(np.array(row.left) * factors))
    return replace(row, left=tuple(int(each) for each in np.minimum(left, most)))
