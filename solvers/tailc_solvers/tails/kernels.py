"""Loops of tail tables: tails of sums of independent work on a lattice.

Work is a number of buckets k with probability p_k. G_i(m) is the probability that i requests
together take more than m buckets: 1 for m < 0, G_0(m) = 0 for m >= 0, and

    G_i(m) = sum_k p_k G_(i-1)(m - k).

A running request known to end in a bucket above j, and the i requests behind it, take more than n
buckets with probability a / sum_(k > j) p_k, where

    a = sum_(k > j) p_k G_i(n - k) = G_(i+1)(n) - sum_(k <= j) p_k G_i(n - k),

whichever has fewer terms. Nothing is fused or reordered, so every machine has the same sums.

From some position on the sum is taken as Gaussian:
mean(S_0) + i mean(S) + z sqrt(var S_0 + i var S).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import inlined_loops, plain_loops

BLOCK = 4
"""Terms that `_add_request` adds in one pass."""

LANES = 8
"""Partial sums that `_dot` keeps apart: one for each lane of a vector register."""

TOO_SHORT = -1
"""Where a tail is asked for beyond the end of the arrays."""


class Law(NamedTuple):
    """Work on a lattice: `least` + k `width` with probability p_k.

    `filled` are the k with p_k > 0, then BLOCK more entries of any k, and `share` their p, 0 for
    those. `falling` is p_k from the last bucket down.
    """

    least: float
    width: float
    filled: NDArray[np.int64]
    share: NDArray[np.float64]
    falling: NDArray[np.float64]


class Cases(NamedTuple):
    """What may be known of the running request, by row and then by elapsed work.

    `above`: the bucket j that it ends above, -1 for none. `elapsed`: work it has had. `allowed`:
    probability of ending above j and of taking longer than an entry. `first` and `last` are the
    cases of each row, `last` excluded [rows].
    """

    above: NDArray[np.int64]
    elapsed: NDArray[np.float64]
    allowed: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


class Known(NamedTuple):
    """Cases whose running request has a law of its own, on the lattice of all requests.

    `falling`: its probabilities from the last bucket down, times any number [cases, buckets].
    `allowed`: that number times the probability of taking longer than an entry. The rest is as in
    Cases.
    """

    falling: NDArray[np.float64]
    allowed: NDArray[np.float64]
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
def list_cases(begins, filled, smallest, most, allowed, cases):
    """Fill `cases`: one at each row's beginning, one at each bucket's smallest value in the row.

    `filled` are the buckets with requests, `smallest` their smallest values; `allowed` [buckets] is
    for ending in a bucket or a higher one. In the last bucket nothing is known but its edge.
    """
    at, case = 0, 0
    for row in range(begins.shape[0]):
        cases.first[row] = case
        elapsed = begins[row]
        end = begins[row + 1] if row + 1 < begins.shape[0] else most
        while True:
            while at < smallest.shape[0] and smallest[at] <= elapsed:
                at += 1
            above = filled[at - 1] if at > 0 else -1
            above = min(above, allowed.shape[0] - 2)
            cases.above[case] = above
            cases.elapsed[case] = elapsed
            cases.allowed[case] = allowed[above + 1]
            case += 1
            if at == smallest.shape[0] or smallest[at] >= end:
                break
            elapsed = smallest[at]
        cases.last[row] = case


@plain_loops
def tail_rows(law, cases, floor, these, following, reach, left):
    """Fill `left` [rows, positions]; False where that takes tails that are not there.

    Those are G_i(m) for m below `floor`[i] [positions + 1], which rises by a bucket less than there
    are or starts from 0, or beyond the end of `these` and `following`. Both are scratch for G_i and
    G_(i+1), with as many entries below m = 0 as there are buckets. So is `reach` [2, rows].
    """
    pad = law.falling.shape[0]
    for m in range(these.shape[0]):
        these[m] = 1.0 if m < pad else 0.0
        following[m] = these[m]
    reach[:] = 0
    for i in range(left.shape[1]):
        # More than this is not exceeded, and zero already.
        size = min(these.shape[0] - pad, (i + 1) * (pad - 1) + 1)
        begin = min(floor[i + 1], size)
        _add_request(law.filled, law.share, these[begin:], following[pad + begin : pad + size], pad)
        for row in range(left.shape[0]):
            value = _largest(law, these, following, cases, row, i, reach, floor)
            if value < 0.0:
                return False
            left[row, i] = value
        these, following = following, these
    return True


@plain_loops
def conditional_rows(law, known, these, following, left):
    """Fill `left` [rows, positions] from the cases of `known`.

    `these` and `following` are scratch for G_i and G_(i+1), long enough for the longest sums.
    """
    pad = law.falling.shape[0]
    for m in range(these.shape[0]):
        these[m] = 1.0 if m < pad else 0.0
        following[m] = these[m]
    for i in range(left.shape[1]):
        least, most = (i + 1) * law.least, (i + 1) * (pad - 1)
        for row in range(left.shape[0]):
            best = 0.0
            for case in range(known.first[row], known.last[row]):
                kept = (best + known.elapsed[case] - least) / law.width
                low = min(max(int(kept), 0), most) - 1
                falling, allowed = known.falling[case], known.allowed[case]
                is_kept = _dot(falling, these[low + 2 :], pad) <= allowed
                high = low + 1 if is_kept else most
                while high - low > 1:
                    middle = (low + high) // 2
                    if _dot(falling, these[middle + 1 :], pad) > allowed:
                        low = middle
                    else:
                        high = middle
                best = max(best, least + high * law.width - known.elapsed[case])
            left[row, i] = best
        _add_request(law.filled, law.share, these, following[pad : pad + most + 1], pad)
        these, following = following, these


@plain_loops
def _add_request(filled, share, before, after, pad):
    """Make `after` G_i from `before`, G_(i-1), for m >= 0; terms in rising order of k."""
    after[:] = 0.0
    for b in range(0, share.shape[0] - BLOCK + 1, BLOCK):
        p0, p1, p2, p3 = share[b], share[b + 1], share[b + 2], share[b + 3]
        g0 = before[pad - filled[b] :]
        g1 = before[pad - filled[b + 1] :]
        g2 = before[pad - filled[b + 2] :]
        g3 = before[pad - filled[b + 3] :]
        for m in range(after.shape[0]):
            after[m] = (((after[m] + p0 * g0[m]) + p1 * g1[m]) + p2 * g2[m]) + p3 * g3[m]


@plain_loops
def _largest(law, these, following, cases, row, i, reach, floor):
    """The largest quantile among the cases of a row, in units of work; TOO_SHORT if out of reach.

    `reach` has the first case's quantile of the last position, and what it was more than before.
    """
    pad = law.falling.shape[0]
    most = (i + 1) * (pad - 1)
    least = (i + 1) * law.least
    begin, end = cases.first[row], cases.last[row]
    best = 0.0
    for case in range(begin, end):
        above, allowed = cases.above[case], cases.allowed[case]
        if case == begin:
            start = reach[0, row]
            guess = min(start + reach[1, row], most)
        else:
            kept = (best + cases.elapsed[case] - least) / law.width
            start = min(max(int(kept), 0), most)
            guess = start
        n = _quantile(law.falling, these, following, above, allowed, start, guess)
        # Below the floor anything may have been read; above it, n - 1 was told apart from n.
        if n == TOO_SHORT or (floor[i + 1] > 0 and n <= floor[i + 1]):
            return TOO_SHORT
        if case == begin:
            reach[1, row] = n - reach[0, row]
            reach[0, row] = n
        # The first case is more than nothing, but for rounding.
        best = max(best, least + n * law.width - cases.elapsed[case])
    return best


@inlined_loops
def _quantile(falling, these, following, above, allowed, least, guess):
    """The least n >= `least` that is exceeded seldom enough; TOO_SHORT if it cannot be told."""
    low, high, step = least - 1, guess, 1
    over = _exceeds(falling, these, following, above, allowed, high)
    while over == 1:
        low = high
        high += step
        step *= 2
        over = _exceeds(falling, these, following, above, allowed, high)
    step = 1
    while over == 0 and high - low > 1:
        middle = max(high - step, (low + high) // 2)
        step *= 2
        if _exceeds(falling, these, following, above, allowed, middle) == 1:
            low = middle
        else:
            high = middle
    return high if over == 0 else TOO_SHORT


@inlined_loops
def _exceeds(falling, these, following, above, allowed, n):
    """1 if more than n buckets are taken too often, 0 if not, TOO_SHORT if it cannot be told."""
    pad = falling.shape[0]
    longer = pad - 1 - above
    if above + 1 < longer and pad + n < following.shape[0]:
        shorter = _dot(falling[longer:], these[n + 1 + longer :], above + 1)
        a = following[pad + n] - shorter
    elif n + longer < these.shape[0]:
        a = _dot(falling, these[n + 1 :], longer)
    else:
        return TOO_SHORT
    return 1 if a > allowed else 0


@inlined_loops
def _dot(p, g, size):
    """Sum of p g over the first `size` entries: LANES partial sums, then pairs of them."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = size - size % LANES
    for t in range(0, whole, LANES):
        s0 += p[t] * g[t]
        s1 += p[t + 1] * g[t + 1]
        s2 += p[t + 2] * g[t + 2]
        s3 += p[t + 3] * g[t + 3]
        s4 += p[t + 4] * g[t + 4]
        s5 += p[t + 5] * g[t + 5]
        s6 += p[t + 6] * g[t + 6]
        s7 += p[t + 7] * g[t + 7]
    for t in range(whole, size):
        s0 += p[t] * g[t]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@plain_loops
