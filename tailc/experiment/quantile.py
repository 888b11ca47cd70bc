"""A percentile of latency, as a picture of many shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantile:
    """A percentile of latency with its 95 % interval.

    `high_us` None: too few requests for an upper limit; both None: no interval was asked for.
    """

    percentile_ppm: int
    estimate_us: int
    low_us: int | None
    high_us: int | None
