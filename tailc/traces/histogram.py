"""Histograms of demand whose sum does not depend on how rows are divided among files.

A demand of v whole nanoseconds is in bucket

    B floor(log2 v) + floor(B (v / 2^floor(log2 v) - 1)),    B = 1024,

so each doubling is divided into B equal parts: by the exponent of v and the first ten bits of its
mantissa, as a float64 has them. The middle of a bucket's whole numbers represents the bucket. So a
demand changes by at most 2^-11 (0.05 %), and below 2^11 ns not at all. Counts are whole and are
added, so the result does not depend on the order of rows or on where they were counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.percentiles import percentile_rank

BUCKET_BITS = 10
BUCKETS_A_DOUBLING = 1 << BUCKET_BITS
MAX_NS = 2**53
"""Up to here a float64 holds every whole number of nanoseconds; 104 days."""
BUCKETS = 53 * BUCKETS_A_DOUBLING + 1
MAX_REQUESTS = 2**53

_MANTISSA_BITS = 52
DROPPED_BITS = _MANTISSA_BITS - BUCKET_BITS
# The bucket of 1 ns, whose exponent a float64 writes as 1023.
FIRST_BITS = 1023 << BUCKET_BITS

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Histogram:
    """Number of requests in each bucket of demand, with the exact smallest and largest demand.

    bucket: int64 (n,), ascending, in 0 .. BUCKETS - 1. count: int64 (n,), >= 1, n >= 1. Raises
    ValueError for an inconsistent histogram.
    """

    bucket: Whole
    count: Whole
    min_ns: int
    max_ns: int

    def __post_init__(self) -> None:
        if not len(self.bucket) or self.bucket.shape != self.count.shape:
            raise ValueError("a histogram needs buckets, and a count for each")
        if (np.diff(self.bucket) <= 0).any() or self.bucket[0] < 0 or self.bucket[-1] >= BUCKETS:
            raise ValueError("buckets must be in ascending order and not empty")
        if (self.count < 1).any() or self.count.sum(dtype=np.float64) > MAX_REQUESTS:
            raise ValueError("counts must be positive, and add up to at most 2^53")
        if not 1 <= self.min_ns <= self.max_ns <= MAX_NS:
            raise ValueError("the smallest value is above the largest")
        ends = bucket_of(np.array([self.min_ns, self.max_ns]))
        if ends[0] != self.bucket[0] or ends[1] != self.bucket[-1]:
            raise ValueError("the smallest or largest value is not in the first or last bucket")
        if (lowest_ns(self.bucket) > highest_ns(self.bucket)).any():
            raise ValueError("a bucket contains no whole number of nanoseconds")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        extremes = (self.min_ns, self.max_ns) == (other.min_ns, other.max_ns)
        same_buckets = np.array_equal(self.bucket, other.bucket)
        return extremes and same_buckets and np.array_equal(self.count, other.count)

    def __hash__(self) -> int:
        return hash((self.min_ns, self.max_ns, self.requests))

    @property
    def requests(self) -> int:
        """Number of requests in the histogram."""
        return int(self.count.sum())

    @property
    def demand_ns(self) -> Whole:
        """Demand that represents each bucket [ns]: the middle of the bucket.

        It is limited to the smallest and largest demand.
        """
        return middle_ns(self.bucket).clip(self.min_ns, self.max_ns)

    def quantile_ns(self, percentile_ppm: int) -> int:
        """Demand at a percentile [ns], with the resolution of buckets; see `percentile_rank`."""
        rank = percentile_rank(percentile_ppm, self.requests)
        return int(self.demand_ns[np.searchsorted(np.cumsum(self.count), rank)])


def bucket_of(demand_ns: NDArray) -> Whole:
    """Bucket number of each demand [whole ns, 1 to MAX_NS]."""
    return (demand_ns.astype(np.float64).view(np.int64) >> DROPPED_BITS) - FIRST_BITS


def middle_ns(bucket: Whole) -> Whole:
    """Middle of the whole numbers [ns] in each bucket, rounded down.

    bucket: bucket numbers of a histogram.
    """
    low = lowest_ns(bucket)
    return low + (highest_ns(bucket) - low) // 2


def lowest_ns(bucket: Whole) -> Whole:
    """Smallest whole number in each bucket of a histogram [ns].

    If a bucket has none, the next larger one.
    """
    scaled, finer = _edge(bucket)
    return -(-scaled >> finer)


def highest_ns(bucket: Whole) -> Whole:
    """Largest whole number in each bucket of a histogram [ns].

    If a bucket has none, the next smaller one.
    """
    scaled, finer = _edge(bucket + 1)
    return np.minimum((scaled - 1) >> finer, MAX_NS)


def _edge(bucket: Whole) -> tuple[Whole, Whole]:
    """Lower edge of each bucket as a whole number and the exponent of a power of two."""
    doubling, part = bucket >> BUCKET_BITS, bucket & (BUCKETS_A_DOUBLING - 1)
    coarser = (doubling - BUCKET_BITS).clip(0)
    return (BUCKETS_A_DOUBLING + part) << coarser, (BUCKET_BITS - doubling).clip(0)


def histogram_of(demand_ns: NDArray, count: NDArray | None = None) -> Histogram:
    """Histogram of demands [whole ns, 1 to MAX_NS], each counted once or `count` times."""
    bucket, at = np.unique(bucket_of(demand_ns), return_inverse=True)
    counted = np.ones(len(demand_ns), np.int64) if count is None else count
    total = np.zeros(len(bucket), np.int64)
    np.add.at(total, at, counted)
    return Histogram(bucket, total, int(demand_ns.min()), int(demand_ns.max()))


def merge_histograms(histograms: Sequence[Histogram]) -> Histogram:
    """Add up one or more histograms, bucket by bucket."""
    every = np.concatenate([part.bucket for part in histograms])
    bucket, at = np.unique(every, return_inverse=True)
    count = np.zeros(len(bucket), np.int64)
    np.add.at(count, at, np.concatenate([part.count for part in histograms]))
    least = min(part.min_ns for part in histograms)
    return Histogram(bucket, count, least, max(part.max_ns for part in histograms))
