"""Distribution-free limits of a percentile, from order statistics of a sample."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

from tailc.percentiles import PPM, TAIL_PPM

_TAIL = TAIL_PPM / PPM
# Beyond each limit whose variance is estimated. Such an interval is meant to hold the truth in 96 %
# of all cases: at 2.5 % intervals of independent requests held it in 93 to 96 %.
_BEYOND = 0.02
# Half-width of a normal 95 % interval in standard deviations, and of one with 2 % on each side.
Z_95 = 1.959964
Z_96 = 2.053749
# Student's quantile is known down to here; with fewer degrees it is taken to be that.
LEAST_FREEDOM = 3.0
# With more degrees the quantile is the normal one to six digits.
_MOST_FREEDOM = 1e7
# Real ranks are found to this part of a rank.
_RANK_GRID = 1e-3
# Beyond, the normal distribution and its first correction are right to a hundredth of a rank.
_SMOOTH_FROM_DEVIATION = 30.0
# Of the continued fraction.
_MOST_STEPS = 10_000
_CONVERGED = 1e-12
_TINY = 1e-300
# Terms this far below the largest change no sum that is compared with 2.5 %.
_NEGLIGIBLE = 1e-20

# From this variance v on the normal distribution stands in for the binomial one. Its error, at most
# 0.45 / v, is below a hundredth of what one rank is worth at the limits, 0.058 / sqrt(v): a limit
# is off by one rank at most, and then outwards.
_NORMAL_FROM_VARIANCE = 1e6
_STANDARD = NormalDist()


@dataclass(frozen=True)
class RankLimits:
    """1-based ranks of the values that enclose the percentile with at least 95 % probability.

    low: 0 if even the smallest value may be above the percentile. high: None if even the largest
    may be below it.
    """

    low: int
    high: int | None


def rank_limits(percentile_ppm: int, size: int) -> RankLimits:
    """Compute between which ranks of a sample of `size` independent values the percentile lies.

    The number of values at or below the percentile is binomial, so value number r lies below the
    percentile with P(Bin(size, p) >= r) at least (David and Nagaraja, Order Statistics, 2003, 7.1).
    Takes as many steps as the standard deviation of that number for small samples, and as many as
    `size` has binary digits for large ones.
    """
    if _variance(percentile_ppm, size) < _NORMAL_FROM_VARIANCE:
        return _from_binomial(percentile_ppm, size)
    return _from_normal(percentile_ppm, size)


def fewest_for_upper_limit(percentile_ppm: int, comparisons: int = 1) -> int:
    """The smallest sample for which `share_limits` has an upper limit: p^size <= 2 %."""
    return math.ceil(math.log(_BEYOND / comparisons) / math.log(percentile_ppm / PPM))


def share_limits(
    share: float, below: float, above: float, comparisons: int = 1
) -> tuple[float, float | None]:
    """Compute the 95 % limits of a percentile, as shares of a sample of effective size.

    share: the percentile as a fraction. below, above: effective sample size for the lower and for
    the upper limit. comparisons: number of intervals that hold together with 95 % (Bonferroni).

    Sizes need not be whole: of `size` values, number r lies below the percentile with probability 1
    - I_p(r, size - r + 1), with I the incomplete beta function, for real r too (Stigler, Annals of
    Statistics 1977). Its share is (r - 1/2) / size. The upper limit is None where even the largest
    value may lie below the percentile.
    """
    beyond = _BEYOND / comparisons
    low = _real_rank(share, below, 1 - beyond)
    high = _real_rank(share, above, beyond)
    return max((low - 0.5) / below, 0.0), (high - 0.5) / above if high <= above else None


def _real_rank(share: float, size: float, above: float) -> float:
    """The real rank whose value lies above the percentile with probability `1 - above`."""
    deviation = math.sqrt(size * share * (1 - share))
    if deviation > _SMOOTH_FROM_DEVIATION:
        z = _STANDARD.inv_cdf(1 - above)
        return size * share + z * deviation + (1 - 2 * share) * (z * z - 1) / 6 + 0.5
    low, high = 0.0, size + 1
    while high - low > _RANK_GRID:
        middle = (low + high) / 2
        if beta_cdf(share, middle, size - middle + 1) > above:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def normal_limit(comparisons: int) -> float:
    """Half-width of `comparisons` normal intervals that hold together with 95 % [deviations]."""
    return Z_95 if comparisons == 1 else _STANDARD.inv_cdf(1 - _TAIL / comparisons)


def student_t_95(freedom: float, comparisons: int = 1) -> float:
    """Half-width of 95 % intervals by Student's t, in estimated standard deviations.

    freedom: degrees of freedom. comparisons: number of intervals that hold together with 95 %. One
    interval has the series of Abramowitz and Stegun 26.7.5, several the quantile of scipy. The
    series is off by 0.003 at three degrees, and by less at more. Fewer than three count as three:
    the series is off by a tenth at one, and where there are few degrees their number is itself an
    estimate.
    """
    z, v = Z_95, max(freedom, LEAST_FREEDOM)
    if comparisons > 1:
        from scipy.special import stdtrit

        return float(stdtrit(min(v, _MOST_FREEDOM), 1 - _TAIL / comparisons))
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / v ** (k + 1) for k, term in enumerate(terms))


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for 0 < x < 1.

    Its continued fraction (Abramowitz and Stegun 26.5.8) by the modified method of Lentz (Thompson
    and Barnett, Journal of Computational Physics 1986), in about sqrt(max(a, b)) steps.
    """
    if a <= 0:
        return 1.0
    if b <= 0:
        return 0.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front += a * math.log(x) + b * math.log1p(-x)
    fraction, c, d = 1.0, 1.0, 0.0
    for step in range(1, _MOST_STEPS):
        term = _beta_term(x, a, b, step)
        c = _not_zero(1 + term / c)
        d = 1 / _not_zero(1 + term * d)
        fraction *= c * d
        if abs(c * d - 1) < _CONVERGED:
            break
    return math.exp(front) / (a * fraction)


def _beta_term(x: float, a: float, b: float, step: int) -> float:
    """Numerator number `step` of the continued fraction 1 + d1 / (1 + d2 / (1 + ...))."""
    m = step // 2
    if step % 2 == 0:
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


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
