"""Grid search for requests that follow a few common speed-up curves, by prefix sums.

With the demands of one curve sorted, G(x) = sum of weight * min(demand, x) is one look-up, and the
mean time and cost of a schedule are sums of differences of G at its work breakpoints. The search
walks the tree of steps (a_1, a_2, ..) depth first. A node at depth i fixes the times on the first i
rungs, and is the schedule that stays on rung i (0-based).

A subtree is searched only for the rows (loads) that may improve in it. Its tail, wait and cost are
at least those of doing the remaining work on the later rung that is best for each. With one curve a
Lagrangian of the row, alpha W + beta T - gamma L less a constant, is a sharper bound: it is
separable in work, so the least that the remaining work can add is a table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.intervals.kernels import (
    COST_UNITS,
    NEVER_STEPS,
    SLACK_COST,
    SLACK_RELATIVE,
    LoadRows,
    common_prefix,
    depth_at,
    is_zero,
    latest_finish,
    latest_tail,
    offer,
)
from tailc_solvers.loops import inner_loops, plain_loops

FEW_CANDIDATES = 6


class SortedCurves(NamedTuple):
    """The demands of each speed-up curve, sorted, with prefix sums to evaluate schedules fast.

    start, demand: curve k has the entries start[k] to start[k + 1] - 1, ascending. below, above,
    upto: for each entry and the end of its curve, the weighted sum of the demands before it, the
    weight from it on, and the weight before it. bin_first: number of demands of curve k in bins
    before bin j. bin_rate: the bin is floor(demand * rate). longest, work: largest demand and
    weighted sum of each curve. climbs: no curve is slower on the last rung than before.
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
    climbs: bool


class Floors(NamedTuple):
    """Lower bounds for each unit of work that is done on rung i or later.

    time, cost: on execution time and cost-time [curves, rungs]. speed: 1 / `time`. wait: on the
    wait of each load [loads, curves, rungs].
    """

    time: NDArray[np.float64]
    speed: NDArray[np.float64]
    cost: NDArray[np.float64]
    wait: NDArray[np.float64]


class LagrangianPrices(NamedTuple):
    """Lower bounds on the objective of each load, from a Lagrangian; for one speed-up curve only.

    It is alpha W + beta T - gamma L - constant. rest: least value that the work from cell m on can
    add on rung i or later [loads, rungs, cells]; cells divide the work up to the demand quantile.
    rate: least value per unit of work in a cell. cells_per_ms: 0: there is no bound.
    """

    alpha: NDArray[np.float64]
    beta: NDArray[np.float64]
    gamma: NDArray[np.float64]
    constant: NDArray[np.float64]
    rest: NDArray[np.float64]
    rate: NDArray[np.float64]
    cells_per_ms: float


class CurvePath(NamedTuple):
    """Working memory of the search over common curves: the path from the root to the current node.

    Entry i of an array is the node at depth i, where the durations on the first i rungs are fixed.
    work, sum: work done there, and G of it [depth, curves]. elapsed: execution time [ms]. time,
    cost: weighted sums. tail: time at which the work of the demand quantile was done, or inf.
    steps, left: grid steps on each rung, and those that remain. row[i, :rows[i]]: loads that may
    improve at the node or below. following: the next duration to try. low, high: range of entries
    of each curve.
    """

    work: NDArray[np.float64]
    sum: NDArray[np.float64]
    elapsed: NDArray[np.float64]
    time: NDArray[np.float64]
    cost: NDArray[np.float64]
    tail: NDArray[np.float64]
    steps: NDArray[np.int64]
    left: NDArray[np.int64]
    row: NDArray[np.int64]
    rows: NDArray[np.int64]
    following: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


