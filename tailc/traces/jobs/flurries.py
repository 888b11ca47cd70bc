"""Flurries: weeks in which one user submits far more jobs than all others usually do together.

Such activity is mostly due to a faulty script or one experiment, and is not typical of other weeks.
Source: Feitelson and Tsafrir, "Workload sanitation for performance evaluation" (ISPASS 2006), who
remove flurries that they choose by hand; the thresholds here are this project's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.traces.jobs.log import Ints

_WEEK_S = 7 * 86_400
FEWEST = 500
TIMES = 2


def are_of_flurries(user: Ints, submit_s: Ints) -> NDArray[np.bool_]:
    """Find the jobs that belong to a flurry, bool (jobs,).

    A user has a flurry in a week with at least 500 jobs of the user, if these are more than twice
    the median number of jobs that all other users together submit in a week. Users below 0 are
    unknown, and have none.
    """
    if not len(user):
        return np.zeros(0, np.bool_)
    week = (submit_s - submit_s[0]) // _WEEK_S
    weeks = int(week[-1]) + 1
    pairs, which, counts = np.unique(
        np.stack([user, week]), axis=1, return_inverse=True, return_counts=True
    )
    total = np.bincount(week, minlength=weeks)
    is_flurry = np.zeros(len(counts), np.bool_)
    for pair in np.flatnonzero((counts >= FEWEST) & (pairs[0] >= 0)).tolist():
        own = np.zeros(weeks, np.int64)
        of_user = pairs[0] == pairs[0, pair]
        own[pairs[1, of_user]] = counts[of_user]
        is_flurry[pair] = counts[pair] > TIMES * np.median(total - own)
    return is_flurry[which.reshape(-1)]
