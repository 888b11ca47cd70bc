"""Limits of a percentile that hold for every distribution, from the order of a sample alone."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

from tailc.percentiles import PPM

TAIL_PPM = 25_000  # probability beyond each limit of a two-sided 95 % interval
_TAIL = TAIL_PPM / PPM
# Terms this far below the largest change no sum that is compared with 2.5 %.
_NEGLIGIBLE = 1e-20

# From this variance v on the normal distribution stands in for the binomial one. Its error, at most
# 0.45 / v, is below a hundredth of what one rank is worth at the limits, 0.058 / sqrt(v): a limit
# is off by one rank at most, and then outwards.
_NORMAL_FROM_VARIANCE = 1e6
_STANDARD = NormalDist()


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
    Takes as many steps as the standard deviation of that number for small samples, and as many as
    `size` has binary digits for large ones.
    """
    if _variance(percentile_ppm, size) < _NORMAL_FROM_VARIANCE:
        return _from_binomial(percentile_ppm, size)
    return _from_normal(percentile_ppm, size)


def fewest_for_upper_limit(percentile_ppm: int) -> int:
    """The smallest sample that has an upper limit: p^size <= 2.5 %."""
    return math.ceil(math.log(_TAIL) / math.log(percentile_ppm / PPM))


def _variance(percentile_ppm: int, size: int) -> float:
    return size * percentile_ppm * (PPM - percentile_ppm) / PPM**2


def _from_binomial(percentile_ppm: int, size: int) -> RankLimits:
    first, cumulated = _binomial_cdf(size, percentile_ppm / PPM)
    low = first + bisect_right(cumulated, _TAIL)
    high = first + bisect_left(cumulated, 1 - _TAIL) + 1
    return RankLimits(low, high if high <= size else None)


def _from_normal(percentile_ppm: int, size: int) -> RankLimits:
    below, error = _normal_cdf(percentile_ppm, size)
    counts = range(size + 1)
    low = bisect_right(counts, _TAIL, key=lambda count: below(count) + error)
    high = bisect_left(counts, 1 - _TAIL, key=lambda count: below(count) - error) + 1
    return RankLimits(low, high if high <= size else None)


def _normal_cdf(percentile_ppm: int, size: int) -> tuple[Callable[[int], float], float]:
    """P(Bin(size, p) <= k) as a function of k, and a bound of its error.

    The normal distribution with a correction for the skew; the bound is Uspensky's (Introduction to
    Mathematical Probability, 1937, chapter VII), (0.20 + 0.25 |q - p|) / npq + e^(-1.5 sqrt(npq)).
    """
    variance = _variance(percentile_ppm, size)
    deviation = math.sqrt(variance)
    skew = (PPM - 2 * percentile_ppm) / PPM / (6 * deviation)
    error = 0.45 / variance + math.exp(-1.5 * deviation)

    def below(count: int) -> float:
        # In whole numbers, for the size times the share need not be exact in floating point.
        distance = (2 * count + 1) * PPM - 2 * size * percentile_ppm
        t = distance / (2 * PPM * deviation)
        return _STANDARD.cdf(t) + skew * (1 - t * t) * _STANDARD.pdf(t)

    return below, error


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
