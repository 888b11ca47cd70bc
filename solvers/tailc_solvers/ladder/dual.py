"""The best ladder in continuous time for one common curve, with the bound that proves it.

Problem, for each load q, with F the step distribution of the demands, w its beta quantile and i(x)
the rung that does the x-th unit of work, never falling with x:

    T = integral_0^w dx / s_i(x)        L = integral (1 - F) / s_i(x) dx
    W = integral (1 - F) c_i(x) / s_i(x) dx

    by tail     minimise  v_0 + T      subject to  q W <= p (v_0 + L)
    by cost     minimise  W            subject to  q W <= p (v_0 + L),  v_0 + T <= target
    variables   v_0 >= 0, i(x)

Method. After w the quantile no longer counts, and a ladder keeps its last rung k: a fixed charge
for reaching k. For each k the rest is linear in how much of each sliver dx is done on each rung, so
strong duality holds and one or two multipliers decide (kernels.py). The least dual value over all k
is a lower bound on the problem, the best primal its solution. The sample splits at most one sliver
by constraint, so the two agree but for rounding.

Source: Haque et al., ASPLOS 2015, Theorem 1 and eq. 6-7, there for integer degrees, work up to w
and no wait; the average parallelism of eq. 3 is the constraint on q.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, as_cost_rates
from tailc_solvers.ladder.kernels import Answer, Hull, Steps, fill_hull, least_cost, least_tail
from tailc_solvers.objective import Objective
from tailc_solvers.sample import Sample
from tailc_solvers.status import Status


@dataclass(frozen=True)
class LadderSolution:
    """The optimum of each load, in the order given.

    An infeasible row (by cost only) has inf in all figures but `least_tail_ms`.

    Attributes:
        load: as given [Q].
        work_ms: work at which each rung is left, inf for the last [Q, rungs].
        v_ms: wait, then wall time on each rung but the last, inf where it is never left [Q, rungs].
        last_rung: the rung that is kept to the end, from 0 [Q].
        tail_ms: v_0 + T [Q].
        mean_ms: v_0 + L [Q].
        cost_time_ms: W [Q].
        total_cost: A = q W / (v_0 + L) [Q].
        primal: value of the objective, ms by tail, cost-time by cost [Q].
        bound: proved lower bound on it, over all ladders and waits [Q].
        least_tail_ms: least attainable tail [Q].
        status: OPTIMAL or INFEASIBLE, one each row.
        evaluations: Lagrangian minimisations in all.
    """

    load: NDArray[np.float64]
    work_ms: NDArray[np.float64]
    v_ms: NDArray[np.float64]
    last_rung: NDArray[np.int64]
    tail_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    cost_time_ms: NDArray[np.float64]
    total_cost: NDArray[np.float64]
    primal: NDArray[np.float64]
    bound: NDArray[np.float64]
    least_tail_ms: NDArray[np.float64]
    status: tuple[Status, ...]
    evaluations: int

    @property
    def gap(self) -> NDArray[np.float64]:
        """Primal - bound; rounding below zero is zero. Infeasible rows have none: inf."""
        is_solved = np.isfinite(self.primal)
        difference = np.subtract(
            self.primal, self.bound, out=np.full_like(self.primal, np.inf), where=is_solved
        )
        return np.maximum(difference, 0.0)


def solve_ladder(
    sample: Sample,
    costs: ArrayLike,
    loads: ArrayLike,
    budget: float,
    *,
    beta_ppm: int,
    objective: Objective | str = Objective.TAIL,
    target_ms: float | None = None,
) -> LadderSolution:
    """Best ladder for each load, O(rungs^2 log R) a row after one sort of the demands.

    Args:
        sample: demands and weights; all requests must follow one curve.
        costs: cost rate of each rung, not falling with the rung [rungs].
        loads: positive loads q, in any order [Q].
        budget: p, the largest total average cost; taken with a relative tolerance of 1e-9, as is
            the target, so that the bound holds for whatever the grid search calls feasible.
        beta_ppm: the tail's quantile in parts per million.
        objective: `tail` or `cost`.
        target_ms: the largest tail; with `cost` only, and required there.
    """
    objective = Objective(objective)
    if (target_ms is not None) != (objective is Objective.COST):
        raise ValueError("target_ms goes with the objective `cost`, and only with it")
    load = np.atleast_1d(np.asarray(loads, dtype=np.float64))
    if load.ndim != 1 or not (np.isfinite(load).all() and (load > 0).all() and budget > 0):
        raise ValueError("loads and budget must be positive and finite")
    steps = steps_of(sample, beta_ppm)
    hull = hull_of(sample.speeds[sample.curve[0]], as_cost_rates(costs, sample.n_rungs))
    wait_per_cost = load / (budget * (1 + FEASIBILITY_TOLERANCE))
    by_tail = _no_answer(load.size, sample.n_rungs)
    least_tail(steps, hull, wait_per_cost, by_tail)
    answer = by_tail
    if target_ms is not None:
        answer = _no_answer(load.size, sample.n_rungs)
        least_cost(steps, hull, wait_per_cost, target_ms * (1 + FEASIBILITY_TOLERANCE), answer)
    return _solution(steps, hull, load, by_tail, answer)


def steps_of(sample: Sample, beta_ppm: int) -> Steps:
    """The sample's distribution as sorted steps; all requests must follow one curve."""
    if (sample.curve != sample.curve[0]).any():
        raise ValueError("the dual needs one common curve")
    total = sample.total_weight
    if total == sample.weight.size:
        demand = np.sort(sample.demand_ms)
        weighted = demand
        running = np.arange(total, 0, -1.0)
        rank = sample.tail_rank(beta_ppm)
    else:
        order = np.argsort(sample.demand_ms, kind="stable")
        demand = sample.demand_ms[order]
        weight = sample.weight[order]
        upto = np.cumsum(weight)
        weighted = demand * weight
        running = (total - upto + weight).astype(np.float64)
        rank = int(np.searchsorted(upto, sample.tail_rank(beta_ppm))) + 1
    before = np.cumsum(weighted) - weighted
    return Steps(
        work=np.concatenate([[0.0], demand]),
        sum=np.concatenate([[0.0], (before + demand * running) / total]),
        running=np.concatenate([[1.0], running / total]),
        rank=rank,
    )


