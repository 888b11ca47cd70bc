"""The limits of a difference at 95 %, from how it varies over samples of requests and arrivals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.verify.interval import Variance, total
from tailc.verify.order_statistics import Z_95, Z_96, student_t_95

Numbers = NDArray[np.float64]

# Limits at 2 % in place of 2.5 % beyond each, as verify's: the variance is estimated from few
# requests of weight, and at 2.5 % the intervals held the true change in 90 to 96 % of trials.
_WIDER = Z_96 / Z_95
# By how many times the skewness the limit on its side lies further out, and by which part of that
# the other follows. For a mean both are to be (1 + 2 z^2) / 6, or 1.45 (Hall, The Bootstrap and
# Edgeworth Expansion, 1992, 3.5), of the law's skewness, of which a sample of a heavy tail shows a
# half or less, and the less the further it falls short. Replicates of recorded arrivals show more,
# for theirs has in it how the difference bends with the load. docs/diff.md has what was measured.
LEAN = 5.0
LEAN_OF_REPLICATES = 2.0
_FOLLOWING = 0.25
# That of a mean: one value apart from all others, which are alike, makes it 1 in any sample.
_MOST_SKEWED = 1.0
# A kurtosis nearer to its least, 1, differs by rounding.
_ROUNDED = 1e-9


@dataclass(frozen=True)
class Scatter:
    """How a difference varies over samples of requests, or over days of recorded arrivals.

    lean: how much further out the limit on its side lies, in the unit of the difference. bend: what
    a deviation brings beyond itself, over its square, since the difference bends with the load.
    """

    variance: Variance
    lean: float = 0.0
    bend: float = 0.0


@dataclass(frozen=True)
class Moments:
    """Of the mean of independent values: its variance, its third moment about its expectation, and
    its covariance with the mean load of the same requests.
    """

    variance: Variance
    third: float
    with_load: float

    def scatter(self, variance: Variance, by_load: float) -> Scatter:
        """Of a difference that varies as the mean does, and on the whole by `variance`.

        by_load: half its second derivative by the load.
        """
        largest = max(variance.value, self.variance.value)
        if largest <= 0:
            return Scatter(variance)
        bend = by_load * (self.with_load / largest) ** 2
        return Scatter(variance, leaning(LEAN, self.third, largest), bend)


def of_mean(values: Numbers, load: Numbers, share: Numbers, count: int) -> Moments:
    """Of the mean of `count` requests, of which each record has a share.

    values, load, share: float64 (records,); values and load are 0 in the mean. The variance of n
    values has a relative variance of (kurtosis - 1) / n, and twice the inverse of that is its
    degrees of freedom (Satterthwaite, Biometrics 1946): few where a few requests decide it.
    """
    second, third, fourth = (float((share * values**power).sum()) for power in (2, 3, 4))
    freedom = math.inf
    if second > 0:
        freedom = 2 * count / max(fourth / second**2 - 1, _ROUNDED)
    with_load = float((share * values * load).sum()) / count
    return Moments(Variance(second / count, freedom), third / count**2, with_load)


def leaning(times: float, third: float, variance: float) -> float:
    """How much further out the limit on the side of the skewness lies, `times` the skewness.

    Where few requests carry much of a difference, most samples lack some of those, show too little
    of it, and vary too little as well.
    """
    if variance <= 0:
        return 0.0
    skewness = third / variance**1.5
    return times * min(max(skewness, -_MOST_SKEWED), _MOST_SKEWED) * math.sqrt(variance)


def bending(rest: Numbers, load: Numbers) -> float:
    """Half the second derivative by the load of what replicates have beside their own requests.

    By least squares along a parabola.
    """
    scale = float(np.abs(load).max())
    if scale <= 0:
        return 0.0
    return float(np.polynomial.polynomial.polyfit(load / scale, rest, 2)[2]) / scale**2


def limits(sampling: Scatter, arrivals: Variance) -> tuple[float, float]:
    """How far the limits lie from the difference, downwards and upwards.

    `arrivals`: what it varies by for any one sample. Of a deviation, the sample brings as much as
    it has of the variance. A bend only widens: how sharp it is, is not known well.
    """
    variance = total(sampling.variance, arrivals)
    width = _WIDER * student_t_95(variance.freedom) * math.sqrt(variance.value)
    if width <= 0:
        return 0.0, 0.0
    part = sampling.variance.value / variance.value
    lean, bend = sampling.lean * part, sampling.bend * part**2
    low = min(lean, _FOLLOWING * lean) - width
    high = max(lean, _FOLLOWING * lean) + width
    return low + min(bend, 0.0) * low**2, high + max(bend, 0.0) * high**2
