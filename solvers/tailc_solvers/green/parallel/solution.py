"""The result of a planning method: a plan that passed every check, or the reason for none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.course import SearchProgress
from tailc_solvers.green.parallel.check import LocatedFault, faults_of
from tailc_solvers.green.parallel.plan import EnergyBalance, ServerPlan, ledger
from tailc_solvers.green.parallel.problem import ParallelProblem

PROVED_GAP = Fraction(1, 10**6)
"""Relative gap to a proved bound below which a plan counts as optimal."""

AGREEMENT = Fraction(1, 10**6)
"""Relative error that an optimum of a general solver may have."""


class Ending(StrEnum):
    """Why a search for a plan ended.

    BEST: the plan is proved optimal. FOUND: there is a plan, and a better one may exist.
    NONE_EXISTS: it is proved that there is no plan. CLAIMED_NONE: a solver claims that there is no
    plan. REFUSED: a solver's plan fails the checks. NO_PLAN: the search ended without one.
    """

    BEST = "best"
    FOUND = "found"
    NONE_EXISTS = "none-exists"
    CLAIMED_NONE = "claimed-none"
    REFUSED = "refused"
    NO_PLAN = "no-plan"


@dataclass(frozen=True, eq=False)
class CostedPlan:
    """A plan that passed every check, with its exact energy balance and cost."""

    plan: ServerPlan
    ledger: EnergyBalance


@dataclass(frozen=True)
class CostBounds:
    """Lower bounds on the cost of every plan, in micro-units; None if there is none.

    Attributes:
        proved: bound that follows from the evidence.
        claimed: bound that a solver claims.
    """

    proved: Fraction | None = None
    claimed: float | None = None


@dataclass(frozen=True, eq=False)
class ParallelSolution:
    """A plan of malleable jobs with evidence of its quality, or the reason why there is no plan.

    Attributes:
        ending: how the search ended.
        best: the plan, or None.
        bounds: lower bounds on the cost of every plan.
        outcome: status of the last solver; None if none was used.
        faults: constraints that a refused plan violates.
        message: a sentence on the failure if there is no plan.
        course: convergence trace of a general solver, unchecked, micro-units; may be empty.
    """

    ending: Ending
    best: CostedPlan | None = None
    bounds: CostBounds = CostBounds()
    outcome: SolverOutcome | None = None
    faults: tuple[LocatedFault, ...] = ()
    message: str = ""
    course: tuple[SearchProgress, ...] = ()

    @property
    def gap(self) -> float | None:
        """Gap of a plan of malleable jobs: (cost - proved bound) / cost.

        None if there is no plan or no proved bound.
        """
        if self.best is None or self.bounds.proved is None:
            return None
        return _gap(self.best.ledger.cost, self.bounds.proved)


def checked_solution(
    problem: ParallelProblem,
    plan: ServerPlan,
    bounds: CostBounds,
    outcome: SolverOutcome | None = None,
) -> ParallelSolution:
    """The result for a plan that passes every check; otherwise REFUSED, with the plan's faults."""
    faults = faults_of(problem, plan)
    if faults:
        message = "; ".join(sorted({found.fault.value for found in faults}))
        return ParallelSolution(
            Ending.REFUSED, outcome=outcome, faults=tuple(faults), message=message
        )
    own = ledger(problem, plan)
    return ParallelSolution(_ending(own.cost, bounds), CostedPlan(plan, own), bounds, outcome)


def with_better_bound(found: ParallelSolution, other: ParallelSolution) -> ParallelSolution:
    """Combine a general solver's solution with the lower bound that another method proved.

    REFUSED if the other method's plan contradicts the solver: it costs less than the optimum or the
    bound that the solver claims, or the solver claims that there is no plan.
    """
    if found.ending is Ending.CLAIMED_NONE and other.ending is Ending.NONE_EXISTS:
        return other
    if (fault := _contradiction(found, other)) is not None:
        return none_of(Ending.REFUSED, found.outcome, fault)
    if found.best is None:
        return found
    bounds = replace(found.bounds, proved=other.bounds.proved)
    return replace(found, bounds=bounds, ending=_ending(found.best.ledger.cost, bounds))


def _contradiction(found: ParallelSolution, other: ParallelSolution) -> str | None:
    if other.best is None:
        return None
    most = most_of(other.best.ledger.cost)
    if found.ending is Ending.CLAIMED_NONE:
        return "there is a plan, and it claims that there is none"
    is_optimum = found.outcome is SolverOutcome.OPTIMAL
    if is_optimum and found.best is not None and found.best.ledger.cost > most:
        return "it calls a plan the best, and another one costs less"
    if found.bounds.claimed is not None and found.bounds.claimed > most:
        return "its bound is above the cost of a plan"
    return None


def none_of(ending: Ending, outcome: SolverOutcome | None, message: str) -> ParallelSolution:
    """Make the result of a search that found no plan, with the reason."""
    return ParallelSolution(ending, outcome=outcome, message=message)


def most_of(cost: Fraction | float) -> Fraction:
    """The largest cost that counts as equal to `cost` when costs are compared with a tolerance."""
    return Fraction(cost) + AGREEMENT * (1 + Fraction(cost))


def _ending(cost: Fraction, bounds: CostBounds) -> Ending:
    is_best = bounds.proved is not None and _gap(cost, bounds.proved) <= PROVED_GAP
    return Ending.BEST if is_best else Ending.FOUND


def _gap(cost: Fraction, bound: Fraction) -> float:
    return float((cost - bound) / cost) if cost > 0 else 0.0
