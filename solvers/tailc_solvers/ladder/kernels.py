"""Loops of the separable dual: the best ladder for one multiplier, given its rung at the quantile.

Demands are the steps of F: on segment j, from x_(j-1) to x_j, the share still running is constant,
so a rung that is left before the quantile is left at some x_j. For fixed multipliers the rung at x
minimises  alpha * F'(x) * (cost per work) + (beta - gamma * F'(x)) * (time per work),  F' = 1 - F,
hence only rungs on the lower convex hull of (time per work, cost per work) are used, in order, and
the edge from a to b is crossed where

    F'(x) < beta g / (alpha h + gamma g),    g = 1/s_a - 1/s_b,    h = c_b/s_b - c_a/s_a.

After the quantile beta is 0, and the best rung is the same for all remaining work.

The problem in the break points b_e is convex: T is linear in them, L and W are concave and convex
piecewise linear (a rung further up the hull has less time and more cost per work, and G is
concave); in the shares of the rest they are linear. So the point between two minimisers of the same
Lagrangian is feasible where the interpolated constraint is, and optimal.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import inner_loops, plain_loops

MOST_CUTS = 200
MOST_RATIOS = 100
CLOSE = 4e-15
"""Relative: two values that differ by a few roundings are the same."""

TIGHT = 1e-12
"""Relative: a constraint exceeded by less than this is met; 1,000 times below the tolerance of
feasibility."""


class DemandSteps(NamedTuple):
    """The distribution of demand as a step function: sorted demands x_0 = 0, x_1, .., x_R.

    work: x_j [R + 1]. sum: G(x_j) = E[min(X, x_j)]. running: share of the requests with a demand
    above x_(j-1); entry 0 is 1. rank: entry of the demand at the tail's rank.
    """

    work: NDArray[np.float64]
    sum: NDArray[np.float64]
    running: NDArray[np.float64]
    rank: int


class Hull(NamedTuple):
    """For each k, the useful rungs among 0..k, from slow to fast: rung[k, :size[k]].

    A useful rung is on the lower convex hull of (time per work, cost per work). time, cost: time
    and cost per unit of work of every rung [rungs].
    """

    rung: NDArray[np.int64]
    size: NDArray[np.int64]
    time: NDArray[np.float64]
    cost: NDArray[np.float64]


class LadderPoint(NamedTuple):
    """Working memory for one ladder of the search by duality.

    work: work at which each rung of the hull is left. entry: its number in the sorted demands.
    value: tail T, mean L and cost-time W. rest: share of the work beyond the demand quantile w,
    E[(X - w)+], that each rung does [rungs].
    """

    work: NDArray[np.float64]
    entry: NDArray[np.int64]
    value: NDArray[np.float64]
    rest: NDArray[np.float64]


class DualAnswer(NamedTuple):
    """Optimal ladders of a search by duality, one row for each load.

    at_quantile: rung at the quantile of demand. value: wait, execution tail T, mean L and cost-time
    W [rows, 4]. work: work at which each rung is left; rest: share of the work after the quantile
    on each rung [rows, rungs]. primal: value of the objective. bound: lower bound on it; inf if no
    rung is feasible. weights: (alpha, beta, gamma) of the Lagrangian alpha W + beta T - gamma L
    that proves the bound [rows, 3]. evaluations: number of Lagrangian minimisations.
    """

    at_quantile: NDArray[np.int64]
    value: NDArray[np.float64]
    work: NDArray[np.float64]
    rest: NDArray[np.float64]
    primal: NDArray[np.float64]
    bound: NDArray[np.float64]
    weights: NDArray[np.float64]
    evaluations: NDArray[np.int64]


@plain_loops
def fill_hull(hull, stack):
    """Compute the useful rungs (lower hull) among 0..k, for all k.

    Cost rates must not decrease with the rung. `stack` [rungs] is scratch space for the hull.
    """
    size = 0
    for k in range(hull.time.shape[0]):
        if size == 0 or hull.time[k] < hull.time[stack[size - 1]]:
            while size > 0 and hull.cost[stack[size - 1]] >= hull.cost[k]:
                size -= 1
            while size > 1 and _is_above(hull, stack[size - 2], stack[size - 1], k):
                size -= 1
            stack[size] = k
            size += 1
        for e in range(size):
            hull.rung[k, e] = stack[e]
        hull.size[k] = size


@inner_loops
def _is_above(hull, a, b, c):
    """Whether b lies on or above the line from a to c."""
    rise_ab = (hull.cost[b] - hull.cost[a]) * (hull.time[b] - hull.time[c])
    rise_bc = (hull.cost[c] - hull.cost[b]) * (hull.time[a] - hull.time[b])
    return rise_ab >= rise_bc


def new_point(n: int) -> LadderPoint:
    """Allocate working memory for a ladder of n rungs in a search."""
    return LadderPoint(np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(3), np.zeros(n))


def fixed_multiplier(steps: DemandSteps, hull: Hull, beta: float) -> float:
    """The least value of W + beta T over all ladders: cost-time plus beta times execution tail.

    steps: distribution of demand. hull: the useful rungs.
    """
    n = hull.time.size
    low, high, point = new_point(n), new_point(n), new_point(n)
    high.entry[:] = steps.rank
    least = np.inf
    for k in range(n):
        _minimise(steps, hull, k, (1.0, beta, 0.0), low, high, point)
        least = min(least, point.value[2] + beta * point.value[0])
    return float(least)


@inner_loops
def _copy(source, target):
    for i in range(source.work.shape[0]):
        target.work[i] = source.work[i]
        target.entry[i] = source.entry[i]
        target.rest[i] = source.rest[i]
    for i in range(3):
        target.value[i] = source.value[i]


@plain_loops
def _minimise(steps, hull, k, weights, low, high, point):
    """Fill `point` with the minimiser at weights = (alpha, beta, gamma).

    Its break points lie between those of `low` and `high`.
    """
    alpha, beta, gamma = weights
    for e in range(hull.size[k] - 1):
        a = hull.rung[k, e]
        b = hull.rung[k, e + 1]
        g = hull.time[a] - hull.time[b]
        h = hull.cost[b] - hull.cost[a]
        price = alpha * h + gamma * g
        first = min(low.entry[e], high.entry[e])
        last = max(low.entry[e], high.entry[e])
        # The last segment j with running[j] * price >= beta * g stays below the edge.
        while first < last:
            middle = (first + last + 1) >> 1
            if steps.running[middle] * price >= beta * g:
                first = middle
            else:
                last = middle - 1
        point.entry[e] = first
        point.work[e] = steps.work[first]
    point.rest[:] = 0.0
    point.rest[_rung_after(hull, k, alpha, gamma)] = 1.0
    _value_at_entries(steps, hull, k, point)


@inner_loops
def _rung_after(hull, k, alpha, gamma):
    """The best rung from k on for the work after the quantile's; ties go to the lowest."""
    best = k
    for i in range(k + 1, hull.time.shape[0]):
        dearer = alpha * (hull.cost[i] - hull.cost[best])
        if dearer < gamma * (hull.time[i] - hull.time[best]):
            best = i
    return best