def hull_of(speeds: NDArray[np.float64], costs: NDArray[np.float64]) -> Hull:
    """The rungs worth using below each last rung."""
    if (np.diff(costs) < 0).any():
        raise ValueError("costs must not fall with the rung")
    n = speeds.size
    hull = Hull(np.zeros((n, n), np.int64), np.zeros(n, np.int64), 1.0 / speeds, costs / speeds)
    fill_hull(hull)
    return hull


def _no_answer(n_rows: int, n_rungs: int) -> Answer:
    return Answer(
        last=np.zeros(n_rows, dtype=np.int64),
        value=np.full((n_rows, 4), math.inf),
        work=np.zeros((n_rows, n_rungs)),
        primal=np.full(n_rows, math.inf),
        bound=np.full(n_rows, math.inf),
        evaluations=np.zeros(n_rows, dtype=np.int64),
    )


def _solution(
    steps: Steps, hull: Hull, load: NDArray[np.float64], by_tail: Answer, answer: Answer
) -> LadderSolution:
    wait, tail, mean, cost = answer.value.T
    is_solved = np.isfinite(answer.primal)
    evaluations = int(by_tail.evaluations.sum())
    if answer is not by_tail:
        evaluations += int(answer.evaluations.sum())
    work = np.array([_rung_ends(steps, hull, answer, q) for q in range(load.size)])
    total = np.divide(load * cost, wait + mean, out=np.full_like(load, np.inf), where=is_solved)
    return LadderSolution(
        load=load,
        work_ms=work,
        v_ms=_durations(work, hull.time, wait),
        last_rung=answer.last,
        tail_ms=wait + tail,
        mean_ms=wait + mean,
        cost_time_ms=cost,
        total_cost=total,
        primal=answer.primal,
        bound=np.minimum(answer.bound, answer.primal),
        least_tail_ms=by_tail.primal,
        status=tuple(Status.OPTIMAL if s else Status.INFEASIBLE for s in is_solved.tolist()),
        evaluations=evaluations,
    )


def _rung_ends(steps: Steps, hull: Hull, answer: Answer, q: int) -> NDArray[np.float64]:
    """Work at which each rung is left: its edge on the hull, w before a last rung off the hull."""
    last = answer.last[q]
    rungs = hull.rung[last, : hull.size[last]]
    ends = np.zeros(hull.time.size)
    ends[rungs[:-1]] = answer.work[q, : rungs.size - 1]
    ends[rungs[-1]] = steps.work[steps.rank]
    # A rung that is skipped ends where the one before it did.
    ends = np.maximum.accumulate(ends)
    ends[last:] = np.inf
    return ends


def _durations(
    work: NDArray[np.float64], time: NDArray[np.float64], wait: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Wait and wall times [Q, rungs] from the work at which rungs are left, zeros after inf."""
    begins = np.concatenate([np.zeros_like(work[:, :1]), work[:, :-1]], axis=1)
    is_reached = np.isfinite(begins)
    stretch = (work - np.where(is_reached, begins, 0.0)) * time
    stretch[~is_reached] = 0.0
    return np.concatenate([wait[:, None], stretch[:, :-1]], axis=1)
