"""Slow-to-fast thresholds in work as dense linear programs, one for each last type.

Variables W_1 <= .. <= W_(k-1) <= w and m_ri <= min(x_r, W_i). No duality and no hull: it is enough
that p / s ascends. With W_i at most w the latency of the rank is linear in W.
"""

import numpy as np
from scipy.optimize import linprog


def least_energy(demand, weight, speed, power, rank: int, target: float) -> float:
    """Least mean energy of all last types, inf if none meets the target."""
    order = np.argsort(demand, kind="stable")
    x, m = np.asarray(demand, float)[order], np.asarray(weight)[order]
    w = x[np.searchsorted(np.cumsum(m), rank)]
    return min(_last(x, m, w, speed, power, k, target) for k in range(len(speed)))


def _last(x, m, w, speed, power, k, target):
    time, cost = 1 / np.asarray(speed, float), np.asarray(power, float) / speed
    if k == 0:
        return float(m @ x / m.sum() * cost[0]) if w * time[0] <= target * (1 + 1e-12) else np.inf
    R = x.size
    per_request = -np.outer(np.diff(cost[: k + 1]), m / m.sum()).ravel()
    objective = np.concatenate([np.zeros(k), per_request])
    rows, limits = (
        [np.concatenate([-np.diff(time[: k + 1]), np.zeros(k * R)])],
        [target - w * time[k]],
    )
    for i in range(k - 1):
        row = np.zeros(objective.size)
        row[i], row[i + 1] = 1, -1
        rows.append(row)
        limits.append(0.0)
    for i in range(k):
        for r in range(R):
            row = np.zeros(objective.size)
            row[i], row[k + i * R + r] = -1, 1
            rows.append(row)
            limits.append(0.0)
    bounds = [(0, w)] * k + [(0, float(v)) for _ in range(k) for v in x]
    found = linprog(objective, np.array(rows), limits, bounds=bounds, method="highs")
    if found.status == 2:
        return np.inf
    assert found.status == 0, found.message
    return float(found.fun + m @ x / m.sum() * cost[k])
