"""The continuous ladder as dense linear programs, without any duality argument.

One program for each rung k at the quantile. Variables are the work of each segment of demand, up to
the quantile, that is done on each rung 0..k, in any order, the shares of the work after it that are
done on each rung k.., and the wait. Theorem 1 of Haque et al. (ASPLOS 2015) says that the best
order climbs, so the least optimum over k is the ladder's.
"""

import numpy as np
from scipy.optimize import linprog
from tailc_solvers.sample import WeightedSample


def least_tail(sample: WeightedSample, costs, load: float, budget: float, rank: int) -> float:
    """Least wait + execution tail with q W <= p (wait + L)."""
    return least_tail_within(sample, [costs], load, [budget], rank)


def least_tail_within(sample: WeightedSample, uses, load: float, budgets, rank: int) -> float:
    """The same with a limit for each row of `uses`."""
    return min(
        _solve(_programs(sample, uses, k, load, budgets, rank), by_cost=False, target=None)
        for k in range(sample.n_rungs)
    )


def least_cost(
    sample: WeightedSample, costs, load: float, budget: float, rank: int, target: float
) -> float:
    """Least W with q W <= p (wait + L) and wait + T <= target; inf if there is none."""
    return least_cost_within(sample, [costs], load, [budget], rank, target)


def least_cost_within(
    sample: WeightedSample, uses, load: float, budgets, rank: int, target: float
) -> float:
    """The same with a limit for each row of `uses`, of which the first is what is made small."""
    return min(
        _solve(_programs(sample, uses, k, load, budgets, rank), by_cost=True, target=target)
        for k in range(sample.n_rungs)
    )


def _programs(sample: WeightedSample, uses, k: int, load: float, budgets, rank: int):
    rows = zip(uses, budgets, strict=True)
    return [_program(sample, costs, k, load, budget, rank) for costs, budget in rows]


def _program(sample: WeightedSample, costs, k: int, load: float, budget: float, rank: int):
    """Coefficients of T, W and the demand for wait in the variables, and the equations."""
    order = np.argsort(sample.demand_ms)
    demand, weight = sample.demand_ms[order], sample.weight[order]
    total = weight.sum()
    last = int(np.searchsorted(np.cumsum(weight), rank))
    length = np.diff(demand, prepend=0.0)
    running = (total - np.cumsum(weight) + weight) / total
    time = 1.0 / sample.speeds[sample.curve[0]]
    cost = np.asarray(costs) * time
    rest = float((length * running)[last + 1 :].sum())
    head, early, late = slice(0, last + 1), slice(0, k + 1), slice(k, None)
    after = np.zeros(time[late].size)
    T = np.concatenate([np.tile(time[early], last + 1), after, [1.0]])
    W = np.concatenate([np.outer(running[head], cost[early]).ravel(), rest * cost[late], [0.0]])
    L = np.concatenate([np.outer(running[head], time[early]).ravel(), rest * time[late], [1.0]])
    sums = np.zeros((last + 2, T.size))
    for j in range(last + 1):
        sums[j, j * (k + 1) : (j + 1) * (k + 1)] = 1.0
    sums[-1, (last + 1) * (k + 1) : -1] = 1.0
    return T, W, load * W - budget * L, sums, np.append(length[head], 1.0)


def _solve(programs, *, by_cost: bool, target) -> float:
    T, W, _, sums, wanted = programs[0]
    limits, values = [excess for _, _, excess, _, _ in programs], [0.0] * len(programs)
    if by_cost:
        limits.append(T)
        values.append(target)
    found = linprog(W if by_cost else T, limits, values, sums, wanted, method="highs")
    if found.status == 2:
        return np.inf
    assert found.status == 0, found.message
    return found.fun
