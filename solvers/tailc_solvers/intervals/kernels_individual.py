"""Grid search for requests that each have their own speed-up curve.

Work differs between requests, so a node of the search tree (see kernels_curves.py) has the list of
requests that still run there, with their remaining work. The times on the last rung but one are not
enumerated: the total time on the last two rungs is piecewise linear in that time, with one kink per
request, so one pass over the requests into buckets of steps computes it for the whole grid.

The tail is the expensive part and is computed last. For a schedule, the largest tail with which it
would be the best of a row is determined first; then the number of requests that end by that age
decides; the order statistic is computed only for the few schedules that remain.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.intervals.kernels import (
    NEVER_STEPS,
    SLACK_RELATIVE,
    common_prefix,
    depth_at,
    is_zero,
    latest_tail,
    offer,
)
from tailc_solvers.loops import inner_loops, plain_loops


class Crowd(NamedTuple):
    """Requests that each have their own speed-up curve, with bounds for the grid search.

    Attributes:
        demand, weight: of each request [R].
        speeds: of each request on each rung [rungs, R].
        least_time, most_time, least_cost: bounds per unit of work that is done on rung i or later
            [rungs, R].
        total: sum of the weights.
        rank: rank of the tail.
        climbs: whether no request is slower on the last rung than on the one before.
    """

    demand: NDArray[np.float64]
    weight: NDArray[np.int64]
    speeds: NDArray[np.float64]
    least_time: NDArray[np.float64]
    most_time: NDArray[np.float64]
    least_cost: NDArray[np.float64]
    total: float
    rank: int
    climbs: bool


class Path(NamedTuple):
    """Working memory of the search over individual curves: the path to the current node.

    Entry i of an array is the node at depth i, where the durations on the first i rungs are fixed.

    Attributes:
        member, left: requests that still run at the node, and their remaining work [depth, R].
        running: number of these requests.
        ended: weight of the requests that have ended.
        elapsed: execution time until there [ms].
        time, cost: weighted sums of time and cost until there.
        rest_time: weighted time of the remaining work on the node's rung.
        rest_cost, rest_slow: the same at the least cost, and at the least speed.
        steps, room: grid steps on each rung, and those that remain.
        following: the next duration to try there, in steps.
        found, found_weight: buffers for the times of the tail [R].
    """

    member: NDArray[np.int64]
    left: NDArray[np.float64]
    running: NDArray[np.int64]
    ended: NDArray[np.int64]
    elapsed: NDArray[np.float64]
    time: NDArray[np.float64]
    cost: NDArray[np.float64]
    rest_time: NDArray[np.float64]
    rest_cost: NDArray[np.float64]
    rest_slow: NDArray[np.float64]
    steps: NDArray[np.int64]
    room: NDArray[np.int64]
    following: NDArray[np.int64]
    found: NDArray[np.float64]
    found_weight: NDArray[np.int64]


class Buckets(NamedTuple):
    """Sums over running requests, by the grid steps that they need on the second to last rung.

    Attributes:
        stretch, weight: weighted time on that rung, and weight, of the requests that end there.
        later, spared: weighted time of their work on the last rung, and by how much a ms on the
            rung before shortens it.
        L, W: mean execution time and cost-time of the schedule that stays that long on the rung.
        latest: largest tail with which that schedule may be the best.
    """

    stretch: NDArray[np.float64]
    weight: NDArray[np.float64]
    later: NDArray[np.float64]
    spared: NDArray[np.float64]
    L: NDArray[np.float64]
    W: NDArray[np.float64]
    latest: NDArray[np.float64]


@plain_loops
def search_individual(crowd, rows, best, path, buckets, items, share, cap):
    """Search the subtrees of items[first:end] for better schedules, for individual speed-up curves.

    share: (first, end, stride); only whole strides are searched. An item [depth] is the first
    durations of a schedule, in steps. path, buckets: new working memory. best: updated. Returns the
    number of nodes, and whether the search was completed before `cap` nodes.
    """
    depth = items.shape[1]
    for r in range(crowd.demand.shape[0]):
        _add_rest(crowd, path, 0, r, crowd.demand[r])
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
        reached, count = _walk_to(crowd, rows, best, path, items[item], reached)
        seen += count
        closed = reached + 1
        if reached < depth:
            continue
        count, complete = _search_below(crowd, rows, best, path, buckets, depth, stride, cap - seen)
        seen += count
        if not complete:
            return seen, False
    return seen, True


def new_path(crowd: Crowd, n: int, longest: int) -> Path:
    """Working memory of the search over individual curves, at the root: every request is running.

    n: number of rungs. longest: largest time on a rung, in grid steps.
    """
    requests = crowd.demand.size
    path = Path(
        np.zeros((n, requests), dtype=np.int64),
        np.zeros((n, requests)),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
        np.full(n, longest, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(requests),
        np.zeros(requests, dtype=np.int64),
    )
    path.member[0] = np.arange(requests)
    path.left[0] = crowd.demand
    path.running[0] = requests
    return path


def new_buckets(longest: int) -> Buckets:
    """Empty buckets for times of up to `longest` grid steps, and one for longer times."""
    size = longest + 2
    return Buckets(*(np.zeros(size) for _ in Buckets._fields))


@inner_loops
def _walk_to(crowd, rows, best, path, item, depth):
    """Fill the nodes from `depth` down to an item; return the depth reached and the nodes seen.

    It stops above a node in which no row can improve, or that equals a lexicographically smaller
    one because requests end before it.
    """
    path.steps[depth + 1 :] = 0
    seen = 0
    for i in range(depth, item.shape[0]):
        if item[i] > 0 and path.running[i] == 0:
            return i, seen
        if is_zero(item, i) and path.running[i] > 0:
            # The first item below this node also represents the node itself.
            path.steps[i + 1] = NEVER_STEPS
            _offer_node(crowd, rows, best, path, i)
        _descend(crowd, rows, path, i, item[i])
        seen += 1
        if not _may_improve(crowd, rows, best, path, i + 1):
            return i, seen
    return item.shape[0], seen


@inner_loops
def _search_below(crowd, rows, best, path, buckets, depth, stride, cap):
    """Search the subtree of the node at `depth`; return nodes seen and whether it was finished."""
    n = rows.costs.shape[0]
    following = path.following
    seen = 0
    i = depth
    path.steps[depth + 1 :] = 0
    is_entered = True
    while i >= depth:
        if seen >= cap:
            return seen, False
        if is_entered:
            is_entered = False
            following[i] = path.room[i] + 1
            seen += 1
            if _visit(crowd, rows, best, path, i):
                if i == n - 2:
                    if seen + path.room[i] // stride + 1 > cap:
                        return seen, False
                    seen += _search_last(crowd, rows, best, path, buckets, stride)
                else:
                    following[i] = 0
        elif following[i] > path.room[i]:
            i -= 1
        else:
            _descend(crowd, rows, path, i, following[i])
            following[i] += stride
            if path.running[i + 1] == 0:
                # Longer stretches change nothing and sort after this one.
                following[i] = path.room[i] + 1
            i += 1
            is_entered = True
    return seen, True


@inner_loops
def _visit(crowd, rows, best, path, i):
    """Offer the schedule that stays on rung i; return whether there are deeper nodes to search."""
    path.steps[i + 1 :] = 0
    if i < rows.costs.shape[0] - 1 and path.running[i] > 0:
        is_open = _may_improve(crowd, rows, best, path, i)
        if is_open:
            path.steps[i + 1] = NEVER_STEPS
            _offer_node(crowd, rows, best, path, i)
        return is_open
    _offer_node(crowd, rows, best, path, i)
    return False


@inner_loops
def _descend(crowd, rows, path, i, steps):
    """Fill the node at depth i + 1: `steps` on rung i after the node at depth i."""
    stretch = steps * rows.step_ms
    time = 0.0
    ended = np.int64(0)
    running = 0
    path.rest_time[i + 1] = 0.0
    path.rest_cost[i + 1] = 0.0
    path.rest_slow[i + 1] = 0.0
    for j in range(path.running[i]):
        r = path.member[i, j]
        done = crowd.speeds[i, r] * stretch
        left = path.left[i, j]
        if left <= done:
            time += crowd.weight[r] * left / crowd.speeds[i, r]
            ended += crowd.weight[r]
        else:
            time += crowd.weight[r] * stretch
            path.member[i + 1, running] = r
            path.left[i + 1, running] = left - done
            running += 1
            _add_rest(crowd, path, i + 1, r, left - done)
    path.running[i + 1] = running
    path.ended[i + 1] = path.ended[i] + ended
    path.time[i + 1] = path.time[i] + time
    path.cost[i + 1] = path.cost[i] + rows.costs[i] * time
    path.elapsed[i + 1] = path.elapsed[i] + stretch
    path.steps[i + 1] = steps
    path.room[i + 1] = path.room[i] - steps


@inner_loops
def _add_rest(crowd, path, i, r, left):
    """Add request r with `left` remaining work to the node's sums."""
    work = crowd.weight[r] * left
    path.rest_time[i] += work / crowd.speeds[i, r]
    path.rest_cost[i] += work * crowd.least_cost[i, r]
    path.rest_slow[i] += work * crowd.most_time[i, r]


