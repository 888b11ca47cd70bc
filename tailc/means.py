"""Mean and 95 % interval of replications of a replay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from tailc.order_statistics import student_t_95


def mean_and_half(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean of replications, and half the width of its 95 % interval.

    None for a single replication.
    """
    if len(values) == 1:
        return values[0], None
    return fmean(values), student_t_95(len(values) - 1) * stdev(values) / math.sqrt(len(values))
