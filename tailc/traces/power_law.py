"""Fit a power law to most of a sample, to estimate requests longer than any in the sample.

A small sample of such a law has few of its long values, so its tail alone looks too short. The body
of the sample shows the law: the logarithms of the values are exponential.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Upper parts of the sample that are tried, and fewest different values in one.
_SHARES = (1.0, 0.9, 0.8, 0.7)
_FEWEST_ROWS = 100
# Kolmogorov-Smirnov distance times the root of the size of a sample: 5 % of exponential samples
# have a larger one from the law with their mean (Lilliefors, JASA 1969).
_MOST_DISTANCE = 1.06


@dataclass(frozen=True)
class ParetoTail:
    """A value of at least `start` is above x with the probability (start / x)^index."""

    start: float
    index: float


def fit_power_law(values: NDArray[np.float64], weight: NDArray[np.int64]) -> ParetoTail | None:
    """Fit a power law (Pareto) to the upper 70 to 100 % of a sample; None if it does not fit.

    Several parts of the sample are tried; the part that is nearest to its law is used (Clauset,
    Shalizi and Newman, SIAM Review 2009, section 3.3). values: float64 (rows,). weight: int64
    (rows,), requests of each row.
    """
    values, row_of = np.unique(values, return_inverse=True)
    weight = np.bincount(row_of, weight).astype(np.int64)
    counted = np.cumsum(weight)
    firsts = [int(np.searchsorted(counted, (1 - share) * counted[-1])) for share in _SHARES]
    parts = [(values[first:], weight[first:]) for first in firsts if values[first] > 0]
    known = [part for part in parts if len(part[0]) >= _FEWEST_ROWS and part[0][-1] > part[0][0]]
    distance, number = min(
        ((_distance(*part), number) for number, part in enumerate(known)), default=(np.inf, 0)
    )
    if distance > _MOST_DISTANCE:
        return None
    start = float(known[number][0][0])
    return ParetoTail(start, index_above(start, *known[number]))


def index_above(start: float, values: NDArray[np.float64], weight: NDArray[np.int64]) -> float:
    """Estimate the index of a power law from the values of at least `start`.

    Source: Hill, Annals of Statistics 1975.
    """
    is_above = values >= start
    logs = weight[is_above] * np.log(values[is_above] / start)
    return float(weight[is_above].sum() / logs.sum())


def _distance(values: NDArray[np.float64], weight: NDArray[np.int64]) -> float:
    """Distance of an ascending sample from its law, times the root of its size."""
    within = 1 - (values / values[0]) ** -index_above(values[0], values, weight)
    share, each = np.cumsum(weight) / weight.sum(), weight / weight.sum()
    distance = max(float((share - within).max()), float((within - share + each).max()))
    return distance * float(weight.sum()) ** 0.5
