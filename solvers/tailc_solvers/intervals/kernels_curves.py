"""Grid search over a sample of a few common curves, by prefix sums.

With the demands of one curve sorted, G(x) = sum of weight * min(demand, x) is one look-up, and the
mean time and cost of a schedule are sums of differences of G at its work breakpoints. The search
walks the tree of steps (a_1, a_2, ..) depth first. A node at depth i has fixed the stretches on the
first i rungs; it is also the schedule that stays on rung i (0-based) for ever.

A subtree is left when no row can improve in it: its tail is at least that of finishing the rest of
the work on the fastest rung left, its wait at least that of doing it on the rung that asks for the
least, its cost at least that of the cheapest.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc_solvers.intervals.kernels import (
    NEVER_STEPS,
    SLACK_RELATIVE,
    latest_finish,
    latest_tail,
    offer,
)

FEW_CANDIDATES = 6


class Curves(NamedTuple):
    """Sorted demands of each curve with prefix sums; curve k owns entries start[k]..start[k + 1].

    Vectors over entries and one more per curve: `below` the weighted sum of the demands before an
    entry, `above` the weight from it on, `upto` the weight before it. `bin_first[k, j]` counts the
    demands of curve k in bins before j, bin = floor(demand * bin_rate[k]).
    """

    start: NDArray[np.int64]
    demand: NDArray[np.float64]
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    upto: NDArray[np.int64]
    bin_first: NDArray[np.int64]
    bin_rate: NDArray[np.float64]
    longest: NDArray[np.float64]
    work: NDArray[np.float64]
    speeds: NDArray[np.float64]
    total: float
    rank: int
    rank_demand: float


class Floors(NamedTuple):
    """Least time, cost and wait per unit of work on rung i or any later one.

    time and cost [curves, rungs], wait [rows, curves, rungs].
    """

    time: NDArray[np.float64]
    cost: NDArray[np.float64]
    wait: NDArray[np.float64]


class State(NamedTuple):
    """The path to a node, one entry a depth: work done and G there [depth, curves], and scalars.

    `tail` is the time at which the quantile's work was done, inf before that (one curve only).
    """

    work: NDArray[np.float64]
    sum: NDArray[np.float64]
    elapsed: NDArray[np.float64]
    time: NDArray[np.float64]
    cost: NDArray[np.float64]
    tail: NDArray[np.float64]
    steps: NDArray[np.int64]
    left: NDArray[np.int64]


@njit(cache=True, nogil=True)
def search_curves(curves, floors, rows, best, items, share, stride, cap):
    """Search the subtrees of items[first:end:hop], share = (first, end, hop), in whole strides.

    An item [depth] fixes the first stretches. Returns the nodes seen and whether the share was
    searched to its end before `cap` nodes.
    """
    n = rows.costs.shape[0]
    depth = items.shape[1]
    state = _root(curves, n, rows.longest)
    seen = 0
    known = 0
    for item in range(share[0], share[1], share[2]):
        if item > share[0]:
            known = _common_prefix(items[item], items[item - share[2]])
        for i in range(known, depth):
            _descend(curves, rows, state, i, items[item, i])
        if _is_repeated(curves, rows, state, items[item], stride):
            continue
        seen += _offer_first_ancestors(curves, rows, best, state, items[item])
        count, complete = _search_below(
            curves, floors, rows, best, state, depth, stride, cap - seen
        )
        seen += count
        if not complete:
            return seen, False
    return seen, True


@njit(cache=True, nogil=True)
def _root(curves, n, longest):
    n_curves = curves.speeds.shape[0]
    return State(
        np.zeros((n, n_curves)),
        np.zeros((n, n_curves)),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.full(n, np.inf),
        np.zeros(n, dtype=np.int64),
        np.full(n, np.int64(longest)),
    )


@njit(cache=True, nogil=True)
def _common_prefix(item, other):
    i = 0
    while i < item.shape[0] and item[i] == other[i]:
        i += 1
    return i


@njit(cache=True, nogil=True)
def _is_repeated(curves, rows, state, item, stride):
    """Whether an item does what a lexicographically smaller one does: requests end before it."""
    for i in range(item.shape[0]):
        if item[i] > 0 and _has_ended(curves, state, i, (item[i] - stride) * rows.step_ms):
            return True
    return False


@njit(cache=True, nogil=True)
def _has_ended(curves, state, i, more_ms):
    """Whether all requests have ended after `more_ms` on rung i from the node at depth i."""
    for k in range(curves.longest.shape[0]):
        if state.work[i, k] + curves.speeds[k, i] * more_ms < curves.longest[k]:
            return False
    return True


@njit(cache=True, nogil=True)
def _offer_first_ancestors(curves, rows, best, state, item):
    """Offer the nodes above an item that no earlier item has above it; return their number."""
    count = 0
    state.steps[item.shape[0] + 1 :] = 0
    for i in range(item.shape[0] - 1, -1, -1):
        if item[i] > 0 or _has_ended(curves, state, i, 0.0):
            break
        state.steps[i + 1] = NEVER_STEPS
        _offer_node(curves, rows, best, state, i)
        state.steps[i + 1] = 0
        count += 1
    return count


@njit(cache=True, nogil=True)
def _search_below(curves, floors, rows, best, state, depth, stride, cap):
    """Search the subtree of the node at `depth`; return nodes seen and whether it was finished."""
    following = np.zeros(rows.costs.shape[0], dtype=np.int64)
    seen = 1
    i = depth
    if not _visit(curves, floors, rows, best, state, i):
        return seen, True
    while i >= depth:
        if following[i] > state.left[i]:
            i -= 1
            continue
        if seen >= cap:
            return seen, False
        _descend(curves, rows, state, i, following[i])
        following[i] += stride
        seen += 1
        if _has_ended(curves, state, i + 1, 0.0):
            # Longer stretches change nothing and sort after this one.
            following[i] = state.left[i] + 1
        if _visit(curves, floors, rows, best, state, i + 1):
            i += 1
            following[i] = 0
    return seen, True


@njit(cache=True, nogil=True)
def _visit(curves, floors, rows, best, state, i):
    """Offer the schedule that stays on rung i; return whether deeper nodes may improve a row."""
    n = rows.costs.shape[0]
    state.steps[i + 1 :] = 0
    is_leaf = i == n - 1 or _has_ended(curves, state, i, 0.0)
    if not is_leaf:
        state.steps[i + 1] = NEVER_STEPS
    _offer_node(curves, rows, best, state, i)
    return not is_leaf and _may_improve(curves, floors, rows, best, state, i)


@njit(cache=True, nogil=True)
def _descend(curves, rows, state, i, steps):
    """Fill the node at depth i + 1: `steps` on rung i after the node at depth i."""
    stretch = steps * rows.step_ms
    time = 0.0
    for k in range(curves.longest.shape[0]):
        s = curves.speeds[k, i]
        work = state.work[i, k] + s * stretch
        done = _sum_of_least(curves, k, work)
        time += (done - state.sum[i, k]) / s
        state.work[i + 1, k] = work
        state.sum[i + 1, k] = done
    state.time[i + 1] = state.time[i] + time
    state.cost[i + 1] = state.cost[i] + rows.costs[i] * time
    state.tail[i + 1] = state.tail[i]
    if state.tail[i] == np.inf and state.work[i + 1, 0] >= curves.rank_demand:
        state.tail[i + 1] = _tail_on(curves, state, i)
    state.elapsed[i + 1] = state.elapsed[i] + stretch
    state.steps[i + 1] = steps
    state.left[i + 1] = state.left[i] - steps


@njit(cache=True, nogil=True)
def _tail_on(curves, state, i):
    """When the quantile's work is done on rung i (one curve)."""
    return state.elapsed[i] + (curves.rank_demand - state.work[i, 0]) / curves.speeds[0, i]


