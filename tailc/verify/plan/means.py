"""Means over windows with intervals: windows are taken as independent."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tailc.verify.order_statistics import LEAST_FREEDOM, student_t_95
from tailc.verify.plan.verdict import MeanOf

# Student's quantile is known to this module from three degrees of freedom on.
FEWEST_WINDOWS = int(LEAST_FREEDOM) + 1

Floats = NDArray[np.float64]


def mean_of(values: Floats) -> MeanOf:
    """The mean of one value a window, with Student's interval; float64 (windows,)."""
    return ratio_of(values, np.ones(len(values)))


def ratio_of(parts: Floats, wholes: Floats) -> MeanOf:
    """The sum of parts over that of wholes, with an interval from the residuals of each window.

    Windows with more to count weigh more (ratio estimator; Cochran, Sampling Techniques, 1977,
    section 6.4). 0 where there is nothing to count.
    """
    total = float(wholes.sum())
    value = float(parts.sum()) / total if total else 0.0
    count = len(parts)
    if count < FEWEST_WINDOWS or not total:
        return MeanOf(value, None, None)
    residual = parts - value * wholes
    deviation = math.sqrt(count * float((residual**2).sum()) / (count - 1)) / total
    width = student_t_95(count - 1) * deviation
    return MeanOf(value, value - width, value + width)