@inner_loops
def _value_at_entries(steps, hull, k, point):
    point.value[:] = 0.0
    work = 0.0
    done = 0.0
    for e in range(hull.size[k]):
        entry = point.entry[e] if e < hull.size[k] - 1 else steps.rank
        _add_stretch(
            hull, hull.rung[k, e], steps.work[entry] - work, steps.sum[entry] - done, point
        )
        work = steps.work[entry]
        done = steps.sum[entry]
    _add_rest(hull, steps.sum[-1] - done, point)


@inner_loops
def _add_rest(hull, rest, point):
    """Add the remaining work of the mean request after the quantile."""
    for i in range(point.rest.shape[0]):
        _add_stretch(hull, i, 0.0, point.rest[i] * rest, point)


@inner_loops
def _add_stretch(hull, rung, work, done, point):
    """Add a stretch of `work` for the quantile's request and `done` for the mean one."""
    point.value[0] += work * hull.time[rung]
    point.value[1] += done * hull.time[rung]
    point.value[2] += done * hull.cost[rung]


@inner_loops
def _mix(steps, hull, k, low, high, share, point):
    """Fill `point` with the break points at `share` of the way from low to high."""
    point.value[:] = 0.0
    work = 0.0
    done = 0.0
    for e in range(hull.size[k]):
        end = steps.work[steps.rank]
        if e < hull.size[k] - 1:
            end = low.work[e] + share * (high.work[e] - low.work[e])
            # Rounding must not move a break point below the one before it.
            end = max(work, min(end, steps.work[steps.rank]))
            point.work[e] = end
        entry = _entry_at(steps.work, end, steps.rank)
        at_end = steps.sum[entry] + (end - steps.work[entry]) * steps.running[entry]
        _add_stretch(hull, hull.rung[k, e], end - work, at_end - done, point)
        work = end
        done = at_end
    for i in range(point.rest.shape[0]):
        point.rest[i] = low.rest[i] + share * (high.rest[i] - low.rest[i])
    _add_rest(hull, steps.sum[-1] - done, point)


