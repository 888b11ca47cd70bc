"""The arrays that the dual's loops work on, and schedules read back from their answers."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.ladder.kernels import (
    Answer,
    Hull,
    Steps,
    fill_hull,
    least_cost,
    least_tail,
    new_point,
)
from tailc_solvers.sample import Sample


def sorted_weights(sample: Sample) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Demands ascending with their weights, None where every weight is one."""
    if sample.total_weight == sample.weight.size:
        return np.sort(sample.demand_ms), None
    order = np.argsort(sample.demand_ms, kind="stable")
    return sample.demand_ms[order], sample.weight[order]


def sorted_steps(demand: NDArray[np.float64], weight: NDArray[np.int64] | None, rank: int) -> Steps:
    """The distribution of ascending demands as steps; `rank` in units of weight, from 1."""
    if weight is None:
        total = demand.size
        weighted = demand
        running = np.arange(total, 0, -1.0)
    else:
        upto = np.cumsum(weight)
        total = int(upto[-1])
        weighted = demand * weight
        running = (total - upto + weight).astype(np.float64)
        rank = int(np.searchsorted(upto, rank)) + 1
    before = np.cumsum(weighted) - weighted
    return Steps(
        work=np.concatenate([[0.0], demand]),
        sum=np.concatenate([[0.0], (before + demand * running) / total]),
        running=np.concatenate([[1.0], running / total]),
        rank=rank,
    )


def hull_of(speeds: NDArray[np.float64], costs: NDArray[np.float64]) -> Hull:
    """The rungs worth using up to each rung at the quantile; costs must not fall with the rung."""
    if (np.diff(costs) < 0).any():
        raise ValueError("costs must not fall with the rung")
    n = speeds.size
    hull = Hull(np.zeros((n, n), np.int64), np.zeros(n, np.int64), 1.0 / speeds, costs / speeds)
    fill_hull(hull, np.zeros(n, np.int64))
    return hull


def least_tails(steps: Steps, hull: Hull, wait_per_cost: NDArray[np.float64]) -> Answer:
    """The least tail of each row; `wait_per_cost` is its load over the budget."""
    answer = _no_answer(wait_per_cost.size, hull.time.size)
    points = tuple(new_point(hull.time.size) for _ in range(4))
    least_tail(steps, hull, wait_per_cost, points, answer)
    return answer


def least_costs(
    steps: Steps, hull: Hull, wait_per_cost: NDArray[np.float64], target_ms: ArrayLike
) -> Answer:
    """The least cost-time of each row with the tail within `target_ms`, one for all or one each."""
    answer = _no_answer(wait_per_cost.size, hull.time.size)
    target = np.array(np.broadcast_to(target_ms, wait_per_cost.shape), dtype=np.float64)
    points = tuple(new_point(hull.time.size) for _ in range(6))
    least_cost(steps, hull, wait_per_cost, target, points, answer)
    return answer


def rung_ends(steps: Steps, hull: Hull, answer: Answer) -> NDArray[np.float64]:
    """Work at which each rung is left, inf from the last on [rows, rungs].

    Rungs are left at the edges of the hull, at the quantile before a rung off the hull, and after
    it where their share of the rest ends.
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
    # A rung that is skipped ends where the one before it did.
    return np.maximum.accumulate(ends, axis=1)


def durations(
    work: NDArray[np.float64], hull: Hull, wait: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Wait and wall times [rows, rungs] from the work at which rungs are left, zeros after inf."""
    begins = np.concatenate([np.zeros_like(work[:, :1]), work[:, :-1]], axis=1)
    is_reached = np.isfinite(begins)
    stretch = (work - np.where(is_reached, begins, 0.0)) * hull.time
    stretch[~is_reached] = 0.0
    return np.concatenate([wait[:, None], stretch[:, :-1]], axis=1)


def _no_answer(n_rows: int, n_rungs: int) -> Answer:
    return Answer(
        at_quantile=np.zeros(n_rows, dtype=np.int64),
        value=np.full((n_rows, 4), math.inf),
        work=np.zeros((n_rows, n_rungs)),
        rest=np.zeros((n_rows, n_rungs)),
        primal=np.full(n_rows, math.inf),
        bound=np.full(n_rows, math.inf),
        weights=np.zeros((n_rows, 3)),
        evaluations=np.zeros(n_rows, dtype=np.int64),
    )
