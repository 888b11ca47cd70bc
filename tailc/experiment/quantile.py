"""One percentile of latency, as a point of a plotted distribution."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantile:
    """A percentile of latency with its 95 % interval.

    `high_us` None: too few requests for an upper limit. Both None: no interval was requested.
    """

    percentile_ppm: int
    estimate_us: int
    low_us: int | None
    high_us: int | None