@njit(cache=True, nogil=True)
def _count_below(curves, k, work):
    """How many entries of curve k have less demand than `work`."""
    size = curves.start[k + 1] - curves.start[k]
    if work > curves.longest[k]:
        return size
    j = np.int64(work * curves.bin_rate[k])
    low = curves.bin_first[k, j]
    high = curves.bin_first[k, j + 1]
    while low < high:
        middle = (low + high) >> 1
        if curves.demand[curves.start[k] + middle] < work:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _sum_of_least(curves, k, work):
    """Weighted sum over curve k of min(demand, work)."""
    entry = curves.start[k] + k + _count_below(curves, k, work)
    above = curves.above[entry]
    # Beyond the longest demand `work` may be infinite, and nothing is above it.
    return curves.below[entry] + (above * work if above > 0.0 else 0.0)


@njit(cache=True, nogil=True)
def _offer_node(curves, rows, best, state, i):
    """Offer the schedule that stays on rung i from the node at depth i."""
    time = 0.0
    for k in range(curves.longest.shape[0]):
        time += (curves.work[k] - state.sum[i, k]) / curves.speeds[k, i]
    L = (state.time[i] + time) / curves.total
    W = (state.cost[i] + rows.costs[i] * time) / curves.total
    if curves.longest.shape[0] == 1:
        T = state.tail[i]
        if np.isinf(T):
            T = _tail_on(curves, state, i)
        offer(rows, best, state.steps, T, L, W)
        return
    latest = latest_tail(rows, best, W, W, L)
    if _weight_by(curves, state, i, latest, curves.speeds[:, i]) >= curves.rank:
        offer(rows, best, state.steps, _mixture_tail(curves, state, i, latest), L, W)


