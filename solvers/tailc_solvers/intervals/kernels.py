"""Loops that both grid searches use: request times, the best schedules so far, their comparison.

A candidate schedule is the vector of whole steps (a_1, .., a_(n-1)) and its figures T, L, W (see
evaluate.py). The table has one row for each load q. Each row stores one incumbent, the best
schedule found until then: four keys, compared in order, smaller is better, and the chosen steps
(a_0, a_1, .., a_(n-1)), lexicographically smallest among equal keys.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import inner_loops, plain_loops

NS_PER_MS = 1e6
COST_UNITS = 1e9
"""Costs are compared in whole units of 1e-9."""

NEVER_STEPS = np.int64(2**40)
"""A stretch that never ends, in steps: larger than any finite one, so that it sorts last."""

SLACK_MS = 1e-6
SLACK_COST = 1e-9
SLACK_RELATIVE = 1e-12
"""A bound discards a schedule only beyond one unit of comparison and 4,000 roundings: equal keys
must survive, since ties are decided by later keys."""


class LoadRows(NamedTuple):
    """Data of a grid search for schedules: one row for each load, and limits of all schedules.

    load: ascending loads. all: numbers of all rows. costs: cost rate of each rung. wait_per_cost: q
    / (budget (1 + tolerance)) by row: a schedule is feasible if v_0 >= wait_per_cost * W - L.
    longest: largest wait, and largest sum of the finite durations, in steps of `step_ms`.
    target_ms: limit of the tail. by_cost: whether the cost is minimised instead of the tail.
    """

    load: NDArray[np.float64]
    all: NDArray[np.int64]
    costs: NDArray[np.float64]
    wait_per_cost: NDArray[np.float64]
    longest: int
    step_ms: float
    target_ms: float
    by_cost: bool


class Near(NamedTuple):
    """For each load, the best and nearly best schedules of a grid search, up to the number `room`.

    key: four sort keys of each schedule [rows, room, 4]. steps: number of grid steps of its wait
    and on each rung [rows, room, rungs]. held: number of schedules [rows]. last: place of the worst
    schedule, known once the room is used up [rows]. A row is a load.
    """

    key: NDArray[np.float64]
    steps: NDArray[np.int64]
    held: NDArray[np.int64]
    last: NDArray[np.int64]


class Incumbents(NamedTuple):
    """The best schedule of a grid search for each load, updated as schedules are evaluated.

    key: four sort keys, smaller is better; inf if there is none [rows, 4]: (tail ns, mean ns, A),
    or by cost (W, tail ns, mean ns, A). steps: number of grid steps of the wait and on each rung
    [rows, rungs]. near: if it has room, it collects nearly best schedules, whose first key is at
    most the incumbent's; the incumbent then changes only when there is no more room. A row is a
    load.
    """

    key: NDArray[np.float64]
    steps: NDArray[np.int64]
    near: Near


def new_best(rows: int, rungs: int, room: int = 0) -> Incumbents:
    """Allocate empty best schedules for each load, with room for `room` nearly best ones."""
    near = Near(
        np.full((rows, room, 4), np.inf),
        np.zeros((rows, room, rungs), dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
    )
    return Incumbents(np.full((rows, 4), np.inf), np.zeros((rows, rungs), dtype=np.int64), near)


@plain_loops
def request_times(demand, weight, speeds, curve, costs, v, time):
    """Write the execution time of each request to `time` [R]; return their mean and mean cost-time.

    v: time on each rung [ms], entry 0 is ignored. Cost-time is the integral of the cost rate over
    the execution.
    """
    last = v.shape[0] - 1
    time_sum = 0.0
    cost_sum = 0.0
    total = 0
    for r in range(demand.shape[0]):
        left = demand[r]
        t = 0.0
        cost = 0.0
        for i in range(last + 1):
            s = speeds[curve[r], i]
            # v[i + 1] is the time on rung i; the last rung has no end.
            if i == last or left <= s * v[i + 1]:
                t += left / s
                cost += costs[i] * left / s
                break
            t += v[i + 1]
            cost += costs[i] * v[i + 1]
            left -= s * v[i + 1]
        time[r] = t
        time_sum += weight[r] * t
        cost_sum += weight[r] * cost
        total += weight[r]
    return time_sum / total, cost_sum / total


@inner_loops
def latest_finish(rows, best, q, W):
    """Largest tail with which a schedule may still be the best for load number q; -inf if none.

    W: the schedule's cost-time.
    """
    if not rows.by_cost:
        return best.key[q, 0] / NS_PER_MS + SLACK_MS
    worst = best.key[q, 0] / COST_UNITS + SLACK_COST
    if worst < W * (1.0 - SLACK_RELATIVE):
        return -np.inf
    return rows.target_ms


@inner_loops
def offer(rows, best, among, steps, T, L, W):
    """Record a schedule for each load in `among` for which it is better than the recorded one.

    steps: the schedule in grid steps; entry 0, the wait, is ignored [rungs]. T, L, W: its execution
    tail, mean and cost-time. Returns whether T alone did not exclude it for every load.
    """
    is_early = False
    for q in among:
        latest = latest_finish(rows, best, q, W)
        if latest < T * (1.0 - SLACK_RELATIVE):
            # By cost a row may be lost by W alone.
            is_early = is_early or (rows.by_cost and rows.target_ms >= T)
            continue
        is_early = True
        need = rows.wait_per_cost[q] * W - L
        wait = np.int64(0)
        if need > 0.0:
            if latest < (T + need) * (1.0 - SLACK_RELATIVE):
                continue
            if need > (rows.longest + 1) * rows.step_ms:
                continue
            wait = np.int64(np.ceil(need / rows.step_ms))
            if wait > rows.longest:
                continue
        _offer_row(rows, best, q, steps, wait, T, L, W)
    return is_early


@inner_loops
def _offer_row(rows, best, q, steps, wait, T, L, W):
    wait_ms = wait * rows.step_ms
    tail = T + wait_ms
    mean = L + wait_ms
    total = np.rint(rows.load[q] * W / mean * COST_UNITS)
    tail_ns = np.rint(tail * NS_PER_MS)
    mean_ns = np.rint(mean * NS_PER_MS)
    if rows.by_cost:
        if tail > rows.target_ms:
            return
        keys = (np.rint(W * COST_UNITS), tail_ns, mean_ns, total)
    else:
        keys = (tail_ns, mean_ns, total, 0.0)
    steps[0] = wait
    if best.near.key.shape[1] > 0:
        _collect(best, q, keys, steps)
    elif _precedes(keys, steps, best.key[q], best.steps[q]):
        _replace(best, q, keys, steps)


@inner_loops
def _collect(best, q, keys, steps):
    """Add a schedule to those of its row, replacing the last one if there is no room.

    From then on the first key of the last one is the limit.
    """
    near, room = best.near, best.near.key.shape[1]
    if keys[0] > best.key[q, 0]:
        return
    place = near.held[q]
    if place == room:
        place = near.last[q]
        if not _precedes(keys, steps, near.key[q, place], near.steps[q, place]):
            return
    else:
        near.held[q] += 1
    for i in range(4):
        near.key[q, place, i] = keys[i]
    for i in range(steps.shape[0]):
        near.steps[q, place, i] = steps[i]
    if near.held[q] == room:
        near.last[q] = _last(near, q)
        best.key[q, 0] = near.key[q, near.last[q], 0]


@inner_loops
def _last(near, q):
    """The place of the schedule that comes last in the order of the row."""
    last = 0
    for other in range(1, near.held[q]):
        if _precedes(
            near.key[q, last], near.steps[q, last], near.key[q, other], near.steps[q, other]
        ):
            last = other
    return last


@inner_loops
def _precedes(keys, steps, other_keys, other_steps):
    for i in range(4):
        if keys[i] != other_keys[i]:
            return keys[i] < other_keys[i]
    for i in range(steps.shape[0]):
        if steps[i] != other_steps[i]:
            return steps[i] < other_steps[i]
    return False


@plain_loops
def merge(best, other):
    """Merge the best schedules of another search into `best`, load by load."""
    for q in range(best.key.shape[0]):
        keys = (other.key[q, 0], other.key[q, 1], other.key[q, 2], other.key[q, 3])
        if _precedes(keys, other.steps[q], best.key[q], best.steps[q]):
            _replace(best, q, keys, other.steps[q])


@inner_loops
def _replace(best, q, keys, steps):
    for i in range(4):
        best.key[q, i] = keys[i]
    for i in range(steps.shape[0]):
        best.steps[q, i] = steps[i]


@inner_loops
def latest_tail(rows, best, among, W, need_cost, need_time):
    """Largest execution tail with which a schedule may be the best of a load in `among`.

    -inf if none. W: lower bound on the schedule's cost-time. need_cost, need_time: the wait of each
    row is at least `wait_per_cost * need_cost - need_time`.
    """
    latest = -np.inf
    longest = rows.longest * rows.step_ms
    for q in among:
        need = (rows.wait_per_cost[q] * need_cost - need_time) * (1.0 - SLACK_RELATIVE)
        if need > longest * (1.0 + SLACK_RELATIVE):
            continue
        latest = max(latest, latest_finish(rows, best, q, W) - max(0.0, need))
    return latest


@inner_loops
def common_prefix(items, item):
    """Number of leading durations that `items[item]` shares with `items[item - 1]`.

    An item is the first durations of a schedule, a subtree of the search tree.
    """
    i = 0
    while i < items.shape[1] and items[item, i] == items[item - 1, i]:
        i += 1
    return i


@inner_loops
def is_zero(item, first):
    """Whether all durations of `item` from number `first` on are zero.

    An item is the first durations of a schedule, a subtree of the search tree.
    """
    for i in range(first, item.shape[0]):  # noqa: SIM110 - generators are not for the compiler
        if item[i] != 0:
            return False
    return True


@inner_loops
def depth_at(elapsed, i, t):
    """Depth of the rung on which requests are at age t, on a path of the search tree.

    elapsed: ages at which the rungs of the path begin [depth]. i: depth of the path's end.
    """
    while i > 0 and elapsed[i] > t:
        i -= 1
    return i
