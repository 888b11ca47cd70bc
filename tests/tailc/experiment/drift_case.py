"""Helpers of test_drift.py that other tests use too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tailc.traces.profile import DemandProfile, Measure

Demands = NDArray[np.float64]


def profile_of(demand_ms: Demands, weight: NDArray[np.int64] | None = None) -> DemandProfile:
    count = len(demand_ms)
    return DemandProfile(
        demand_ms,
        np.ones(count, np.int64) if weight is None else weight,
        np.ones((1, 1)),
        np.zeros(count, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "one core",
    )


def exponential(seed: int, count: int, mean_ms: float) -> Demands:
    return np.random.default_rng(seed).exponential(mean_ms, count) + 1e-3


def ks_distance(ours: Demands, theirs: Demands) -> float:
    # scipy divides by zero in the p-value of samples that are equal, which nobody asked for.
    with np.errstate(divide="ignore"):
        return float(stats.ks_2samp(ours, theirs, method="asymp").statistic)
