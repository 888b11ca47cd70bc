"""Means over windows with intervals: windows are taken as independent."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.datacentre.quantities import Quantity, Sample, Samples
from tailc.order_statistics import LEAST_FREEDOM, student_t_95

# Student's quantile is known to this module from three degrees of freedom on.
FEWEST_WINDOWS = int(LEAST_FREEDOM) + 1
RULE_OF_THREE = 3.0

Floats = NDArray[np.float64]
_SHARES = (Quantity.ADMITTED, Quantity.DONE, Quantity.VIOLATIONS, Quantity.LATE)
_RARE = (Quantity.VIOLATIONS, Quantity.LATE)


@dataclass(frozen=True)
class MeanOf:
    """A mean over windows, and its 95 % interval; None with too few windows."""

    value: float
    low: float | None
    high: float | None


def means_of(samples: Samples) -> dict[Quantity, MeanOf]:
    """Each quantity with its interval; shares lie from 0 to 1, and only a profit is negative."""
    return {
        one: rare_of(sample) if one in _RARE else _within(one, mean_of(sample))
        for one, sample in samples.items()
    }


def gains_of(new: Samples, old: Samples) -> dict[Quantity, MeanOf]:
    """By how much each quantity is more in the new one, within each window."""
    return {one: change_of(sample, old[one]) for one, sample in new.items()}


def mean_of(sample: Sample) -> MeanOf:
    """The sum of parts over that of wholes, with an interval from the residuals of each window.

    Windows with more to count weigh more (ratio estimator; Cochran, Sampling Techniques, 1977,
    section 6.4). 0, without an interval, where there is nothing to count.
    """
    return _student(_ratio(sample), _residuals(sample))


def rare_of(sample: Sample) -> MeanOf:
    """The same of what seldom happens, from 0 to 1: where it never did, up to 3 of all might have
    been so all the same (rule of three; Hanley and Lippman-Hand, JAMA 1983).
    """
    found = mean_of(sample)
    if found.low is None or found.high is None:
        return found
    high = found.high if sample.parts.any() else RULE_OF_THREE / float(sample.wholes.sum())
    return MeanOf(found.value, max(found.low, 0.0), min(high, 1.0))


def change_of(new: Sample, old: Sample) -> MeanOf:
    """By how much the mean is more in the new one, window by window: what both share cancels."""
    changes = None
    before, after = _residuals(old), _residuals(new)
    if before is not None and after is not None:
        changes = after - before
    return _student(_ratio(new) - _ratio(old), changes)


def _ratio(sample: Sample) -> float:
    total = float(sample.wholes.sum())
    return float(sample.parts.sum()) / total if total else 0.0


def _residuals(sample: Sample) -> Floats | None:
    """What each window adds to the error of the ratio, times their number; None: of nothing."""
    if not sample.wholes.any():
        return None
    return (sample.parts - _ratio(sample) * sample.wholes) / float(sample.wholes.mean())


def _student(value: float, residuals: Floats | None) -> MeanOf:
    if residuals is None or len(residuals) < FEWEST_WINDOWS:
        return MeanOf(value, None, None)
    count = len(residuals)
    deviation = math.sqrt(float((residuals**2).sum()) / (count - 1) / count)
    width = student_t_95(count - 1) * deviation
    return MeanOf(value, value - width, value + width)


def _within(quantity: Quantity, found: MeanOf) -> MeanOf:
    """An interval without values that the quantity cannot have."""
    if quantity is Quantity.PROFIT or found.low is None or found.high is None:
        return found
    most = 1.0 if quantity in _SHARES else found.high
    return MeanOf(found.value, max(found.low, 0.0), min(found.high, most))
