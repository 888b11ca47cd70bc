"""The demands of a trace, for the checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.traces.histogram import Histogram

_NS_IN_MS = 1e-6


@dataclass(frozen=True, eq=False)
class DemandRows:
    """The demands of a trace for the checks of `tailc lint-trace`, without bad cells.

    demand: float64 (n,), in the unit of the column, of `in_ms` milliseconds. row: int64 (n,), row
    numbers in the file. weight: int64 (n,), requests of each row. is_ordered: whether rows are in
    order of time, unlike the buckets of a profile.
    """

    demand: NDArray[np.float64]
    in_ms: float
    row: NDArray[np.int64]
    weight: NDArray[np.int64]
    column: str | None
    is_ordered: bool

    @property
    def requests(self) -> int:
        """Number of requests that the rows represent."""
        return int(self.weight.sum())


def counted_requests(histogram: Histogram) -> DemandRows:
    """Convert a histogram to demands [ms] for the checks; they have no row numbers."""
    demand_ms = histogram.demand_ns.astype(np.float64) * _NS_IN_MS
    row = np.zeros(0, np.int64)
    return DemandRows(demand_ms, 1.0, row, histogram.count, None, is_ordered=False)
