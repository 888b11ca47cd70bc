"""Detect from the times of requests whether clients sent them in a closed loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ENOUGH = 100
_SURE, _NEARLY_ALL = 0.9, 0.95


def scaled_ranks(values: NDArray) -> NDArray[np.float64]:
    """Ranks of values, scaled to mean 0 and standard deviation 1; equal values share a rank."""
    order = np.unique(values, return_inverse=True)[1]
    count = np.bincount(order)
    rank = (count.cumsum() - (count - 1) / 2)[order]
    spread = rank.std()
    return (rank - rank.mean()) / (spread if spread else 1.0)


def correlation(left: NDArray, right: NDArray) -> float:
    """Spearman's rank correlation of two columns of equal length; 0 if one is constant."""
    return float((scaled_ranks(left) * scaled_ranks(right)).mean())


def in_system(at_ns: NDArray, time_ns: NDArray) -> NDArray[np.int64]:
    """Number of requests in the system at each arrival, from arrival times and durations.

    The arrivals must be in order.
    """
    ends = np.sort(at_ns + time_ns)
    return np.arange(len(ends)) - np.searchsorted(ends, at_ns, side="right")


def is_closed_loop(at_ns: NDArray, time_ns: NDArray) -> bool:
    """Whether requests were sent in a closed loop: each arrives when an earlier one ends.

    False for fewer than 100 requests. at_ns: arrival times in order, (requests,). time_ns: duration
    of each request. Up to about 16 clients are detected; with more, the pauses between their
    requests hide the loop.
    """
    if len(at_ns) < _ENOUGH:
        return False
    if correlation(np.diff(at_ns), time_ns[:-1]) > _SURE:
        return True
    clients = int(np.median(in_system(at_ns, time_ns))) + 1
    if clients == 1 or len(at_ns) < _ENOUGH + clients:
        return False
    # With n clients, arrival k + n is the answer to the k-th request that ends.
    ends, next_ns = np.sort(at_ns + time_ns)[:-clients], at_ns[clients:]
    follows = float((next_ns >= ends).mean()) > _NEARLY_ALL
    return follows and correlation(np.diff(next_ns), np.diff(ends)) > _SURE
