"""Spread requests within their buckets as Prometheus does.

Of c requests in a bucket from l to u the k-th is at

    l + (u - l) k / c           linear: in classic buckets, and in one that begins at 0,
    l (u / l)^(k / c)           exponential: in native buckets,

so a quantile is that of `histogram_quantile`, and no request is beyond its bucket.

Source: Prometheus 3.16, `promql/quantile.go`, and its documentation of `histogram_quantile()`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tailc.ingest.scraped_histograms import Bounds
from tailc.percentiles import percentile_rank
from tailc.traces.counted_times import Grain
from tailc.traces.histogram import (
    BUCKETS,
    MAX_NS,
    MAX_REQUESTS,
    Histogram,
    bucket_of,
    highest_ns,
    lowest_ns,
)

# So that a request at an edge is counted the same whatever the last bit of a logarithm is.
_HAIR = 2.0**-20
_HALF = 0.5


def spread(count: Mapping[Bounds, int], within: Grain, ns_per_unit: float) -> Histogram:
    """Spread requests within their buckets, and count them in a histogram; O(buckets).

    count: requests by lower and upper bound; both are finite, and the upper one is positive.
    within: whether requests are spread linearly or exponentially. ns_per_unit: unit of the bounds.
    Raises ValueError for a bound above 104 days, and for more than 2^53 requests.
    """
    total = np.zeros(BUCKETS, np.int64)
    buckets = sorted((bound, times) for bound, times in count.items() if times)
    if sum(times for _, times in buckets) > MAX_REQUESTS:
        raise ValueError("the number of requests is above 2^53")
    for (lower, upper), times in buckets:
        if upper * ns_per_unit > MAX_NS:
            raise ValueError(f"a bucket up to {upper:g}, which is above 104 days")
        first, counts = _parts(lower * ns_per_unit, upper * ns_per_unit, times, within)
        total[first : first + len(counts)] += counts
    bucket = np.flatnonzero(total)
    ends = bucket[[0, -1]]
    (lower, upper), times = buckets[0]
    least = _positions(lower * ns_per_unit, upper * ns_per_unit, np.array([1 / times]), within)[0]
    extremes = np.rint([least, buckets[-1][0][1] * ns_per_unit])
    least, largest = extremes.clip(lowest_ns(ends), highest_ns(ends)).astype(np.int64).tolist()
    return Histogram(bucket, total[bucket], least, largest)


def bounds_at(count: Mapping[Bounds, int], percentile_ppm: int) -> Bounds:
    """Bounds of the bucket that contains a percentile."""
    buckets = sorted((bound, times) for bound, times in count.items() if times)
    reached = np.cumsum([times for _, times in buckets])
    rank = percentile_rank(percentile_ppm, int(reached[-1]))
    return buckets[int(np.searchsorted(reached, rank))][0]


def _parts(
    lower_ns: float, upper_ns: float, times: int, within: Grain
) -> tuple[int, NDArray[np.int64]]:
    """First bucket of the profile, and number of requests in it and in those after it."""
    ends = np.rint(np.array([lower_ns, upper_ns])).clip(1, MAX_NS)
    first, last = bucket_of(ends).tolist()
    edge_ns = highest_ns(np.arange(first, last)) + _HALF
    reached = np.floor(_shares(lower_ns, upper_ns, edge_ns, within) * times + _HAIR)
    reached = np.append(reached.clip(0, times), times).astype(np.int64)
    return first, np.diff(reached, prepend=0)


def _is_linear(lower_ns: float, within: Grain) -> bool:
    return within is not Grain.EXPONENTIAL or lower_ns <= 0


def _shares(
    lower_ns: float, upper_ns: float, at_ns: NDArray[np.floating], within: Grain
) -> NDArray[np.floating]:
    """Share of a bucket's requests up to given times."""
    if _is_linear(lower_ns, within):
        low = max(lower_ns, 0.0)
        return (at_ns - low) / (upper_ns - low)
    return np.log(at_ns / lower_ns) / np.log(upper_ns / lower_ns)


def _positions(
    lower_ns: float, upper_ns: float, share: NDArray[np.float64], within: Grain
) -> NDArray[np.float64]:
    """Times up to which given shares of a bucket's requests lie."""
    if _is_linear(lower_ns, within):
        low = max(lower_ns, 0.0)
        return low + (upper_ns - low) * share
    return lower_ns * (upper_ns / lower_ns) ** share
