"""Find the gaps of a series, and fill short ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.traces.series.series import SECONDS_PER_DAY, SECONDS_PER_HOUR, Floats, Mask

_SECONDS_PER_MINUTE = 60


@dataclass(frozen=True, eq=False)
class SeriesGaps:
    """The gaps of a series: first step and length of each, int64 (gaps,)."""

    first: NDArray[np.int64]
    length: NDArray[np.int64]

    def part(self, chosen: Mask) -> SeriesGaps:
        """Select some of the gaps."""
        return SeriesGaps(self.first[chosen], self.length[chosen])


def gaps_of(known: Mask) -> SeriesGaps:
    """Find all gaps of a series, which are runs of unknown steps, in order."""
    edges = np.diff(np.concatenate([[True], known, [True]]).astype(np.int8))
    first = np.flatnonzero(edges == -1)
    return SeriesGaps(first, np.flatnonzero(edges == 1) - first)


def short(gaps: SeriesGaps, steps: int, most_steps: int) -> Mask:
    """Whether each gap of a series can be filled, bool (gaps,).

    A gap can be filled if it has values on both sides, and at most `most_steps` steps.
    """
    has_sides = (gaps.first > 0) & (gaps.first + gaps.length < steps)
    return has_sides & (gaps.length <= most_steps)


def fill_gaps(value: Floats, known: Mask, gaps: SeriesGaps) -> tuple[Floats, Mask]:
    """Fill the given gaps of a time series by linear interpolation."""
    known_after = known.copy()
    for first, length in zip(gaps.first.tolist(), gaps.length.tolist(), strict=True):
        known_after[first : first + length] = True
    inside = np.flatnonzero(known_after & ~known)
    value = value.copy()
    value[inside] = np.interp(inside, np.flatnonzero(known), value[known])
    return value, known_after


def span_text(seconds: int) -> str:
    """Format a duration, such as `15 min`, `1.5 h` or `3.5 days`."""
    if seconds < _SECONDS_PER_MINUTE:
        return f"{seconds} s"
    if seconds < SECONDS_PER_HOUR:
        return f"{seconds / _SECONDS_PER_MINUTE:g} min"
    if seconds < 2 * SECONDS_PER_DAY:
        return f"{seconds / SECONDS_PER_HOUR:g} h"
    return f"{seconds / SECONDS_PER_DAY:.3g} days"
