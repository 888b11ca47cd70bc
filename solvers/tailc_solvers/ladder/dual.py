"""The optimal ladder in continuous time if all requests follow one speed-up curve, with its proof.

Problem, for each load q, with F the step distribution of the demands, w its beta quantile and i(x)
the rung that does the x-th unit of work, never falling with x:

    T = integral_0^w dx / s_i(x)        L = integral (1 - F) / s_i(x) dx
    W = integral (1 - F) c_i(x) / s_i(x) dx

    by tail     minimise  v_0 + T      subject to  q W <= p (v_0 + L)
    by cost     minimise  W            subject to  q W <= p (v_0 + L),  v_0 + T <= target
    variables   v_0 >= 0, i(x)

Method. Work after w does not affect the tail, but a ladder never returns to a rung below the rung k
that it is on at w: a fixed charge for reaching k. It stays on k, unless a later rung does work at
less cost or makes L longer. For each k the problem is linear in how much of each sliver dx is done
on each rung, so strong duality holds and one or two multipliers decide (kernels.py). The least dual
value over all k is a lower bound on the problem, the best primal its solution. The sample splits at
most one sliver by constraint, so the two agree but for rounding.

Source: Haque et al., ASPLOS 2015, Theorem 1 and eq. 6-7, there for integer degrees, work up to w
and no wait; the average parallelism of eq. 3 is the constraint on q.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, as_cost_rates
from tailc_solvers.ladder.kernels import DemandSteps, DualAnswer, Hull
from tailc_solvers.ladder.rows import (
    durations,
    hull_of,
    least_costs,
    least_tails,
    rung_ends,
    sorted_steps,
    sorted_weights,
)
from tailc_solvers.objective import SearchObjective
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status


@dataclass(frozen=True)
class ContinuousLadders:
    """The optimal ladder of each of Q loads, in the order of the given loads.

    A ladder is a wait v_0, then a time on each rung. T is the tail of the execution time, L its
    mean, and W the mean cost-time of a request. An infeasible load (by cost only) has inf in all
    figures except `least_tail_ms`.

    Attributes:
        load: as given, q [Q].
        work_ms: work at which each rung is left, inf for the last [Q, rungs].
        v_ms: wait, then wall time on each rung but the last, inf if it is never left [Q, rungs].
        tail_ms: v_0 + T [Q].
        mean_ms: v_0 + L [Q].
        cost_time_ms: W [Q].
        total_cost: total average cost of q requests, A = q W / (v_0 + L) [Q].
        primal: value of the objective, ms by tail, cost-time by cost [Q].
        bound: proved lower bound on the objective, over all ladders and waits [Q].
        weights: (alpha, beta, gamma) of the Lagrangian alpha W + beta T - gamma L that proves the
            bound, zeros if infeasible [Q, 3]. By cost its constant is - beta * target.
        least_tail_ms: least attainable tail [Q].
        status: OPTIMAL or INFEASIBLE, one for each load.
        evaluations: total number of Lagrangian minimisations.
    """

    load: NDArray[np.float64]
    work_ms: NDArray[np.float64]
    v_ms: NDArray[np.float64]
    tail_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    cost_time_ms: NDArray[np.float64]
    total_cost: NDArray[np.float64]
    primal: NDArray[np.float64]
    bound: NDArray[np.float64]
    weights: NDArray[np.float64]
    least_tail_ms: NDArray[np.float64]
    status: tuple[Status, ...]
    evaluations: int

    @property
    def gap(self) -> NDArray[np.float64]:
        """Objective of each load's ladder minus the proved bound, at least 0.

        inf for infeasible rows.
        """
        is_solved = np.isfinite(self.primal)
        difference = np.subtract(
            self.primal, self.bound, out=np.full_like(self.primal, np.inf), where=is_solved
        )
        return np.maximum(difference, 0.0)


def solve_ladder(
    sample: WeightedSample,
    costs: ArrayLike,
    loads: ArrayLike,
    budget: float,
    *,
    rank: int,
    objective: SearchObjective | str = SearchObjective.TAIL,
    target_ms: ArrayLike | None = None,
) -> ContinuousLadders:
    """Solve for the best ladder of each load, in O(rungs^2 log R) per row after one sort.

    R is the number of demands. Because the time is bounded, there is no budget of evaluations.

    Args:
        sample: demands and weights; all requests must follow one curve.
        costs: cost rate of each rung, not decreasing with the rung [rungs].
        loads: positive loads q, in any order [Q].
        budget: p, the largest total average cost; with a relative tolerance of 1e-9, as the target,
            so that the bound holds for all schedules that the grid search considers feasible.
        rank: 1-based rank of the request whose time is the tail, weights counted.
        objective: `tail` or `cost`.
        target_ms: the largest tail, of all loads or of each; with `cost` only, and required there.
    """
    objective = SearchObjective(objective)
    if (target_ms is not None) != (objective is SearchObjective.COST):
        raise ValueError("`target_ms` must be set for the objective `cost`, and only for it")
    load = np.atleast_1d(np.asarray(loads, dtype=np.float64))
    if load.ndim != 1 or not (np.isfinite(load).all() and (load > 0).all() and budget > 0):
        raise ValueError("loads and budget must be positive and finite")
    if (sample.curve != sample.curve[0]).any():
        raise ValueError("the dual needs one common curve")
    order, weight = sorted_weights(sample)
    steps = sorted_steps(order, weight, rank)
    hull = hull_of(sample.speeds[sample.curve[0]], as_cost_rates(costs, sample.n_rungs))
    wait_per_cost = load / (budget * (1 + FEASIBILITY_TOLERANCE))
    by_tail = answer = least_tails(steps, hull, wait_per_cost)
    if target_ms is not None:
        target = np.asarray(target_ms, dtype=np.float64) * (1 + FEASIBILITY_TOLERANCE)
        answer = least_costs(steps, hull, wait_per_cost, target)
    return _solution(steps, hull, load, by_tail, answer)


def _solution(
    steps: DemandSteps,
    hull: Hull,
    load: NDArray[np.float64],
    by_tail: DualAnswer,
    answer: DualAnswer,
) -> ContinuousLadders:
    wait, tail, mean, cost = answer.value.T
    is_solved = np.isfinite(answer.primal)
    evaluations = int(by_tail.evaluations.sum())
    if answer is not by_tail:
        evaluations += int(answer.evaluations.sum())
    work = rung_ends(steps, hull, answer)
    total = np.divide(load * cost, wait + mean, out=np.full_like(load, np.inf), where=is_solved)
    return ContinuousLadders(
        load=load,
        work_ms=work,
        v_ms=durations(work, hull, wait),
        tail_ms=wait + tail,
        mean_ms=wait + mean,
        cost_time_ms=cost,
        total_cost=total,
        primal=answer.primal,
        bound=np.minimum(answer.bound, answer.primal),
        weights=answer.weights,
        least_tail_ms=by_tail.primal,
        status=tuple(Status.OPTIMAL if s else Status.INFEASIBLE for s in is_solved.tolist()),
        evaluations=evaluations,
    )
