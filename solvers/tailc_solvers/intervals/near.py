"""The schedules of a grid that are nearly as good as the best, for each load.

Problem, for each load q with the least objective z (tail or W, as in grid.py) and a limit on it:
all schedules of the grid whose objective is at most the limit, with the least wait that each needs,
in the order of the grid search's ties. If there are too many, the best are listed.

Method. The grid search, with the limits as incumbents that are never replaced: schedules that its
bounds exclude are beyond the limit. It ends after MOST_EVALUATIONS, with what was found until then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.intervals.engines import engine_for
from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, as_cost_rates
from tailc_solvers.intervals.grid import rows_for
from tailc_solvers.intervals.kernels import COST_UNITS, NEVER_STEPS, NS_PER_MS
from tailc_solvers.intervals.shares import DurationGrid, GridSearch
from tailc_solvers.sample import WeightedSample

MOST_EVALUATIONS = 4_000_000
"""About two seconds."""


@dataclass(frozen=True)
class Candidates:
    """Nearly best schedules of one load, the best first, and how much longer each may wait.

    Attributes:
        v_ms: the least wait, and durations, inf for NEVER [schedules, rungs].
        spare_ms: by how much the wait may be longer within the limits [schedules].
    """

    v_ms: NDArray[np.float64]
    spare_ms: NDArray[np.float64]


def near_best(
    sample: WeightedSample,
    costs: ArrayLike,
    loads: ArrayLike,
    budget: float,
    limit: ArrayLike,
    *,
    rank: int,
    step_ms: float,
    longest_ms: float,
    target_ms: float | None,
    room: int,
) -> list[Candidates]:
    """Find up to `room` schedules for each load whose objective is at most the load's `limit`.

    Loads ascend, and a limit of -inf leaves a load without any. With `target_ms` the objective is
    the cost. The other arguments are those of `search_grid`.
    """
    grid = DurationGrid(step_ms, longest_ms)
    limits = np.asarray(limit, dtype=np.float64)
    rows = rows_for(
        np.asarray(loads, dtype=np.float64), as_cost_rates(costs, sample.n_rungs), budget, grid
    )._replace(all=np.flatnonzero(np.isfinite(limits)))
    units = NS_PER_MS if target_ms is None else COST_UNITS
    if target_ms is not None:
        rows = rows._replace(target_ms=target_ms * (1 + FEASIBILITY_TOLERANCE), by_cost=True)
    search = GridSearch(grid, sample.n_rungs, MOST_EVALUATIONS, 1, lambda _: None)
    near = search.near(engine_for(sample, rows, rank), rows, limits * units, room)
    latest = limits if target_ms is None else np.full(limits.shape, rows.target_ms)
    tail_key = 0 if target_ms is None else 1
    return [
        _candidates(
            near.key[q, : near.held[q]], near.steps[q, : near.held[q]], latest[q], tail_key, grid
        )
        for q in range(limits.size)
    ]


def _candidates(
    key: NDArray[np.float64],
    steps: NDArray[np.int64],
    latest_ms: float,
    tail_key: int,
    grid: DurationGrid,
) -> Candidates:
    order = np.lexsort((*steps.T[::-1], *key.T[::-1]))
    tail_ms = key[order, tail_key] / NS_PER_MS
    steps = steps[order]
    longest = (grid.steps - steps[:, 0]) * grid.step_ms
    v_ms = np.where(steps >= NEVER_STEPS, math.inf, steps * grid.step_ms)
    return Candidates(v_ms, np.minimum(np.maximum(latest_ms - tail_ms, 0.0), longest))