def gaussian_rows(law, cases, z, position, falling_moments, left):
    """Fill `left` [rows, positions] with the largest of each row's cases at each `position`.

    `falling_moments` [3, buckets + 1] is scratch for sums of p, p x and p x^2 from a bucket on.
    """
    pad = law.falling.shape[0]
    falling_moments[:, pad] = 0.0
    for k in range(pad - 1, -1, -1):
        x = law.least + k * law.width
        p = law.falling[pad - 1 - k]
        falling_moments[0, k] = falling_moments[0, k + 1] + p
        falling_moments[1, k] = falling_moments[1, k + 1] + p * x
        falling_moments[2, k] = falling_moments[2, k + 1] + p * x * x
    mean = falling_moments[1, 0]
    variance = max(falling_moments[2, 0] - mean * mean, 0.0)
    left[:] = 0.0
    for row in range(left.shape[0]):
        for case in range(cases.first[row], cases.last[row]):
            k = cases.above[case] + 1
            first = falling_moments[1, k] / falling_moments[0, k]
            spread = max(falling_moments[2, k] / falling_moments[0, k] - first * first, 0.0)
            for c in range(position.shape[0]):
                deviation = math.sqrt(spread + position[c] * variance)
                value = first - cases.elapsed[case] + position[c] * mean + z * deviation
                left[row, c] = max(left[row, c], value)