@inner_loops
def _offer_node(crowd, rows, best, path, i):
    """Offer the schedule that stays on rung i from the node at depth i."""
    L = (path.time[i] + path.rest_time[i]) / crowd.total
    W = (path.cost[i] + rows.costs[i] * path.rest_time[i]) / crowd.total
    latest = latest_tail(rows, best, rows.all, W, W, L)
    if _weight_by(crowd, path, i, np.inf, latest) >= crowd.rank:
        offer(rows, best, rows.all, path.steps, _tail(crowd, path, i, np.inf, latest), L, W)


@inner_loops
def _may_improve(crowd, rows, best, path, i):
    """Whether a row may improve among the schedules through the node at depth i."""
    W = (path.cost[i] + path.rest_cost[i]) / crowd.total
    slowest = (path.time[i] + path.rest_slow[i]) / crowd.total
    latest = latest_tail(rows, best, rows.all, W, W, slowest)
    return _weight_at_best_by(crowd, path, i, latest) >= crowd.rank


@inner_loops
def _search_last(crowd, rows, best, path, buckets, stride):
    """Offer every stretch on the last rung but one, then the last rung; return their number.

    If no request is slower on the last rung, a longer stretch never ends the quantile sooner. Then
    one count at the shortest stretch of a block, at the latest tail with which any of the block
    could win, may discard the block; blocks grow while they are discarded.
    """
    i = rows.costs.shape[0] - 2
    _fill_buckets(crowd, rows, path, buckets, i)
    end = _fill_figures(crowd, rows, best, path, buckets, i, stride)
    block = end if crowd.climbs else 1
    first = 0
    while first < end:
        block = min(block, end - first)
        latest = -np.inf
        for steps in range(first, first + block):
            latest = max(latest, buckets.latest[steps])
        stretch = first * rows.step_ms
        if _weight_by(crowd, path, i, stretch, latest) < crowd.rank:
            first += block
            block *= 2 if crowd.climbs else 1
        elif block > 1:
            block = (block + 1) // 2
        else:
            path.steps[i + 1] = first
            T = _tail(crowd, path, i, stretch, latest)
            offer(rows, best, rows.all, path.steps, T, buckets.L[first], buckets.W[first])
            first += 1
    return (end - 1) // stride + 1


