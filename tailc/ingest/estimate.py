"""What a load generator with a closed loop did not measure, put back by a named estimator.

While a request takes v, a client that should send every i sends nothing. `expected-interval` adds
what those requests would have waited: v - i, v - 2 i, ..., down to i, for each that took longer
than i.

Source: HdrHistogram's `copyCorrectedForCoordinatedOmission`, by Gil Tene.
"""

from __future__ import annotations

import numpy as np

from tailc.traces.histogram import BUCKETS, Histogram, bucket_of, middle_ns

NAME = "expected-interval"
# Passes over the buckets: of an interval that is a 100,000th of the longest time.
MAX_STEPS = 100_000


def with_missing(histogram: Histogram, interval_ns: int) -> Histogram:
    """The histogram with what was not sent, every `interval_ns`; as is where nothing took longer.

    Times enter as the middles of their buckets, so parts corrected apart add up to the whole.
    Raises ValueError where the interval is below a 100,000th of the longest time.
    """
    if histogram.max_ns // interval_ns > MAX_STEPS:
        raise ValueError("an interval that short would add without end")
    added = np.zeros(BUCKETS, np.int64)
    times, counts = middle_ns(histogram.bucket), histogram.count
    least = histogram.min_ns
    while (is_long := times - interval_ns >= interval_ns).any():
        times, counts = times[is_long] - interval_ns, counts[is_long]
        np.add.at(added, bucket_of(times), counts)
        least = min(least, int(times.min()))
    added[histogram.bucket] += histogram.count
    bucket = np.flatnonzero(added)
    return Histogram(bucket, added[bucket], least, histogram.max_ns)
