"""What only pictures show of a replay."""

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


@dataclass(frozen=True)
class Traffic:
    """Shares of the time that requests run, by requests in the system and age.

    share_ppm: (loads, ages), from no request in the system on, and in steps of `step_us`; the last
    of either counts all beyond. Rounded down.
    """

    step_us: int
    share_ppm: tuple[tuple[int, ...], ...]
