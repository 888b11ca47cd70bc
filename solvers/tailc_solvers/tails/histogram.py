"""A histogram of work in buckets of equal width, each value rounded up to its bucket's upper edge.

With B buckets, x in [least, most] and width = (most - least) / (B - 1), bucket k holds

    least + (k - 1) width < x <= least + k width,      k = 0 .. B - 1,

and represents least + k width, so bucket 0 holds `least` alone. No x is counted below its value:
sums of counted values dominate sums of the sample's values, and so do their quantiles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.tails.kernels import count_upwards

FEWEST_BUCKETS = 2


@dataclass(frozen=True, eq=False)
class WorkHistogram:
    """Fraction of the requests by bucket of work, in the unit of the sample.

    Attributes:
        least: value of bucket 0.
        width: difference between the values of neighbouring buckets, positive.
        share: of the requests in each bucket; the last one is not empty [buckets].
        smallest: the smallest value in each bucket, inf if it is empty [buckets].
        most: the largest value of all.
    """

    least: float
    width: float
    share: NDArray[np.float64]
    smallest: NDArray[np.float64]
    most: float

    def buckets_of(self, work: NDArray[np.float64]) -> NDArray[np.int64]:
        """Number of the histogram's bucket to which each value of work belongs, int64 (values,)."""
        k = np.ceil((work - self.least) / self.width).astype(np.int64)
        k += self.least + k * self.width < work
        return np.minimum(k, self.share.size - 1)


def histogram(
    work: ArrayLike, weight: ArrayLike | None = None, buckets: int = 128
) -> WorkHistogram:
    """Count work [R], each value for `weight` requests, in buckets that round up.

    If all work is the same there is one bucket. Raises ValueError for an empty sample, for work
    that is negative or not finite, and for weights that are not positive integers.
    """
    values, counts = checked_sample(work, weight)
    _require(buckets >= FEWEST_BUCKETS, f"a histogram must have at least {FEWEST_BUCKETS} buckets")
    least, most = float(values.min()), float(values.max())
    if least == most:
        return WorkHistogram(least, 1.0, np.ones(1), np.array([least]), most)
    width = _width(least, most, buckets)
    counted = np.zeros(buckets, dtype=np.int64)
    smallest = np.full(buckets, np.inf)
    count_upwards(values, counts, least, width, counted, smallest)
    return WorkHistogram(least, width, counted / counted.sum(), smallest, most)


def checked_sample(
    work: ArrayLike, weight: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Check the work and weights of a sample, and return them as arrays [R].

    Raises ValueError as for a histogram: for an empty sample, negative or infinite work, or weights
    that are not positive integers.
    """
    values = np.ascontiguousarray(work, dtype=np.float64)
    _require(values.ndim == 1 and values.size > 0, "work must be a vector with entries")
    holds = bool(np.isfinite(values).all() and (values >= 0).all())
    _require(holds, "work must be finite and not negative")
    if weight is None:
        return values, np.ones(values.shape, dtype=np.int64)
    given = np.asarray(weight)
    _require(given.shape == values.shape, "weight must be as long as work")
    counts = given.astype(np.int64)
    _require(bool((counts == given).all()), "weight must be whole numbers")
    _require(bool((counts > 0).all()), "weight must be positive")
    return values, counts


def _width(least: float, most: float, buckets: int) -> float:
    """The least width whose last bucket is not below `most` after rounding."""
    width = (most - least) / (buckets - 1)
    while least + (buckets - 1) * width < most:
        width = float(np.nextafter(width, np.inf))
    return width


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)
