"""Requests of a replay as arrays: arrival times, work, and which of them are measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models.workload import Workload
from tailc.percentiles import percentile_rank


class ArrivalsWithWork(NamedTuple):
    """Requests of a replay in order of arrival, with their work at speed 1 [ns].

    curve: number of each request's speed-up curve. measured_from: number of the first request that
    is measured; those before it warm the server up.
    """

    arrival_ns: NDArray[np.int64]
    work: NDArray[np.float64]
    curve: NDArray[np.int32]
    measured_from: int

    @property
    def measured(self) -> int:
        """Number of the requests that are measured, after the warm-up."""
        return len(self.arrival_ns) - self.measured_from

    def rank(self, percentile_ppm: int) -> int:
        """Rank of a percentile among the measured requests, counted from 1."""
        return percentile_rank(percentile_ppm, self.measured)


def arrivals_with_work(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    measured_from: int,
) -> ArrivalsWithWork:
    """Make the requests of a replay in order of arrival, with their work.

    order: record of each request in the workload. arrival_ns: ascending arrival times [ns].
    measured_from: number of the first request that is measured.
    """
    assert 0 <= measured_from < len(order) == len(arrival_ns)
    work = load.work_ns[order].astype(np.float64)
    return ArrivalsWithWork(arrival_ns.astype(np.int64), work, load.curve_of[order], measured_from)
