"""Bounds on the distance of two samples, one of which is known only at some points.

A spectrum gives the number of requests up to a value, at some tens of points, but not the requests
between two points. So its distribution function and its quantiles lie in known bands. Two bands are
at least their gap apart, and at most the distance of their outer edges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DistanceBounds:
    """A distance between two distributions, with bounds because their samples are not fully known.

    least, greatest: lower and upper bound. estimate: the distance if known points are joined by
    lines.
    """

    least: float
    estimate: float
    greatest: float

    def at_radius(self, radius: float) -> DistanceBounds:
        """Widen the bounds: the distance between distributions that may differ by `radius` more."""
        return DistanceBounds(max(0.0, self.least - radius), self.estimate, self.greatest + radius)


@dataclass(frozen=True, eq=False)
class DistributionBand:
    """Bounds on the distribution of demand that a sample represents, at ascending demands `x_ns`.

    All arrays have equal length. The share of requests up to a demand is between `up_to` and
    `up_to_most`, and the share strictly below it is at most `below_most`. The estimate between two
    demands is on a straight line.
    """

    x_ns: Array
    up_to: Array
    up_to_most: Array
    below_most: Array

    def shares(self, at_ns: Array) -> tuple[Array, Array]:
        """Bounds of the share of requests up to each demand, and below each demand; (2 demands,).

        Returns the lower bounds, then the upper bounds. Each array has the shares up to `at_ns`,
        then those below.
        """
        after = np.searchsorted(self.x_ns, at_ns, side="right")
        before = np.searchsorted(self.x_ns, at_ns, side="left")
        reached, ahead = np.append(0.0, self.up_to), np.append(self.below_most, 1.0)
        is_known = after > before
        up_to_most = np.where(is_known, self.up_to_most[before - ~is_known], ahead[before])
        least = np.concatenate([reached[after], reached[before]])
        return least, np.concatenate([up_to_most, ahead[before]])

    def line(self, at_ns: Array) -> Array:
        """Estimated share of requests up to each demand, by straight lines between known points."""
        return np.interp(at_ns, self.x_ns, self.up_to, left=0.0)

    def quantiles(self, p: Array) -> tuple[Array, Array]:
        """Bounds of the quantile of demand at probabilities above 0 and below 1 [ns].

        Returns the least and the greatest quantile at each probability in `p`.
        """
        least = np.append(0.0, self.x_ns)[np.searchsorted(self.below_most, p)]
        last = len(self.x_ns) - 1
        return least, self.x_ns[np.minimum(np.searchsorted(self.up_to, p), last)]

    def quantile_line(self, p: Array) -> Array:
        """Estimated quantile of demand at each probability, by straight lines."""
        return np.interp(p, self.up_to, self.x_ns)


def ks_bounds(ours: DistributionBand, theirs: DistributionBand) -> DistanceBounds:
    """Bounds of the Kolmogorov-Smirnov distance: the largest difference of two distributions."""
    at_ns = np.union1d(ours.x_ns, theirs.x_ns)
    (low, high), (their_low, their_high) = ours.shares(at_ns), theirs.shares(at_ns)
    apart = np.abs(ours.line(at_ns) - theirs.line(at_ns)).max()
    return _bounds(_gap(low, high, their_low, their_high), apart, np.max)


def least_moved(ours: DistributionBand, theirs: DistributionBand, tolerance: float) -> float:
    """Lower bound of the share of requests that moved further than a share of their demand.

    This is the Kolmogorov-Smirnov distance that remains if demands within `tolerance` of each other
    count as equal. With a tolerance of 0 it is the lower bound of `ks_bounds`.
    """
    return max(_least_faster(ours, theirs, tolerance), _least_faster(theirs, ours, tolerance), 0.0)


def _least_faster(ours: DistributionBand, theirs: DistributionBand, tolerance: float) -> float:
    """Lower bound of the share that is up to some demand in ours, and clearly above in theirs."""
    points = len(ours.x_ns)
    least, _ = ours.shares(ours.x_ns)
    _, their_most = theirs.shares(ours.x_ns * (1 + tolerance))
    return float((least[:points] - their_most[:points]).max())


def wasserstein_bounds(ours: DistributionBand, theirs: DistributionBand) -> DistanceBounds:
    """Bounds of the Wasserstein-1 distance [ns]: the mean difference of equal quantiles."""
    columns = (ours.up_to, ours.below_most, theirs.up_to, theirs.below_most, [0.0, 1.0])
    edges = np.unique(np.concatenate(columns))
    width, middle = np.diff(edges), (edges[:-1] + edges[1:]) / 2
    (low, high), (their_low, their_high) = ours.quantiles(middle), theirs.quantiles(middle)
    ends = ours.quantile_line(edges) - theirs.quantile_line(edges)
    apart = np.sum(mean_distance(ends[:-1], ends[1:]) * width)
    return _bounds(_gap(low, high, their_low, their_high), apart, lambda each: np.sum(each * width))


def mean_distance(begin: Array, end: Array) -> Array:
    """The mean absolute value of a function on intervals on which it is a straight line.

    begin, end: values at the ends of each interval.
    """
    size = np.abs(begin) + np.abs(end)
    crosses = begin * end < 0
    crossing = (begin**2 + end**2) / np.where(crosses, 2 * size, 1.0)
    return np.where(crosses, crossing, size / 2)


def _gap(low: Array, high: Array, their_low: Array, their_high: Array) -> tuple[Array, Array]:
    """The least and the greatest distance of two values that lie in these bands."""
    nearest = np.maximum(np.maximum(low - their_high, their_low - high), 0.0)
    return nearest, np.maximum(high - their_low, their_high - low)


def _bounds(
    gap: tuple[Array, Array], apart: float, over: Callable[[Array], float]
) -> DistanceBounds:
    """Reduce a gap to its largest value or its mean, and bound the estimate by it."""
    least, greatest = (float(over(each)) for each in gap)
    return DistanceBounds(least, min(max(float(apart), least), greatest), greatest)
