"""The sizes and random seeds of all replays, in one place.

Users choose those of `verify`, `diff` and `size`: see `options.py`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Size of an experiment: requests per replay, and repeats, which differ in order and times."""

    requests: int
    repeats: int


# Estimates of a compile for its own table: the noise of a 99th percentile is below one percent.
DESIGN = Size(20_000, 10)
# The value of a table cell.
CELL = Size(20_000, 20)
# For each of many servers or frequencies, whose differences exceed chance.
SERVER = Size(20_000, 1)
# For each of many plans of the ages at which batch work leaves.
PLAN = Size(20_000, 10)
# For a server under many rates and outputs of a controller: the error of a 99th percentile is then
# about 3 %, and all cells share their noise. A step response takes as many requests as the step.
SURFACE = Size(10_000, 4)
STEP_REPEATS = 40
# For rules for overload; the objective gives the number of requests.
OVERLOAD_REPEATS = 8
# For ranking and comparing tables, and for checking the convergence of a search.
VALIDATION = Size(20_000, 10)
# Finding the rate up to which a table meets a percentile takes many replays of each.
RATE_RANKING_REPEATS = 4
RATE_SEARCH = Size(20_000, 4)
# For cases of an uncertainty set, during a search.
UNCERTAINTY_LOOK_REPEATS = 4
# For the largest error with which a table meets its SLO.
RADIUS = Size(10_000, 24)
# For each candidate of a baseline with a choice.
BASELINE_SEARCH_REPEATS = 4
# The same at each rate of a changing load, and the largest number of rates.
BASELINE_AT_RATE = Size(20_000, BASELINE_SEARCH_REPEATS)
MOST_RATES = 16
# For each setting by hand: in a compile, and to choose the ones that a policy is compared with.
# Each chosen one is then replayed with three or four times as many requests.
BY_HAND = Size(20_000, 2)
BY_HAND_AT_MOST = Size(5_000, 2)
# For a rough estimate of a capacity.
GLANCE_REPEATS = 8
# For replays of an old policy in which a new one is looked up: the number of requests makes the
# noise of a share negligible.
DECISION_REPEATS = 8


class Seed(enum.IntEnum):
    """Random seeds by use, so that different uses draw independent numbers.

    Uses with the same seed are never compared. RESAMPLES and HEAVIER are the first of a range, one
    for each sample. CONVERGENCE is added to the number of a search.
    """

    DESIGN = 1
    SECOND_PLAN = 2
    OVERLOAD_SEARCH = 21
    OVERLOAD_VALIDATION = 22
    PARTS = 100
    RANKING = 101
    VALIDATION = 102
    RATE_SEARCH = 103
    RESAMPLES = 103
    COMPARISON = 104
    RADIUS = 104
    UNCERTAINTY_LOOKS = 105
    UNCERTAINTY_VALIDATION = 106
    SCALING = 107
    HEAVIER = 400
    CONVERGENCE = 1_000
