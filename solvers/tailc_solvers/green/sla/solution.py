"""A plan with its evidence: exact figures, a bound, and the result of the checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tailc_solvers.backends.check import AnswerTrust, AnswerVerdict
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome
from tailc_solvers.course import SearchProgress
from tailc_solvers.green.sla.check import PlanFigures, faults_of, figures_of
from tailc_solvers.green.sla.problem import Groups, Job, Plan


@dataclass(frozen=True, eq=False)
class PlacementSolution:
    """Solution of a method.

    Attributes:
        outcome: OPTIMAL or FEASIBLE with a plan; otherwise why there is none, and the plan before
            remains valid.
        trust: PROVED if no plan is better by more than rounded bills, a micro-dollar an epoch.
            REFUTED if the answer was shown wrong; then there is no plan.
        groups: the groups of the plan, with existing jobs, and which groups are green.
        plan: passes every check, or None.
        figures: of the plan, or None.
        bound: upper bound on every plan's value, or inf [micro-dollars].
        claimed_bound: the same as claimed by the solver, or inf.
        faults: why an answer is refuted.
        message: a sentence on a failure.
        course: convergence trace of the search, of the negated value, which is minimised; claimed
            by the solver if a general one searched. Empty for methods that do not search.
    """

    outcome: SolverOutcome
    trust: AnswerTrust
    groups: Groups
    plan: Plan | None = None
    figures: PlanFigures | None = None
    bound: float = math.inf
    claimed_bound: float = math.inf
    faults: tuple[StrEnum, ...] = ()
    message: str = ""
    course: tuple[SearchProgress, ...] = ()

    @property
    def gap(self) -> float:
        """Bound less value; inf without a plan [micro-dollars]."""
        return math.inf if self.figures is None else max(self.bound - self.figures.value, 0.0)

    @property
    def relative_gap(self) -> float:
        """The gap relative to the value; inf without a plan."""
        if self.figures is None:
            return math.inf
        return self.gap / max(abs(self.figures.value), 1)


def solution_of_plan(
    groups: Groups, jobs: Sequence[Job], plan: Plan, bound: float = math.inf
) -> PlacementSolution:
    """The solution of a plan from one of our own methods; refuted if it has a fault."""
    faults = faults_of(groups, jobs, plan)
    if faults:
        return PlacementSolution(
            SolverOutcome.FEASIBLE, AnswerTrust.REFUTED, groups, bound=bound, faults=faults
        )
    figures = figures_of(groups, jobs, plan)
    is_proved = bound - figures.value <= groups.epochs
    return PlacementSolution(
        SolverOutcome.OPTIMAL if is_proved else SolverOutcome.FEASIBLE,
        AnswerTrust.PROVED if is_proved else AnswerTrust.CLAIMED,
        groups,
        plan,
        figures,
        bound=bound,
    )


def no_room(groups: Groups) -> PlacementSolution:
    """The solution of jobs for which there are not enough servers."""
    return PlacementSolution(SolverOutcome.INFEASIBLE, AnswerTrust.PROVED, groups, bound=-math.inf)


def best_of(found: Sequence[PlacementSolution]) -> PlacementSolution:
    """The solution of the highest value, with the highest bound of all; ties go to the first.

    The first if none has a plan; if one was refuted there may still be a plan.
    """
    best = max(found, key=lambda one: -math.inf if one.figures is None else one.figures.value)
    bound = max(one.bound for one in found)
    if best.figures is None:
        return replace(best, bound=bound)
    is_proved = bound - best.figures.value <= best.groups.epochs
    outcome = SolverOutcome.OPTIMAL if is_proved else SolverOutcome.FEASIBLE
    trust = AnswerTrust.PROVED if is_proved else AnswerTrust.CLAIMED
    return replace(best, bound=bound, outcome=outcome, trust=trust)


def solution_of_answer(
    groups: Groups, jobs: Sequence[Job], plan: Plan, answer: SolverAnswer, bound: float
) -> PlacementSolution:
    """The solution of a plan read from a solver's answer, whose point was checked already."""
    found = solution_of_plan(groups, jobs, plan, bound)
    claimed = math.inf if answer.bound is None else -answer.bound
    return PlacementSolution(
        answer.outcome,
        found.trust,
        groups,
        found.plan,
        found.figures,
        bound=bound,
        claimed_bound=claimed,
        faults=found.faults,
        message=answer.message,
        course=answer.course,
    )


def without_plan(
    groups: Groups, answer: SolverAnswer, found: AnswerVerdict, bound: float
) -> PlacementSolution:
    """The solution of an answer without a point, or with a wrong one."""
    return PlacementSolution(
        answer.outcome,
        found.trust,
        groups,
        bound=bound,
        faults=found.faults,
        message=answer.message,
    )
