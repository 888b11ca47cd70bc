"""Colocation by plain loops over every pair of frequencies, and a fleet by linear program."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from tailc_solvers.colocation.core import SharedCore


def figures(core: SharedCore, f_l: float, f_b: float, p_l: float, p_b: float) -> tuple[float, ...]:
    """u, batch work and power of a core for one pair, as printed (Bartolini, 2015, eq. 3.3)."""
    u = core.utilization * (
        core.critical_memory + core.nominal_ghz / f_l * (1 - core.critical_memory)
    )
    work = core.throughput / (core.batch_memory + core.nominal_ghz / f_b * (1 - core.batch_memory))
    return u, (1 - u) * work, u * p_l + (1 - u) * p_b + core.shared_w


def pairs(core: SharedCore):
    """(critical, batch, u, work, power) of every pair."""
    for a, (f_l, p_l) in enumerate(zip(core.freq_ghz, core.critical_power_w, strict=True)):
        for b, (f_b, p_b) in enumerate(zip(core.freq_ghz, core.batch_power_w, strict=True)):
            yield (a, b, *figures(core, f_l, f_b, p_l, p_b))


def best_pair(core: SharedCore, least_critical: int = 0) -> tuple[int, int, float] | None:
    found = [
        (work / power, -a, -b)
        for a, b, u, work, power in pairs(core)
        if u < 1 and a >= least_critical
    ]
    if not found:
        return None
    tpw, a, b = max(found)
    return -a, -b, tpw


def least_fleet_power(
    points: list[tuple[float, float]], servers: int, demand: float, batch_server_w: float
) -> float:
    """By linear program: the share of time at each (work, power), and dedicated servers."""
    work, power = np.array(points).T
    solved = linprog(
        np.append(servers * power, batch_server_w),
        A_ub=-np.append(servers * work, 1.0)[None],
        b_ub=[-demand],
        A_eq=np.append(np.ones(work.size), 0.0)[None],
        b_eq=[1.0],
    )
    return solved.fun
