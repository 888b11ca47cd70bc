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

    demand: float64 (n,), in the unit of the column, with `in_ms` ms each. row: int64 (n,), rows of
    the file. weight: int64 (n,). is_ordered: whether rows are in order of time, unlike the buckets
    of a profile.
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
    """Counted demands in ms, without rows."""
    demand_ms = histogram.demand_ns.astype(np.float64) * _NS_IN_MS
    row = np.zeros(0, np.int64)
    return DemandRows(demand_ms, 1.0, row, histogram.count, None, is_ordered=False)
