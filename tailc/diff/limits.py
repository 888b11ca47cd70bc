"""The 95 % confidence limits of a difference, from samples of requests and of arrivals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.interval import Variance, sum_of_variances
from tailc.order_statistics import Z_95, Z_96, student_t_95

Numbers = NDArray[np.float64]

# Each limit leaves out 2 % instead of 2.5 %, as in verify: the variance is estimated from few
# influential requests, and at 2.5 % the intervals contained the true change in 90 to 96 % of
# trials.
_WIDER = Z_96 / Z_95
# Both limits of a mean shift by this many times its skewness (Hall, The Bootstrap and Edgeworth
# Expansion, 1992, 3.5).
_LEAN = (1 + 2 * Z_95**2) / 6
# Additional shift of the limit on that side, for the part of the skewness that is due to the load.
# A sample of a heavy tail shows at most half of its skewness, and less the more it falls short; and
# a queue is more nonlinear than a parabola. docs/diff.md has measurements.
_LEAN_OF_LOAD = 9.0
# The same for replicates of recorded arrivals, whose skewness includes the bend; and for the other
# limit.
_LEAN_OF_DAYS = 2.0
_FOLLOWING_OF_DAYS = 0.5
# Half of the bend counts in addition to a lean, which includes some of it.
_BEND_LEFT = 0.5
# Skewness of a mean: one outlier among equal values gives 1 in any sample.
_MOST_SKEWED = 1.0
# Replicates of a busy server vary widely if a few overload it. Range of the middle 80 % of normal
# values, in standard deviations.
_MIDDLE_80, _REACH_80 = (0.1, 0.9), 2.5631031310892007
_MIDDLE_95, _REACH_95 = (0.025, 0.975), 3.919927969080108
# A kurtosis closer to its minimum, 1, differs only by rounding.
_ROUNDED = 1e-9


@dataclass(frozen=True)
class SamplingError:
    """Sampling error of a difference of two policies: variance, skewness and curvature.

    The sample is one of requests, or one of days of recorded arrivals. lean: outward shift of the
    limit on the side of the skewness, in the unit of the difference; following: shift of the other
    limit in the same direction, ignored if it has the other sign. bend: coefficient of the squared
    deviation, because the difference is nonlinear in the load.
    """

    variance: Variance
    lean: float = 0.0
    following: float = 0.0
    bend: float = 0.0


@dataclass(frozen=True)
class MeanMoments:
    """Moments of the mean of independent values.

    variance: of the mean. third: its third central moment. third_by_load: the part of that moment
    due to the load (work) of the same requests. with_load: covariance with the mean load.
    """

    variance: Variance
    third: float
    third_by_load: float
    with_load: float

    def scatter(self, variance: Variance, by_load: float) -> SamplingError:
        """Sampling error, with variance `variance`, of a difference that is skewed like this mean.

        by_load: half the second derivative of the difference by the load.
        """
        largest = max(variance.value, self.variance.value)
        if largest <= 0:
            return SamplingError(variance)
        deviation = math.sqrt(largest)
        skewness, of_load = (
            _skewness(third, largest) for third in (self.third, self.third_by_load)
        )
        return SamplingError(
            variance,
            (_LEAN_OF_LOAD * of_load + _LEAN * (skewness - of_load)) * deviation,
            _LEAN * skewness * deviation,
            _BEND_LEFT * by_load * (self.with_load / largest) ** 2,
        )


def mean_moments(values: Numbers, load: Numbers, share: Numbers, count: int) -> MeanMoments:
    """Compute the moments of the mean of `count` requests, sampled from weighted records.

    values, load, share: float64 (records,): value, load and probability of each record; values and
    load have mean 0. The variance of n values has a relative variance of (kurtosis - 1) / n; twice
    the inverse is its degrees of freedom (Satterthwaite, Biometrics 1946). They are few if a few
    requests dominate.
    """
    second, third, fourth = (float((share * values**power).sum()) for power in (2, 3, 4))
    freedom = math.inf
    if second > 0:
        freedom = 2 * count / max(fourth / second**2 - 1, _ROUNDED)
    with_load = float((share * values * load).sum())
    load_second = float((share * load**2).sum())
    per_load = with_load / load_second if load_second > 0 else 0.0
    third_by_load = float((share * (per_load * load) ** 3).sum())
    return MeanMoments(
        Variance(second / count, freedom),
        third / count**2,
        third_by_load / count**2,
        with_load / count,
    )


def sampling_error_of_days(
    differences: Numbers, drawn_share: float, freedom: float
) -> SamplingError:
    """Sampling error of a difference over days of recorded arrivals.

    differences: one per replicate, which represents one day. drawn_share: share of the recording
    that a replicate uses. freedom: degrees of freedom of the variance.
    """
    around = differences - differences.mean()
    whole = float(np.var(differences, ddof=1)) * drawn_share
    value = _variance_by_range(differences, _MIDDLE_95, _REACH_95) * drawn_share
    if value <= 0:
        return SamplingError(Variance(0.0, freedom))
    skewed = _skewness(float((around**3).mean()) * drawn_share**2, whole) * math.sqrt(value)
    variance = Variance(value, freedom)
    return SamplingError(variance, _LEAN_OF_DAYS * skewed, _FOLLOWING_OF_DAYS * skewed)


def robust_variance(values: Numbers) -> float:
    """Estimate a variance that outliers do not affect, from the range of the middle 80 %."""
    return _variance_by_range(values, _MIDDLE_80, _REACH_80)


def _variance_by_range(values: Numbers, middle: tuple[float, float], reach: float) -> float:
    low, high = np.quantile(values, middle)
    return (float(high - low) / reach) ** 2


def _skewness(third: float, variance: float) -> float:
    return min(max(third / variance**1.5, -_MOST_SKEWED), _MOST_SKEWED)


def curvature(rest: Numbers, load: Numbers) -> float:
    """Half the second derivative of an effect by the load, from a least squares parabola.

    rest, load: float64 (replicates,): the effect without the linear part of each replicate's own
    requests, and their mean load.
    """
    scale = float(np.abs(load).max())
    if scale <= 0:
        return 0.0
    return float(np.polynomial.polynomial.polyfit(load / scale, rest, 2)[2]) / scale**2


def limits(sampling: SamplingError, arrivals: Variance) -> tuple[float, float]:
    """Distances of the 95 % limits from the difference, downwards (negative) and upwards.

    `arrivals`: variance over arrivals, for a fixed sample of requests. Skewness and curvature of
    the sample count by its share of the total variance. Curvature only widens the interval, because
    it is not known well.
    """
    variance = sum_of_variances(sampling.variance, arrivals)
    width = _WIDER * student_t_95(variance.freedom) * math.sqrt(variance.value)
    if width <= 0:
        return 0.0, 0.0
    part = sampling.variance.value / variance.value
    low, high = _skewed_limits(width, sampling.lean * part, sampling.following * part)
    bend = sampling.bend * part**2
    return low + min(bend, 0.0) * low**2, high + max(bend, 0.0) * high**2


def _skewed_limits(width: float, lean: float, following: float) -> tuple[float, float]:
    """A limit moves inwards by at most half the width, because a skewness is hardly known."""
    if lean >= 0:
        return min(max(following, 0.0), width / 2) - width, width + lean
    return lean - width, width - min(max(-following, 0.0), width / 2)
