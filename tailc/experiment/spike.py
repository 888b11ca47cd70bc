"""The tail in one period of a constant arrival rate, between two steps of the rate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WindowTail:
    """How the percentile of a moving window behaves in a period of constant arrival rate.

    The window has the last latencies; its percentile is measured once an epoch. over_ppm: share of
    measurements above the target. overshoot_ppm: excess of the greatest measurement over the
    target, relative to the target, as the mean of the repeats; 0 if there is no excess, None if a
    repeat has no measurement. settling_epochs: number of epochs until the percentile stays within 5
    % of its final value; None if it does not settle, or the period is too short.
    """

    over_ppm: int
    overshoot_ppm: int | None
    settling_epochs: int | None


@dataclass(frozen=True)
class Spike:
    """The percentile of the first SLO while the arrival rate is constant, between two steps.

    tail_us: percentile of the requests that arrived in this time, mean of the repeats; None without
    any. window: None if no epoch ended in it.
    """

    stretch: str
    tail_us: int | None
    window: WindowTail | None
