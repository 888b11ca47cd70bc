"""Evaluate given schedules exactly, request by request: tail, mean and cost-time of a sample.

A schedule is v = (v_0, v_1, .., v_(n-1)): wait v_0 ms, then run v_i ms on rung i, the last rung
until the request ends; v_i = inf never leaves rung i. With k the rung on which request r ends,

    time_r = v_1 + .. + v_(k-1) + (x_r - s_1 v_1 - .. - s_(k-1) v_(k-1)) / s_k        without v_0
    cost_r = the same sum with every stretch on rung i multiplied by its cost rate c_i

T is the beta order statistic of time_r, L its mean, W the mean of cost_r. At load q the tail is
v_0 + T, the mean v_0 + L, and the total average cost A = q W / (v_0 + L).
Source: Haque et al., ASPLOS 2015, eq. 1-5, with general cost rates in place of thread counts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.intervals.kernels import request_times
from tailc_solvers.sample import WeightedSample

FEASIBILITY_TOLERANCE = 1e-9
"""Relative: a schedule is feasible where A <= budget * (1 + this). Rows that are exactly on the
budget are common (one rung, whole numbers), and rounding must not make them infeasible."""

NEVER = np.inf
"""A duration: the request stays on that rung until it ends."""


@dataclass(frozen=True)
class Evaluation:
    """Exact times and costs of several schedules on a sample of requests, without the initial wait.

    Attributes:
        execution_tail_ms: T, the order statistic of the execution time [schedules].
        execution_mean_ms: L, the mean execution time [schedules].
        cost_time_ms: W, the mean over requests of the integral of the cost rate [schedules].
    """

    execution_tail_ms: NDArray[np.float64]
    execution_mean_ms: NDArray[np.float64]
    cost_time_ms: NDArray[np.float64]


def evaluate(sample: WeightedSample, costs: ArrayLike, v_ms: ArrayLike, rank: int) -> Evaluation:
    """Compute tail T, mean L and cost-time W of each schedule in `v_ms` [S, rungs].

    Column 0, the wait, is ignored.
    """
    cost_rates = as_cost_rates(costs, sample.n_rungs)
    schedules = np.atleast_2d(np.asarray(v_ms, dtype=np.float64))
    sample.check_rank(rank)
    figures = np.empty((3, schedules.shape[0]))
    time_ms = np.empty(sample.demand_ms.shape)
    at = _quantile_request(sample, rank)
    for row, v in enumerate(schedules):
        mean_and_cost = request_times(
            sample.demand_ms, sample.weight, sample.speeds, sample.curve, cost_rates, v, time_ms
        )
        tail = _order_statistic(time_ms, sample.weight, rank) if at is None else time_ms[at]
        figures[:, row] = tail, *mean_and_cost
    return Evaluation(*figures)


def as_cost_rates(costs: ArrayLike, n_rungs: int) -> NDArray[np.float64]:
    """`costs` as a checked vector [rungs]: finite and not negative."""
    rates = np.array(costs, dtype=np.float64)
    if rates.shape != (n_rungs,) or not np.isfinite(rates).all() or (rates < 0).any():
        raise ValueError(f"costs must be {n_rungs} finite rates, none negative")
    return rates


def _quantile_request(sample: WeightedSample, rank: int) -> int | None:
    """The request that is the quantile under every schedule; None if it depends on them."""
    if sample.n_curves > 1:
        return None
    # Times rise with demand if all requests follow one curve.
    demand = _order_statistic(sample.demand_ms, sample.weight, rank)
    return int(np.flatnonzero(sample.demand_ms == demand)[0])


def _order_statistic(values: NDArray[np.float64], weight: NDArray[np.int64], rank: int) -> float:
    """The smallest value whose cumulative weight is at least `rank`."""
    if int(weight.sum()) == weight.size:
        return float(np.partition(values, rank - 1)[rank - 1])
    order = np.argsort(values, kind="stable")
    return float(values[order[np.searchsorted(np.cumsum(weight[order]), rank)]])
