"""What one stretch of a constant rate shows of the tail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WindowTail:
    """The percentile of a window, measured once an epoch.

    over_ppm: the share of those above the target. In the mean of the repeats, overshoot_ppm is how
    far the greatest lies above the target, 0 if it does not, None where a repeat has none;
    settling_epochs after how many it stays within 5 % of what it settles to, None where it does not
    settle, or the stretch is too short to tell.
    """

    over_ppm: int
    overshoot_ppm: int | None
    settling_epochs: int | None


@dataclass(frozen=True)
class Spike:
    """How the tail of the first SLO did in one stretch of a constant rate.

    tail_us: percentile of the requests that arrived in it, the mean of the repeats; None where none
    did. window: None where no epoch ended in it.
    """

    stretch: str
    tail_us: int | None
    window: WindowTail | None
