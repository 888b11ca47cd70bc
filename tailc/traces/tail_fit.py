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
    """A generalized Pareto law for the values above `start`, which are `share` of the sample.

    start, scale: in the unit of the values. shape: 0 is an exponential tail. A positive shape is a
    heavier tail, whose mean is infinite from 1 on; a negative one has a largest value.
    """

    start: float
    share: float
    shape: float
    scale: float

    def survival(self, value: float) -> float:
        """Share of the sample above `value` by the fitted law; `value` is at least `start`."""
        above = (value - self.start) / self.scale
        if abs(self.shape) < _EXPONENTIAL:
            return self.share * math.exp(-above)
        inside = 1 + self.shape * above
        return self.share * inside ** (-1 / self.shape) if inside > 0 else 0.0

    def exceeded_by(self, part: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value that the fitted law exceeds with a given part of the tail, in (0, 1].

        It is the inverse of `survival`, with parts relative to the tail's share.
        """
        if abs(self.shape) < _EXPONENTIAL:
            return self.start - self.scale * np.log(part)
        return self.start + self.scale * np.expm1(-self.shape * np.log(part)) / self.shape


def demand_tail(profile: DemandProfile) -> TailLaw | None:
    """Fit a law to the largest 5 % of the demands [ms]; None if none fits."""
    return fit_tail(profile.demand_ms, profile.weight, TAIL_SHARE)


def fit_tail(
    values: NDArray[np.float64],
    weight: NDArray[np.int64],
    share: float,
    fewest_rows: int = FEWEST_ROWS,
) -> TailLaw | None:
    """Fit a generalized Pareto law to the largest values, by probability-weighted moments.

    Source: Hosking and Wallis, Technometrics 1987, section 3.3. values: float64 (rows,), in any
    unit. weight: int64 (rows,), requests of each row. share: the part of the requests in the tail.
    Returns None if the tail has fewer rows than `fewest_rows` or only equal values, or if the
    largest value of the law is below the largest of the sample.
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
