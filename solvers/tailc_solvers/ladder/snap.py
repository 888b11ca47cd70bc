"""A continuous ladder rounded to whole quanta of time, and what that costs.

Durations go to the nearest quantum. By cost they go down, towards the faster rungs, where that is
what meets the target. The figures are those of the rounded schedule, request by request, and the
wait is the least whole number of quanta that keeps the row within the budget; so the bound of the
continuous problem still holds, and the gap to it is reported again.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, evaluate
from tailc_solvers.ladder.dual import LadderSolution
from tailc_solvers.sample import Sample

US_PER_MS = 1_000


@dataclass(frozen=True)
class SnappedLadder:
    """Schedules in whole quanta with their exact figures; rows that had none have inf.

    Attributes:
        v_ms: wait and durations, inf where a rung is never left [Q, rungs].
        tail_ms, mean_ms, cost_time_ms, total_cost: as in LadderSolution [Q].
        gap: objective of the rounded schedule minus the proved bound [Q].
        meets_target: whether the tail is within the target; all true without one [Q].
    """

    v_ms: NDArray[np.float64]
    tail_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    cost_time_ms: NDArray[np.float64]
    total_cost: NDArray[np.float64]
    gap: NDArray[np.float64]
    meets_target: NDArray[np.bool_]


def snap(
    solution: LadderSolution,
    sample: Sample,
    costs: ArrayLike,
    budget: float,
    *,
    rank: int,
    target_ms: float | None = None,
    quantum_us: int = 1,
) -> SnappedLadder:
    """Round each row of `solution` to multiples of `quantum_us` and evaluate it anew.

    The other arguments are those that `solution` was solved with.
    """
    nearest = _rounded(solution, sample, costs, budget, rank, target_ms, quantum_us, np.rint)
    if nearest.meets_target.all():
        return nearest
    down = _rounded(solution, sample, costs, budget, rank, target_ms, quantum_us, np.floor)
    return _choose(nearest, down)


def _rounded(
    solution: LadderSolution,
    sample: Sample,
    costs: ArrayLike,
    budget: float,
    rank: int,
    target_ms: float | None,
    quantum_us: int,
    rounding: np.ufunc,
) -> SnappedLadder:
    is_solved = np.isfinite(solution.primal)
    v = _whole(np.where(is_solved[:, None], solution.v_ms, 0.0), quantum_us, rounding)
    exact = evaluate(sample, costs, v, rank)
    per_cost = solution.load / (budget * (1 + FEASIBILITY_TOLERANCE))
    need = np.maximum(per_cost * exact.cost_time_ms - exact.execution_mean_ms, 0.0)
    v[:, 0] = _whole(need, quantum_us, np.ceil)
    tail = v[:, 0] + exact.execution_tail_ms
    mean = v[:, 0] + exact.execution_mean_ms
    limit = math.inf if target_ms is None else target_ms * (1 + FEASIBILITY_TOLERANCE)
    objective = tail if target_ms is None else exact.cost_time_ms

    def solved(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(is_solved, values, np.inf)

    bound = np.where(is_solved, solution.bound, 0.0)
    return SnappedLadder(
        v_ms=np.where(is_solved[:, None], v, np.inf),
        tail_ms=solved(tail),
        mean_ms=solved(mean),
        cost_time_ms=solved(exact.cost_time_ms),
        total_cost=solved(solution.load * exact.cost_time_ms / mean),
        gap=solved(objective - bound),
        meets_target=is_solved & (tail <= limit),
    )


def _whole(ms: NDArray[np.float64], quantum_us: int, rounding: np.ufunc) -> NDArray[np.float64]:
    """`ms` rounded to a multiple of the quantum; inf stays."""
    return rounding(ms * US_PER_MS / quantum_us) * quantum_us / US_PER_MS


def _choose(nearest: SnappedLadder, down: SnappedLadder) -> SnappedLadder:
    """Row by row `down`, where that meets a target which `nearest` does not."""
    is_down = down.meets_target & ~nearest.meets_target
    return SnappedLadder(
        np.where(is_down[:, None], down.v_ms, nearest.v_ms),
        np.where(is_down, down.tail_ms, nearest.tail_ms),
        np.where(is_down, down.mean_ms, nearest.mean_ms),
        np.where(is_down, down.cost_time_ms, nearest.cost_time_ms),
        np.where(is_down, down.total_cost, nearest.total_cost),
        np.where(is_down, down.gap, nearest.gap),
        nearest.meets_target | down.meets_target,
    )
