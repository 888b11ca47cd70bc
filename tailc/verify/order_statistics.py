"""Limits of a percentile that hold for every distribution, from the order of a sample alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

TAIL_PPM = 25_000  # probability beyond each limit of a two-sided 95 % interval
_PPM = 1_000_000
# Terms this far below the largest change no sum that is compared with 2.5 %.
_NEGLIGIBLE = 1e-20


@dataclass(frozen=True)
class RankLimits:
    """1-based ranks whose values enclose the percentile with 95 % probability or more.

    `low` is 0 where even the smallest value may lie above the percentile; `high` is None where
    even the largest may lie below it.
    """

    low: int
    high: int | None


def rank_limits(percentile_ppm: int, size: int) -> RankLimits:
    """Ranks in a sample of `size` independent values.

    The number of values at or below the percentile is binomial, so value number r lies below the
    percentile with P(Bin(size, p) >= r) at least (David and Nagaraja, Order Statistics, 2003, 7.1).
    """
    share = percentile_ppm / _PPM
    tail = TAIL_PPM / _PPM
    first, cumulated = _binomial_cdf(size, share)
    low = first + sum(value <= tail for value in cumulated)
    reached = next(i for i, value in enumerate(cumulated) if value >= 1 - tail)
    high = first + reached + 1
    return RankLimits(low, high if high <= size else None)


def fewest_for_upper_limit(percentile_ppm: int) -> int:
    """The smallest sample that has an upper limit: p^size <= 2.5 %."""
    return math.ceil(math.log(TAIL_PPM / _PPM) / math.log(percentile_ppm / _PPM))


def _binomial_cdf(size: int, share: float) -> tuple[int, list[float]]:
    """P(Bin(size, share) <= k) for k from the first count that matters on, and that count.

    Terms relative to the largest, by their ratio, then divided by their sum: no logarithm of a
    factorial is needed.
    """
    mode = min(int((size + 1) * share), size)
    odds = share / (1 - share)
    down = []
    term, k = 1.0, mode
    while k > 0 and term > _NEGLIGIBLE:
        term *= k / ((size - k + 1) * odds)
        k -= 1
        down.append(term)
    first = k
    up = []
    term, k = 1.0, mode
    while k < size and term > _NEGLIGIBLE:
        term *= (size - k) / (k + 1) * odds
        k += 1
        up.append(term)
    terms = [*reversed(down), 1.0, *up]
    total = sum(terms)
    cumulated, so_far = [], 0.0
    for term in terms:
        so_far += term
        cumulated.append(so_far / total)
    return first, cumulated
