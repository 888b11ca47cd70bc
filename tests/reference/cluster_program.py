"""Malleable jobs on green energy as one mixed-integer program with a variable for each schedule.

Haque (PhD dissertation, Rutgers 2016), Appendix B. Schedules are enumerated in exact fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, cast

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

PPM = 1_000_000
HOUR_S = 3_600
MJ_PER_KWH = 3_600_000_000
BEYOND = 8
"""Epochs after the horizon in which jobs may still run."""


def schedules(problem, job) -> Iterator[tuple[int, ...]]:
    """Servers by epoch, some epochs beyond the horizon, of all ways to run a job."""
    epochs = problem.supply.epochs
    first = -(-job.submit_s // problem.epoch_s)
    for curve in job.speedup_ppm.values():
        for start in range(first, min(first + job.may_wait, epochs - 1) + 1):
            for run in _runs(problem, job, curve, 0, Fraction(0)):
                yield (0,) * start + run + (0,) * (epochs + BEYOND - start - len(run))


def _runs(problem, job, curve, had_s, done) -> Iterator[tuple[int, ...]]:
    longest_s = Fraction(job.work_s * problem.slowdown_ppm, job.requested_ppm)
    for count, ppm in curve.items():
        left_s = Fraction((job.work_s - done) * PPM, ppm)
        if left_s <= problem.epoch_s:
            if had_s + left_s <= longest_s:
                yield (count,)
        elif had_s + problem.epoch_s < longest_s:
            after = done + Fraction(ppm * problem.epoch_s, PPM)
            for rest in _runs(problem, job, curve, had_s + problem.epoch_s, after):
                yield (count, *rest)


def least_cost(problem) -> float | None:
    """The cost of the best of all plans in micro-units, in doubles; None if there is none."""
    runs = [(j, run) for j, job in enumerate(problem.jobs) for run in schedules(problem, job)]
    if len({j for j, _ in runs}) < len(problem.jobs):
        return None
    job, servers = np.array([j for j, _ in runs]), np.array([run for _, run in runs])
    stays = (servers[:, 1:] > 0) & (servers[:, :-1] > 0)
    moved = np.pad(np.abs(np.diff(servers)) * stays, ((0, 0), (1, 0)))
    more_mw = servers * (problem.busy_mw - problem.asleep_mw)
    kwh = (more_mw * problem.epoch_s + moved * problem.change_mj) / MJ_PER_KWH
    green, cost, is_paid = _supply(problem, servers.shape[1])
    hours = (servers > 0).sum(axis=1) * problem.epoch_s / HOUR_S
    of_job = np.eye(len(problem.jobs))[:, job]
    ways, epochs = green.shape
    rows = [
        (of_job, np.zeros((len(of_job), ways * epochs)), 1, 1),
        (servers.T, np.zeros((epochs, ways * epochs)), -np.inf, problem.servers),
        (np.tile(kwh.T, (ways, 1)), -np.eye(ways * epochs), -np.inf, green.ravel()),
    ]
    size = len(runs) + ways * epochs
    # At a negative price, as much is bought as the grid gives, whatever its weighted cost is.
    grid = (problem.grid_mw or 0) * problem.epoch_s / MJ_PER_KWH
    bought = [np.tile(np.where(is_paid, grid, other), ways) for other in (0, np.inf)]
    # The stubs of scipy know numbers alone as limits.
    least, most = cast(
        "Any", [np.concatenate([np.full(len(runs), end), of]) for end, of in enumerate(bought)]
    )
    found = milp(
        np.concatenate([problem.run_cost / len(problem.jobs) * hours, np.tile(cost / ways, ways)]),
        integrality=np.arange(size) < len(runs),
        bounds=Bounds(least, most),
        constraints=[LinearConstraint(np.hstack([a, b]), low, high) for a, b, low, high in rows],
        options={"mip_rel_gap": 0.0},
    )
    if found.status == 2:
        return None
    assert found.status == 0, found.message
    return found.fun


def _supply(problem, epochs):
    """Green energy that sleeping servers leave by way and epoch [kWh].

    Also the cost of a kWh by epoch, and whether its price is negative.
    """
    supply, weights = problem.supply, problem.weights
    ways = supply.scenarios_mw if len(supply.scenarios_mw) else supply.green_mw[None]
    left_mw = ways - problem.servers * problem.asleep_mw
    padded = ((0, 0), (0, epochs - supply.epochs))
    price = np.pad(supply.brown_udollars_per_kwh, padded[1], mode="edge")
    price[supply.epochs :] = np.maximum(price[supply.epochs :], 0)
    carbon_mg = np.pad(supply.brown_mg_per_kwh, padded[1], mode="edge")
    cost = weights.money * price + weights.energy + weights.carbon * carbon_mg / 1_000
    return np.pad(left_mw, padded) * problem.epoch_s / MJ_PER_KWH, cost, price < 0
