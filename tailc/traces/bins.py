"""Merge requests of similar demand into bins of equal width, weighted by their number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tailc.traces.profile import DemandProfile

NS_PER_MS = 1e6
NS_PER_US = 1000


def merge_bins(profile: DemandProfile, bin_us: int) -> DemandProfile:
    """Merge requests in the same bin of demand and on the same speed-up curve, at their mean.

    Bins have the width `bin_us`, start at 0 and include their lower edge. The result is sorted by
    curve, then demand. Means are whole nanoseconds, so the error of the total work is at most half
    a nanosecond for each request. Memory times are merged at their mean too.
    """
    group = bin_of(profile, bin_us)
    first = np.unique(group, return_index=True)[1]
    total = np.bincount(group, weights=profile.weight).astype(np.int64)

    def mean_ms(times_ms: NDArray[np.float64]) -> NDArray[np.float64]:
        # Sums in float64 are exact up to 2^53: requests, and ns of work, 104 days in a bin.
        sum_ns = np.bincount(group, weights=np.rint(times_ms * NS_PER_MS) * profile.weight)
        return np.rint(sum_ns / total) / NS_PER_MS

    return replace(
        profile,
        demand_ms=mean_ms(profile.demand_ms),
        weight=total,
        curve_of=profile.curve_of[first],
        memory_ms=None if profile.memory_ms is None else mean_ms(profile.memory_ms),
        repeats=None,
    )


def bin_of(profile: DemandProfile, bin_us: int) -> NDArray[np.int64]:
    """Return for each request the index of its bin of demand in the binned profile."""
    demand_ns = np.rint(profile.demand_ms * NS_PER_MS)
    edge = demand_ns // (bin_us * NS_PER_US)
    order = np.lexsort((edge, profile.curve_of))
    curve, edge = profile.curve_of[order], edge[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (curve[1:] != curve[:-1]) | (edge[1:] != edge[:-1])
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(is_new) - 1
    return group
