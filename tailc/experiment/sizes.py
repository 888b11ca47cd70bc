"""How much is replayed for what, and on which random numbers: every size and seed in one place.

What `verify`, `diff` and `size` replay is for users to say: `options.py` has that.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Requests of one replay, and repeats, which differ in order and times."""

    requests: int
    repeats: int


# What a compile says of its own table: the noise of a 99th percentile is then below a per cent.
DESIGN = Size(20_000, 10)
# What a cell of a table is worth.
CELL = Size(20_000, 20)
# Of each of many servers or frequencies: they differ by more than chance does.
SERVER = Size(20_000, 1)
# Ages at which batch work leaves, of each of many plans.
PLAN = Size(20_000, 10)
# A server under many rates and outputs of a controller: a 99th percentile is then known to about
# 3 %, and all cells share their noise. Its answer to a step takes as many requests as the step.
SURFACE = Size(10_000, 4)
STEP_REPEATS = 40
# Rules for overload; the objective says how many requests.
OVERLOAD_REPEATS = 8
# Tables are ranked and compared on so many, and a search is looked at on as many repeats.
VALIDATION = Size(20_000, 10)
# Up to which rate a table keeps a percentile takes many replays of each.
RATE_RANKING_REPEATS = 4
RATE_SEARCH = Size(20_000, 4)
# Cases of an uncertainty set, while a search goes on.
UNCERTAINTY_LOOK_REPEATS = 4
# How large an error a table keeps its SLO under.
RADIUS = Size(10_000, 24)
# Each candidate of a baseline that has something to choose.
BASELINE_SEARCH_REPEATS = 4
# The same at each rate of a changing load, and at how many rates at most.
BASELINE_AT_RATE = Size(20_000, BASELINE_SEARCH_REPEATS)
MOST_RATES = 16
# Each setting that a user could pick by hand: in a compile, and to choose whom a policy is judged
# beside. Three or four times as many requests are replayed of each one that is chosen.
BY_HAND = Size(20_000, 2)
BY_HAND_AT_MOST = Size(5_000, 2)
# About where a capacity lies.
GLANCE_REPEATS = 8
# Replays of an old policy in which a new one is asked what it would do: their number of requests
# makes the noise of a share negligible.
DECISION_REPEATS = 8


class Seed(enum.IntEnum):
    """Whose random numbers; those of one number are never compared with one another.

    `RESAMPLES` and `HEAVIER` are the first of as many as there are samples, and `CONVERGENCE` is
    added to the number of a search. `RESAMPLES` and `RADIUS` are aliases: they have the number of
    another.
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
