"""Estimate the requests that a closed-loop load generator did not send.

While a request takes v, a client with the expected interval i sends nothing. For each request
longer than i, `expected-interval` adds the times of the missing requests: v - i, v - 2 i, ..., down
to i.

Source: HdrHistogram's `copyCorrectedForCoordinatedOmission`, by Gil Tene.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.traces.histogram import (
    BUCKETS,
    Histogram,
    Whole,
    bucket_of,
    histogram_of,
    merge_histograms,
    middle_ns,
)

NAME = "expected-interval"
# Steps from the longest time down: of an interval that is a 100,000th of it.
MAX_STEPS = 100_000


class ShortIntervalError(ValueError):
    """Error: the interval is below a 100,000th of the longest time, `longest_ns`."""

    def __init__(self, longest_ns: int) -> None:
        super().__init__("the interval is so short that too many requests would be added")
        self.longest_ns = longest_ns


def missing(times_ns: Whole, count: Whole, interval_ns: int) -> Histogram | None:
    """Histogram of the requests that a closed loop did not send while it waited for answers.

    One request is missing every `interval_ns` of the given times; None if none is. Raises
    ShortIntervalError.
    """
    longest_ns = int(times_ns.max(initial=0))
    if longest_ns // interval_ns > MAX_STEPS:
        raise ShortIntervalError(longest_ns)
    added = np.zeros(BUCKETS, np.int64)
    least, largest = longest_ns, longest_ns - interval_ns
    while (is_long := times_ns - interval_ns >= interval_ns).any():
        times_ns, count = times_ns[is_long] - interval_ns, count[is_long]
        np.add.at(added, bucket_of(times_ns), count)
        least = min(least, int(times_ns.min()))
    bucket = np.flatnonzero(added)
    return Histogram(bucket, added[bucket], least, largest) if len(bucket) else None


def with_missing(histogram: Histogram, interval_ns: int) -> Histogram:
    """Add the missing requests of a closed loop to a histogram.

    Times are represented by the middle of their bucket, so parts that are corrected separately add
    up to the whole. Raises ShortIntervalError.
    """
    added = missing(middle_ns(histogram.bucket), histogram.count, interval_ns)
    return histogram if added is None else merge_histograms([histogram, added])


def histogram_with_missing(times_ns: NDArray, interval_ns: int | None) -> tuple[Histogram, int]:
    """Count exact times [whole ns] and the missing requests of a closed loop in a histogram.

    Also returns the number of missing requests. interval_ns: None adds none. Raises
    ShortIntervalError.
    """
    sent = histogram_of(times_ns)
    if interval_ns is None:
        return sent, 0
    added = missing(times_ns.astype(np.int64), np.ones(len(times_ns), np.int64), interval_ns)
    return (sent, 0) if added is None else (merge_histograms([sent, added]), added.requests)
