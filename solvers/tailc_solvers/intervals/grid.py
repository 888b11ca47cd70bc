"""The best schedule on a grid of durations for many loads at once, by exhaustive search.

Problem, for each load q (figures T, L, W and A as in evaluate.py):

    variables    v_0 in {0, step, .., y};  v_1 .. v_(n-1) in {0, step, .., y} or NEVER
    by tail      minimise  v_0 + T                    subject to  A <= p
    by cost      minimise  W                          subject to  A <= p,  v_0 + T <= target
    and          the finite v_1 .. v_(n-1) sum to at most y

Ties, in order: tail and then mean in whole nanoseconds, A in units of 1e-9 (by cost these follow W
in units of 1e-9), then the lexicographically smallest v, NEVER last. After NEVER come zeros.

Method. T, L and W do not depend on v_0 or q, and A falls with v_0, so the best wait is the smallest
grid value with v_0 >= q W / p - L, and one enumeration of (v_1, .., v_(n-1)) serves all loads. A
few common curves are summed by prefix look-ups (kernels_curves.py), individual curves by buckets
(kernels_individual.py). The search is divided into shares that do not depend on the number of
workers, each with its own incumbents, merged in a fixed order: the answer does not either.
Source: Haque et al., ASPLOS 2015, Fig. 7, with the wait in closed form and NEVER added.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import config
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.course import SearchProgress
from tailc_solvers.intervals.engines import engine_for
from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, as_cost_rates, evaluate
from tailc_solvers.intervals.kernels import (
    NEVER_STEPS,
    NS_PER_MS,
    SLACK_MS,
    Incumbents,
    LoadRows,
)
from tailc_solvers.intervals.shares import DurationGrid, GridSearch, course_of
from tailc_solvers.objective import SearchObjective
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status

UNLIMITED = 2**62


@dataclass(frozen=True)
class GridSolution:
    """The best schedule for each load, in the order of the given loads.

    A load without a schedule (infeasible, or the budget ended before one was found) has inf in all
    figures.

    Attributes:
        load: as given, q [Q].
        v_ms: wait and durations, inf for NEVER [Q, rungs].
        tail_ms: tail of wait plus execution time [Q].
        mean_ms: mean of wait plus execution time [Q].
        cost_time_ms: mean over requests of the integral of the cost rate, W [Q].
        total_cost: total average cost of q requests, q W / mean [Q].
        least_tail_ms: least attainable tail [Q]; proved only if `status` is not BUDGET. By tail it
            is `tail_ms`; by cost it is a reference for an infeasible target.
        status: one for each load. OPTIMAL and INFEASIBLE are proved by exhaustion.
        evaluations: nodes of the search tree whose figures or bounds were computed; a node serves
            all loads.
        course: convergence trace: the mean of the objective over the rows with a schedule by
            evaluations, at each improvement [ms]; without a bound. By cost from the point at which
            all can meet the target.
    """

    load: NDArray[np.float64]
    v_ms: NDArray[np.float64]
    tail_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    cost_time_ms: NDArray[np.float64]
    total_cost: NDArray[np.float64]
    least_tail_ms: NDArray[np.float64]
    status: tuple[Status, ...]
    evaluations: int
    course: tuple[SearchProgress, ...]


def search_grid(
    sample: WeightedSample,
    costs: ArrayLike,
    loads: ArrayLike,
    budget: float,
    *,
    rank: int,
    step_ms: float,
    longest_ms: float,
    objective: SearchObjective | str = SearchObjective.TAIL,
    target_ms: float | None = None,
    max_evaluations: int | None = None,
    progress: Callable[[float], None] | None = None,
    workers: int | None = None,
) -> GridSolution:
    """Find the best schedule on the grid for each load, and prove it by exhaustive search.

    Args:
        sample: demands, weights and speeds.
        costs: cost rate of each rung [rungs].
        loads: positive loads q, in any order [Q].
        budget: p, the largest total average cost A = q W / (v_0 + L); compared with a relative
            tolerance of 1e-9, as is the target.
        rank: 1-based rank of the request whose time is the tail, weights counted.
        step_ms: grid step.
        longest_ms: y, the longest wait and the longest sum of finite durations. Callers take the
            longest demand, rounded up to the step.
        objective: `tail` or `cost`.
        target_ms: the largest tail; with `cost` only, and required there.
        max_evaluations: end after this many nodes, with the best schedules found and status BUDGET.
        progress: called with the fraction of the search that is done, from the calling thread.
        workers: threads; by default as many as numba would use. The answer does not depend on it.
    """
    objective = SearchObjective(objective)
    if (target_ms is not None) != (objective is SearchObjective.COST):
        raise ValueError("`target_ms` must be set for the objective `cost`, and only for it")
    given = np.atleast_1d(np.asarray(loads, dtype=np.float64))
    if given.ndim != 1 or not (np.isfinite(given).all() and (given > 0).all() and budget > 0):
        raise ValueError("loads and budget must be positive and finite")
    order = np.argsort(given, kind="stable")
    grid = DurationGrid(step_ms, longest_ms)
    rates = as_cost_rates(costs, sample.n_rungs)
    rows = rows_for(given[order], rates, budget, grid)
    search = GridSearch(
        grid,
        sample.n_rungs,
        UNLIMITED if max_evaluations is None else max_evaluations,
        workers or config.NUMBA_NUM_THREADS,  # type: ignore[attr-defined]
        progress or _no_progress,
    )
    sample.check_rank(rank)
    by_tail = best = search.run(engine_for(sample, rows, rank), rows)
    if target_ms is not None:
        rows = _by_cost(rows, by_tail, target_ms * (1 + FEASIBILITY_TOLERANCE))
        best = search.run(engine_for(sample, rows, rank), rows)
    return _solution(sample, rows.costs, given, order, rank, (grid, search, by_tail, best))


def _no_progress(_fraction: float) -> None:
    pass


def rows_for(
    loads: NDArray[np.float64], costs: NDArray[np.float64], budget: float, grid: DurationGrid
) -> LoadRows:
    """Data of a grid search for schedules with the least tail, one row for each ascending load.

    loads: ascending loads. costs: cost rate of each rung. budget: limit of the mean total cost.
    grid: grid step and largest time.
    """
    wait_per_cost = loads / (budget * (1 + FEASIBILITY_TOLERANCE))
    return LoadRows(
        loads,
        np.arange(loads.size),
        costs,
        wait_per_cost,
        grid.steps,
        float(grid.step_ms),
        math.inf,
        by_cost=False,
    )


def _by_cost(rows: LoadRows, by_tail: Incumbents, target_ms: float) -> LoadRows:
    """The rows that can meet the target, with the cost as the objective."""
    meets = by_tail.key[:, 0] / NS_PER_MS <= target_ms + SLACK_MS
    return rows._replace(all=np.flatnonzero(meets), target_ms=target_ms, by_cost=True)


def _solution(
    sample: WeightedSample,
    costs: NDArray[np.float64],
    loads: NDArray[np.float64],
    order: NDArray[np.int64],
    rank: int,
    outcome: tuple[DurationGrid, GridSearch, Incumbents, Incumbents],
) -> GridSolution:
    """Evaluate the incumbents' schedules, and return rows in the given order."""
    grid, search, by_tail, best = outcome
    place = np.argsort(order, kind="stable")
    steps = best.steps[place]
    v = np.where(steps >= NEVER_STEPS, np.inf, steps * grid.step_ms)
    is_found = np.isfinite(best.key[place, 0])
    exact = evaluate(sample, costs, v, rank)
    wait = v[:, 0]
    mean = wait + exact.execution_mean_ms

    def or_infinite(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(is_found, values, np.inf)

    return GridSolution(
        load=loads,
        v_ms=np.where(is_found[:, None], v, np.inf),
        tail_ms=or_infinite(wait + exact.execution_tail_ms),
        mean_ms=or_infinite(mean),
        cost_time_ms=or_infinite(exact.cost_time_ms),
        total_cost=or_infinite(loads * exact.cost_time_ms / mean),
        least_tail_ms=by_tail.key[place, 0] / NS_PER_MS,
        status=tuple(_status(search, found) for found in is_found.tolist()),
        evaluations=search.evaluations,
        course=course_of(search, np.isfinite(best.key[:, 0])),
    )


def _status(search: GridSearch, is_found: bool) -> Status:
    if not search.is_complete:
        return Status.BUDGET
    return Status.OPTIMAL if is_found else Status.INFEASIBLE
