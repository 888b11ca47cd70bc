"""Kernels of tail tables: tail probabilities of sums of independent work on a lattice.

Work is a number of buckets k with probability p_k. G_i(m) is the probability that i requests
together take more than m buckets: 1 for m < 0, G_0(m) = 0 for m >= 0, and

    G_i(m) = sum_k p_k G_(i-1)(m - k).

A running request known to end in a bucket above j, and the i requests behind it, take more than n
buckets with probability a / sum_(k > j) p_k, where

    a = sum_(k > j) p_k G_i(n - k).

If k decreases, a is the partial sum of G_(i+1)(n) after the terms above j, so one convolution per
position has the tails of all cases as partial sums. Operations are not fused or reordered, so every
machine has the same sums.

From some position on, the sum is approximated as Gaussian: mean(S_0) + i mean(S) + z sqrt(var S_0 +
i var S).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import inlined_loops, inner_loops, plain_loops

BLOCK = 8
"""Terms that are added in one pass."""

LANES = 8
"""Partial sums that `_dot` keeps apart: one for each lane of a vector register."""

PASS = 16
"""Tails that are added to together: arrays of a multiple of it leave no rest to add one by one."""


class LatticeLaw(NamedTuple):
    """The distribution of one request's work on a grid: `least` + k `width` with probability p_k.

    buckets: upper limit of k. filled: the k with p_k > 0 from the largest down, then BLOCK entries
    of padding. share: p_k of each entry of `filled`, 0 for padding.
    """

    least: float
    width: float
    buckets: int
    filled: NDArray[np.int64]
    share: NDArray[np.float64]


class Cases(NamedTuple):
    """What may be known about the running request's work, for each row of a tail table.

    Each row has several cases, ordered by elapsed work. In a case, the request has received the
    work `elapsed` and ends in one of the last `among` buckets that have requests. allowed:
    probability of ending in these buckets and of taking longer than an entry of the table. first,
    last: range of the cases of each row, `last` excluded [rows].
    """

    among: NDArray[np.int64]
    elapsed: NDArray[np.float64]
    allowed: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


class Sums(NamedTuple):
    """Working memory of a convolution: tail probabilities G_i (`before`) and G_(i+1) (`after`).

    G_i(m) is the probability that i requests together take more than m buckets. Entries are for m
    from `begin` on; `before` has padding of one histogram in front. floor: first entry that is
    defined. whole: from this entry on, `after` has only the terms of the sum that the cases need.
    floor and whole count from `begin`.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    begin: int
    floor: int
    whole: int


class OwnLawCases(NamedTuple):
    """Cases in which the running request has its own distribution of work.

    falling: probabilities of the distribution on the grid of all requests, from the last bucket
    down, times a positive number [cases, buckets]. allowed: that number times the probability of
    taking longer than an entry. elapsed, first, last: as in Cases.
    """

    falling: NDArray[np.float64]
    allowed: NDArray[np.float64]
    elapsed: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


@plain_loops
def count_upwards(work, weight, least, width, counted, smallest):
    """Add every weight to the bucket of its work, and record the smallest value of each bucket."""
    for r in range(work.shape[0]):
        x = work[r]
        k = math.ceil((x - least) / width)
        if least + k * width < x:
            k += 1
        k = min(k, counted.shape[0] - 1)
        counted[k] += weight[r]
        smallest[k] = min(smallest[k], x)


@plain_loops
def list_cases(begins, smallest, most, allowed, cases):
    """List the cases of the running request's elapsed work for each row of a tail table.

    There is one case at the beginning of each row, and one at the smallest value of each bucket of
    the histogram of work.

    Args:
        begins: elapsed work at which each row begins.
        smallest: smallest value of each bucket with requests.
        most: the largest value of all.
        allowed: probability of taking longer than an entry, times that of ending in the last
            bucket, the last two and so on.
        cases: the result.
    """
    at, case = 0, 0
    for row in range(begins.shape[0]):
        cases.first[row] = case
        elapsed = begins[row]
        end = begins[row + 1] if row + 1 < begins.shape[0] else most
        while True:
            while at < smallest.shape[0] and smallest[at] <= elapsed:
                at += 1
            among = max(smallest.shape[0] - at, 1)
            cases.among[case] = among
            cases.elapsed[case] = elapsed
            cases.allowed[case] = allowed[among - 1]
            case += 1
            if at == smallest.shape[0] or smallest[at] >= end:
                break
            elapsed = smallest[at]
        cases.last[row] = case


