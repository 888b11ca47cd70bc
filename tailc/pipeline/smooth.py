"""Choose near-optimal schedules that change little from one load to the next.

The schedules are within the problem's tolerance of the best. With each further request in the
system, no request has more threads at any age, or a shorter wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, Evaluation, evaluate
from tailc_solvers.intervals.near import Candidates, near_best
from tailc_solvers.ladder.smooth import jumps, smoothest
from tailc_solvers.sample import WeightedSample

from tailc.percentiles import PPM
from tailc.pipeline.figures import US_PER_MS, cost_rates
from tailc.problems.ladder import LadderObjective, LadderProblem, Method

Schedules: TypeAlias = NDArray[np.float64]
Ages: TypeAlias = NDArray[np.float64]

# Limits on the pairs of schedules to compare, and on the schedules per load.
_MOST_PAIRS = 4e6
_MOST_SCHEDULES = 1_000


def smooth_schedules(problem: LadderProblem, sample: WeightedSample, v_ms: Schedules) -> Schedules:
    """Smooth the schedules of neighbouring loads, `v_ms` [loads, rungs], within the tolerance.

    v_ms: time on each rung [ms]. Rows without a schedule, and schedules that are already smooth, do
    not change.
    """
    solved = np.isfinite(v_ms[:, 0])
    if not jumps(v_ms[solved]):
        return v_ms
    loads = np.array(problem.loads)[solved]
    room = int(min(_MOST_SCHEDULES, math.sqrt(_MOST_PAIRS / len(loads))))
    if problem.method is Method.GRID:
        result = _on_grid(problem, sample, loads, v_ms[solved], room)
    else:
        result = _between(problem, sample, loads, v_ms[solved])
    smooth = v_ms.copy()
    smooth[solved] = smoothest(result, room)
    return smooth


def _limits_ms(
    problem: LadderProblem, sample: WeightedSample, v_ms: Schedules
) -> NDArray[np.float64]:
    """The largest allowed objective of each row, in whole microseconds as in the evidence [ms]."""
    result = evaluate(sample, cost_rates(problem), v_ms, problem.rank)
    by_tail = problem.objective is LadderObjective.TAIL
    best = v_ms[:, 0] + result.execution_tail_ms if by_tail else result.cost_time_ms
    allowed_us = np.rint(best * US_PER_MS) * (PPM + problem.tolerance_ppm) // PPM
    return np.maximum(allowed_us / US_PER_MS, best)


def _target_ms(problem: LadderProblem) -> float | None:
    return None if problem.target_us is None else problem.target_us / US_PER_MS


def _on_grid(
    problem: LadderProblem,
    sample: WeightedSample,
    loads: NDArray[np.int64],
    v_ms: Schedules,
    room: int,
) -> list[Candidates]:
    assert problem.grid is not None
    result = near_best(
        sample,
        cost_rates(problem),
        loads,
        problem.budget_ppm / PPM,
        _limits_ms(problem, sample, v_ms),
        rank=problem.rank,
        step_ms=problem.grid.step_us / US_PER_MS,
        longest_ms=problem.grid.longest_us / US_PER_MS,
        target_ms=_target_ms(problem),
        room=room,
    )
    return [_with_first(best, each) for best, each in zip(v_ms, result, strict=True)]


def _with_first(best: NDArray[np.float64], others: Candidates) -> Candidates:
    """The candidates with the best one first."""
    other = (others.v_ms != best).any(axis=1)
    spare_ms = others.spare_ms[~other].max(initial=0.0)
    return Candidates(
        np.vstack([best, others.v_ms[other]]), np.append(spare_ms, others.spare_ms[other])
    )


def _between(
    problem: LadderProblem, sample: WeightedSample, loads: NDArray[np.int64], v_ms: Schedules
) -> list[Candidates]:
    """Candidates of each row: its own schedule, and those with ages limited by neighbouring rows.

    Ages are limited by earlier rows, and by later rows. If a row with limited ages exceeds its own
    limits, the limit starts again from its own schedule.
    """
    limits_ms, evaluator = _limits_ms(problem, sample, v_ms), _Evaluator(problem, sample)
    rows = [
        _Row(problem, evaluator, int(load), limit_ms)
        for load, limit_ms in zip(loads, limits_ms.tolist(), strict=True)
    ]
    later = _limit_ages(rows, v_ms, np.maximum)
    earlier = _limit_ages(rows[::-1], v_ms[::-1], np.minimum)[::-1]
    each = zip(rows, v_ms, later, earlier, strict=True)
    return [row.candidates(np.unique(cut, axis=0), own) for row, own, *cut in each]


def _limit_ages(
    rows: Sequence[_Row], v_ms: Schedules, cut: Callable[[Ages, Ages], Ages]
) -> list[NDArray[np.float64]]:
    """The schedules of `rows` in order, each with its ages limited by those before."""
    schedules: list[NDArray[np.float64]] = []
    for row, own in zip(rows, v_ms, strict=True):
        one = own
        if schedules:
            one = row.waiting(_stays(cut(np.cumsum(own[1:]), np.cumsum(schedules[-1][1:]))))
        schedules.append(one if row.spare_ms(one) >= 0 else own)
    return schedules


def _stays(ages_ms: Ages) -> Ages:
    """Duration on each rung from the ages at which it ends; 0 after a rung that never ends."""
    before = np.append(0.0, ages_ms[:-1])
    return np.where(np.isinf(before), 0.0, ages_ms - np.where(np.isinf(before), 0.0, before))


class _Evaluator:
    """Evaluate schedules; those that differ only in the wait are evaluated once."""

    def __init__(self, problem: LadderProblem, sample: WeightedSample) -> None:
        self._problem, self._sample = problem, sample
        self._of_stays: dict[bytes, Evaluation] = {}

    def evaluate(self, v_ms: NDArray[np.float64]) -> Evaluation:
        """Evaluation of one schedule, without its wait."""
        key = v_ms[1:].tobytes()
        if key not in self._of_stays:
            self._of_stays[key] = evaluate(
                self._sample, cost_rates(self._problem), v_ms, self._problem.rank
            )
        return self._of_stays[key]


@dataclass(frozen=True)
class _Row:
    """Limits of a schedule of one load: the budget, and the objective and tail in ms."""

    problem: LadderProblem
    evaluator: _Evaluator
    load: int
    limit_ms: float

    def waiting(self, stays_ms: Ages) -> NDArray[np.float64]:
        """The schedule with the least wait, in whole microseconds, within the budget."""
        v_ms = np.append(0.0, stays_ms)
        result = self.evaluator.evaluate(v_ms)
        per_cost = self.load * PPM / (self.problem.budget_ppm * (1 + FEASIBILITY_TOLERANCE))
        need_ms = per_cost * float(result.cost_time_ms[0]) - float(result.execution_mean_ms[0])
        v_ms[0] = math.ceil(max(need_ms, 0.0) * US_PER_MS) / US_PER_MS
        return v_ms

    def spare_ms(self, v_ms: NDArray[np.float64]) -> float:
        """How much longer the schedule may wait within the limits; negative if it exceeds them."""
        result, target_ms = self.evaluator.evaluate(v_ms), _target_ms(self.problem)
        tail_ms = float(v_ms[0] + result.execution_tail_ms[0])
        if target_ms is None:
            return self.limit_ms - tail_ms
        return target_ms - tail_ms if result.cost_time_ms[0] <= self.limit_ms else -math.inf

    def candidates(self, cut: Schedules, own: NDArray[np.float64]) -> Candidates:
        """The row's own schedule, then the other ones."""
        v_ms = np.vstack([own, cut[(cut != own).any(axis=1)]])
        spare_ms = [max(self.spare_ms(one), 0.0) for one in v_ms]
        return Candidates(v_ms, np.array(spare_ms))
