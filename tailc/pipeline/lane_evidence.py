"""Evidence of a sharing plan: its replayed tail and batch work at every rate."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Code, Finding, Severity
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.models.smt.waking import BATCH_WAKE, CORE_WAKE
from tailc.percentiles import PPM
from tailc.pipeline.lane_sample import PlanMeasurement
from tailc.pipeline.lane_search import low_load_age_us
from tailc.problems.borrowing import (
    Borrowing,
    BorrowingProblem,
    BorrowingSolution,
    BudgetMethod,
    LoadPoint,
    RateRow,
)
from tailc.specs.slo import promise
from tailc.units import format_mrps, format_us

# Advice on a miss. Delays of the first two policies add up; the next two stay within the budget.
_LESS_OR_OTHER = "lower the budget, or use a policy whose delays do not add up: `fixed` or `safe`"
_LESS = "lower the budget"
_WAYS = {
    Borrowing.REFRESH: _LESS_OR_OTHER,
    Borrowing.DYNAMIC: _LESS_OR_OTHER,
    Borrowing.FIXED: _LESS,
    Borrowing.SAFE: _LESS,
    Borrowing.IDLE: "lower the rate, or relax the latency",
    Borrowing.OPTIMISED: "lower `target`, which leaves a margin for chance",
}


@dataclass(frozen=True)
class RateEvidence:
    """Results at one rate for SMT cores: requests alone, and with batch work under the plan.

    Both are from the same replications. budget_us: the latency budget. bound_us: proved least batch
    work given up per request; None if unknown.
    """

    rate_mrps: int
    alone: PlanMeasurement
    under: PlanMeasurement
    budget_us: int | None
    bound_us: int | None

    @property
    def point(self) -> LoadPoint:
        """Summarise this rate (tails, budget and batch work) for the compile's report."""
        return LoadPoint(
            rate_mrps=self.rate_mrps,
            alone_us=self.alone.tail_us,
            budget_us=self.budget_us,
            tail_us=self.under.tail_or_none_us,
            batch_ppm=self.under.batch_ppm,
            most_ppm=self._most_ppm,
        )

    @property
    def _most_ppm(self) -> int | None:
        """Upper bound on batch work per core: the work given up scales with that per request."""
        if self.bound_us is None:
            return None
        given_up_ppm = PPM - self.under.batch_ppm
        return PPM - given_up_ppm * self.bound_us // max(self.under.given_up_us, 1)

    @property
    def row(self) -> RateRow:
        """Predicted evidence of this rate; none if the server is overloaded."""
        measurement = self.under
        if measurement.is_overloaded:
            return RateRow(None)
        evidence = RowEvidence(
            load=self.rate_mrps,
            objective_us=measurement.given_up_us,
            bound_us=self.bound_us,
            tail_us=measurement.tail_us,
            tail_low_us=measurement.low_us,
            tail_high_us=measurement.high_us,
            mean_us=measurement.mean_us,
            cost_time_us=measurement.given_up_us,
            total_cost_ppm=PPM - measurement.batch_ppm,
        )
        return RateRow(evidence)


def predicted_misses(problem: BorrowingProblem, solution: BorrowingSolution) -> tuple[Finding, ...]:
    """Warn of each rate at which the plan misses the target on the design trace."""
    way = _WAYS[problem.borrowing]
    return tuple(
        Finding(Code.PREDICTED_MISS, _miss_text(problem, point), None, way, Severity.WARNING)
        for point in solution.points
        if point.tail_us is None or point.tail_us > problem.target_us
    )


def _miss_text(problem: BorrowingProblem, point: LoadPoint) -> str:
    at = f"at {format_mrps(point.rate_mrps)} `{problem.borrowing.value}`"
    if point.tail_us is None:
        return f"{at} overloads the server"
    target = promise(problem.percentile_ppm, problem.target_us)
    return (
        f"{at} has {format_us(point.tail_us)} on the design sample, which misses the target "
        f"`{target}`"
    )


def borrowing_settings(problem: BorrowingProblem, solution: BorrowingSolution) -> dict[str, int]:
    """Evidence of a policy for SMT cores: its hardware threads, and predictions for each rate.

    The predictions are the percentile of requests without batch work, the batch work, and the
    budget.
    """
    settings = {
        "batch_slowdown_ppm": solution.lanes.batch_slowdown_ppm,
        "interference_ppm": solution.lanes.interference_ppm,
        "percentile_ppm": problem.percentile_ppm,
        "release_us": problem.release_us,
        "target_us": problem.target_us,
    }
    waking = {BATCH_WAKE: problem.waking.batch_ns, CORE_WAKE: problem.waking.core_ns}
    settings |= {name: values for name, values in waking.items() if values}
    if problem.method is BudgetMethod.SEARCH:
        age_us = low_load_age_us(problem, solution.lanes)
        settings |= {} if age_us is None else {"low_load_age_us": age_us}
    for number, point in enumerate(solution.points, start=1):
        values = {"alone_us": point.alone_us, "batch_ppm": point.batch_ppm}
        if point.budget_us is not None:
            values["budget_us"] = point.budget_us
        settings |= {f"rate_{number}_{name}": value for name, value in values.items()}
    return settings
