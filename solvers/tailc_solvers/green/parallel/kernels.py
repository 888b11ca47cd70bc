"""Loops of the search for one job's schedule, and of the choice among schedules.

The search is for costs to go over states (epoch, work left) and the level before. Epochs
k = 0..K-1 count from the start. A job whose work is done ends, or runs on where the states say so.
"""

import numpy as np

from tailc_solvers.loops import inlined_loops, plain_loops

NEVER = np.int64(1) << 60
"""More than any cost; twice as much is still a number."""

DONE, LOST = -1, -2
"""After an epoch: no work is left, or more than can be done."""

SAVED = 1e-9
"""Relative: a swap that saves less is none."""

ALL, LESS = 0, 1
"""Sums over all jobs, and less the one that is next to be swapped."""


@plain_loops
def price(run, size, block, per_mj, keep, costs):
    """Write what each epoch of a run costs by level before and level, rounded down.

    `run` is the Parts of one, `block` [B, K] are prices of whole blocks of `size` [B] servers, and
    `per_mj` [K + 1] of energy. Costs are rounded from this share of them, `keep`.
    """
    K, L = run.busy_mj.shape
    for k in range(K):
        for level in range(L):
            given = run.waiting[k]
            for b in range(size.size):
                given += block[b, k] * (run.servers[level] // size[b])
            for p in range(L):
                energy = per_mj[k] * (run.moves_mj[p, level] + run.busy_mj[k, level])
                costs.stage[k, p, level] = np.floor((energy + given) * keep)
            if k == 0:
                energy = per_mj[k] * (run.first_mj[level] + run.busy_mj[k, level])
                costs.first[level] = np.floor((energy + given) * keep)
            costs.end[k, level] = np.floor(per_mj[k + 1] * run.end_mj[level] * keep)


@plain_loops
def price_beside(run, free, over, cost, lacking, costs):
    """Write what each epoch of a run adds to what other jobs cost, rounded down.

    `run` is the Parts of one, `free` [K] are servers that others leave, and `over` [S, K + 1] is
    the energy that they take beyond what is green, or less; brown energy costs `cost` [S, K + 1],
    nothing after the last epoch, and a server that is not there `lacking`.
    """
    K, L = run.busy_mj.shape
    for k in range(K):
        for level in range(L):
            given = run.waiting[k] + lacking * max(run.servers[level] - free[k], 0)
            for p in range(L):
                energy_mj = run.moves_mj[p, level] + run.busy_mj[k, level]
                costs.stage[k, p, level] = np.floor(_brown(over, cost, k, energy_mj) + given)
            if k == 0:
                energy_mj = run.first_mj[level] + run.busy_mj[k, level]
                costs.first[level] = np.floor(_brown(over, cost, k, energy_mj) + given)
            costs.end[k, level] = np.floor(_brown(over, cost, k + 1, run.end_mj[level]))


@inlined_loops
def _brown(over, cost, k, energy_mj):
    """Cost of more energy in an epoch."""
    more = 0.0
    for s in range(over.shape[0]):
        more += cost[s, k] * (max(over[s, k] + energy_mj, 0) - max(over[s, k], 0))
    return more


@plain_loops
def fill(costs, states, value):
    """Fill `value` [N, L] and return the least cost of all; NEVER where there is none.

    `costs.first` [L], `costs.stage` [K, L, L] and `costs.end` [K, L] are at least zero. The value
    of a state and a level is the least cost from its epoch on after that level.
    """
    K, L = costs.end.shape
    for k in range(K - 1, 0, -1):
        for i in range(states.first[k], states.first[k + 1]):
            for p in range(L):
                value[i, p] = NEVER
            for level in range(L):
                after = _after(costs, states, value, k, i, level)
                for p in range(L):
                    value[i, p] = min(value[i, p], costs.stage[k, p, level] + after)
    best = NEVER
    for level in range(L):
        best = min(best, costs.first[level] + _after(costs, states, value, 0, 0, level))
    return best


@plain_loops
def _after(costs, states, value, k, i, level):
    """Cost after epoch k, which began in state i, on a level; NEVER where the work is lost."""
    after = states.after[i, level]
    if after >= 0:
        return value[after, level]
    if after == LOST:
        return NEVER
    idle = states.idle[k + 1]
    return costs.end[k, level] if idle < 0 else min(costs.end[k, level], value[idle, level])


@plain_loops
def trace(costs, states, value, work, work_left, levels):
    """Write the levels of the least cost that `fill` found, lower ones first; return how many.

    The job ends where its work does, which a grid may have rounded down.
    """
    K, L = costs.end.shape
    i, before, done = 0, 0, 0
    for k in range(K):
        best, chosen = 2 * NEVER, 0
        for level in range(L):
            cost = costs.first[level] if k == 0 else costs.stage[k, before, level]
            cost += _after(costs, states, value, k, i, level)
            if cost < min(best, NEVER):
                best, chosen = cost, level
        levels[k] = chosen
        done += work[k, chosen]
        if done >= work_left:
            return k + 1
        i, before = states.after[i, chosen], chosen
    return K


@plain_loops
def descend(pool, site, chosen, work):
    """Change `chosen` [J] by the best swaps of a few jobs at once until none helps; its cost.

    As in `exchange`: `pool` is a Pool, `site` its Bounds, and `work` what is in progress.
    """
    while True:
        least = _sum_up(pool, site, chosen, work)
        if _best_swap(pool, site, chosen, work, least * (1 - SAVED)) >= least:
            return least
        for i in range(work.jobs.size):
            if work.best_jobs[i] >= 0:
                chosen[work.best_jobs[i]] = work.best_new[i]


@plain_loops
def _best_swap(pool, site, chosen, work, best):
    """Write the first of the best swaps that cost less than `best`; its cost, or infinity.

    Swaps are gone through in order, each further job within the one before it.
    """
    J, at_once, first = chosen.size, work.jobs.size, pool.first
    found, depth = np.inf, 0
    _turn_to(pool, site, chosen, work, 0, 0)
    while depth >= 0:
        j, k = work.jobs[depth], work.new[depth] + 1
        k += k == chosen[j]
        work.new[depth] = k
        if k >= first[j + 1]:
            if j + 1 < J:
                _turn_to(pool, site, chosen, work, depth, j + 1)
            else:
                depth -= 1
            continue
        cost = _cost(pool, site, work, depth, k, best)
        if cost < best:
            best = found = cost
            for i in range(at_once):
                work.best_jobs[i] = work.jobs[i] if i <= depth else -1
                work.best_new[i] = work.new[i]
        if depth + 1 < at_once and j + 1 < J:
            _put(pool, site, work, depth, k)
            depth += 1
            _turn_to(pool, site, chosen, work, depth, j + 1)
    return found


@plain_loops
def _sum_up(pool, site, chosen, work):
    """Write the sums over the chosen schedules; what they cost."""
    for i in range(2):
        work.base[ALL, 0, i] = 0.0
        for t in range(work.rest.shape[3]):
            work.rest[ALL, 0, i, t] = 0.0
    for k in chosen:
        for i in range(2):
            work.base[ALL, 0, i] += pool.own[k, i]
        for t in range(pool.span[k, 0], pool.span[k, 1]):
            work.rest[ALL, 0, 0, t] += pool.servers[k, t]
            work.rest[ALL, 0, 1, t] += pool.energy_mj[k, t]
    for t in range(work.cost.shape[2]):
        cost = _cost_at(site, t, work.rest[ALL, 0, 0, t], work.rest[ALL, 0, 1, t])
        work.cost[ALL, 0, t] = cost
        work.base[ALL, 0, 0] += cost
    _begin(work, 0)
    return work.base[ALL, 0, 0]


@inlined_loops
def _begin(work, depth):
    """Leave none out of the sums at `depth`."""
    work.jobs[depth] = -1
    for t in range(work.cost.shape[2]):
        work.cost[LESS, depth, t] = work.cost[ALL, depth, t]
        for i in range(2):
            work.rest[LESS, depth, i, t] = work.rest[ALL, depth, i, t]


@inlined_loops
def _turn_to(pool, site, chosen, work, depth, job):
    """Go on with the schedules of a job: leave its own out, and no longer that of the last job."""
    if work.jobs[depth] >= 0:
        last = chosen[work.jobs[depth]]
        for t in range(pool.span[last, 0], pool.span[last, 1]):
            work.cost[LESS, depth, t] = work.cost[ALL, depth, t]
            for i in range(2):
                work.rest[LESS, depth, i, t] = work.rest[ALL, depth, i, t]
    work.jobs[depth], work.new[depth] = job, pool.first[job] - 1
    k = chosen[job]
    for i in range(2):
        work.base[LESS, depth, i] = work.base[ALL, depth, i] - pool.own[k, i]
    for t in range(pool.span[k, 0], pool.span[k, 1]):
        servers = work.rest[ALL, depth, 0, t] - pool.servers[k, t]
        energy_mj = work.rest[ALL, depth, 1, t] - pool.energy_mj[k, t]
        cost = _cost_at(site, t, servers, energy_mj)
        work.base[LESS, depth, 0] += cost - work.cost[ALL, depth, t]
        work.rest[LESS, depth, 0, t], work.rest[LESS, depth, 1, t] = servers, energy_mj
        work.cost[LESS, depth, t] = cost


@plain_loops
def _put(pool, site, work, depth, k):
    """Write the sums of the next depth: those of this one, and a schedule."""
    for i in range(2):
        work.base[ALL, depth + 1, i] = work.base[LESS, depth, i] + pool.own[k, i]
    for t in range(work.cost.shape[2]):
        servers = work.rest[LESS, depth, 0, t] + pool.servers[k, t]
        energy_mj = work.rest[LESS, depth, 1, t] + pool.energy_mj[k, t]
        cost = _cost_at(site, t, servers, energy_mj)
        work.base[ALL, depth + 1, 0] += cost - work.cost[LESS, depth, t]
        work.rest[ALL, depth + 1, 0, t], work.rest[ALL, depth + 1, 1, t] = servers, energy_mj
        work.cost[ALL, depth + 1, t] = cost
    _begin(work, depth + 1)


@inlined_loops
def _cost(pool, site, work, depth, k, most):
    """What the sums at `depth` and a schedule cost; infinite from `most` on.

    Only epochs of the schedule can cost more with it, and none costs less.
    """
    total = np.inf
    if site.bound + work.base[LESS, depth, 1] + pool.own[k, 1] < most:
        total = work.base[LESS, depth, 0] + pool.own[k, 0]
    t = pool.span[k, 0]
    while total < most and t < pool.span[k, 1]:
        servers = work.rest[LESS, depth, 0, t] + pool.servers[k, t]
        energy_mj = work.rest[LESS, depth, 1, t] + pool.energy_mj[k, t]
        total += _cost_at(site, t, servers, energy_mj) - work.cost[LESS, depth, t]
        t += 1
    return total


@inlined_loops
def _cost_at(site, t, servers, energy_mj):
    cost = site.lacking * max(servers - site.room, 0.0)
    for s in range(site.green_mj.shape[0]):
        cost += site.cost[s, t] * max(energy_mj - site.green_mj[s, t], 0.0)
    return cost
