"""Distances of two samples of which one is told by points of its distribution alone.

A spectrum tells how many requests took at most so long, at some tens of points. Where between two
of them its requests are, it does not say: its distribution function, and its quantiles, are known
to lie in a band. Two bands are apart by at least their gap, and by at most their outer edges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Between:
    """A distance of the two samples, as far as what is known of them tells."""

    least: float
    estimate: float
    greatest: float

    def within(self, radius: float) -> Between:
        """The distance of the laws, of which that of the samples is at most `radius` away."""
        return Between(max(0.0, self.least - radius), self.estimate, self.greatest + radius)


@dataclass(frozen=True, eq=False)
class Band:
    """What is known of a sample at ascending demands `x_ns`, by arrays of equal length.

    Up to each there are a share of requests of `up_to` at least and of `up_to_most` at most, and
    below it one of `below_most` at most. Between two of them it is guessed on straight lines.
    """

    x_ns: Array
    up_to: Array
    up_to_most: Array
    below_most: Array

    def shares(self, at_ns: Array) -> tuple[Array, Array]:
        """The least and the greatest share up to each demand, then below each: (2 demands,)."""
        after = np.searchsorted(self.x_ns, at_ns, side="right")
        before = np.searchsorted(self.x_ns, at_ns, side="left")
        reached, ahead = np.append(0.0, self.up_to), np.append(self.below_most, 1.0)
        is_known = after > before
        up_to_most = np.where(is_known, self.up_to_most[before - ~is_known], ahead[before])
        least = np.concatenate([reached[after], reached[before]])
        return least, np.concatenate([up_to_most, ahead[before]])

    def line(self, at_ns: Array) -> Array:
        """The share up to each demand on straight lines."""
        return np.interp(at_ns, self.x_ns, self.up_to, left=0.0)

    def quantiles(self, p: Array) -> tuple[Array, Array]:
        """The least and the greatest quantile at each probability above 0 and below 1."""
        least = np.append(0.0, self.x_ns)[np.searchsorted(self.below_most, p)]
        last = len(self.x_ns) - 1
        return least, self.x_ns[np.minimum(np.searchsorted(self.up_to, p), last)]

    def quantile_line(self, p: Array) -> Array:
        """The quantile at each probability on straight lines."""
        return np.interp(p, self.up_to, self.x_ns)


def ks_between(ours: Band, theirs: Band) -> Between:
    """Kolmogorov-Smirnov: the largest difference of the distribution functions."""
    at_ns = np.union1d(ours.x_ns, theirs.x_ns)
    (low, high), (their_low, their_high) = ours.shares(at_ns), theirs.shares(at_ns)
    apart = np.abs(ours.line(at_ns) - theirs.line(at_ns)).max()
    return _between(_gap(low, high, their_low, their_high), apart, np.max)


def wasserstein_between(ours: Band, theirs: Band) -> Between:
    """Wasserstein-1 [ns]: the mean distance of equal quantiles."""
    told = (ours.up_to, ours.below_most, theirs.up_to, theirs.below_most, [0.0, 1.0])
    edges = np.unique(np.concatenate(told))
    width, middle = np.diff(edges), (edges[:-1] + edges[1:]) / 2
    (low, high), (their_low, their_high) = ours.quantiles(middle), theirs.quantiles(middle)
    ends = ours.quantile_line(edges) - theirs.quantile_line(edges)
    apart = np.sum(mean_distance(ends[:-1], ends[1:]) * width)
    return _between(
        _gap(low, high, their_low, their_high), apart, lambda each: np.sum(each * width)
    )


def mean_distance(begin: Array, end: Array) -> Array:
    """The mean absolute value on a straight line from `begin` to `end`."""
    size = np.abs(begin) + np.abs(end)
    crosses = begin * end < 0
    crossing = (begin**2 + end**2) / np.where(crosses, 2 * size, 1.0)
    return np.where(crosses, crossing, size / 2)


def _gap(low: Array, high: Array, their_low: Array, their_high: Array) -> tuple[Array, Array]:
    """How far two that lie in these bands are apart: at least, and at most."""
    nearest = np.maximum(np.maximum(low - their_high, their_low - high), 0.0)
    return nearest, np.maximum(high - their_low, their_high - low)


def _between(gap: tuple[Array, Array], apart: float, over: Callable[[Array], float]) -> Between:
    """The distance that a gap is, by its largest or its mean, and the estimate within it."""
    least, greatest = (float(over(each)) for each in gap)
    return Between(least, min(max(float(apart), least), greatest), greatest)
