"""Loops of the search for one job's schedule: costs to go over (epoch, level before, work left).

Epochs k = 0..K-1 count from the start and work is in units of a grid; `value[k, p, r]` is the least
cost from epoch k on, of a job that was on level p and has r units left. A job whose work is done
may end, or run on.
"""

import numpy as np

from tailc_solvers.loops import plain_loops

NEVER = np.int64(1) << 60
"""More than any cost; twice as much is still a number."""


@plain_loops
def fill(costs, gain, need, least, most, runs_on, value):
    """Fill `value` [K, L, need + 1] and return the least cost of all; NEVER where there is none.

    `costs.first` [L], `costs.stage` [K, L, L] and `costs.end` [K, L] are at least zero, `gain`
    [K, L] are units of work. Before epoch k no more than `most[k]` units and no fewer than
    `least[k]` can be left, and no more than `most[k, 1]` can still be done.
    """
    K, L = gain.shape
    for k in range(K - 1, 0, -1):
        low, can = least[k], min(most[k, 0], most[k, 1])
        value[k, :, low : most[k, 0] + 1] = NEVER
        for level in range(L):
            done = _done(costs, gain, value, k, level, runs_on)
            ends = min(gain[k, level], can) + 1
            for p in range(L):
                cost = costs.stage[k, p, level]
                if cost >= NEVER:
                    continue
                if done < NEVER:
                    for r in range(low, ends):
                        value[k, p, r] = min(value[k, p, r], cost + done)
                if k + 1 < K:
                    first = max(ends, low)
                    shift = first - gain[k, level]
                    source = value[k + 1, level, shift : shift + can + 1 - first]
                    _lower(value[k, p, first : can + 1], source, cost)
    return _best(costs, gain, need, runs_on, value)


@plain_loops
def _lower(target, source, cost):
    """A loop from 0 over two rows: eight entries at a time."""
    for i in range(target.shape[0]):
        target[i] = min(target[i], cost + source[i])


@plain_loops
def _done(costs, gain, value, k, level, runs_on):
    """Cost after epoch k of a job whose work was done in it on `level`."""
    if runs_on and k + 1 < gain.shape[0]:
        return min(costs.end[k, level], value[k + 1, level, 0])
    return costs.end[k, level]


@plain_loops
def _after(costs, gain, value, k, level, left, runs_on):
    """Cost after epoch k, `left` units being left before it."""
    rest = left - gain[k, level]
    if rest <= 0:
        return _done(costs, gain, value, k, level, runs_on)
    return value[k + 1, level, rest] if k + 1 < gain.shape[0] else NEVER


@plain_loops
def _best(costs, gain, need, runs_on, value):
    best = NEVER
    for level in range(gain.shape[1]):
        best = min(best, costs.first[level] + _after(costs, gain, value, 0, level, need, runs_on))
    return best


@plain_loops
def trace(costs, gain, need, value, levels):
    """Write the levels of the least cost that `fill` found, lower ones first; return how many.

    Without running on.
    """
    K, L = gain.shape
    left, before = need, 0
    for k in range(K):
        best, chosen = 2 * NEVER, 0
        for level in range(L):
            cost = costs.first[level] if k == 0 else costs.stage[k, before, level]
            if cost >= NEVER:
                continue
            cost += _after(costs, gain, value, k, level, left, False)
            if cost < best:
                best, chosen = cost, level
        levels[k] = chosen
        left -= gain[k, chosen]
        if left <= 0:
            return k + 1
        before = chosen
    return K
