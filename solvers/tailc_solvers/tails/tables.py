"""Tail tables: work until each queued request ends, by the elapsed work of the running request.

Requests with independent work S run one after another. The running request, number 0, has done w,
so

    P[S_0 = c] = P[S = c + w] / P[S > w],

and request i behind it ends after S_0 and i times S (Kasture et al., MICRO 2015; Bartolini, 2015,
section 3.4.1). An entry is the least c with P[S_i > c] <= 1 - beta, with the tolerance CLOSE.

Rows begin at the octiles of S, or other even quantiles. An entry of a row is the largest for all
elapsed work from the start of the row to that of the next one, so it is safe without interpolation.
It is computed without evaluating every w. Let x_j be the smallest sampled value of bucket j
(histogram.py). For x_j <= w and w below the smallest value of the next bucket that is not empty,
the requests with S > w are those of higher buckets and perhaps some of bucket j, which are the
shortest, so that

    S - w given S > w  is stochastically at most  S - x_j given a bucket above j.

One case for each bucket with requests therefore covers all w below the longest request. In the last
bucket S is at most its edge. From the longest request on, remaining work is unknown:
`unknown_from`.

From position 16 on, the sum is approximated as Gaussian: mean(S_0) + i mean(S) + z sqrt(var S_0 + i
var S). The dissertation states var S for the variance, which is that of one request. The Gaussian
is an estimate and may be below the quantile, by 2 % for 17 exponential requests.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.tails.histogram import WorkHistogram, histogram
from tailc_solvers.tails.kernels import (
    BLOCK,
    PASS,
    Cases,
    LatticeLaw,
    gaussian_rows,
    list_cases,
    tail_rows,
)

CLOSE = 1e-12
"""Probability by which an entry may be exceeded more often than 1 - quantile: 1,000 times the
rounding of the sums, so that any order of summing has the same entries."""

_DIGITS = 6


@dataclass(frozen=True, eq=False)
class TailTables:
    """A tail table: quantiles of the work until the i-th request in the queue is done.

    Attributes:
        elapsed: work of the running request from which each row holds, ascending from 0 [rows].
        left: quantile of the work until request i is done, in the unit of the sample, by row and
            position; not decreasing with position.
        unknown_from: elapsed work that no request of the sample exceeds.
    """

    elapsed: NDArray[np.float64]
    left: NDArray[np.float64]
    unknown_from: float

    def __post_init__(self) -> None:
        begins = self.elapsed.tolist()
        if begins[0] != 0 or any(a >= b for a, b in itertools.pairwise(begins)):
            raise ValueError("rows must ascend from 0")
        if (self.left[:, 1:] < self.left[:, :-1]).any() or min(self.left[:, 0].tolist()) < 0:
            raise ValueError("`left` must not be negative, or fall with the number of requests")


def tail_tables(
    work: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    quantile: float,
    buckets: int = 128,
    rows: int = 8,
    begins: ArrayLike | None = None,
    positions: int = 16,
    most_positions: int = 64,
    deviations: float | None = None,
) -> TailTables:
    """Compute the tail table of a sample of nonnegative work [R], of `weight` requests each.

    quantile: beta, between 0 and 1. buckets: of the histogram, which rounds work up. rows: number
    of even quantiles at which rows begin; equal ones are one row, so there may be fewer. begins:
    elapsed work at which rows begin instead, ascending from 0 and below the longest request.
    positions: number of queue positions computed by convolution; those up to most_positions are
    Gaussian, `deviations` standard deviations above the mean, by default the normal quantile of
    beta rounded up to six digits.
    """
    counted = histogram(work, weight, buckets)
    return tables_of(
        counted,
        quantile=quantile,
        rows=rows,
        begins=begins,
        positions=positions,
        most_positions=most_positions,
        deviations=deviations,
    )


def tables_of(
    counted: WorkHistogram,
    *,
    quantile: float,
    rows: int = 8,
    begins: ArrayLike | None = None,
    positions: int = 16,
    most_positions: int = 64,
    deviations: float | None = None,
) -> TailTables:
    """Compute the tail table of a sample of work that is counted in a histogram.

    The arguments are those of `tail_tables`.
    """
    check_shape(quantile, rows, positions, most_positions)
    elapsed = even_quantiles(counted, rows) if begins is None else _check(counted, begins)
    law = law_of(counted)
    cases = list_all_cases(counted, law, elapsed, 1 - quantile + CLOSE)
    z = normal_deviations(quantile) if deviations is None else deviations
    position = np.arange(positions, most_positions + 1)
    near, far = (np.empty((elapsed.size, columns)) for columns in (positions, position.size))
    gaussian_rows(law, cases, z, position, np.empty((3, law.buckets + 1)), far)
    convolve(law, cases, far[:, 0], near)
    left = np.hstack((near, far))
    return TailTables(elapsed, np.maximum.accumulate(left[:, :-1], axis=1), counted.most)


def check_shape(quantile: float, rows: int, positions: int, most_positions: int) -> None:
    """Raise ValueError if the quantile or the size of a tail table is invalid."""
    if not 0 < quantile < 1:
        raise ValueError("quantile must lie between 0 and 1")
    if not (rows >= 1 and 1 <= positions <= most_positions):
        raise ValueError("`rows` must be at least 1, and `positions` from 1 to `most_positions`")


def normal_deviations(quantile: float) -> float:
    """The quantile of the standard normal law, rounded up to six digits."""
    scale = 10**_DIGITS
    return math.ceil(NormalDist().inv_cdf(quantile) * scale) / scale


def _check(counted: WorkHistogram, begins: ArrayLike) -> NDArray[np.float64]:
    elapsed = np.array(begins, dtype=np.float64)
    holds = elapsed.ndim == 1 and elapsed.size > 0 and elapsed[0] == 0
    if not (holds and (np.diff(elapsed) > 0).all()):
        raise ValueError("begins must ascend from 0")
    if elapsed.size > 1 and elapsed[-1] >= counted.most:
        raise ValueError("the last row must begin below the largest demand")
    return elapsed


def even_quantiles(counted: WorkHistogram, rows: int) -> NDArray[np.float64]:
    """The elapsed work at which rows of a tail table begin, evenly spaced in probability.

    It is 0, then the quantiles 1 / rows, 2 / rows, and so on.
    """
    bucket = counted.share.cumsum().searchsorted(np.arange(1, rows) / rows - CLOSE)
    found = [x for x in counted.smallest[bucket].tolist() if x < counted.most]
    return np.array(list(dict.fromkeys([0.0, *found])))


def law_of(counted: WorkHistogram) -> LatticeLaw:
    """Convert a histogram of work to a distribution on a grid, for compiled code."""
    filled = np.flatnonzero(counted.share)[::-1]
    listed = np.zeros(filled.size + BLOCK, dtype=np.int64)
    listed[: filled.size] = filled
    share = np.zeros(listed.size)
    share[: filled.size] = counted.share[filled]
    return LatticeLaw(counted.least, counted.width, counted.share.size, listed, share)


def list_all_cases(
    counted: WorkHistogram, law: LatticeLaw, begins: NDArray[np.float64], allowed: float
) -> Cases:
    """List, for each row of a tail table, what may be known of the running request.

    allowed: probability of taking longer than an entry.
    """
    smallest = counted.smallest[law.filled[:-BLOCK][::-1]]
    most, rows = smallest.size + begins.size, begins.size
    cases = Cases(
        np.empty(most, np.int64),
        np.empty(most),
        np.empty(most),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
    )
    list_cases(begins, smallest, counted.most, allowed * np.cumsum(law.share), cases)
    return cases


def convolve(
    law: LatticeLaw, cases: Cases, expected: NDArray[np.float64], left: NDArray[np.float64]
) -> None:
    """Fill the entries of a tail table, `left` [rows, positions], by convolution.

    expected: a guess of the largest sum in each row, which sets the memory to start with [rows].
    """
    positions = left.shape[1]
    pad = law.buckets
    most = pad * (positions + 1)
    least = (expected - law.least * positions) / law.width
    # The search range is a little larger than necessary.
    size = int(least.max()) + pad // 4
    # Tails are rarely far from their Gaussians; a quantile is almost never below the mean.
    mean = float(law.share @ law.filled)
    last = max(int(positions * mean), int(least.min() - mean) - pad // 2)
    floor = np.maximum(last - (pad - 1) * np.arange(positions, -1, -1), 0)
    is_filled = False
    while not is_filled:
        size = -(-min(max(size, pad), most) // PASS) * PASS
        these, following = np.empty(size + 2 * pad), np.empty(size + 2 * pad)
        is_filled = tail_rows(law, cases, floor, these, following, left)
        assert is_filled or size < most or floor[-1] > 0, "no sum exceeds its support"
        size *= 2
        floor[:] = 0
