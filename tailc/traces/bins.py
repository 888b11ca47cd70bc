"""Requests merged into bins of equal width, each with the weight of what it holds."""

from __future__ import annotations

import numpy as np

from tailc.traces.profile import DemandProfile

NS_PER_MS = 1e6
NS_PER_US = 1000


def binned(profile: DemandProfile, bin_us: int) -> DemandProfile:
    """The profile with demands in the same `bin_us` (and on the same curve) merged at their mean.

    Bins start at 0 and hold their lower edge. Sorted by curve, then demand. The means are whole
    ns, so the total work is kept to half a ns a request.
    """
    demand_ns = np.rint(profile.demand_ms * NS_PER_MS)
    bin_of = demand_ns // (bin_us * NS_PER_US)
    order = np.lexsort((bin_of, profile.curve_of))
    curve, bin_of = profile.curve_of[order], bin_of[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (curve[1:] != curve[:-1]) | (bin_of[1:] != bin_of[:-1])
    group = np.cumsum(is_new) - 1
    weight = profile.weight[order]
    # Sums in float64 are exact up to 2^53 ns, 104 days of work in a bin.
    work_ns = np.bincount(group, weights=demand_ns[order] * weight)
    total = np.add.reduceat(weight, np.flatnonzero(is_new))
    return DemandProfile(
        np.rint(work_ns / total) / NS_PER_MS,
        total,
        profile.curves,
        curve[is_new],
        profile.curve_names,
        profile.measure,
        profile.reference,
    )
