"""Loops shared by the grid searches: request times, the rows' incumbents, and their comparison.

A candidate schedule is the vector of whole steps (a_1, .., a_(n-1)) and its figures T, L, W (see
evaluate.py). Each row q keeps one incumbent: four keys, smaller is better in order, and the chosen
steps (a_0, a_1, .., a_(n-1)), lexicographically smallest among equal keys.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

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


class Rows(NamedTuple):
    """The loads, ascending, the cost rates of the rungs, and what limits a schedule.

    `wait_per_cost` is q / (budget (1 + tolerance)): v_0 >= wait_per_cost * W - L is feasibility.
    `longest` bounds the wait and the sum of the finite stretches, in steps.
    """

    load: NDArray[np.float64]
    costs: NDArray[np.float64]
    wait_per_cost: NDArray[np.float64]
    longest: int
    step_ms: float
    target_ms: float
    by_cost: bool


class Best(NamedTuple):
    """Incumbents: keys [rows, 4] and steps [rows, rungs]; keys are inf where there is none.

    Keys are (tail ns, mean ns, A) or, by cost, (W, tail ns, mean ns, A). The first key does not
    fall with the row, since a schedule that serves a load serves every smaller one.
    """

    key: NDArray[np.float64]
    steps: NDArray[np.int64]


@njit(cache=True, nogil=True)
def request_times(demand, weight, speeds, curve, costs, v, time):
    """Fill `time` [R] with execution times under durations `v`; return their mean and W."""
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


@njit(cache=True, nogil=True)
def latest_finish(rows, best, q, W):
    """Largest T + wait with which a schedule of cost-time W may still win row q; -inf if none."""
    if not rows.by_cost:
        return best.key[q, 0] / NS_PER_MS + SLACK_MS
    worst = best.key[q, 0] / COST_UNITS + SLACK_COST
    if worst < W * (1.0 - SLACK_RELATIVE):
        return -np.inf
    return rows.target_ms


@njit(cache=True, nogil=True)
def offer(rows, best, steps, T, L, W):
    """Let a schedule, `steps` [rungs] with any wait in place 0, replace the incumbents it beats."""
    for q in range(rows.load.shape[0] - 1, -1, -1):
        latest = latest_finish(rows, best, q, W)
        if latest < T * (1.0 - SLACK_RELATIVE):
            if rows.by_cost:
                continue
            # Smaller loads have incumbents at least as good.
            break
        need = rows.wait_per_cost[q] * W - L
        if need > 0.0 and (T + need) * (1.0 - SLACK_RELATIVE) > latest:
            continue
        wait = np.int64(0)
        if need > 0.0:
            if need > (rows.longest + 1) * rows.step_ms:
                continue
            wait = np.int64(np.ceil(need / rows.step_ms))
            if wait > rows.longest:
                continue
        _offer_row(rows, best, q, steps, wait, T, L, W)


@njit(cache=True, nogil=True)
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
    if _precedes(keys, steps, best.key[q], best.steps[q]):
        for i in range(4):
            best.key[q, i] = keys[i]
        best.steps[q, :] = steps


@njit(cache=True, nogil=True)
def _precedes(keys, steps, other_keys, other_steps):
    for i in range(4):
        if keys[i] != other_keys[i]:
            return keys[i] < other_keys[i]
    for i in range(steps.shape[0]):
        if steps[i] != other_steps[i]:
            return steps[i] < other_steps[i]
    return False


@njit(cache=True, nogil=True)
def merge(best, other):
    """Keep the better incumbent of each row in `best`."""
    for q in range(best.key.shape[0]):
        keys = (other.key[q, 0], other.key[q, 1], other.key[q, 2], other.key[q, 3])
        if _precedes(keys, other.steps[q], best.key[q], best.steps[q]):
            best.key[q, :] = other.key[q]
            best.steps[q, :] = other.steps[q]


@njit(cache=True, nogil=True)
def latest_tail(rows, best, W, need_cost, need_time):
    """Largest T with which a schedule may win some row; -inf if none.

    `W` is a lower bound on its cost-time, and on every row its wait is at least
    `wait_per_cost * need_cost - need_time`.
    """
    latest = -np.inf
    longest = rows.longest * rows.step_ms
    for q in range(rows.load.shape[0]):
        need = (rows.wait_per_cost[q] * need_cost - need_time) * (1.0 - SLACK_RELATIVE)
        if need > longest * (1.0 + SLACK_RELATIVE):
            continue
        latest = max(latest, latest_finish(rows, best, q, W) - max(0.0, need))
    return latest
