"""Loops of tail tables: tails of sums of independent work on a lattice.

Work is a number of buckets k with probability p_k. G_i(m) is the probability that i requests
together take more than m buckets: 1 for m < 0, G_0(m) = 0 for m >= 0, and

    G_i(m) = sum_k p_k G_(i-1)(m - k).

A running request known to end in a bucket above j, and the i requests behind it, take more than n
buckets with probability  sum_(k > j) p_k G_i(n - k) / sum_(k > j) p_k.

Nothing here is fused or reordered, so every machine has the same sums.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import plain_loops

LANES = 8
"""Partial sums that `_exceeds` keeps apart: one for each lane of a vector register."""


class Cases(NamedTuple):
    """What may be known of the running request, by row and then by elapsed work.

    `above`: the bucket j that it ends above, -1 for none. `elapsed`: work it has had. `first` and
    `last` are the cases of each row, `last` excluded [rows].
    """

    above: NDArray[np.int64]
    elapsed: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


@plain_loops
def count_upwards(work, weight, least, width, counted, smallest):
    """Add every weight to its bucket, and keep the smallest value of each bucket."""
    for r in range(work.shape[0]):
        x = work[r]
        k = math.ceil((x - least) / width)
        if least + k * width < x:
            k += 1
        k = min(k, counted.shape[0] - 1)
        counted[k] += weight[r]
        smallest[k] = min(smallest[k], x)


@plain_loops
def tail_rows(shares, lattice, allowed, cases, before, after, reach, left):
    """Fill `left` [rows, positions]; False where `before` and `after` are too short.

    `shares` is p, and p from the last bucket down; `lattice` is (least, width). `before`
    and `after` have as many entries below m = 0 as there are buckets. `allowed` is the probability
    of taking longer than an entry. `reach` [rows] is scratch.
    """
    share, falling = shares
    pad = share.shape[0]
    for m in range(before.shape[0]):
        before[m] = 1.0 if m < pad else 0.0
        after[m] = before[m]
    reach[:] = 0
    for i in range(left.shape[1]):
        if i > 0:
            _add_request(share, before, after, pad)
            before, after = after, before
        for row in range(left.shape[0]):
            value = _largest(falling, before, lattice, allowed, cases, row, i, reach)
            if value < 0.0:
                return False
            left[row, i] = value
    return True


@plain_loops
def _add_request(share, before, after, pad):
    """Make `after` G_i from `before`, G_(i-1), for m >= 0; terms in rising order of k."""
    size = before.shape[0] - pad
    for m in range(size):
        after[pad + m] = 0.0
    for k in range(pad):
        p = share[k]
        if p > 0.0:
            for m in range(size):
                after[pad + m] += p * before[pad - k + m]


@plain_loops
def _largest(falling, tail, lattice, allowed, cases, row, i, reach):
    """The largest quantile among the cases of a row, in units of work; -1 if out of reach."""
    least, width = lattice
    begin = cases.first[row]
    n = _quantile(falling, tail, cases.above[begin], reach[row], allowed)
    reach[row] = n
    if n < 0:
        return -1.0
    # Rounding may take what is left below nothing.
    best = max(0.0, (i + 1) * least + n * width - cases.elapsed[begin])
    for case in range(begin + 1, cases.last[row]):
        kept = (best + cases.elapsed[case] - (i + 1) * least) / width
        start = min(max(int(kept), 0), (i + 1) * (falling.shape[0] - 1))
        n = _quantile(falling, tail, cases.above[case], start, allowed)
        if n < 0:
            return -1.0
        best = max(best, (i + 1) * least + n * width - cases.elapsed[case])
    return best


@plain_loops
def _quantile(falling, tail, above, start, allowed):
    """The least n >= start that is exceeded with probability `allowed` at most; -1 if none."""
    low, step = start - 1, 1
    high = start
    most = tail.shape[0] - falling.shape[0] - 1
    if start > most:
        return -1
    while _exceeds(falling, tail, above, high, allowed):
        if high == most:
            return -1
        low = high
        high = min(high + step, most)
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if _exceeds(falling, tail, above, middle, allowed):
            low = middle
        else:
            high = middle
    return high


@plain_loops
def _exceeds(falling, tail, above, n, allowed):
    """Whether more than n buckets are taken with a probability over `allowed`."""
    pad = falling.shape[0]
    total = 0.0
    mass = 0.0
    for t in range(pad - 1 - above):
        total += falling[t] * tail[n + 1 + t]
        mass += falling[t]
    return total > allowed * mass
