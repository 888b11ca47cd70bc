"""Means over windows of days with confidence intervals, if windows are independent."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.datacentre.quantities import JobQuantity, QuantitySample, QuantitySamples
from tailc.order_statistics import LEAST_FREEDOM, student_t_95

# This module has Student's quantile from three degrees of freedom on.
FEWEST_WINDOWS = int(LEAST_FREEDOM) + 1
RULE_OF_THREE = 3.0

Floats = NDArray[np.float64]
_SHARES = (JobQuantity.ADMITTED, JobQuantity.DONE, JobQuantity.VIOLATIONS, JobQuantity.LATE)
_RARE = (JobQuantity.VIOLATIONS, JobQuantity.LATE)


@dataclass(frozen=True)
class WindowMean:
    """Mean of a quantity over windows of days, with the limits of its 95 % interval.

    low, high: None if there are too few windows.
    """

    value: float
    low: float | None
    high: float | None


def means_of(samples: QuantitySamples) -> dict[JobQuantity, WindowMean]:
    """Mean of each quantity over windows of days, with its 95 % interval.

    Intervals of shares are cut to 0 to 1, and those of other quantities except profit to at least
    0.
    """
    return {
        one: rare_of(sample) if one in _RARE else _clip_interval(one, mean_of(sample))
        for one, sample in samples.items()
    }


def gains_of(new: QuantitySamples, old: QuantitySamples) -> dict[JobQuantity, WindowMean]:
    """Mean increase of each quantity from one policy to another, paired by window of days."""
    return {one: change_of(sample, old[one]) for one, sample in new.items()}


def mean_of(sample: QuantitySample) -> WindowMean:
    """Mean of a quantity over windows, as a ratio of sums, with an interval.

    It is the sum of the numerators over the sum of the denominators, so windows with larger
    denominators weigh more (ratio estimator; Cochran, Sampling Techniques, 1977, section 6.4). 0,
    without an interval, if all denominators are 0.
    """
    return _student(_ratio(sample), _residuals(sample))


def rare_of(sample: QuantitySample) -> WindowMean:
    """The mean share of a rare event, with an interval.

    If it never happened, the upper limit is 3 over the number of cases (rule of three; Hanley and
    Lippman-Hand, JAMA 1983).
    """
    mean = mean_of(sample)
    if mean.low is None or mean.high is None:
        return mean
    high = mean.high if sample.parts.any() else RULE_OF_THREE / float(sample.wholes.sum())
    return WindowMean(mean.value, max(mean.low, 0.0), min(high, 1.0))


def change_of(new: QuantitySample, old: QuantitySample) -> WindowMean:
    """Increase of the mean from old to new, paired by window so that common variation cancels."""
    changes = None
    before, after = _residuals(old), _residuals(new)
    if before is not None and after is not None:
        changes = after - before
    return _student(_ratio(new) - _ratio(old), changes)


def _ratio(sample: QuantitySample) -> float:
    total = float(sample.wholes.sum())
    return float(sample.parts.sum()) / total if total else 0.0


def _residuals(sample: QuantitySample) -> Floats | None:
    """Contribution of each window to the error of the ratio, times their number, or None."""
    if not sample.wholes.any():
        return None
    return (sample.parts - _ratio(sample) * sample.wholes) / float(sample.wholes.mean())


def _student(value: float, residuals: Floats | None) -> WindowMean:
    if residuals is None or len(residuals) < FEWEST_WINDOWS:
        return WindowMean(value, None, None)
    count = len(residuals)
    deviation = math.sqrt(float((residuals**2).sum()) / (count - 1) / count)
    width = student_t_95(count - 1) * deviation
    return WindowMean(value, value - width, value + width)


def _clip_interval(quantity: JobQuantity, mean: WindowMean) -> WindowMean:
    """The interval without values that the quantity cannot have."""
    if quantity is JobQuantity.PROFIT or mean.low is None or mean.high is None:
        return mean
    most = 1.0 if quantity in _SHARES else mean.high
    return WindowMean(mean.value, max(mean.low, 0.0), min(mean.high, most))