@plain_loops
def search_curves(curves, bounds, rows, best, state, items, share, cap):
    """Search the subtrees of items[first:end] for better schedules, for common speed-up curves.

    share: (first, end, stride); only whole strides are searched. An item [depth] is the first
    durations of a schedule. Updates `best`. Returns the number of nodes, and whether `cap` nodes
    were enough.
    """
    depth = items.shape[1]
    seen = 0
    reached = 0
    closed = depth + 1
    first, end, stride = share
    for item in range(first, end):
        if seen + depth + 1 > cap:
            return seen, False
        if item > first:
            common = common_prefix(items, item)
            if common >= closed:
                continue
            reached = min(reached, common)
        reached, count = _walk_to(curves, bounds, rows, best, state, items[item], reached, stride)
        seen += count
        closed = reached + 1
        if reached < depth:
            continue
        count, complete = _search_below(
            curves, bounds, rows, best, state, depth, stride, cap - seen
        )
        seen += count
        if not complete:
            return seen, False
    return seen, True


def new_state(curves: SortedCurves, rows: LoadRows) -> CurvePath:
    """Working memory of the search over common curves, at the root of the search tree."""
    n = rows.costs.shape[0]
    n_curves = curves.speeds.shape[0]
    state = CurvePath(
        np.zeros((n, n_curves)),
        np.zeros((n, n_curves)),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.full(n, np.inf),
        np.zeros(n, dtype=np.int64),
        np.full(n, rows.longest, dtype=np.int64),
        np.zeros((n + 1, rows.load.shape[0]), dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n_curves, dtype=np.int64),
        np.zeros(n_curves, dtype=np.int64),
    )
    state.row[0, : rows.all.shape[0]] = rows.all
    state.rows[0] = rows.all.shape[0]
    return state


@inner_loops
def _walk_to(curves, bounds, rows, best, state, item, depth, stride):
    """Fill the nodes from `depth` down to an item; return the depth reached and the nodes seen.

    It stops above a node in which no row can improve, or that equals a lexicographically smaller
    one because requests end before it.
    """
    state.steps[depth + 1 :] = 0
    seen = 0
    for i in range(depth, item.shape[0]):
        if item[i] > 0 and _has_ended(curves, state, i, (item[i] - stride) * rows.step_ms):
            return i, seen
        if is_zero(item, i) and not _has_ended(curves, state, i, 0.0):
            # The first item below this node also represents the node itself.
            state.steps[i + 1] = NEVER_STEPS
            _offer_node(curves, rows, best, state, i, i)
        _descend(curves, rows, state, i, item[i])
        seen += 1
        if not _keep_rows(curves, bounds, rows, best, state, i, i + 1):
            return i, seen
    return item.shape[0], seen


@inner_loops
def _has_ended(curves, state, i, more_ms):
    """Whether all requests have ended after `more_ms` on rung i from the node at depth i."""
    for k in range(curves.longest.shape[0]):
        if state.work[i, k] + curves.speeds[k, i] * more_ms < curves.longest[k]:
            return False
    return True


@inner_loops
def _search_below(curves, bounds, rows, best, state, depth, stride, cap):
    """Search the subtree of the node at `depth`; return nodes seen and whether it was finished."""
    n = rows.costs.shape[0]
    following = state.following
    following[:] = 0
    seen = 1
    i = depth
    is_open, _ = _visit(curves, bounds, rows, best, state, i, i)
    if not is_open:
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
        is_open, is_early = _visit(curves, bounds, rows, best, state, i, i + 1)
        if is_open:
            i += 1
            following[i] = 0
        elif i == n - 2 and not is_early and curves.climbs:
            # A longer stretch on the slower rung only ends later.
            following[i] = state.left[i] + 1
    return seen, True


@inner_loops
def _visit(curves, bounds, rows, best, state, above, i):
    """Offer the node at depth i to the rows of the one above it.

    Returns whether deeper nodes may improve a row, and whether the schedule was early enough to.
    """
    n = rows.costs.shape[0]
    state.steps[i + 1 :] = 0
    if i < n - 1 and not _has_ended(curves, state, i, 0.0):
        # Filter first: the incumbents can only improve, and fewer rows are offered the node.
        is_open = _keep_rows(curves, bounds, rows, best, state, above, i)
        if is_open:
            state.steps[i + 1] = NEVER_STEPS
            _offer_node(curves, rows, best, state, i, i)
        return is_open, True
    return False, _offer_node(curves, rows, best, state, above, i)


