"""A generalized Pareto law fitted to the largest demands."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tailc.traces.profile import DemandProfile

# The part of the requests that counts as the tail, and the fewest rows that say anything of it.
TAIL_SHARE = 0.05
FEWEST_ROWS = 30
# Plotting positions of Hosking and Wallis.
_OFFSET = 0.35
_EXPONENTIAL = 1e-9


@dataclass(frozen=True)
class TailFit:
    """Demands above `from_ms`, which `share` of the requests have.

    shape: 0 for an exponential tail, above it the tail is heavier, and its mean is infinite from 1
    on; below it there is a largest demand. scale_ms: the law's own.
    """

    from_ms: float
    share: float
    shape: float
    scale_ms: float

    def survival(self, demand_ms: float) -> float:
        """The share of requests whose demand is larger, by the fit; of those above `from_ms`."""
        above = (demand_ms - self.from_ms) / self.scale_ms
        if abs(self.shape) < _EXPONENTIAL:
            return self.share * math.exp(-above)
        inside = 1 + self.shape * above
        return self.share * inside ** (-1 / self.shape) if inside > 0 else 0.0


def tail_fit(profile: DemandProfile) -> TailFit | None:
    """By probability-weighted moments (Hosking and Wallis, Technometrics 1987, section 3.3).

    None where fewer than `FEWEST_ROWS` rows are in the tail, all of them are alike, or the law has
    a largest demand below the largest that was measured.
    """
    order = np.argsort(profile.demand_ms, kind="stable")
    demand_ms, weight = profile.demand_ms[order], profile.weight[order]
    counted = np.cumsum(weight)
    first = int(np.searchsorted(counted, (1 - TAIL_SHARE) * counted[-1]))
    above_ms = demand_ms[first + 1 :] - demand_ms[first]
    if len(above_ms) < FEWEST_ROWS or above_ms[-1] <= 0:
        return None
    part = weight[first + 1 :].astype(float)
    total = part.sum()
    # The middle of each row's own places, which for rows of one request are those of the source.
    places = (np.cumsum(part) - (part - 1) / 2 - _OFFSET) / total
    mean = float((part * above_ms).sum() / total)
    weighted = float((part * above_ms * (1 - places)).sum() / total)
    if mean <= 2 * weighted:
        return None
    shape = 2 - mean / (mean - 2 * weighted)
    scale_ms = 2 * mean * weighted / (mean - 2 * weighted)
    if shape < 0 and above_ms[-1] > -scale_ms / shape:
        return None
    return TailFit(float(demand_ms[first]), float(total / counted[-1]), shape, scale_ms)