@inner_loops
def _fill_figures(crowd, rows, best, path, buckets, i, stride):
    """Fill L, W and the latest useful tail of each stretch; return the number of stretches.

    Stretches off the stride have no such tail. The last one is the first in which all requests end.
    """
    ended_stretch = 0.0
    running = 0.0
    later = 0.0
    spared = 0.0
    for steps in range(path.room[i] + 2):
        running += buckets.weight[steps]
        later += buckets.later[steps]
        spared += buckets.spared[steps]
    for steps in range(path.room[i] + 1):
        ended_stretch += buckets.stretch[steps]
        running -= buckets.weight[steps]
        later -= buckets.later[steps]
        spared -= buckets.spared[steps]
        stretch = steps * rows.step_ms
        time = ended_stretch + stretch * running
        # Without remaining requests the differences are only rounding.
        after = later - stretch * spared if running > 0.0 else 0.0
        L = (path.time[i] + time + after) / crowd.total
        W = (path.cost[i] + rows.costs[i] * time + rows.costs[i + 1] * after) / crowd.total
        buckets.L[steps] = L
        buckets.W[steps] = W
        buckets.latest[steps] = -np.inf
        if steps % stride == 0:
            buckets.latest[steps] = latest_tail(rows, best, rows.all, W, W, L)
        if running == 0.0:
            return steps + 1
    return path.room[i] + 1


