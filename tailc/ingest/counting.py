"""Count rows in several threads; the sum does not depend on the number of threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue

import numpy as np
from numpy.typing import NDArray

from tailc.ingest.estimate import missing
from tailc.threads import thread_count
from tailc.traces.histogram import (
    BUCKETS,
    DROPPED_BITS,
    FIRST_BITS,
    MAX_NS,
    MAX_REQUESTS,
    bucket_of,
)

Floats = NDArray[np.float64]
# Positive floats are in order of their bits, above which those of NaN are, and below the negative.
_FIRST, _LAST = np.array([1.0, MAX_NS]).view(np.int64)


class Counts:
    """Counts of times in the buckets of a histogram, with the smallest and largest time [whole ns].

    The counts are int64 (BUCKETS,). interval_ns: expected interval of requests in a closed loop;
    `estimated` is the number of missing requests that were added for it.
    """

    def __init__(self, ns_per_unit: float, interval_ns: int | None = None) -> None:
        self.ns_per_unit = ns_per_unit
        self.interval_ns = interval_ns
        self.estimated = 0
        self.counts = np.zeros(BUCKETS, np.int64)
        self.extremes = np.array([np.inf, 0.0])

    def add(self, times: Floats) -> bool:
        """Count each of the times once; return false if a time is not valid."""
        if not len(times):
            return True
        demand_ns = times * self.ns_per_unit
        bits = np.rint(demand_ns, out=demand_ns).view(np.int64)
        extremes = np.array([bits.min(), bits.max()])
        if extremes[0] < _FIRST or extremes[1] > _LAST:
            return False
        self._reach(*extremes.view(np.float64))
        self._add_missing(demand_ns, np.ones(len(times)))
        bits >>= DROPPED_BITS
        bits -= FIRST_BITS
        self.counts += np.bincount(bits, minlength=BUCKETS)
        return True

    def add_weighed(self, times: Floats, weight: Floats) -> bool:
        """Count each of the times by its weight; return false for an invalid time or weight."""
        demand_ns = np.rint(times * self.ns_per_unit)
        is_good = (demand_ns >= 1) & (demand_ns <= MAX_NS)
        is_good &= (weight >= 1) & (weight <= MAX_REQUESTS) & (weight == np.floor(weight))
        if not is_good.all():
            return False
        if len(times):
            np.add.at(self.counts, bucket_of(demand_ns), weight.astype(np.int64))
            self._reach(demand_ns.min(), demand_ns.max())
            self._add_missing(demand_ns, weight)
        return True

    def _add_missing(self, demand_ns: Floats, weight: Floats) -> None:
        """Count the requests that were not sent during these times, if there is an interval."""
        if self.interval_ns is None:
            return
        is_long = demand_ns >= 2 * self.interval_ns
        times_ns, count = demand_ns[is_long].astype(np.int64), weight[is_long].astype(np.int64)
        if added := missing(times_ns, count, self.interval_ns):
            self.counts[added.bucket] += added.count
            self.estimated += added.requests
            self._reach(added.min_ns, added.max_ns)

    def merge(self, other: Counts) -> None:
        """Add the counts of another `Counts` to these."""
        self.counts += other.counts
        self.estimated += other.estimated
        self._reach(*other.extremes)

    def _reach(self, least: float, largest: float) -> None:
        self.extremes[0] = min(self.extremes[0], least)
        self.extremes[1] = max(self.extremes[1], largest)


Share = Callable[[Counts], bool]
"""Counts some of the rows, and returns whether all of them could be counted."""


def count_shares(
    shares: Iterator[Share], ns_per_unit: float, interval_ns: int | None = None
) -> Counts | None:
    """Count the times in all parts of an input in several threads, and add the counts.

    shares: the parts. Returns None if a part has invalid times. At most one part more than there
    are threads is read ahead. Raises the exceptions that reading a part raises.
    """
    threads = thread_count(None)
    idle: SimpleQueue[Counts] = SimpleQueue()
    for _ in range(threads):
        idle.put(Counts(ns_per_unit, interval_ns))

    def count(share: Share) -> bool:
        with _lent(idle) as counts:
            return share(counts)

    with ThreadPoolExecutor(threads) as pool:
        at_work = deque()
        for share in shares:
            at_work.append(pool.submit(count, share))
            if len(at_work) > threads and not at_work.popleft().result():
                return None
        if not all(done.result() for done in at_work):
            return None
    total = idle.get()
    for _ in range(threads - 1):
        total.merge(idle.get())
    return total


@contextmanager
def _lent(idle: SimpleQueue[Counts]) -> Iterator[Counts]:
    counts = idle.get()
    try:
        yield counts
    finally:
        idle.put(counts)
