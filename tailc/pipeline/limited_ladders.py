"""Solve a ladder problem whose requests share several resources, in whole microseconds.

A resource is, for example, a pool of cores. Durations are rounded to the nearest microsecond, and
the wait is the least whole number that keeps every resource within its budget. Rounding moves a
tail by at most half a microsecond per rung, plus one for the wait, so the solver's target is lower
by that much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, evaluate
from tailc_solvers.ladder.limits import LimitedSolution, solve_limited
from tailc_solvers.sample import WeightedSample

from tailc.percentiles import PPM
from tailc.pipeline.figures import US_PER_MS, cost_rates
from tailc.problems.ladder import LadderProblem


@dataclass(frozen=True)
class LimitedSchedules:
    """Best schedules by load: time on each rung in ms [loads, rungs], inf if a rung never ends.

    has_schedule: whether the target can be met. least_tail_ms: the least possible tail of loads
    that cannot meet it; inf for the others. bound: proved bound on the objective [loads]. prices:
    number of dual prices that were tried.
    """

    v_ms: NDArray[np.float64]
    has_schedule: NDArray[np.bool_]
    least_tail_ms: NDArray[np.float64]
    bound: NDArray[np.float64]
    prices: int


def limited_schedules(problem: LadderProblem, sample: WeightedSample) -> LimitedSchedules:
    """Solve for the best schedule at every load within the capacity of every resource."""
    loads = np.array(problem.loads, dtype=np.float64)
    solution = _solve_loads(problem, sample, loads, problem.target_us)
    has_schedule = np.isfinite(solution.primal)
    v_ms = np.full(solution.v_ms.shape, np.inf)
    v_ms[has_schedule] = _round(problem, sample, loads[has_schedule], solution.v_ms[has_schedule])
    least_tail_ms = np.full(loads.shape, np.inf)
    prices = solution.prices
    if not has_schedule.all():
        nearest = _solve_loads(problem, sample, loads[~has_schedule], None)
        least_tail_ms[~has_schedule] = nearest.tail_ms
        prices += nearest.prices
    return LimitedSchedules(v_ms, has_schedule, least_tail_ms, solution.bound, prices)


def _solve_loads(
    problem: LadderProblem,
    sample: WeightedSample,
    loads: NDArray[np.float64],
    target_us: int | None,
) -> LimitedSolution:
    """Solve for some loads. For the cost objective the budget is one more limit."""
    uses, budgets = _supplies(problem)
    cost, target_ms = None, None
    if target_us is not None:
        cost = cost_rates(problem)
        uses = np.vstack([cost, uses])
        budgets = np.append(problem.budget_ppm / PPM, budgets)
        target_ms = (target_us - len(problem.cost_ppm) / 2 - 1) / US_PER_MS
    return solve_limited(
        sample,
        uses,
        budgets,
        loads,
        rank=problem.rank,
        widths=problem.threads,
        cost=cost,
        target_ms=target_ms,
    )


def _supplies(problem: LadderProblem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Use of each supply by rung, and its budget."""
    uses = np.array([supply.use_ppm for supply in problem.supplies]) / PPM
    return uses, np.array([supply.budget_ppm for supply in problem.supplies]) / PPM


def _round(
    problem: LadderProblem,
    sample: WeightedSample,
    loads: NDArray[np.float64],
    v_ms: NDArray[np.float64],
) -> NDArray[np.float64]:
    v_ms = np.rint(v_ms * US_PER_MS) / US_PER_MS
    wait_ms = np.zeros(loads.shape)
    for uses, budget in zip(*_supplies(problem), strict=True):
        evaluation = evaluate(sample, uses, v_ms, problem.rank)
        per_cost = loads / (budget * (1 + FEASIBILITY_TOLERANCE))
        wait_ms = np.maximum(
            wait_ms, per_cost * evaluation.cost_time_ms - evaluation.execution_mean_ms
        )
    v_ms[:, 0] = np.ceil(wait_ms * US_PER_MS) / US_PER_MS
    return v_ms