@inner_loops
def _fill_buckets(crowd, rows, path, buckets, i):
    buckets.stretch[:] = 0.0
    buckets.weight[:] = 0.0
    buckets.later[:] = 0.0
    buckets.spared[:] = 0.0
    end = path.room[i] + 1
    for j in range(path.running[i]):
        r = path.member[i, j]
        stretch = path.left[i, j] / crowd.speeds[i, r]
        after = crowd.weight[r] / crowd.speeds[i + 1, r]
        steps = min(np.ceil(stretch / rows.step_ms), end)
        bucket = np.int64(steps)
        buckets.stretch[bucket] += crowd.weight[r] * stretch
        buckets.weight[bucket] += crowd.weight[r]
        buckets.later[bucket] += after * path.left[i, j]
        buckets.spared[bucket] += after * crowd.speeds[i, r]


@inner_loops
def _weight_by(crowd, path, i, stretch, t):
    """Weight ended by age t with `stretch` on rung i and then rung i + 1; never too small."""
    if not t >= 0.0:
        return np.int64(0)
    t *= 1.0 + SLACK_RELATIVE
    stage = depth_at(path.elapsed, i, t)
    on_rung = t - path.elapsed[stage]
    on_next = 0.0
    following = stage
    if stage == i and on_rung > stretch:
        on_next = on_rung - stretch
        on_rung = stretch
        following = stage + 1
    weight = path.ended[stage]
    for j in range(path.running[stage]):
        r = path.member[stage, j]
        work = crowd.speeds[stage, r] * on_rung + crowd.speeds[following, r] * on_next
        if path.left[stage, j] <= work * (1.0 + SLACK_RELATIVE):
            weight += crowd.weight[r]
    return weight


@inner_loops
def _weight_at_best_by(crowd, path, i, t):
    """Weight that could have ended by age t on each request's fastest rung from depth i on."""
    if t < path.elapsed[i]:
        return _weight_by(crowd, path, i, np.inf, t)
    t *= 1.0 + SLACK_RELATIVE
    left_ms = (t - path.elapsed[i]) * (1.0 + SLACK_RELATIVE)
    weight = path.ended[i]
    for j in range(path.running[i]):
        r = path.member[i, j]
        if path.left[i, j] * crowd.least_time[i, r] <= left_ms:
            weight += crowd.weight[r]
    return weight


@inner_loops
def _tail(crowd, path, i, stretch, latest):
    """Execution tail with `stretch` on rung i and then rung i + 1, known to be at most `latest`."""
    while i > 0 and path.ended[i] >= crowd.rank:
        i -= 1
        # The quantile ends on rung i, before the path leaves it.
        stretch = np.inf
    count = 0
    late = latest * (1.0 + 4.0 * SLACK_RELATIVE)
    for j in range(path.running[i]):
        r = path.member[i, j]
        t = path.left[i, j] / crowd.speeds[i, r]
        if t > stretch:
            beyond = path.left[i, j] - crowd.speeds[i, r] * stretch
            t = stretch + beyond / crowd.speeds[i + 1, r]
        if path.elapsed[i] + t <= late:
            path.found[count] = path.elapsed[i] + t
            path.found_weight[count] = crowd.weight[r]
            count += 1
    return _select(path.found, path.found_weight, count, crowd.rank - path.ended[i])


@inner_loops
def _select(values, weight, count, rank):
    """The smallest of `count` values whose cumulative weight is at least `rank`; reorders both.

    Quickselect with the middle element as pivot.
    """
    low = 0
    high = count - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i = low
        j = high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                weight[i], weight[j] = weight[j], weight[i]
                i += 1
                j -= 1
        # Now [low, j] <= pivot, (j, i) == pivot, [i, high] >= pivot.
        before = np.int64(0)
        for at in range(low, j + 1):
            before += weight[at]
        if rank <= before:
            high = j
            continue
        for at in range(j + 1, i):
            before += weight[at]
        if rank <= before:
            return pivot
        rank -= before
        low = i
    return values[low] if low < count else np.inf
