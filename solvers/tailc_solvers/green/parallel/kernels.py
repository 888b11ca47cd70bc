"""Kernels that search each job's schedules by dynamic programming over epochs.

A state is an epoch, the remaining work and the level of the epoch before. Epochs k = 0..K-1 count
from the start of a run. A job whose work is done ends, or keeps running if the states allow it.

All requested jobs are searched in one call, because passing one run's arrays from Python takes
longer than its search. `batch` is a RunBatch, `asked` a ScheduleRequests, and `found` a
ScheduleResults.
"""

import numpy as np

from tailc_solvers.green.parallel.parts import LevelCosts, RunArrays, States
from tailc_solvers.loops import inlined_loops, inner_loops, plain_loops

NEVER = np.int64(1) << 60
"""More than any cost; twice as much is still a number."""

DONE, LOST = -1, -2
"""After an epoch: no work is left, or more than can be done."""


@plain_loops
def spread(left, gain, first, most, runs_on, number, more, after):
    """List the possible amounts of a job's remaining work after an epoch; return their number.

    Args:
        left: possible amounts before the epoch.
        gain: work done in the epoch, by level (number of servers).
        first: number of the first amount.
        most: largest amount from which the job can still finish.
        runs_on: whether a job without remaining work keeps running, so that 0 is a possible amount.
        number: number of each amount; smaller entries are from earlier epochs. Updated.
        more: set to the amounts.
        after: set to the number of the amount after each amount and level.
    """
    size = 0
    for i in range(left.size):
        for level in range(gain.size):
            rest = max(left[i] - gain[level], 0)
            after[i, level] = LOST
            if rest <= most and (rest > 0 or runs_on):
                if number[rest] < first:
                    number[rest] = first + size
                    more[size] = rest
                    size += 1
                after[i, level] = number[rest]
            if rest == 0:
                after[i, level] = DONE
    return size


@plain_loops
def find_priced(batch, asked, size, block, per_mj, keep, found):
    """Find each requested job's cheapest schedule at given prices of servers and energy.

    Writes the schedule, its cost and a lower bound to `found`. `block` [B, T] are prices of whole
    blocks of `size` [B] servers, and `per_mj` [T + 1] of energy. Costs are multiplied by `keep` and
    rounded down.
    """
    for i in range(asked.job.size):
        found.least[i], found.bound[i] = NEVER, NEVER
        for r in range(batch.first[asked.job[i]], batch.first[asked.job[i] + 1]):
            if asked.shape[i] == -1 or asked.shape[i] == batch.shape[r]:
                run, costs = _run_of(batch, r), _costs_of(batch, r)
                _price(run, size, block, per_mj, keep, costs)
                _search(batch, asked, i, r, run, costs, found)


@plain_loops
def find_next_to_others(batch, asked, free, over, cost, lacking, found):
    """Find each requested job's cheapest schedule while all other jobs are fixed.

    Writes the schedule, its cost and a lower bound to `found`. For T epochs and S forecasts of
    green energy: `free` [T] are the servers that other jobs do not use, and `over` [S, T + 1] is
    the energy of these jobs minus the green energy. Brown energy costs `cost` [S, T + 1] per mJ,
    nothing after the last epoch, and a missing server costs `lacking`.
    """
    for i in range(asked.job.size):
        found.least[i], found.bound[i] = NEVER, NEVER
        for r in range(batch.first[asked.job[i]], batch.first[asked.job[i] + 1]):
            if asked.shape[i] == -1 or asked.shape[i] == batch.shape[r]:
                run, costs = _run_of(batch, r), _costs_of(batch, r)
                _price_beside(run, free, over, cost, lacking, costs)
                _search(batch, asked, i, r, run, costs, found)


@inner_loops
def _run_of(batch, r):
    """The actions of run r and their costs."""
    kind, begin = batch.kind[r], batch.start[r]
    low, end, square = batch.level[kind], batch.level[kind + 1], batch.square[kind]
    L, K = end - low, batch.epochs[r]
    return RunArrays(
        begin,
        batch.servers[low:end],
        batch.power_mw[low:end],
        batch.moves_mj[square : square + L * L].reshape((L, L)),
        batch.first_mj[low:end],
        batch.end_mj[low:end],
        batch.speed_ppt[low:end],
        batch.length_s[begin : begin + K],
        batch.waiting[begin : begin + K],
    )


@inner_loops
def _costs_of(batch, r):
    """The part of the cost buffer of run r."""
    L, K = batch.level[batch.kind[r] + 1] - batch.level[batch.kind[r]], batch.epochs[r]
    return LevelCosts(
        batch.room[:L],
        batch.room[L : L + K * L * L].reshape((K, L, L)),
        batch.room[L + K * L * L : L + K * L * L + K * L].reshape((K, L)),
    )


