"""What a method hands back: a plan that passed every check, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from tailc_solvers.backends.linear import Outcome
from tailc_solvers.course import Reached
from tailc_solvers.green.parallel.check import Found, faults_of
from tailc_solvers.green.parallel.plan import Ledger, Plan, ledger
from tailc_solvers.green.parallel.problem import ParallelProblem

PROVED_GAP = Fraction(1, 10**6)
"""Relative: a plan this close to a proved bound is called the best."""


class Ending(StrEnum):
    """How a search for a plan ended.

    BEST: a plan, and a proved bound as low. FOUND: a plan, and a better one may exist. NONE_EXISTS:
    proved. CLAIMED_NONE: a solver says that none exists. REFUSED: a solver's plan fails the checks.
    NO_PLAN: the search ended without one.
    """

    BEST = "best"
    FOUND = "found"
    NONE_EXISTS = "none-exists"
    CLAIMED_NONE = "claimed-none"
    REFUSED = "refused"
    NO_PLAN = "no-plan"


@dataclass(frozen=True, eq=False)
class CostedPlan:
    """A plan that passed every check, and its exact ledger."""

    plan: Plan
    ledger: Ledger


@dataclass(frozen=True)
class Bounds:
    """Lower bounds on the cost of every plan, micro-units; None where there is none.

    Attributes:
        proved: by what stands in the evidence.
        claimed: what a solver says is one.
    """

    proved: Fraction | None = None
    claimed: float | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """A plan with its evidence.

    Attributes:
        ending: how to read it.
        best: the plan; None where there is none.
        bounds: on the cost of every plan.
        outcome: what the last solver claimed, or what became of it; None where none was asked.
        faults: of a plan that was refused.
        message: a sentence for people where there is no plan.
        course: of a general solver's search, on its word, micro-units; empty where it tells none.
    """

    ending: Ending
    best: CostedPlan | None = None
    bounds: Bounds = Bounds()
    outcome: Outcome | None = None
    faults: tuple[Found, ...] = ()
    message: str = ""
    course: tuple[Reached, ...] = ()

    @property
    def gap(self) -> float | None:
        """Cost less proved bound, relative to the cost; None without one of them."""
        if self.best is None or self.bounds.proved is None:
            return None
        return _gap(self.best.ledger.cost, self.bounds.proved)


def judged(
    problem: ParallelProblem,
    plan: Plan,
    bounds: Bounds,
    outcome: Outcome | None = None,
) -> Solution:
    """The plan if it passes the checks; REFUSED, with its faults, otherwise."""
    faults = faults_of(problem, plan)
    if faults:
        message = "; ".join(sorted({found.fault.value for found in faults}))
        return Solution(Ending.REFUSED, outcome=outcome, faults=tuple(faults), message=message)
    own = ledger(problem, plan)
    is_best = bounds.proved is not None and _gap(own.cost, bounds.proved) <= PROVED_GAP
    ending = Ending.BEST if is_best else Ending.FOUND
    return Solution(ending, CostedPlan(plan, own), bounds, outcome)


def none_of(ending: Ending, outcome: Outcome | None, message: str) -> Solution:
    """No plan."""
    return Solution(ending, outcome=outcome, message=message)


def _gap(cost: Fraction, bound: Fraction) -> float:
    return float((cost - bound) / cost) if cost > 0 else 0.0
