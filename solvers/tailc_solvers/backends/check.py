"""Check answers of solvers: solvers propose, and this module decides.

The objective and the constraints of a point are computed again from the program. An optimum is
proved if the multipliers that came with it prove an equal bound (weak duality: any multipliers
prove a bound), or if the caller has such a bound from elsewhere. A claim is refuted if it
contradicts itself, the program or a known fact. A claim that is neither proved nor refuted stays a
claim. Examples are the optimum of a program with integer variables, because solvers do not return
their search trees, and the claim that a program is infeasible if no point of it is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from tailc_solvers.backends.linear import (
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    Vector,
    grid_steps,
)
from tailc_solvers.backends.scaling import row_sizes
from tailc_solvers.backends.sums import dot, dots_by

LARGEST = 1e100
"""Largest number accepted in an answer: sums of products of larger ones may be inexact."""


class AnswerTrust(StrEnum):
    """Whether a solver's answer is proved, only claimed, or shown to be wrong.

    PROVED: shown to be right without relying on the solver. CLAIMED: not proved, and not
    contradicted. REFUTED: shown to be wrong.
    """

    PROVED = "proved"
    CLAIMED = "claimed"
    REFUTED = "refuted"


class AnswerFault(StrEnum):
    """Reason why a solver's answer is refuted; the value is a sentence for people."""

    POINT_MISSING = "the answer claims a point, but there is none"
    POINT_UNASKED = "there is a point, but the answer claims that there is none"
    WRONG_LENGTH = "the point is not as long as the program"
    NOT_FINITE = "a number is not finite, or above 1e100"
    BOUND_EXCEEDED = "a variable is outside its bounds"
    ROW_EXCEEDED = "a row is outside its bounds"
    NOT_WHOLE = "a variable that must be whole is not"
    WRONG_OBJECTIVE = "the objective is not that of the point"
    BOUND_TOO_HIGH = "the claimed bound is above a feasible point"
    NOT_OPTIMAL = "a better point is known, or the claimed bound is not reached"
    IMPOSSIBLE = "the objective is below a proved bound"
    FEASIBLE_AFTER_ALL = "a feasible point is known"
    BOUNDED_AFTER_ALL = "every variable that has a cost is bounded"
    UNPROVED = "its multipliers do not prove its objective"
    BAD_COURSE = "the course of its search contradicts its point"


@dataclass(frozen=True)
class Tolerances:
    """Tolerances of the checks of a solver's answer.

    Attributes:
        feasibility: for rows and bounds, relative to 1 + the size of the row (`scaling`) or bound.
        integrality: distance to an integer, absolute.
        objective: for objectives and bounds, relative to 1 + their size.
    """

    feasibility: float = 1e-6
    integrality: float = 1e-6
    objective: float = 1e-6

    def above(self, a: float, b: float) -> bool:
        """Whether the objective or bound `a` exceeds `b` by more than the tolerance."""
        if math.isinf(b):
            return a > b
        return a - b > self.objective * (1 + abs(b))


@dataclass(frozen=True)
class KnownFacts:
    """Facts about a program that do not come from the solver whose answer is checked.

    Attributes:
        points: points assumed to be feasible; infeasible ones are ignored.
        bound: proved lower bound on the objective.
    """

    points: Sequence[Vector] = ()
    bound: float = -math.inf


@dataclass(frozen=True)
class AnswerVerdict:
    """Result of checking a solver's answer: an optimum, or the claim that none exists.

    Attributes:
        outcome: the claim.
        trust: whether the claim is proved, unproved or refuted.
        faults: reasons for a refutation, in order; empty otherwise.
        objective: recomputed objective of the answer's point; None without a feasible point.
        bound: highest lower bound proved here, or -inf.
        tolerances: the tolerances of the comparison.
    """

    outcome: SolverOutcome
    trust: AnswerTrust
    faults: tuple[AnswerFault, ...] = ()
    objective: float | None = None
    bound: float = -math.inf
    tolerances: Tolerances = Tolerances()

    def reason(self, answer: SolverAnswer) -> str:
        """The reason why the answer is refuted, or else the solver's own message."""
        return "; ".join(self.faults) or answer.message

    @property
    def is_proved_optimum(self) -> bool:
        """Whether the bound proved for an answer equals its objective, within the tolerance."""
        return self.objective is not None and not self.tolerances.above(self.objective, self.bound)

    @property
    def gap(self) -> float:
        """Objective of a checked answer minus the proved bound; inf without a feasible point."""
        return math.inf if self.objective is None else self.objective - self.bound