@plain_loops
def tail_rows(law, cases, floor, these, following, left):
    """Fill the tail table `left` [rows, positions] by convolution of the law of work with itself.

    law: distribution of one request's work. cases: what is known of the running request. floor:
    first entry of each sum that is defined [positions + 1]. these, following: working memory for
    tails of sums of i and of i + 1 requests; their length is a multiple of PASS, with as many
    entries on either side as there are buckets. Returns False if the working memory is too small.
    """
    pad = law.buckets
    for m in range(these.shape[0]):
        these[m] = 1.0 if m < pad else 0.0
        following[m] = these[m]
    for i in range(left.shape[1]):
        # More than this is not exceeded, and zero already.
        support = _whole_passes((i + 1) * (pad - 1) + 1)
        whole = min(these.shape[0] - 2 * pad, support)
        begin = min(floor[i + 1] // PASS * PASS, whole)
        after = following[pad + begin : pad + min(whole + pad, support)]
        for row in range(left.shape[0]):
            left[row, i] = left[row, i - 1] if i > 0 else 0.0
        sums = Sums(these[begin:], after, begin, floor[i + 1] - begin, whole - begin)
        if not _position(law, cases, sums, i, left):
            return False
        these, following = following, these
    return True


@inlined_loops
def _whole_passes(entries):
    """So many entries, or some more that make it a multiple of PASS."""
    return (entries + PASS - 1) // PASS * PASS


@inner_loops
def _position(law, cases, sums, i, left):
    """Make `sums.after` G_(i+1), and raise column i of `left` to what each case has on the way."""
    after = sums.after
    after[:] = 0.0
    row = left.shape[0] - 1
    case = cases.last[row] - 1
    for b in range(0, law.share.shape[0] - BLOCK + 1, BLOCK):
        while case >= 0 and cases.among[case] < b + BLOCK:
            while case < cases.first[row]:
                row -= 1
            if not _raise(law, cases, sums, b, case, left[row, : i + 1]):
                return False
            case -= 1
        stop = min(_whole_passes(sums.whole + law.filled[b]), after.shape[0])
        _add_block(law.filled, law.share, b, sums.before, after[:stop], law.buckets)
    return True


@inlined_loops
def _raise(law, cases, sums, b, case, entries):
    """Raise the last of a row's entries so far to what a case has; False where it cannot be told.

    `sums.after` has the terms before b.
    """
    i = entries.shape[0] - 1
    begin, floor, among = sums.begin, sums.floor, cases.among[case]
    least, elapsed = (i + 1) * law.least, cases.elapsed[case]
    kept = (entries[i] + elapsed - least) / law.width
    start = max(min(int(kept), (i + 1) * (law.buckets - 1)) - begin, floor)
    jump = 1
    if i > 1 and entries[i] == entries[i - 1]:
        jump += int((entries[i - 1] - entries[i - 2]) / law.width)
    end = min(sums.whole + law.filled[among - 1], sums.after.shape[0])
    n = _quantile(law, sums, b, among - b, cases.allowed[case], start, jump, end)
    if n >= end or (begin + floor > 0 and n <= floor):
        return False
    if n > start or kept < 0:
        entries[i] = max(entries[i], least + (begin + n) * law.width - elapsed)
    return True


@inlined_loops
def _quantile(law, sums, b, more, allowed, start, jump, end):
    """The least n >= `start` that is exceeded seldom enough; `end` or more if there is none below.

    The case has `more` of the terms from b on. The first guess beyond the start is `jump` further.
    """
    low, high, step = start, start, jump
    while high < end and _tail(law, sums, b, more, high) > allowed:
        low = high
        high += step
        step = 1 if low == start else 2 * step
    high, step = max(min(high, end), start), 1
    while high - low > 1:
        middle = max(high - step, (low + high) // 2)
        step *= 2
        if _tail(law, sums, b, more, middle) > allowed:
            low = middle
        else:
            high = middle
    return high


@inlined_loops
def _tail(law, sums, b, more, n):
    """Probability of more than n buckets in the terms before b and `more` of those from there."""
    tail = sums.after[n]
    for t in range(b, b + more):
        tail += law.share[t] * sums.before[law.buckets - law.filled[t] + n]
    return tail


@inner_loops
def _add_block(filled, share, b, before, after, pad):
    """Add the terms b to b + BLOCK of G_i to `after`, one after another."""
    p0, p1, p2, p3 = share[b], share[b + 1], share[b + 2], share[b + 3]
    p4, p5, p6, p7 = share[b + 4], share[b + 5], share[b + 6], share[b + 7]
    g0 = before[pad - filled[b] :]
    g1 = before[pad - filled[b + 1] :]
    g2 = before[pad - filled[b + 2] :]
    g3 = before[pad - filled[b + 3] :]
    g4 = before[pad - filled[b + 4] :]
    g5 = before[pad - filled[b + 5] :]
    g6 = before[pad - filled[b + 6] :]
    g7 = before[pad - filled[b + 7] :]
    for m in range(after.shape[0]):
        a = (((after[m] + p0 * g0[m]) + p1 * g1[m]) + p2 * g2[m]) + p3 * g3[m]
        after[m] = (((a + p4 * g4[m]) + p5 * g5[m]) + p6 * g6[m]) + p7 * g7[m]


@plain_loops
def conditional_rows(law, known, these, following, left):
    """Fill the tail table `left` [rows, positions] if the running request has its own law of work.

    law: distribution of work of the queued requests. known: cases of the running request. these,
    following: scratch for tails of sums of i and of i + 1 requests, long enough for the longest
    sums.
    """
    pad = law.buckets
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
        after = following[pad : pad + most + 1]
        after[:] = 0.0
        for b in range(0, law.share.shape[0] - BLOCK + 1, BLOCK):
            _add_block(law.filled, law.share, b, these, after, pad)
        these, following = following, these


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
def gaussian_rows(law, cases, z, position, moments, left):
    """Fill the tail table `left` [rows, positions] by the Gaussian approximation.

    An entry is the largest over the cases of its row. z: standard deviations above the mean.
    position: queue position of the first column. moments: scratch for sums of p, p x and p x^2 over
    the last buckets with requests [3, buckets + 1].
    """
    filled = law.filled.shape[0] - BLOCK
    moments[:, 0] = 0.0
    for t in range(filled):
        x = law.least + law.filled[t] * law.width
        p = law.share[t]
        moments[0, t + 1] = moments[0, t] + p
        moments[1, t + 1] = moments[1, t] + p * x
        moments[2, t + 1] = moments[2, t] + p * x * x
    mean = moments[1, filled]
    variance = max(moments[2, filled] - mean * mean, 0.0)
    left[:] = 0.0
    for row in range(left.shape[0]):
        most_first, most_lean = -math.inf, -math.inf
        for case in range(cases.first[row], cases.last[row]):
            among = cases.among[case]
            expected = moments[1, among] / moments[0, among]
            spread = max(moments[2, among] / moments[0, among] - expected * expected, 0.0)
            first = expected - cases.elapsed[case]
            lean = math.copysign(spread, z)
            # With no more of either than a case before, it has no larger entry.
            if first <= most_first and lean <= most_lean:
                continue
            if first >= most_first and lean >= most_lean:
                most_first, most_lean = first, lean
            for c in range(position.shape[0]):
                deviation = math.sqrt(spread + position[c] * variance)
                value = first + position[c] * mean + z * deviation
                left[row, c] = max(left[row, c], value)
