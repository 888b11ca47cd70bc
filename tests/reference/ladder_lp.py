"""The continuous ladder as dense linear programs, without any duality argument.

One program for each last rung k. Variables are the work of each segment of demand, up to the
quantile, that is done on each rung 0..k, in any order, and the wait. After the quantile rung k does
the rest. Theorem 1 of Haque et al. (ASPLOS 2015) says that the best order climbs, so the least
optimum over k is the ladder's.
"""

import numpy as np
from scipy.optimize import linprog
from tailc_solvers.sample import Sample


def least_tail(sample: Sample, costs, load: float, budget: float, rank: int) -> float:
    """Least wait + execution tail with q W <= p (wait + L)."""
    return min(
        _solve(*_program(sample, costs, k, load, budget, rank), by_cost=False, target=None)
        for k in range(sample.n_rungs)
    )


def least_cost(
    sample: Sample, costs, load: float, budget: float, rank: int, target: float
) -> float:
    """Least W with q W <= p (wait + L) and wait + T <= target; inf if there is none."""
    return min(
        _solve(*_program(sample, costs, k, load, budget, rank), by_cost=True, target=target)
        for k in range(sample.n_rungs)
    )


def _program(sample: Sample, costs, k: int, load: float, budget: float, rank: int):
    """Coefficients of T, W and the demand for wait in the variables, and the segments' lengths."""
    order = np.argsort(sample.demand_ms)
    demand, weight = sample.demand_ms[order], sample.weight[order]
    total = weight.sum()
    last = int(np.searchsorted(np.cumsum(weight), rank))
    length = np.diff(demand, prepend=0.0)
    running = (total - np.cumsum(weight) + weight) / total
    speeds = sample.speeds[sample.curve[0]]
    time = 1.0 / speeds[: k + 1]
    cost = np.asarray(costs)[: k + 1] / speeds[: k + 1]
    rest = float((length * running)[last + 1 :].sum())
    head = slice(0, last + 1)
    T = np.append(np.tile(time, last + 1), 1.0)
    W = np.append(np.outer(running[head], cost).ravel(), 0.0)
    L = np.append(np.outer(running[head], time).ravel(), 1.0)
    W_rest, L_rest = rest * cost[k], rest * time[k]
    return T, W, load * W - budget * L, budget * L_rest - load * W_rest, W_rest, length[head], k + 1


def _solve(T, W, excess, room, W_rest, length, rungs, *, by_cost: bool, target) -> float:
    segments = np.zeros((length.size, T.size))
    for j in range(length.size):
        segments[j, j * rungs : (j + 1) * rungs] = 1.0
    limits, values = [excess], [room]
    if by_cost:
        limits.append(T)
        values.append(target)
    found = linprog(W if by_cost else T, limits, values, segments, length, method="highs")
    if found.status == 2:
        return np.inf
    assert found.status == 0, found.message
    return found.fun + (W_rest if by_cost else 0.0)