@inner_loops
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


@inner_loops
def _tail_on(curves, state, i):
    """When the quantile's work is done on rung i (one curve)."""
    return state.elapsed[i] + (curves.rank_demand - state.work[i, 0]) / curves.speeds[0, i]


@inner_loops
def _count_below(curves, k, work):
    """Number of entries of curve k with less demand than `work`."""
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


@inner_loops
def _sum_of_least(curves, k, work):
    """Weighted sum over curve k of min(demand, work)."""
    entry = curves.start[k] + k + _count_below(curves, k, work)
    above = curves.above[entry]
    # Beyond the longest demand `work` may be infinite, and nothing is above it.
    return curves.below[entry] + (above * work if above > 0.0 else 0.0)


@inner_loops
def _offer_node(curves, rows, best, state, above, i):
    """Offer the schedule that stays on rung i from the node at depth i to the rows of one above.

    Returns whether its T alone left a row to win.
    """
    time = 0.0
    for k in range(curves.longest.shape[0]):
        time += (curves.work[k] - state.sum[i, k]) / curves.speeds[k, i]
    L = (state.time[i] + time) / curves.total
    W = (state.cost[i] + rows.costs[i] * time) / curves.total
    among = state.row[above, : state.rows[above]]
    if curves.longest.shape[0] == 1:
        T = state.tail[i]
        if np.isinf(T):
            T = _tail_on(curves, state, i)
        return offer(rows, best, among, state.steps, T, L, W)
    latest = latest_tail(rows, best, among, W, W, L)
    if _weight_by(curves, state, i, latest, curves.speeds[:, i]) < curves.rank:
        return True
    return offer(rows, best, among, state.steps, _mixture_tail(curves, state, i, latest), L, W)


@inner_loops
def _keep_rows(curves, bounds, rows, best, state, above, i):
    """List the rows of the node at depth `above` that may improve at the node at depth i, or below.

    Returns whether there are any.
    """
    floors, prices = bounds
    count = 0
    latest_of_all = -np.inf
    for j in range(state.rows[above]):
        q = state.row[above, j]
        latest = _latest_below(curves, floors, rows, best, state, i, q)
        if prices.cells_per_ms > 0.0 and _is_priced_out(curves, prices, rows, best, state, i, q):
            continue
        if curves.longest.shape[0] == 1 and not _can_finish_by(curves, floors, state, i, latest):
            continue
        if latest >= 0.0:
            latest_of_all = max(latest_of_all, latest)
            state.row[i, count] = q
            count += 1
    if count > 0 and not _can_finish_by(curves, floors, state, i, latest_of_all):
        count = 0
    state.rows[i] = count
    return count > 0


@inner_loops
def _latest_below(curves, floors, rows, best, state, i, q):
    """Largest T with which a schedule through the node at depth i may win row q; -inf if none."""
    need = rows.wait_per_cost[q] * state.cost[i] - state.time[i]
    cost = state.cost[i]
    for k in range(curves.longest.shape[0]):
        rest = curves.work[k] - state.sum[i, k]
        need += rest * floors.wait[q, k, i]
        cost += rest * floors.cost[k, i]
    wait = max(0.0, need / curves.total) * (1.0 - SLACK_RELATIVE)
    if wait > rows.longest * rows.step_ms * (1.0 + SLACK_RELATIVE):
        return -np.inf
    return latest_finish(rows, best, q, cost / curves.total) - wait