def verdict(
    program: LinearProgram,
    answer: SolverAnswer,
    known: KnownFacts | None = None,
    tolerances: Tolerances | None = None,
) -> AnswerVerdict:
    """Check a solver's answer: recompute its objective, its feasibility and its lower bound.

    An answer without a result, because the child process failed, is CLAIMED.
    """
    case = _CheckedAnswer(program, answer, known or KnownFacts(), tolerances or Tolerances())
    if answer.outcome.has_point:
        return case.of_point()
    return case.of_no_point()


def optimum(program: LinearProgram, answer: SolverAnswer) -> AnswerVerdict:
    """Check the optimum of a linear program whose dual values will be used as prices.

    A point whose dual values do not prove it optimal is REFUTED.
    """
    found = verdict(program, answer)
    if found.objective is None or found.faults or found.is_proved_optimum:
        return found
    return replace(found, trust=AnswerTrust.REFUTED, faults=(AnswerFault.UNPROVED,))


def claimed_bound(program: LinearProgram, answer: SolverAnswer) -> float | None:
    """The lower bound on the objective that an answer claims; None if it claims none.

    For GRID_OPTIMAL the bound is the grid's optimum less the cost of one step of every variable. It
    is a bound only if a feasible point stays feasible when non-integer variables are rounded up to
    the grid.
    """
    if answer.outcome is not SolverOutcome.GRID_OPTIMAL or answer.point is None:
        return answer.bound
    return answer.point.objective - float(np.abs(program.cost) @ grid_steps(program))


def proved_bound(program: LinearProgram, dual: Vector) -> float:
    """The lower bound that row multipliers prove by weak duality; -inf if they prove none.

    With d = c - A' y, every feasible x has c x = y A x + d x, and each term is smallest at the
    bound that its sign selects.
    """
    if dual.shape != (program.n_rows,) or not (np.abs(dual) < LARGEST).all():
        return -math.inf
    y, reduced = _bounding(program, dual), reduced_costs(program, dual)
    row_side = np.where(y > 0, program.row_lower, program.row_upper)
    side = np.where(reduced > 0, program.lower, program.upper)
    if np.isinf(side[reduced != 0]).any():
        return -math.inf
    terms = (_mask(y, row_side), _mask(reduced, side))
    return dot(*(np.concatenate(pair) for pair in zip(*terms, strict=True))) + program.offset


def reduced_costs(program: LinearProgram, dual: Vector) -> Vector:
    """Reduced costs d = c - A' y for the row multipliers y [n], each rounded only once.

    A multiplier counts as 0 if its sign needs a bound that its row does not have.
    """
    y = _bounding(program, dual)
    places = np.concatenate([program.column, np.arange(program.n_variables)])
    weights = np.concatenate([-y[program.row], np.ones(program.n_variables)])
    values = np.concatenate([program.value, program.cost])
    return dots_by(places, program.n_variables, values, weights)


def _bounding(program: LinearProgram, dual: Vector) -> Vector:
    """The multipliers, with 0 for rows without a bound on their side."""
    side = np.where(dual > 0, program.row_lower, program.row_upper)
    return np.where(np.isinf(side), 0.0, dual)


def _mask(multiplier: Vector, bound: Vector) -> tuple[Vector, Vector]:
    used = multiplier != 0
    return multiplier[used], bound[used]


def faults_of_point(program: LinearProgram, x: Vector, tolerances: Tolerances) -> list[AnswerFault]:
    """List the reasons why `x` is not a feasible point of the program; empty if it is one."""
    if x.shape != (program.n_variables,):
        return [AnswerFault.WRONG_LENGTH]
    if not (np.abs(x) < LARGEST).all():
        return [AnswerFault.NOT_FINITE]
    found = []
    off = tolerances.feasibility
    if _outside(x, program.lower, program.upper, off):
        found.append(AnswerFault.BOUND_EXCEEDED)
    activity = dots_by(program.row, program.n_rows, program.value, x[program.column])
    size = row_sizes(program)
    if _outside(activity / size, program.row_lower / size, program.row_upper / size, off):
        found.append(AnswerFault.ROW_EXCEEDED)
    whole = x[program.integer]
    if (np.abs(whole - np.rint(whole)) > tolerances.integrality).any():
        found.append(AnswerFault.NOT_WHOLE)
    return found


