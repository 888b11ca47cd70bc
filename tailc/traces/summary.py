"""A summary of demand in about a hundred numbers, small enough for an artifact."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.percentiles import PPM, percentile_rank
from tailc.traces.profile import NS_PER_MS, DemandProfile

_PERCENT = PPM // 100

# Where the distribution is kept: the minimum, every percent, more of the tail, the maximum.
# INVARIANT: part of the artifact's format; another grid would be another field.
GRID_PPM = (0, *range(_PERCENT, PPM, _PERCENT), 995_000, 999_000, PPM)

# Weights add up to at most 2^53, so a weighted sum of digits of ten bits stays below 2^63.
_DIGIT_BITS = 10
_DEMAND_BITS = 60


@dataclass(frozen=True)
class DemandSummary:
    """Mean and quantiles of demand at the percentiles `GRID_PPM`, in whole ns.

    Demand is the run time at the reference rung. A quantile is the order statistic of
    `percentile_rank`, weighted by the requests of each record; the first is the smallest demand.
    All numbers are above 0.
    """

    mean_ns: int
    quantiles_ns: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.quantiles_ns) != len(GRID_PPM):
            raise ValueError(f"a demand summary must have {len(GRID_PPM)} quantiles")
        if any(low > high for low, high in itertools.pairwise(self.quantiles_ns)):
            raise ValueError("the quantiles of a demand summary must not decrease")
        if not 0 < self.quantiles_ns[0] <= self.mean_ns <= self.quantiles_ns[-1]:
            raise ValueError(
                "the demands must be above 0, and their mean between the smallest and the largest"
            )


def summary(profile: DemandProfile) -> DemandSummary:
    """Summarize the demands of a profile; the order of requests has no effect."""
    demand_ns = np.rint(profile.demand_ms * NS_PER_MS).astype(np.int64)
    order = np.argsort(demand_ns, kind="stable")
    counted = np.cumsum(profile.weight[order])
    total = int(counted[-1])
    ranks = [percentile_rank(ppm, total) if ppm else 1 for ppm in GRID_PPM]
    quantiles_ns = demand_ns[order[np.searchsorted(counted, ranks)]]
    return DemandSummary(
        mean_ns=_sum_ns(demand_ns, profile.weight) // total,
        quantiles_ns=tuple(int(value) for value in quantiles_ns),
    )


def _sum_ns(demand_ns: NDArray[np.int64], weight: NDArray[np.int64]) -> int:
    """Exact sum; a float sum would depend on the order of addition."""
    digit = (1 << _DIGIT_BITS) - 1
    shifts = range(0, _DEMAND_BITS, _DIGIT_BITS)
    return sum(int(((demand_ns >> shift & digit) * weight).sum()) << shift for shift in shifts)
