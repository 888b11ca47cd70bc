"""The result of a placement method: plan, exact figures, bound, and the result of the checks."""

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
    """The result of a placement method: a checked plan with its bound, or why there is none.

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
        """Upper bound on the value of every plan minus this plan's value [micro-dollars].

        inf without a plan.
        """
        return math.inf if self.figures is None else max(self.bound - self.figures.value, 0.0)

    @property
    def relative_gap(self) -> float:
        """Upper bound on the value of every plan minus this plan's value, relative to the latter.

        inf without a plan.
        """
        if self.figures is None:
            return math.inf
        return self.gap / max(abs(self.figures.value), 1)


def solution_of_plan(
    groups: Groups, jobs: Sequence[Job], plan: Plan, bound: float = math.inf
) -> PlacementSolution:
    """Check a plan that was made without a solver; the result is REFUTED if it violates a rule."""
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
    """The INFEASIBLE result, for a job that must run and for which there are not enough servers."""
    return PlacementSolution(SolverOutcome.INFEASIBLE, AnswerTrust.PROVED, groups, bound=-math.inf)


def best_of(found: Sequence[PlacementSolution]) -> PlacementSolution:
    """The best of several results, with the highest of their bounds; ties go to the first.

    The first result if none has a plan. A result whose plan was refuted does not exclude the
    others.
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
    """Check the plan that was read from a solver's answer, whose point was checked before."""
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
    """Make the result without a plan, for an answer of a solver that has no point or a wrong one.

    found: result of checking the answer. bound: upper bound on the value of every plan.
    """
    return PlacementSolution(
        answer.outcome,
        found.trust,
        groups,
        bound=bound,
        faults=found.faults,
        message=answer.message,
    )
