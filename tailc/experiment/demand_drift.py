"""The change of requests' demand since a compile (drift), as reported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Distance:
    """A distance between two distributions of demand, with the limits of its 95 % interval.

    All three are whole numbers in the unit of the distance.
    """

    estimate: int
    low: int
    high: int


@dataclass(frozen=True)
class Drift:
    """Distance of the held-out demand from the demand that the policy was compiled for.

    `ks_ppm`: largest difference of the distribution functions (Kolmogorov-Smirnov), in millionths.
    `wasserstein_us`: mean distance of equal quantiles. Means of both in microseconds. `is_flagged`:
    they differ by more than two samples of one service would.
    """

    ks_ppm: Distance
    wasserstein_us: Distance
    compiled_mean_us: int
    held_out_mean_us: int
    is_flagged: bool