@njit(cache=True, nogil=True)
def _may_improve(curves, floors, rows, best, state, i):
    """Whether a row may improve among the schedules that leave the node at depth i."""
    for q in range(rows.load.shape[0] - 1, -1, -1):
        need = rows.wait_per_cost[q] * state.cost[i] - state.time[i]
        cost = state.cost[i]
        for k in range(curves.longest.shape[0]):
            rest = curves.work[k] - state.sum[i, k]
            need += rest * floors.wait[q, k, i]
            cost += rest * floors.cost[k, i]
        wait = max(0.0, need / curves.total) * (1.0 - SLACK_RELATIVE)
        if wait > rows.longest * rows.step_ms * (1.0 + SLACK_RELATIVE):
            continue
        latest = latest_finish(rows, best, q, cost / curves.total) - wait
        if _can_finish_by(curves, floors, state, i, latest):
            return True
    return False


@njit(cache=True, nogil=True)
def _can_finish_by(curves, floors, state, i, latest):
    """Whether the quantile could be reached by `latest` on the fastest rungs from depth i on."""
    if curves.longest.shape[0] > 1:
        return _weight_by(curves, state, i, latest, 1.0 / floors.time[:, i]) >= curves.rank
    tail = state.tail[i]
    if tail == np.inf:
        rest = curves.rank_demand - state.work[i, 0]
        tail = state.elapsed[i] + rest * floors.time[0, i]
    return tail * (1.0 - SLACK_RELATIVE) <= latest


@njit(cache=True, nogil=True)
def _stage(state, i, t):
    """The depth at age t on the path to the node at depth i."""
    while i > 0 and state.elapsed[i] > t:
        i -= 1
    return i


@njit(cache=True, nogil=True)
def _weight_by(curves, state, i, t, last_speeds):
    """Weight of the requests ended by age t, at `last_speeds` [curves] from depth i on.

    Ages are taken as reached within the relative slack, so the count is never too small.
    """
    if not t >= 0.0:
        return np.int64(0)
    t *= 1.0 + SLACK_RELATIVE
    stage = _stage(state, i, t)
    weight = np.int64(0)
    for k in range(curves.longest.shape[0]):
        s = last_speeds[k] if stage == i else curves.speeds[k, stage]
        work = state.work[stage, k] + s * (t - state.elapsed[stage])
        entries = _count_below(curves, k, work * (1.0 + SLACK_RELATIVE))
        weight += curves.upto[curves.start[k] + k + entries]
    return weight


@njit(cache=True, nogil=True)
def _mixture_tail(curves, state, i, latest):
    """Execution tail of staying on rung i, known to be at most `latest`.

    Bisection on the age until few requests are left in doubt, then their times in order.
    """
    n_curves = curves.longest.shape[0]
    low = np.zeros(n_curves, dtype=np.int64)
    high = np.empty(n_curves, dtype=np.int64)
    early = 0.0
    late = latest
    if late == np.inf:
        late = state.elapsed[i]
        for k in range(n_curves):
            late = max(late, state.elapsed[i] + curves.longest[k] / curves.speeds[k, i])
    in_doubt = _fill_ended(curves, state, i, late, high)
    while in_doubt > FEW_CANDIDATES * n_curves:
        middle = 0.5 * (early + late)
        if middle <= early or middle >= late:
            break
        if _weight_by(curves, state, i, middle, curves.speeds[:, i]) >= curves.rank:
            late = middle
            _fill_ended(curves, state, i, late, high)
        else:
            early = middle
            _fill_ended(curves, state, i, early, low)
        in_doubt = (high - low).sum()
    return _next_times(curves, state, i, low)


@njit(cache=True, nogil=True)
def _fill_ended(curves, state, i, t, entries):
    """Fill the number of ended entries of each curve at age t; return their sum."""
    t *= 1.0 + SLACK_RELATIVE
    stage = _stage(state, i, t)
    for k in range(curves.longest.shape[0]):
        work = state.work[stage, k] + curves.speeds[k, stage] * (t - state.elapsed[stage])
        entries[k] = _count_below(curves, k, work * (1.0 + SLACK_RELATIVE))
    return entries.sum()


@njit(cache=True, nogil=True)
def _next_times(curves, state, i, entries):
    """Time of the request that completes the rank, with `entries` ended before; advances them."""
    n_curves = curves.longest.shape[0]
    weight = np.int64(0)
    for k in range(n_curves):
        weight += curves.upto[curves.start[k] + k + entries[k]]
    time = 0.0
    while weight < curves.rank:
        time = np.inf
        earliest = 0
        for k in range(n_curves):
            if entries[k] < curves.start[k + 1] - curves.start[k]:
                t = _time_of(curves, state, i, k, curves.demand[curves.start[k] + entries[k]])
                if t < time:
                    time = t
                    earliest = k
        at = curves.start[earliest] + earliest + entries[earliest]
        weight += curves.upto[at + 1] - curves.upto[at]
        entries[earliest] += 1
    return time


@njit(cache=True, nogil=True)
def _time_of(curves, state, i, k, demand):
    """Execution time of `demand` on curve k, staying on rung i from depth i."""
    while i > 0 and demand <= state.work[i, k]:
        i -= 1
    return state.elapsed[i] + (demand - state.work[i, k]) / curves.speeds[k, i]
