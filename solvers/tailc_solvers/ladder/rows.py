"""Convert samples to the arrays of the search by duality, and its answers to schedules."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.ladder.kernels import (
    DemandSteps,
    DualAnswer,
    Hull,
    fill_hull,
    least_cost,
    least_tail,
    new_point,
)
from tailc_solvers.ladder.kernels_steps import DIGITS, RADIX, fill_steps, sort_bits
from tailc_solvers.sample import WeightedSample


def sorted_weights(sample: WeightedSample) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Demands of a sample in ascending order [ms], with their weights."""
    if sample.total_weight == sample.weight.size:
        return _ascending(sample.demand_ms), np.ones_like(sample.weight)
    order = np.argsort(sample.demand_ms, kind="stable")
    return sample.demand_ms[order], sample.weight[order]


def _ascending(positive: NDArray[np.float64]) -> NDArray[np.float64]:
    values = positive.copy()
    other = np.empty_like(values)
    counts = np.empty((DIGITS, RADIX), dtype=np.int64)
    is_in_other = sort_bits(values.view(np.int64), other.view(np.int64), counts)
    return other if is_in_other else values


def sorted_steps(demand: NDArray[np.float64], weight: NDArray[np.int64], rank: int) -> DemandSteps:
    """The distribution of ascending weighted demands as a step function, with the tail's quantile.

    rank: of the quantile, from 1 to the sum of the weights.
    """
    work, sums, running = np.empty((3, demand.size + 1))
    entry = fill_steps(demand, weight, rank, work, sums, running)
    return DemandSteps(work, sums, running, entry)


def hull_of(speeds: NDArray[np.float64], costs: NDArray[np.float64]) -> Hull:
    """For each k, the useful rungs among 0..k: those on the lower hull of time and cost per work.

    Costs may not decrease with the rung.
    """
    if (np.diff(costs) < 0).any():
        raise ValueError("costs must not fall with the rung")
    n = speeds.size
    hull = Hull(np.zeros((n, n), np.int64), np.zeros(n, np.int64), 1.0 / speeds, costs / speeds)
    fill_hull(hull, np.zeros(n, np.int64))
    return hull


def least_tails(steps: DemandSteps, hull: Hull, wait_per_cost: NDArray[np.float64]) -> DualAnswer:
    """Solve for the ladder of the least tail for each load.

    steps: distribution of demand. hull: the useful rungs. wait_per_cost: each load over the budget.
    """
    answer = _no_answer(wait_per_cost.size, hull.time.size)
    points = tuple(new_point(hull.time.size) for _ in range(4))
    least_tail(steps, hull, wait_per_cost, points, answer)
    return answer


def least_costs(
    steps: DemandSteps, hull: Hull, wait_per_cost: NDArray[np.float64], target_ms: ArrayLike
) -> DualAnswer:
    """Solve for the ladder of the least cost-time for each load, with the tail within `target_ms`.

    steps: distribution of demand. hull: the useful rungs. wait_per_cost: each load over the budget.
    """
    answer = _no_answer(wait_per_cost.size, hull.time.size)
    target = np.array(np.broadcast_to(target_ms, wait_per_cost.shape), dtype=np.float64)
    points = tuple(new_point(hull.time.size) for _ in range(6))
    least_cost(steps, hull, wait_per_cost, target, points, answer)
    return answer


def rung_ends(steps: DemandSteps, hull: Hull, answer: DualAnswer) -> NDArray[np.float64]:
    """Work at which each rung is left, inf from the last used rung on [loads, rungs].

    A rung is left at the edges of the hull; a rung off the hull at the demand quantile is left
    there; rungs after it are left when their share of the remaining work is done.
    """
    ends = np.zeros((answer.at_quantile.size, hull.time.size))
    done = steps.sum[steps.rank]
    for q, k in enumerate(answer.at_quantile):
        rungs = hull.rung[k, : hull.size[k]]
        ends[q, rungs[:-1]] = answer.work[q, : rungs.size - 1]
        ends[q, rungs[-1]] = steps.work[steps.rank]
        share = np.cumsum(answer.rest[q, k:])
        ends[q, k:] = np.interp(done + share * (steps.sum[-1] - done), steps.sum, steps.work)
        ends[q, k + np.argmax(share == share[-1]) :] = np.inf
    # A skipped rung ends where the one before it did.
    return np.maximum.accumulate(ends, axis=1)


def durations(
    work: NDArray[np.float64], hull: Hull, wait: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Convert the work at which rungs are left to a wait and a time on each rung [loads, rungs].

    Zero after a rung that is never left, whose time is inf.
    """
    begins = np.concatenate([np.zeros_like(work[:, :1]), work[:, :-1]], axis=1)
    is_reached = np.isfinite(begins)
    stretch = (work - np.where(is_reached, begins, 0.0)) * hull.time
    stretch[~is_reached] = 0.0
    return np.concatenate([wait[:, None], stretch[:, :-1]], axis=1)


def _no_answer(n_rows: int, n_rungs: int) -> DualAnswer:
    return DualAnswer(
        at_quantile=np.zeros(n_rows, dtype=np.int64),
        value=np.full((n_rows, 4), math.inf),
        work=np.zeros((n_rows, n_rungs)),
        rest=np.zeros((n_rows, n_rungs)),
        primal=np.full(n_rows, math.inf),
        bound=np.full(n_rows, math.inf),
        weights=np.zeros((n_rows, 3)),
        evaluations=np.zeros(n_rows, dtype=np.int64),
    )