@inner_loops
def _entry_at(work, place, high):
    """The first entry up to `high` whose work is not below `place`."""
    low = 0
    while low < high:
        middle = (low + high) >> 1
        if work[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low


@inner_loops
def _required_wait(load, value):
    """The required wait at load = q / p: q W / p - L."""
    return load * value[2] - value[1]


@inner_loops
def _objective(by_cost, value):
    return value[2] if by_cost else value[0]


@inner_loops
def _excess(by_cost, load, ratio, target, value):
    """Excess over the constraint: the wait, or by cost T + ratio * wait - target."""
    if by_cost:
        return value[0] + ratio * _required_wait(load, value) - target
    return _required_wait(load, value)


@inner_loops
def _weights(by_cost, load, ratio, multiplier):
    """(alpha, beta, gamma) at a multiplier; by cost inf means the constraint alone."""
    if not by_cost:
        return multiplier * load, 1.0, multiplier
    if np.isinf(multiplier):
        return ratio * load, 1.0, ratio
    return 1.0 + multiplier * ratio * load, multiplier, multiplier * ratio


@inner_loops
def _solve(steps, hull, k, setting, low, high, trial, point):
    """Minimise the objective subject to excess <= 0 with rung k at the quantile; fill `point`.

    setting = (by_cost, load, ratio, target, largest multiplier). The multiplier is found by cutting
    planes: `low` has the constraint exceeded, `high` has it met, and the multiplier at which the
    two have equal Lagrangians is either optimal or replaces one of them. Every third step halves
    the interval instead, so that the number of steps stays logarithmic.
    Returns the dual value, its multiplier, whether the constraint is met, and the number of
    minimisations. When it is not met at the largest multiplier, the point and value there are
    returned.
    """
    by_cost, load, ratio, target, largest = setting
    edges = hull.size[k] - 1
    low.entry[:edges] = 0
    high.entry[:edges] = steps.rank
    _minimise(steps, hull, k, _weights(by_cost, load, ratio, 0.0), low, high, trial)
    excess_low = _excess(by_cost, load, ratio, target, trial.value)
    if excess_low <= 0.0:
        _copy(trial, point)
        return _objective(by_cost, point.value), 0.0, True, 1
    _minimise(steps, hull, k, _weights(by_cost, load, ratio, largest), low, high, point)
    excess_high = _excess(by_cost, load, ratio, target, point.value)
    if excess_high > 0.0:
        return _objective(by_cost, point.value) + largest * excess_high, largest, False, 2
    _copy(trial, low)
    _copy(point, high)
    multiplier_low = 0.0
    multiplier_high = largest
    bound = -np.inf
    proof = 0.0
    count = 2
    while count < MOST_CUTS:
        value_low = _objective(by_cost, low.value)
        rise = _objective(by_cost, high.value) - value_low
        multiplier = rise / (excess_low - excess_high)
        is_cut = count % 3 != 1 or np.isinf(multiplier_high)
        if not is_cut:
            multiplier = 0.5 * (multiplier_low + multiplier_high)
        line = value_low + multiplier * excess_low
        count += 1
        _minimise(steps, hull, k, _weights(by_cost, load, ratio, multiplier), low, high, trial)
        excess = _excess(by_cost, load, ratio, target, trial.value)
        value = _objective(by_cost, trial.value) + multiplier * excess
        if value > bound:
            bound = value
            proof = multiplier
        if is_cut and value >= line - CLOSE * abs(line):
            break
        if excess > 0.0:
            multiplier_low = multiplier
            excess_low = excess
            _copy(trial, low)
        else:
            multiplier_high = multiplier
            excess_high = excess
            _copy(trial, high)
    share = excess_low / (excess_low - excess_high)
    _mix(steps, hull, k, low, high, share, point)
    return bound, proof, True, count


@plain_loops
def least_tail(steps, hull, loads, points, answer):
    """Find the ladder with the least tail for each of `loads`, and write it to `answer`.

    The tail is wait v_0 + execution tail T. loads: load over budget, q / p. points: four buffers
    for ladders.
    """
    low, high, trial, point = points
    for q in range(loads.shape[0]):
        for k in range(hull.time.shape[0]):
            setting = (False, loads[q], 1.0, 0.0, 1.0)
            bound, proof, _, count = _solve(steps, hull, k, setting, low, high, trial, point)
            wait = _required_wait(loads[q], point.value)
            if wait <= TIGHT * point.value[1]:
                wait = 0.0
            answer.evaluations[q] += count
            weights = _weights(False, loads[q], 1.0, proof)
            _keep_better(answer, q, k, wait, point, wait + point.value[0], bound, weights)


@inner_loops
def _keep_better(answer, q, k, wait, point, primal, bound, weights):
    answer.bound[q] = min(answer.bound[q], bound)
    old = answer.primal[q]
    if np.isinf(primal) or primal > old * (1.0 + CLOSE):
        return
    is_tie = primal >= old * (1.0 - CLOSE)
    if is_tie and wait + point.value[1] >= answer.value[q, 0] + answer.value[q, 2]:
        return
    answer.primal[q] = primal
    answer.at_quantile[q] = k
    answer.value[q, 0] = wait
    for i in range(3):
        answer.value[q, 1 + i] = point.value[i]
        answer.weights[q, i] = weights[i]
    for i in range(point.work.shape[0]):
        answer.work[q, i] = point.work[i]
        answer.rest[q, i] = point.rest[i]


@plain_loops
def least_cost(steps, hull, loads, targets, points, answer):
    """Find the ladder with the least cost-time W for each of `loads`, and write it to `answer`.

    loads: load over budget, q / p. targets: largest tail of each load. points: six buffers for
    ladders.

    Each rung at the quantile is one case, with the constraint T + ratio * wait <= target, where the
    wait is the one that the load requires. Ratio 0 is exact if it requires no wait, and ratio 1 if
    it requires one. Otherwise bisection finds the ratio at which the wait is zero. Every ratio
    gives a valid bound.
    """
    for q in range(loads.shape[0]):
        for k in range(hull.time.shape[0]):
            _least_cost_of(steps, hull, (k, q), loads[q], targets[q], points, answer)


@inner_loops
def _least_cost_of(steps, hull, case, load, target, points, answer):
    k, q = case
    low, high, trial, point, early, late = points
    setting = (True, load, 0.0, target, np.inf)
    bound, proof, is_met, count = _solve(steps, hull, k, setting, low, high, trial, early)
    answer.evaluations[q] += count
    if not is_met:
        return
    weights = _weights(True, load, 0.0, proof)
    if _required_wait(load, early.value) <= TIGHT * early.value[1]:
        _keep_better(answer, q, k, 0.0, early, early.value[2], bound, weights)
        return
    setting = (True, load, 1.0, target, np.inf)
    value, proof, is_met, count = _solve(steps, hull, k, setting, low, high, trial, late)
    answer.evaluations[q] += count
    if not is_met:
        return
    if value > bound:
        bound = value
        weights = _weights(True, load, 1.0, proof)
    wait = _required_wait(load, late.value)
    if wait >= -TIGHT * late.value[1]:
        _keep_better(answer, q, k, max(0.0, wait), late, late.value[2], bound, weights)
        return
    least_ratio = 0.0
    most_ratio = 1.0
    primal = np.inf
    for _ in range(MOST_RATIOS):
        primal = _between(steps, hull, k, load, target, early, late, trial)
        ratio = 0.5 * (least_ratio + most_ratio)
        if primal <= bound * (1.0 + CLOSE) or ratio <= least_ratio or ratio >= most_ratio:
            break
        setting = (True, load, ratio, target, np.inf)
        value, proof, is_met, count = _solve(steps, hull, k, setting, low, high, trial, point)
        answer.evaluations[q] += count
        if not is_met:
            return
        if value > bound:
            bound = value
            weights = _weights(True, load, ratio, proof)
        if _required_wait(load, point.value) > 0.0:
            least_ratio = ratio
            _copy(point, early)
        else:
            most_ratio = ratio
            _copy(point, late)
    # `trial` was overwritten by the last search.
    primal = _between(steps, hull, k, load, target, early, late, trial)
    _keep_better(answer, q, k, 0.0, trial, primal, bound, weights)


@inner_loops
def _between(steps, hull, k, load, target, early, late, point):
    """Fill `point` with the mixture that meets the target exactly; return its W, or inf."""
    share = 1.0
    if late.value[0] > target:
        share = (target - early.value[0]) / (late.value[0] - early.value[0])
    _mix(steps, hull, k, early, late, share, point)
    wait = _required_wait(load, point.value)
    if wait > TIGHT * point.value[1]:
        return np.inf
    return point.value[2]