@inner_loops
def _is_priced_out(curves, prices, rows, best, state, i, q):
    """Whether row q's Lagrangian exceeds its incumbent in all schedules through the node."""
    work = state.work[i, 0]
    if work >= curves.rank_demand:
        return False
    cell = min(np.int64(work * prices.cells_per_ms), prices.rate.shape[2] - 1)
    to_cell_end = (cell + 1) / prices.cells_per_ms - work
    value = prices.rest[q, i, cell + 1] + to_cell_end * prices.rate[q, i, cell]
    value += prices.beta[q] * state.elapsed[i] - prices.constant[q]
    value += (prices.alpha[q] * state.cost[i] - prices.gamma[q] * state.time[i]) / curves.total
    if rows.by_cost:
        return best.key[q, 0] / COST_UNITS + SLACK_COST < value * (1.0 - SLACK_RELATIVE)
    return latest_finish(rows, best, q, 0.0) < value * (1.0 - SLACK_RELATIVE)


@inner_loops
def _can_finish_by(curves, floors, state, i, latest):
    """Whether the quantile could be reached by `latest` on the fastest rungs from depth i on."""
    if curves.longest.shape[0] > 1:
        return _weight_by(curves, state, i, latest, floors.speed[:, i]) >= curves.rank
    tail = state.tail[i]
    if np.isinf(tail):
        rest = curves.rank_demand - state.work[i, 0]
        tail = state.elapsed[i] + rest * floors.time[0, i]
    return tail * (1.0 - SLACK_RELATIVE) <= latest


@inner_loops
def _weight_by(curves, state, i, t, last_speeds):
    """Weight of the requests ended by age t, at `last_speeds` [curves] from depth i on.

    Ages are rounded up by the relative slack, so the count is never too small.
    """
    if not t >= 0.0:
        return np.int64(0)
    t *= 1.0 + SLACK_RELATIVE
    stage = depth_at(state.elapsed, i, t)
    weight = np.int64(0)
    for k in range(curves.longest.shape[0]):
        s = last_speeds[k] if stage == i else curves.speeds[k, stage]
        work = state.work[stage, k] + s * (t - state.elapsed[stage])
        entries = _count_below(curves, k, work * (1.0 + SLACK_RELATIVE))
        weight += curves.upto[curves.start[k] + k + entries]
    return weight


@inner_loops
def _mixture_tail(curves, state, i, latest):
    """Execution tail of staying on rung i, known to be at most `latest`.

    Bisection on the age until few requests remain, then their times in order.
    """
    n_curves = curves.longest.shape[0]
    low = state.low
    low[:] = 0
    high = state.high
    early = 0.0
    late = latest
    if late == np.inf:
        late = state.elapsed[i]
        for k in range(n_curves):
            late = max(late, state.elapsed[i] + curves.longest[k] / curves.speeds[k, i])
    ended_early = 0
    ended_late = _fill_ended(curves, state, i, late, high)
    while ended_late - ended_early > FEW_CANDIDATES * n_curves:
        middle = 0.5 * (early + late)
        if middle <= early or middle >= late:
            break
        if _weight_by(curves, state, i, middle, curves.speeds[:, i]) >= curves.rank:
            late = middle
            ended_late = _fill_ended(curves, state, i, late, high)
        else:
            early = middle
            ended_early = _fill_ended(curves, state, i, early, low)
    return _next_times(curves, state, i, low)


@inner_loops
def _fill_ended(curves, state, i, t, entries):
    """Fill the number of ended entries of each curve at age t; return their sum."""
    t *= 1.0 + SLACK_RELATIVE
    stage = depth_at(state.elapsed, i, t)
    for k in range(curves.longest.shape[0]):
        work = state.work[stage, k] + curves.speeds[k, stage] * (t - state.elapsed[stage])
        entries[k] = _count_below(curves, k, work * (1.0 + SLACK_RELATIVE))
    count = 0
    for k in range(entries.shape[0]):
        count += entries[k]
    return count


@inner_loops
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


@inner_loops
def _time_of(curves, state, i, k, demand):
    """Execution time of `demand` on curve k, staying on rung i from depth i."""
    while i > 0 and demand <= state.work[i, k]:
        i -= 1
    return state.elapsed[i] + (demand - state.work[i, k]) / curves.speeds[k, i]
