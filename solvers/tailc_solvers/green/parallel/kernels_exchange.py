"""Kernels that choose one schedule per job by exchanges of up to three jobs (`exchange`)."""

import numpy as np

from tailc_solvers.loops import inlined_loops, inner_loops, plain_loops

SAVED = 1e-9
"""Relative: a swap that saves less is none."""

ALL, LESS = 0, 1
"""Sums over all jobs, and less the one that is next to be swapped."""


@plain_loops
def descend(pool, site, chosen, work):
    """Improve a choice of one schedule per job by exchanges until none helps; return its cost.

    pool: the schedules (SchedulePool). site: servers, energy and costs (ExchangeLimits). chosen:
    number of each job's schedule; changed in place [J]. work: working memory (ExchangeSums).
    """
    while True:
        least = _sum_up(pool, site, chosen, work)
        if _best_swap(pool, site, chosen, work, least * (1 - SAVED)) >= least:
            return least
        for i in range(work.jobs.size):
            if work.best_jobs[i] >= 0:
                chosen[work.best_jobs[i]] = work.best_new[i]


@inner_loops
def _best_swap(pool, site, chosen, work, best):
    """Write the first of the best exchanges below cost `best`; return its cost, or infinity.

    Exchanges are enumerated in order, each further job within the one before it.
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
            _put_sums(pool, site, work, depth, k)
            depth += 1
            _turn_to(pool, site, chosen, work, depth, j + 1)
    return found


@inner_loops
def _sum_up(pool, site, chosen, work):
    """Write the sums over the chosen schedules; return their cost."""
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
    """Leave no job out of the sums at `depth`."""
    work.jobs[depth] = -1
    for t in range(work.cost.shape[2]):
        work.cost[LESS, depth, t] = work.cost[ALL, depth, t]
        for i in range(2):
            work.rest[LESS, depth, i, t] = work.rest[ALL, depth, i, t]


@inlined_loops
def _turn_to(pool, site, chosen, work, depth, job):
    """Continue with the schedules of a job: leave its own out, and include the last job's again."""
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


@inner_loops
def _put_sums(pool, site, work, depth, k):
    """Write the sums of the next depth: those of this one plus a schedule."""
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
    """Cost of the sums at `depth` plus a schedule; infinite from `most` on.

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
