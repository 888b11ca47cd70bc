"""The limits of a difference at 95 %, from how it varies over samples of requests and arrivals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.interval import Variance, total
from tailc.order_statistics import Z_95, Z_96, student_t_95

Numbers = NDArray[np.float64]

# Limits at 2 % in place of 2.5 % beyond each, as verify's: the variance is estimated from few
# requests of weight, and at 2.5 % the intervals held the true change in 90 to 96 % of trials.
_WIDER = Z_96 / Z_95
# By how many times its skewness both limits of a mean lie to that side (Hall, The Bootstrap and
# Edgeworth Expansion, 1992, 3.5).
_LEAN = (1 + 2 * Z_95**2) / 6
# And the one on that side, as far as the skewness is that of the load. A sample of a heavy tail
# shows a half of its skewness or less, and the less the further it falls short; and a queue bends
# more sharply than along a parabola. docs/diff.md has what was measured.
_LEAN_OF_LOAD = 9.0
# The same of replicates of recorded arrivals, whose skewness has the bend in it, and for the other.
_LEAN_OF_DAYS = 2.0
_FOLLOWING_OF_DAYS = 0.5
# Of the bend a half is left beside a lean, which has some of it.
_BEND_LEFT = 0.5
# That of a mean: one value apart from all others, which are alike, makes it 1 in any sample.
_MOST_SKEWED = 1.0
# Replicates of a busy server vary wildly where a few overload it. How far the middle of normal
# values reaches, from side to side, in standard deviations.
_MIDDLE_80, _REACH_80 = (0.1, 0.9), 2.5631031310892007
_MIDDLE_95, _REACH_95 = (0.025, 0.975), 3.919927969080108
# A kurtosis nearer to its least, 1, differs by rounding.
_ROUNDED = 1e-9


@dataclass(frozen=True)
class Scatter:
    """How a difference varies over samples of requests, or over days of recorded arrivals.

    lean: how much further out the limit on its side lies, in the unit of the difference. following:
    how far the other limit comes after it, not counted where it has another sign. bend: what a
    deviation brings beyond itself, over its square, since the difference bends with the load.
    """

    variance: Variance
    lean: float = 0.0
    following: float = 0.0
    bend: float = 0.0


@dataclass(frozen=True)
class Moments:
    """Of the mean of independent values: its variance, its third moment about its expectation, how
    much of that is due to the load of the same requests, and its covariance with the mean load.
    """

    variance: Variance
    third: float
    third_by_load: float
    with_load: float

    def scatter(self, variance: Variance, by_load: float) -> Scatter:
        """Of a difference that varies as the mean does, and on the whole by `variance`.

        by_load: half its second derivative by the load.
        """
        largest = max(variance.value, self.variance.value)
        if largest <= 0:
            return Scatter(variance)
        deviation = math.sqrt(largest)
        skewness, of_load = (
            _skewness(third, largest) for third in (self.third, self.third_by_load)
        )
        return Scatter(
            variance,
            (_LEAN_OF_LOAD * of_load + _LEAN * (skewness - of_load)) * deviation,
            _LEAN * skewness * deviation,
            _BEND_LEFT * by_load * (self.with_load / largest) ** 2,
        )


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
    with_load = float((share * values * load).sum())
    load_second = float((share * load**2).sum())
    per_load = with_load / load_second if load_second > 0 else 0.0
    third_by_load = float((share * (per_load * load) ** 3).sum())
    return Moments(
        Variance(second / count, freedom),
        third / count**2,
        third_by_load / count**2,
        with_load / count,
    )


def of_days(differences: Numbers, drawn_share: float, freedom: float) -> Scatter:
    """Over days of recorded arrivals, of which each replicate stands for one.

    drawn_share: how much of the recording a replicate draws.
    """
    around = differences - differences.mean()
    whole = float(np.var(differences, ddof=1)) * drawn_share
    value = _by_reach(differences, _MIDDLE_95, _REACH_95) * drawn_share
    if value <= 0:
        return Scatter(Variance(0.0, freedom))
    skewed = _skewness(float((around**3).mean()) * drawn_share**2, whole) * math.sqrt(value)
    variance = Variance(value, freedom)
    return Scatter(variance, _LEAN_OF_DAYS * skewed, _FOLLOWING_OF_DAYS * skewed)


def of_middle(values: Numbers) -> float:
    """The variance that normal values have whose middle 80 % reach as far."""
    return _by_reach(values, _MIDDLE_80, _REACH_80)


def _by_reach(values: Numbers, middle: tuple[float, float], reach: float) -> float:
    low, high = np.quantile(values, middle)
    return (float(high - low) / reach) ** 2


def _skewness(third: float, variance: float) -> float:
    return min(max(third / variance**1.5, -_MOST_SKEWED), _MOST_SKEWED)


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
    low, high = _leaning(width, sampling.lean * part, sampling.following * part)
    bend = sampling.bend * part**2
    return low + min(bend, 0.0) * low**2, high + max(bend, 0.0) * high**2


def _leaning(width: float, lean: float, following: float) -> tuple[float, float]:
    """By half the width at most does a limit come nearer, for a skewness is hardly known."""
    if lean >= 0:
        return min(max(following, 0.0), width / 2) - width, width + lean
    return lean - width, width - min(max(-following, 0.0), width / 2)
