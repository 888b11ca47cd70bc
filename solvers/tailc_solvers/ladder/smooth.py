"""The smoothest table: choose a schedule for each load so that schedules change little with load.

A schedule is (v_0, v_1, .., v_(n-1)); it leaves rung i at the age e_i = v_1 + .. + v_i. Two
schedules of neighbouring loads are in order if the one of the higher load has no smaller v_0 and no
smaller e_i: no request waits for less time, and none has a higher rung at any age.

Problem. Candidates of loads 1 .. Q, the best of each first:

    variables    for each load one of its candidates, c_1 .. c_Q
    minimise     number of pairs c_q, c_(q+1) that are not in order; of equals, the sum of places

A place is the number of a candidate in its list. Ties: the least place at the first load, then at
the second, ... A candidate with a longer wait within its limits is a candidate too, after all
candidates with the least wait that they need.

Method. A longer wait than needed is only of use to follow an earlier load, so waits are those that
some candidate of an earlier load needs. Then the shortest path, from the last load to the first.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.intervals.near import Candidates

SLACK_MS = 1e-7
"""Sums of whole steps or microseconds are the same within it."""

_JUMP = 1 << 40
"""More than the sum of all places."""


def smoothest(candidates: Sequence[Candidates], room: int) -> list[NDArray[np.float64]]:
    """Choose one schedule for each load so that the table is as smooth as possible.

    Each is chosen from the load's first `room` candidates.
    """
    schedules = _with_waits(candidates, room)
    ends = [_ends(each) for each in schedules]
    best, following = np.arange(len(ends[-1])), []
    for here, above in zip(ends[-2::-1], ends[:0:-1], strict=True):
        to_go = _JUMP * ~_in_order(here[:, None], above[None]) + best
        following.append(to_go.argmin(axis=1))
        best = np.arange(len(here)) + to_go.min(axis=1)
    chosen = [int(best.argmin())]
    for step in reversed(following):
        chosen.append(int(step[chosen[-1]]))
    return [each[place] for each, place in zip(schedules, chosen, strict=True)]


def jumps(v_ms: NDArray[np.float64]) -> int:
    """Number of loads at which a request waits less or climbs earlier than at the load before.

    There the table jumps, so a small change of load changes the decision against the trend. v_ms:
    wait and durations on the rungs, by ascending load [loads, rungs].
    """
    ends = _ends(v_ms)
    return int((~_in_order(ends[:-1], ends[1:])).sum())


def _ends(v_ms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wait, and the age at which each rung but the last is left [.., rungs]."""
    return np.concatenate([v_ms[:, :1], np.cumsum(v_ms[:, 1:], axis=1)], axis=1)


def _in_order(ends: NDArray[np.float64], following: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.logical_and.reduce(ends <= following + SLACK_MS, axis=-1)


def _with_waits(candidates: Sequence[Candidates], room: int) -> list[NDArray[np.float64]]:
    earlier, schedules = np.zeros(0), []
    for each in candidates:
        schedules.append(_waiting(each, earlier, room))
        earlier = np.union1d(earlier, each.v_ms[:, 0])
    return schedules


def _waiting(each: Candidates, waits_ms: NDArray[np.float64], room: int) -> NDArray[np.float64]:
    """Candidates, then each of them with the longer waits within its limits."""
    more = waits_ms - each.v_ms[:, :1]
    place, wait = np.nonzero((more > SLACK_MS) & (more <= each.spare_ms[:, None]))
    order = np.lexsort((place, more[place, wait]))[: max(room - len(each.v_ms), 0)]
    longer = each.v_ms[place[order]]
    longer[:, 0] = waits_ms[wait[order]]
    return np.concatenate([each.v_ms, longer])
