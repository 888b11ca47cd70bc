"""Round a continuous ladder to whole microseconds, and evaluate the result.

Durations are rounded to the nearest microsecond, and the wait is the least whole number of them
that keeps the row within the budget. The figures are those of the rounded schedule, request by
request; so the bound of the continuous problem still holds, and the gap to it is computed again.

By cost the optimum meets the target exactly, and rounding moves about half of the rows beyond it.
Those are solved again for a target that is tighter by their excess, until they meet it. The others
get the ladder of the least tail: only that can still meet the target, and if it does not, its tail
is the nearest possible.
"""

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, evaluate
from tailc_solvers.ladder.dual import ContinuousLadders, solve_ladder
from tailc_solvers.objective import SearchObjective
from tailc_solvers.sample import WeightedSample

US_PER_MS = 1_000

MOST_TIGHTENINGS = 10
"""Each takes a row by at least a microsecond off the target; one or two do as a rule."""


@dataclass(frozen=True)
class SnappedLadder:
    """Schedules rounded to whole microseconds, one for each load, with their exact figures.

    Attributes:
        v_ms: wait and durations, inf if a rung is never left [Q, rungs].
        tail_ms, mean_ms, cost_time_ms, total_cost: as in ContinuousLadders [Q].
        gap: objective of the rounded schedule minus the proved bound, inf without a bound [Q].
        meets_target: whether the tail is within the target; all true without one. Loads that miss
            it have the ladder of the least tail [Q].
    """

    v_ms: NDArray[np.float64]
    tail_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    cost_time_ms: NDArray[np.float64]
    total_cost: NDArray[np.float64]
    gap: NDArray[np.float64]
    meets_target: NDArray[np.bool_]


def snap(
    solution: ContinuousLadders,
    sample: WeightedSample,
    costs: ArrayLike,
    budget: float,
    *,
    rank: int,
    target_ms: float | None = None,
) -> SnappedLadder:
    """Round the times of each ladder of `solution` to whole microseconds, and evaluate it again.

    sample, costs, budget, rank, target_ms: the arguments with which `solution` was solved.
    """
    problem = _SnapInputs(sample, costs, budget, rank, target_ms)
    snapped = problem.round_rows(solution, solution.bound)
    if target_ms is None:
        return snapped
    tightened = np.full(solution.load.shape, float(target_ms))
    for _ in range(MOST_TIGHTENINGS):
        missed = np.flatnonzero(~snapped.meets_target & np.isfinite(snapped.tail_ms))
        tightened[missed] -= _whole(snapped.tail_ms[missed] - target_ms, np.ceil)
        snapped = problem.solved_again(solution, snapped, missed, tightened[missed])
    return problem.solved_again(solution, snapped, np.flatnonzero(~snapped.meets_target), None)


@dataclass(frozen=True)
class _SnapInputs:
    """The common inputs of all rows."""

    sample: WeightedSample
    costs: ArrayLike
    budget: float
    rank: int
    target_ms: float | None

    def solved_again(
        self,
        solution: ContinuousLadders,
        snapped: SnappedLadder,
        rows: NDArray[np.int64],
        target_ms: NDArray[np.float64] | None,
    ) -> SnappedLadder:
        """`snapped` with its `rows` solved for their own targets, or without any for the tail.

        The gap remains that to the bounds of `solution`.
        """
        if rows.size == 0:
            return snapped
        again = solve_ladder(
            self.sample,
            self.costs,
            solution.load[rows],
            self.budget,
            rank=self.rank,
            objective=SearchObjective.TAIL if target_ms is None else SearchObjective.COST,
            target_ms=target_ms,
        )
        return _with_rows(snapped, rows, self.round_rows(again, solution.bound[rows]))

    def round_rows(self, solution: ContinuousLadders, bound: NDArray[np.float64]) -> SnappedLadder:
        """Rows of `solution` in whole microseconds; inf for rows without a schedule."""
        is_solved = np.isfinite(solution.primal)
        v = _whole(np.where(is_solved[:, None], solution.v_ms, 0.0), np.rint)
        exact = evaluate(self.sample, self.costs, v, self.rank)
        per_cost = solution.load / (self.budget * (1 + FEASIBILITY_TOLERANCE))
        need = np.maximum(per_cost * exact.cost_time_ms - exact.execution_mean_ms, 0.0)
        v[:, 0] = _whole(need, np.ceil)
        tail = v[:, 0] + exact.execution_tail_ms
        mean = v[:, 0] + exact.execution_mean_ms
        target = math.inf if self.target_ms is None else self.target_ms
        objective = tail if self.target_ms is None else exact.cost_time_ms
        is_bounded = is_solved & np.isfinite(bound)

        def solved(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.where(is_solved, values, np.inf)

        return SnappedLadder(
            v_ms=np.where(is_solved[:, None], v, np.inf),
            tail_ms=solved(tail),
            mean_ms=solved(mean),
            cost_time_ms=solved(exact.cost_time_ms),
            total_cost=solved(solution.load * exact.cost_time_ms / mean),
            gap=np.where(is_bounded, objective - np.where(is_bounded, bound, 0.0), np.inf),
            meets_target=is_solved & (tail <= target * (1 + FEASIBILITY_TOLERANCE)),
        )


def _whole(ms: NDArray[np.float64], rounding: np.ufunc) -> NDArray[np.float64]:
    """`ms` rounded to whole microseconds; inf stays."""
    return rounding(ms * US_PER_MS) / US_PER_MS


def _with_rows(
    snapped: SnappedLadder, rows: NDArray[np.int64], other: SnappedLadder
) -> SnappedLadder:
    """`snapped` with its `rows` replaced by those of `other`."""
    columns = {field.name: getattr(snapped, field.name).copy() for field in fields(snapped)}
    for name, column in columns.items():
        column[rows] = getattr(other, name)
    return SnappedLadder(**columns)
