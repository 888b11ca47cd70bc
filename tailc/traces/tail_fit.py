"""A generalized Pareto law fitted to the largest values of a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.traces.profile import DemandProfile

# The part of the requests that counts as the tail, and the fewest rows that say anything of it.
TAIL_SHARE = 0.05
FEWEST_ROWS = 30
# Plotting positions of Hosking and Wallis.
_OFFSET = 0.35
_EXPONENTIAL = 1e-9


@dataclass(frozen=True)
class TailLaw:
    """Values above `start`, which `share` of a sample are, by a generalized Pareto law.

    shape: 0 for an exponential tail, above it the tail is heavier, and its mean is infinite from 1
    on; below it there is a largest value. scale: the law's own, in the unit of the values.
    """

    start: float
    share: float
    shape: float
    scale: float

    def survival(self, value: float) -> float:
        """The share of the sample that is larger, by the fit; of values above `start`."""
        above = (value - self.start) / self.scale
        if abs(self.shape) < _EXPONENTIAL:
            return self.share * math.exp(-above)
        inside = 1 + self.shape * above
        return self.share * inside ** (-1 / self.shape) if inside > 0 else 0.0

    def beyond(self, part: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value that is exceeded by such a part of the tail, each in (0, 1]."""
        if abs(self.shape) < _EXPONENTIAL:
            return self.start - self.scale * np.log(part)
        return self.start + self.scale * np.expm1(-self.shape * np.log(part)) / self.shape


def tail_fit(profile: DemandProfile) -> TailLaw | None:
    """The law of the largest demands [ms]; None as `fitted_tail` says."""
    return fitted_tail(profile.demand_ms, profile.weight, TAIL_SHARE)


def fitted_tail(
    values: NDArray[np.float64],
    weight: NDArray[np.int64],
    share: float,
    fewest_rows: int = FEWEST_ROWS,
) -> TailLaw | None:
    """By probability-weighted moments (Hosking and Wallis, Technometrics 1987, section 3.3).

    values: float64 (rows,). weight: int64 (rows,), how many each row stands for. share: the part of
    them that counts as the tail. None where fewer rows than `fewest_rows` are in the tail, all of
    them are alike, or the law has a largest value below the largest of the sample.
    """
    order = np.argsort(values, kind="stable")
    values, weight = values[order], weight[order]
    counted = np.cumsum(weight)
    first = int(np.searchsorted(counted, (1 - share) * counted[-1]))
    above = values[first + 1 :] - values[first]
    if len(above) < fewest_rows or above[-1] <= 0:
        return None
    part = weight[first + 1 :].astype(float)
    total = part.sum()
    # The middle of each row's own places, which for rows of one request are those of the source.
    places = (np.cumsum(part) - (part - 1) / 2 - _OFFSET) / total
    mean = float((part * above).sum() / total)
    weighted = float((part * above * (1 - places)).sum() / total)
    if mean <= 2 * weighted:
        return None
    shape = 2 - mean / (mean - 2 * weighted)
    scale = 2 * mean * weighted / (mean - 2 * weighted)
    if shape < 0 and above[-1] > -scale / shape:
        return None
    return TailLaw(float(values[first]), float(total / counted[-1]), shape, scale)
