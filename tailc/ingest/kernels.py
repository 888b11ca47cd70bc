"""Counting rows: one pass, nothing kept but the counts."""

from __future__ import annotations

import numpy as np
from numba import njit

from tailc.traces.histogram import DROPPED_BITS, FIRST_BITS, MAX_NS


@njit(cache=True, nogil=True)
def count_times(times, ns_per_unit, counts, extremes):
    """Add each time to the bucket of its whole nanoseconds; how many have none (0, NaN, ...).

    times: float64 (n,). counts: int64 (BUCKETS,), added to.
    extremes: float64 (2,), the least and the largest whole nanoseconds so far.
    """
    least, largest = extremes[0], extremes[1]
    refused = 0
    for i in range(len(times)):
        ns = np.rint(times[i] * ns_per_unit)
        # A comparison with NaN is false, so that is refused too.
        if 1.0 <= ns <= MAX_NS:
            least = min(least, ns)
            largest = max(largest, ns)
            counts[(_bits(ns) >> DROPPED_BITS) - FIRST_BITS] += 1
        else:
            refused += 1
    extremes[0], extremes[1] = least, largest
    return refused


@njit(cache=True, nogil=True)
def _bits(ns):
    return np.float64(ns).view(np.int64)