@inner_loops
def _price(run, size, block, per_mj, keep, costs):
    """Write the cost of each epoch of a run by previous and current level, rounded down."""
    K, L = costs.end.shape
    for k in range(K):
        t = run.start + k
        for level in range(L):
            given = run.waiting[k]
            busy_mj = run.power_mw[level] * run.length_s[k]
            for b in range(size.size):
                given += block[b, t] * (run.servers[level] // size[b])
            for p in range(L):
                energy = per_mj[t] * (run.moves_mj[p, level] + busy_mj)
                costs.stage[k, p, level] = np.floor((energy + given) * keep)
            if k == 0:
                energy = per_mj[t] * (run.first_mj[level] + busy_mj)
                costs.first[level] = np.floor((energy + given) * keep)
            costs.end[k, level] = np.floor(per_mj[t + 1] * run.end_mj[level] * keep)


@inner_loops
def _price_beside(run, free, over, cost, lacking, costs):
    """Write the cost that each epoch of a run adds to that of other jobs, rounded down."""
    K, L = costs.end.shape
    for k in range(K):
        t = run.start + k
        for level in range(L):
            given = run.waiting[k] + lacking * max(run.servers[level] - free[t], 0)
            busy_mj = run.power_mw[level] * run.length_s[k]
            for p in range(L):
                energy_mj = run.moves_mj[p, level] + busy_mj
                costs.stage[k, p, level] = np.floor(_brown_cost(over, cost, t, energy_mj) + given)
            if k == 0:
                energy_mj = run.first_mj[level] + busy_mj
                costs.first[level] = np.floor(_brown_cost(over, cost, t, energy_mj) + given)
            costs.end[k, level] = np.floor(_brown_cost(over, cost, t + 1, run.end_mj[level]))


@inlined_loops
def _brown_cost(over, cost, t, energy_mj):
    """Cost of more energy in an epoch."""
    more = 0.0
    for s in range(over.shape[0]):
        more += cost[s, t] * (max(over[s, t] + energy_mj, 0) - max(over[s, t], 0))
    return more


@inner_loops
def _search(batch, asked, i, r, run, costs, found):
    """Search run r with these costs for the i-th requested job; keep a smaller cost."""
    _obey(asked, i, run, costs)
    L = run.servers.size
    states = _states_of(batch, batch.down[r], L)
    value = batch.value[: states.after.size].reshape(states.after.shape)
    least = _fill(costs, states, value)
    if least < found.least[i]:
        found.least[i], found.run[i] = least, r
        found.length[i] = _trace(batch, r, run, costs, states, value, found.servers[i])
    if batch.up[r] >= 0:
        states = _states_of(batch, batch.up[r], L)
        value = batch.value[: states.after.size].reshape(states.after.shape)
        least = _fill(costs, states, value)
    found.bound[i] = min(found.bound[i], least)


@inner_loops
def _obey(asked, i, run, costs):
    """Write NEVER where a schedule would violate the rule of the i-th requested job."""
    K, L = costs.end.shape
    for k in range(K):
        if k >= asked.most_epochs[i]:
            costs.stage[k] = NEVER
        if k < asked.least_epochs[i] - 1:
            costs.end[k] = NEVER
    for c in range(asked.counted[i], asked.counted[i + 1]):
        k, least, most = asked.counts[c, 0] - run.start, asked.counts[c, 1], asked.counts[c, 2]
        is_within = 0 <= k < K
        for level in range(L):
            is_out = run.servers[level] < least or run.servers[level] > most
            if is_within and is_out:
                costs.stage[k, :, level] = NEVER
            if (k == 0 and is_out) or (least > 0 and not is_within):
                costs.first[level] = NEVER
        if least > 0:
            for before in range(min(k, K)):
                costs.end[before] = NEVER


@inner_loops
def _states_of(batch, g, L):
    """The states of grid g."""
    low, end = batch.states[g], batch.states[g + 1]
    after = batch.after[batch.place[g] : batch.place[g + 1]]
    return States(batch.number[low:end], after.reshape((after.size // L, L)), batch.idle[low:end])


@inner_loops
def _fill(costs, states, value):
    """Fill `value` [N, L] and return the least cost of all; NEVER if there is none.

    `costs.first` [L], `costs.stage` [K, L, L] and `costs.end` [K, L] are nonnegative. The value of
    a state and a level is the least cost from its epoch on after that level.
    """
    K, L = costs.end.shape
    for k in range(K - 1, 0, -1):
        for i in range(states.first[k], states.first[k + 1]):
            for p in range(L):
                value[i, p] = NEVER
            for level in range(L):
                after = _cost_after(costs, states, value, k, i, level)
                for p in range(L):
                    value[i, p] = min(value[i, p], costs.stage[k, p, level] + after)
    best = NEVER
    for level in range(L):
        best = min(best, costs.first[level] + _cost_after(costs, states, value, 0, 0, level))
    return best


@inlined_loops
def _cost_after(costs, states, value, k, i, level):
    """Cost after epoch k, which began in state i, on a level; NEVER if the work cannot be done."""
    after = states.after[i, level]
    cost = NEVER
    if after >= 0:
        cost = value[after, level]
    elif after != LOST:
        idle = states.idle[k + 1]
        cost = costs.end[k, level]
        if idle >= 0:
            cost = min(cost, value[idle, level])
    return cost


@inner_loops
def _trace(batch, r, run, costs, states, value, servers):
    """Write the servers of the least cost from `_fill`; return the number of epochs.

    Ties go to lower levels. The job ends when its work does, which a grid may have rounded down.
    """
    K, L = costs.end.shape
    i, before, done, left_ms = 0, 0, 0, batch.deadline_ms[r]
    for k in range(K):
        best, chosen = 2 * NEVER, 0
        for level in range(L):
            cost = costs.first[level] if k == 0 else costs.stage[k, before, level]
            cost += _cost_after(costs, states, value, k, i, level)
            if cost < min(best, NEVER):
                best, chosen = cost, level
        servers[k] = run.servers[chosen]
        counted_ms = min(1_000 * run.length_s[k], left_ms)
        left_ms -= counted_ms
        done += counted_ms * run.speed_ppt[chosen]
        if done >= batch.work_left[r]:
            return k + 1
        i, before = states.after[i, chosen], chosen
    return K
