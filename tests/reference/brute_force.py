"""The paper's search compiled: the loops of `literal_search.py`, and what the paper prunes.

Haque et al. (ASPLOS 2015, section 4.1) name two ways to leave schedules out: the intervals that add
parallelism sum to at most y, and a schedule that is over the target at one load is over it at every
larger one. Nothing else is left out here, and each request is looked at for each schedule.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def brute_force(seq_ms, speedup, target_p, req_max, steps, step_ms, rank):
    """Best schedule [load, n], its tail and mean [load]; inf where nothing is feasible."""
    n = len(speedup)
    side = steps + 1
    best = np.zeros((req_max, n))
    tails = np.full(req_max, np.inf)
    means = np.full(req_max, np.inf)
    is_over = np.zeros(side**n, np.bool_)
    times = np.empty(len(seq_ms))
    v = np.empty(n)
    for load in range(1, req_max + 1):
        for number in range(side**n):
            if is_over[number] or _spread(number, side, step_ms, v) > steps:
                continue
            total, threads = evaluated(seq_ms, speedup, v, times)
            if threads / total * load > target_p:
                is_over[number] = True
                continue
            tail, mean = order_statistic(times, rank), total / len(seq_ms)
            here = load - 1
            if tail < tails[here] or (tail == tails[here] and mean < means[here]):
                tails[here], means[here], best[here] = tail, mean, v
    return best, tails, means


@njit(cache=True)
def _spread(number, side, step_ms, v):
    """Write schedule number `number`, the last interval fastest; return the steps after v_0."""
    steps = 0
    for i in range(len(v) - 1, -1, -1):
        v[i] = number % side * step_ms
        if i > 0:
            steps += number % side
        number //= side
    return steps


@njit(cache=True)
def evaluated(seq_ms, speedup, v, times):
    """Equations 1 and 2 for every request: fill `times`, return both sums."""
    n = len(speedup)
    total = threads = 0.0
    for r in range(len(seq_ms)):
        passed, used, left = v[0], 0.0, seq_ms[r]
        degree = 1
        while degree < n and left > speedup[degree - 1] * v[degree]:
            passed += v[degree]
            used += degree * v[degree]
            left -= speedup[degree - 1] * v[degree]
            degree += 1
        here = left / speedup[degree - 1]
        times[r] = passed + here
        total += times[r]
        threads += used + degree * here
    return total, threads


@njit(cache=True)
def order_statistic(times, rank):
    """Equation 5, by sorting, as it is printed."""
    return np.sort(times)[rank - 1]


def schedules(rng: np.random.Generator, count: int, n: int, steps: int) -> NDArray[np.int64]:
    """Random schedules of those that the first way leaves in, in steps [count, n]."""
    found: list[NDArray[np.int64]] = []
    while len(found) < count:
        v = rng.integers(0, steps + 1, n)
        if v[1:].sum() <= steps:
            found.append(v)
    return np.array(found)
