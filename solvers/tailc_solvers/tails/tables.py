"""Tail tables: by elapsed work of the running request, what is left until each one is done.

Requests take independent work S, one after another. The running one, number 0, has had w, so

    P[S_0 = c] = P[S = c + w] / P[S > w],

and request i behind it is done after S_0 and i times S (Kasture et al., MICRO 2015; Bartolini,
2015, section 3.4.1). An entry is the least c with P[S_i > c] <= 1 - beta, to CLOSE.

Rows begin at the octiles of S, or other even quantiles. A row's entry is the largest for any
elapsed work from its beginning to the next row's, so no interpolation can be unsafe. It is found
without looking at every w. Let x_j be the smallest sampled value of bucket j (histogram.py). For
x_j <= w and w below the smallest value of the next bucket that is not empty, the requests with
S > w are those of higher buckets and perhaps some of bucket j, which are the shortest, so that

    S - w given S > w  is stochastically at most  S - x_j given a bucket above j.

One case for each bucket with requests therefore covers all w below the longest request. In the last
bucket S is at most its edge. From the longest request on nothing is known: `unknown_from`.

From position 16 on the sum is taken as Gaussian: mean(S_0) + i mean(S) + z sqrt(var S_0 + i var S).
The dissertation prints var S for the variance, which is that of one request. The Gaussian is an
estimate and may be below the quantile, by 2 % for 17 exponential requests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.tails.histogram import Histogram, histogram
from tailc_solvers.tails.kernels import Cases, tail_rows

CLOSE = 1e-12
"""Probability by which an entry may be exceeded more often than 1 - quantile: 1,000 times the
rounding of the sums, so that any order of summing has the same entries."""

_DIGITS = 6


@dataclass(frozen=True, eq=False)
class TailTables:
    """Quantiles of the work left, in the unit of the sample.

    Attributes:
        elapsed: work of the running request from which each row holds, ascending from 0 [rows].
        left: work until request i is done, by row and position, not falling with position.
        unknown_from: elapsed work that no request of the sample exceeds.
    """

    elapsed: NDArray[np.float64]
    left: NDArray[np.float64]
    unknown_from: float

    def __post_init__(self) -> None:
        if not (self.elapsed[0] == 0 and (np.diff(self.elapsed) > 0).all()):
            raise ValueError("rows must ascend from 0")
        if not ((self.left >= 0).all() and (np.diff(self.left) >= 0).all()):
            raise ValueError("more requests cannot be done sooner")


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
    """The table of a sample of work [R], not negative, of `weight` requests each.

    quantile: beta, between 0 and 1. buckets: of the histogram, which rounds work up. rows: how many
    even quantiles rows begin at; those that coincide are one row, so there may be fewer. begins:
    elapsed work at which rows begin instead, ascending from 0 and below the longest request.
    positions: how many are convolved; the rest up to most_positions is Gaussian, `deviations`
    standard deviations above the mean, by default the normal quantile of beta rounded up to six
    digits.
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
    counted: Histogram,
    *,
    quantile: float,
    rows: int = 8,
    begins: ArrayLike | None = None,
    positions: int = 16,
    most_positions: int = 64,
    deviations: float | None = None,
) -> TailTables:
    """The same from a histogram."""
    if not 0 < quantile < 1:
        raise ValueError("quantile must lie between 0 and 1")
    if not (rows >= 1 and 1 <= positions <= most_positions):
        raise ValueError("a table needs a row, and most_positions no less than positions")
    elapsed = _even_quantiles(counted, rows) if begins is None else _checked(counted, begins)
    cases = _cases(counted, elapsed)
    z = normal_deviations(quantile) if deviations is None else deviations
    left = np.empty((elapsed.size, most_positions))
    left[:, :positions] = _convolved(counted, cases, 1 - quantile + CLOSE, positions)
    left[:, positions:] = _gaussian(counted, cases, z, np.arange(positions, most_positions))
    return TailTables(elapsed, np.maximum.accumulate(left, axis=1), counted.most)


def normal_deviations(quantile: float) -> float:
    """The normal law's quantile, rounded up to six digits."""
    scale = 10**_DIGITS
    return math.ceil(NormalDist().inv_cdf(quantile) * scale) / scale


def _checked(counted: Histogram, begins: ArrayLike) -> NDArray[np.float64]:
    elapsed = np.array(begins, dtype=np.float64)
    holds = elapsed.ndim == 1 and elapsed.size > 0 and elapsed[0] == 0
    if not (holds and (np.diff(elapsed) > 0).all()):
        raise ValueError("begins must ascend from 0")
    if elapsed.size > 1 and elapsed[-1] >= counted.most:
        raise ValueError("no request is long enough for the last row")
    return elapsed


def _even_quantiles(counted: Histogram, rows: int) -> NDArray[np.float64]:
    """Nothing, and the quantiles 1 / rows, 2 / rows and so on, as the sample has them."""
    upto = np.cumsum(counted.share)
    bucket = np.searchsorted(upto, np.arange(1, rows) / rows - CLOSE)
    begins = np.unique(np.concatenate(([0.0], counted.smallest[bucket])))
    return begins[begins < max(counted.most, np.nextafter(0.0, 1.0))]


def _cases(counted: Histogram, begins: NDArray[np.float64]) -> Cases:
    """By row, what holds at its beginning, and for each bucket with requests that begins in it."""
    filled = np.flatnonzero(counted.share)
    starts = counted.smallest[filled]
    bucket_at_begin = np.concatenate(([-1], filled))[np.searchsorted(starts, begins, "right")]
    within = starts < counted.most
    elapsed = np.concatenate((begins, starts[within]))
    above = np.concatenate((bucket_at_begin, filled[within]))
    order = np.lexsort((above, elapsed))
    first = np.searchsorted(elapsed[order], begins)
    # Of the last bucket nothing is known but its edge.
    above = np.minimum(above[order], counted.share.size - 2)
    return Cases(above, elapsed[order], first, np.append(first[1:], order.size))


def _convolved(
    counted: Histogram, cases: Cases, allowed: float, positions: int
) -> NDArray[np.float64]:
    """Entries of the first positions [rows, positions]."""
    share, n_rows = counted.share, cases.first.size
    left = np.empty((n_rows, positions))
    shares = (share, np.ascontiguousarray(share[::-1]))
    size = share.size * (positions + 1)
    before, after = np.empty(size), np.empty(size)
    reach = np.empty(n_rows, dtype=np.int64)
    lattice = (counted.least, counted.width)
    fits = tail_rows(shares, lattice, allowed, cases, before, after, reach, left)
    assert fits, "no sum exceeds its support"
    return left


def _gaussian(
    counted: Histogram, cases: Cases, z: float, position: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Entries of later positions [rows, positions], the largest of each row's cases."""
    value = counted.least + counted.width * np.arange(counted.share.size)
    moments = np.array([counted.share * value**power for power in (0, 1, 2)])
    beyond = np.cumsum(moments[:, ::-1], axis=1)[:, ::-1]
    mass, first, second = beyond[:, cases.above + 1]
    spread = np.maximum(second / mass - (first / mass) ** 2, 0.0)
    mean, variance = beyond[1, 0], max(beyond[2, 0] - beyond[1, 0] ** 2, 0.0)
    deviation = np.sqrt(spread[:, None] + position * variance)
    left = (first / mass - cases.elapsed)[:, None] + position * mean + z * deviation
    return np.maximum.reduceat(left, cases.first, axis=0)
