"""Make a histogram from points of a distribution: numbers of requests up to given times."""

from __future__ import annotations

import numpy as np

from tailc.traces.histogram import Histogram, histogram_of


def of_points(reached: list[tuple[int, int]]) -> Histogram:
    """Make a histogram from points (time in ns, number of requests up to it).

    Times and numbers ascend, and the last point has all requests. Requests between two points count
    with the later time, so that no demand is underestimated. Raises ValueError if a point is below
    the previous one.
    """
    ns = np.array([point[0] for point in reached], dtype=np.int64)
    total = np.array([point[1] for point in reached], dtype=np.int64)
    count = np.diff(total, prepend=0)
    if (np.diff(ns) < 0).any() or (count < 0).any() or ns[0] < 0:
        raise ValueError("points must increase")
    has_any = count > 0
    return histogram_of(ns[has_any].clip(1), count[has_any])