def _outside(values: Vector, lower: Vector, upper: Vector, off: float) -> bool:
    # The distance to an infinite bound must not be computed.
    with np.errstate(invalid="ignore"):
        below = lower - values > off * (1 + np.abs(lower))
        above = values - upper > off * (1 + np.abs(upper))
    return bool((below | above).any())


@dataclass(frozen=True)
class _CheckedAnswer:
    program: LinearProgram
    answer: SolverAnswer
    known: KnownFacts
    tolerances: Tolerances
    best_known: float = field(init=False)

    def __post_init__(self) -> None:
        objectives = [
            self._objective(x)
            for x in self.known.points
            if not faults_of_point(self.program, x, self.tolerances)
        ]
        object.__setattr__(self, "best_known", min(objectives, default=math.inf))

    def of_point(self) -> AnswerVerdict:
        point = self.answer.point
        if point is None:
            return self._refute([AnswerFault.POINT_MISSING])
        faults = faults_of_point(self.program, point.x, self.tolerances)
        if faults:
            return self._refute(faults)
        objective = self._objective(point.x)
        bound = max(self.known.bound, self._dual_bound())
        faults = self._faults_of_value(point.objective, objective, bound)
        trust = AnswerTrust.REFUTED if faults else self._trust(objective, bound)
        return AnswerVerdict(
            self.answer.outcome, trust, tuple(faults), objective, bound, self.tolerances
        )

    def of_no_point(self) -> AnswerVerdict:
        faults = []
        if self.answer.point is not None:
            faults.append(AnswerFault.POINT_UNASKED)
        if self.answer.outcome is SolverOutcome.INFEASIBLE and math.isfinite(self.best_known):
            faults.append(AnswerFault.FEASIBLE_AFTER_ALL)
        if self.answer.outcome is SolverOutcome.UNBOUNDED and self._is_bounded():
            faults.append(AnswerFault.BOUNDED_AFTER_ALL)
        if faults:
            return self._refute(faults)
        return AnswerVerdict(self.answer.outcome, AnswerTrust.CLAIMED, bound=self.known.bound)

    def _faults_of_value(self, claimed: float, objective: float, bound: float) -> list[AnswerFault]:
        """Contradictions of a feasible point with this objective."""
        claimed_bound = self.answer.bound
        numbers = [value for value in (claimed, claimed_bound) if value is not None]
        if not all(math.isfinite(value) for value in numbers):
            return [AnswerFault.NOT_FINITE]
        best = min(objective, self.best_known)
        is_optimum = self.answer.outcome is SolverOutcome.OPTIMAL
        above = self.tolerances.above
        reached = -math.inf if claimed_bound is None or not is_optimum else objective
        contradictions = {
            AnswerFault.WRONG_OBJECTIVE: self._differ(claimed, objective),
            AnswerFault.BOUND_TOO_HIGH: claimed_bound is not None and above(claimed_bound, best),
            AnswerFault.NOT_OPTIMAL: is_optimum
            and (
                above(objective, self.best_known)
                or (claimed_bound is not None and above(reached, claimed_bound))
            ),
            AnswerFault.IMPOSSIBLE: above(bound, objective),
            AnswerFault.BAD_COURSE: any(
                above(one.bound, objective) or above(objective, one.found)
                for one in self.answer.course
            ),
        }
        return [fault for fault, is_there in contradictions.items() if is_there]

    def _trust(self, objective: float, bound: float) -> AnswerTrust:
        if self.answer.outcome is SolverOutcome.FEASIBLE or not self.tolerances.above(
            objective, bound
        ):
            return AnswerTrust.PROVED
        return AnswerTrust.CLAIMED

    def _dual_bound(self) -> float:
        if self.answer.duals is None:
            return -math.inf
        return proved_bound(self.program, self.answer.duals.rows)

    def _objective(self, x: Vector) -> float:
        return dot(self.program.cost, x) + self.program.offset

    def _is_bounded(self) -> bool:
        cost = self.program.cost
        side = np.where(cost > 0, self.program.lower, self.program.upper)
        return bool(np.isfinite(side[cost != 0]).all())

    def _refute(self, faults: list[AnswerFault]) -> AnswerVerdict:
        return AnswerVerdict(
            self.answer.outcome, AnswerTrust.REFUTED, tuple(faults), bound=self.known.bound
        )

    def _differ(self, a: float, b: float) -> bool:
        return self.tolerances.above(a, b) or self.tolerances.above(b, a)
