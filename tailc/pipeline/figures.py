"""Evaluate schedules in whole microseconds on the design trace, independently of solvers.

Solvers compute in floating point. Tails and costs are computed again from the schedule as the
artifact stores it; a schedule that exceeds its limits is a bug and stops the compile.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE, evaluate
from tailc_solvers.sample import WeightedSample

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.order_statistics import rank_limits
from tailc.percentiles import PPM
from tailc.problems.ladder import LadderObjective, LadderProblem
from tailc.problems.schedule import Schedule

US_PER_MS = 1_000


class ScheduleEvaluator:
    """Computes exact tails and costs of schedules on the design trace, with the tail's interval."""

    def __init__(self, problem: LadderProblem, sample: WeightedSample) -> None:
        self._problem = problem
        self._sample = sample
        total = problem.profile.total_weight
        self._limits = rank_limits(problem.percentile_ppm, total)
        self._executions: dict[tuple[object, int], tuple[float, float, float]] = {}

    def evidence(self, load: int, schedule: Schedule, bound_us: int | None) -> RowEvidence:
        """Evaluate the schedule of one load in whole microseconds, for the policy's evidence.

        bound_us: proved bound on the objective. Raises AssertionError if the schedule exceeds the
        budget or the target.
        """
        problem = self._problem
        tail_ms, mean_ms, cost_time_ms = self._execution(schedule, problem.rank)
        tail_us = schedule.wait_us + whole_us(tail_ms)
        cost_time_us = whole_us(cost_time_ms)
        residence_ms = schedule.wait_us / US_PER_MS + mean_ms
        total_cost_ppm = load * cost_time_ms / residence_ms * PPM
        # Twice the tolerance: the solver's sums may round differently.
        assert total_cost_ppm <= problem.budget_ppm * (1 + 2 * FEASIBILITY_TOLERANCE)
        assert problem.target_us is None or tail_us <= problem.target_us
        return RowEvidence(
            load=load,
            objective_us=tail_us if problem.objective is LadderObjective.TAIL else cost_time_us,
            bound_us=bound_us,
            tail_us=tail_us,
            tail_low_us=self._tail_us(schedule, max(self._limits.low, 1)),
            tail_high_us=self._limits.high and self._tail_us(schedule, self._limits.high),
            mean_us=whole_us(residence_ms),
            cost_time_us=cost_time_us,
            total_cost_ppm=round(total_cost_ppm),
        )

    def _tail_us(self, schedule: Schedule, rank: int) -> int:
        return schedule.wait_us + whole_us(self._execution(schedule, rank)[0])

    def _execution(self, schedule: Schedule, rank: int) -> tuple[float, float, float]:
        """Execution figures in ms: time of the request at `rank`, mean time, mean cost-time.

        Cached, since many loads have equal stays and different waits.
        """
        key = schedule.stay_us, rank
        if key not in self._executions:
            self._executions[key] = self._execute(schedule, rank)
        return self._executions[key]

    def _execute(self, schedule: Schedule, rank: int) -> tuple[float, float, float]:
        stays = [math.inf if stay is None else stay / US_PER_MS for stay in schedule.stay_us]
        rates = cost_rates(self._problem)
        evaluation = evaluate(self._sample, rates, [0.0, *stays], rank)
        return (
            float(evaluation.execution_tail_ms[0]),
            float(evaluation.execution_mean_ms[0]),
            float(evaluation.cost_time_ms[0]),
        )


def cost_rates(problem: LadderProblem) -> NDArray[np.float64]:
    """Cost of each rung per millisecond, in the first of the cost units; float64 (rungs,)."""
    return np.array(problem.cost_ppm) / PPM


def whole_us(value_ms: float) -> int:
    """Convert milliseconds to microseconds, rounded to a whole number."""
    return round(value_ms * US_PER_MS)
