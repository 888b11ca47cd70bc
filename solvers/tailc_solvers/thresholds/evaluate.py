"""Evaluate given climb ages, request by request: mean energy, tail and mean latency.

With ages t_0 = 0 <= t_1 <= .. <= t_(N-1), durations v_i = t_i - t_(i-1) and k the type on which
request r ends, that is the first with x_r <= s_1 v_1 + .. + s_k v_k,

    latency_r = t_(k-1) + (x_r - s_1 v_1 - .. - s_(k-1) v_(k-1)) / s_k
    energy_r  = p_1 v_1 + .. + p_(k-1) v_(k-1) + (the same remainder) p_k / s_k

Source: Haque et al., MICRO 2017, eq. 2-4, with the case bounds in work.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tailc_solvers.intervals.evaluate import evaluate
from tailc_solvers.sample import WeightedSample


@dataclass(frozen=True)
class ThresholdFigures:
    """Figures of a set of climb ages on a sample of requests.

    energy: mean energy of a request, in units of `power` times ms. tail_ms: latency of the request
    at the tail's rank. mean_ms: mean latency.
    """

    energy: float
    tail_ms: float
    mean_ms: float


def evaluate_thresholds(
    sample: WeightedSample, power: ArrayLike, age_ms: ArrayLike, rank: int
) -> ThresholdFigures:
    """Compute the mean energy, tail and mean latency of requests that climb at given ages.

    power: of each core type. age_ms: climb ages [N - 1]; inf for never. rank: 1-based rank of the
    tail.
    """
    ages = np.array(age_ms, dtype=np.float64)
    found = evaluate(sample, power, durations_of(ages), rank)
    return ThresholdFigures(
        float(found.cost_time_ms[0]),
        float(found.execution_tail_ms[0]),
        float(found.execution_mean_ms[0]),
    )


def durations_of(age_ms: np.ndarray) -> np.ndarray:
    """Convert climb ages to a wait of 0 and the time on each type but the last [N]."""
    begins = np.concatenate([[0.0], age_ms])[:-1]
    if (age_ms < begins).any():
        raise ValueError("ages must not fall")
    is_entered = np.isfinite(begins)
    stay = np.where(is_entered, age_ms, 0.0) - np.where(is_entered, begins, 0.0)
    return np.concatenate([[0.0], stay])
