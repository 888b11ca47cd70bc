"""Compute the latency budget at every rate, and the plan of sharing cores that uses it.

A budget is given in the spec, or is the target minus the tail of requests alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.lanes import Lanes, SharingPlan
from tailc.forms.ladder.table import LoadAxis
from tailc.pipeline.lane_sample import NO_END_US, PlanMeasurement
from tailc.problems.borrowing import (
    Borrowing,
    BorrowingProblem,
    BudgetMethod,
    budget_age_us,
    sharing_plan,
)
from tailc.specs.slo import promise
from tailc.units import format_mrps, format_us


@dataclass(frozen=True)
class BudgetedPlan:
    """A plan of when requests share cores with batch work, and the latency budgets it is based on.

    budgets_us: at each rate [us]; None without a budget.
    """

    plan: SharingPlan
    budgets_us: tuple[int | None, ...]


def budgeted_plan(
    problem: BorrowingProblem, lanes: Lanes, alone: tuple[PlanMeasurement, ...]
) -> BudgetedPlan:
    """Make the sharing plan of a policy from its latency budgets.

    alone: measurements of requests alone, at every rate. Raises TailcError for a budget that ends
    before batch work has left the core: INFEASIBLE, or CONFLICT if the spec gives the budget.
    """
    rates = problem.rates_mrps
    if problem.borrowing is Borrowing.IDLE:
        ages = tuple((rate, problem.release_us) for rate in rates)
        return BudgetedPlan(sharing_plan(Borrowing.IDLE, ages, lanes), (None,) * len(rates))
    budgets_us = _budgets_us(problem, alone)
    ages_us = [
        budget_age_us(budget, lanes, charges_harm=problem.charges_harm) for budget in budgets_us
    ]
    _check_release(problem, ages_us[-1])
    ages = tuple(zip(rates, ages_us, strict=True))
    plan = sharing_plan(problem.borrowing, ages, lanes)
    return BudgetedPlan(_with_idle_above(plan, problem), budgets_us)


def _with_idle_above(plan: SharingPlan, problem: BorrowingProblem) -> SharingPlan:
    """Above the last rate, let a plan by rate borrow idle cores only, unless `keeps_last`."""
    if plan.axis is not LoadAxis.RATE or problem.keeps_last:
        return plan
    idle = (problem.rates_mrps[-1] + 1, problem.release_us)
    return replace(plan, ages_us=(*plan.ages_us, idle))


def _check_release(problem: BorrowingProblem, least_age_us: int | None) -> None:
    """Raise TailcError for an age shorter than batch work needs to leave a core.

    least_age_us: the age at the highest rate, which is the shortest.
    """
    if least_age_us is None or least_age_us >= problem.release_us:
        return
    message = (
        f"the budget lets requests share a core for {format_us(least_age_us)}, but batch work "
        f"takes {format_us(problem.release_us)} to leave"
    )
    other = "set `policy: borrow-idle`"
    if problem.method is BudgetMethod.GIVEN:
        hint = f"lengthen `budget`, or {other}"
        raise TailcError(Finding(Code.CONFLICT, message, help=hint, about=("budget",)))
    at = f"at {format_mrps(problem.rates_mrps[-1])} "
    hint = f"lower rates, relax the latency, or {other}"
    raise TailcError(Finding(Code.INFEASIBLE, at + message, help=hint))


def _budgets_us(problem: BorrowingProblem, alone: tuple[PlanMeasurement, ...]) -> tuple[int, ...]:
    """Budget at each rate [us], given or the headroom; the least headroom of all unless by load."""
    if problem.method is BudgetMethod.GIVEN:
        assert problem.budget_us is not None
        return (problem.budget_us,) * len(alone)
    headroom_us = [problem.target_us - measurement.tail_us for measurement in alone]
    if not problem.is_by_load:
        return (min(headroom_us),) * len(alone)
    # A higher rate has no more headroom, apart from the noise of replays.
    return tuple(min(headroom_us[: place + 1]) for place in range(len(alone)))


def check_attainable(problem: BorrowingProblem, alone: tuple[PlanMeasurement, ...]) -> None:
    """Raise TailcError for rates at which requests alone already miss the target.

    For a policy without headroom it is enough that the server is not overloaded.
    """
    finds = problem.method in (BudgetMethod.HEADROOM, BudgetMethod.SEARCH)
    target_us = problem.target_us if finds else NO_END_US
    by_rate = list(zip(problem.rates_mrps, alone, strict=True))
    missed = [(rate, at) for rate, at in by_rate if at.is_overloaded or at.tail_us > target_us]
    if not missed:
        return
    texts = ", ".join(
        f"at {format_mrps(rate)}: requests alone {_alone_text(at)}" for rate, at in missed
    )
    message = f"`{promise(problem.percentile_ppm, problem.target_us)}` cannot be met {texts}"
    met = [rate for rate, _ in by_rate if rate < missed[0][0]]
    ways = [f"lower rates to {format_mrps(met[-1])}" if met else "lower rates"]
    if not any(at.is_overloaded for _, at in missed):
        most_us = max(at.tail_us for _, at in missed)
        ways.insert(0, f"relax the latency to more than {format_us(most_us)}")
    raise TailcError(Finding(Code.INFEASIBLE, message, help=", or ".join(ways)))


def _alone_text(alone: PlanMeasurement) -> str:
    return "overload the server" if alone.is_overloaded else f"have {format_us(alone.tail_us)}"
