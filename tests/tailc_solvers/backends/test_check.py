"""Planted lies are refuted, and honest answers are not."""

import math
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from tailc_solvers.backends.check import (
    AnswerFault,
    AnswerTrust,
    KnownFacts,
    claimed_bound,
    proved_bound,
    reduced_costs,
    verdict,
)
from tailc_solvers.backends.linear import (
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
)

from tests.tailc_solvers.backends.answers import duals_of, point_of

SEEDS = range(60)


@dataclass(frozen=True, eq=False)
class Case:
    """A program, its honest answer, and a feasible point that is worse."""

    program: LinearProgram
    honest: SolverAnswer
    worse: np.ndarray

    def objective(self, x: np.ndarray) -> float:
        return float(self.program.cost @ x) + self.program.offset

    @property
    def best(self) -> KnownFacts:
        return KnownFacts(points=[point_of(self.honest).x])


def dense(program: LinearProgram) -> np.ndarray:
    A = np.zeros((program.n_rows, program.n_variables))
    A[program.row, program.column] = program.value
    return A


def linear_case(seed: int) -> Case:
    """Variables in [0, 10], rows that the point of ones meets with room."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(1, 6))
    A = rng.integers(1, 9, (m, n)).astype(float)
    low = A.sum(axis=1) * rng.uniform(0.3, 0.9, m)
    cost = rng.choice([-1, 1], n) * rng.permutation(np.arange(1.0, n + 1))
    rows = [(low[r], dict(enumerate(A[r].tolist())), 6 * A[r].sum()) for r in range(m)]
    program = LinearProgram.build(cost, 0, 10, rows, offset=float(rng.integers(-5, 5)))
    both = np.vstack([-A, A])
    found = linprog(cost, both, np.concatenate([-low, 6 * A.sum(axis=1)]), bounds=(0, 10))
    marginal = found.ineqlin.marginals
    best = found.fun + program.offset
    honest = SolverAnswer(
        SolverOutcome.OPTIMAL, SolverPoint(found.x, best), best, Duals(marginal[m:] - marginal[:m])
    )
    return Case(program, honest, np.ones(n))


def whole_case(seed: int) -> Case:
    """Four variables in 0..3: all points are tried."""
    rng = np.random.default_rng(1_000 + seed)
    A = rng.integers(1, 9, (2, 4)).astype(float)
    low = np.rint(A.sum(axis=1) * rng.uniform(0.8, 1.0, 2))
    cost = rng.permutation(np.arange(1.0, 5))
    rows = [(low[r], dict(enumerate(A[r].tolist())), math.inf) for r in range(2)]
    program = LinearProgram.build(cost, 0, 3, rows, integer=True)
    points = [np.array(p, dtype=float) for p in product(range(4), repeat=4)]
    feasible = [p for p in points if (A @ p >= low).all()]
    x = min(feasible, key=lambda p: float(cost @ p))
    best = float(cost @ x)
    return Case(
        program, SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(x, best), best), np.full(4, 3.0)
    )


CASES = [*map(linear_case, SEEDS), *map(whole_case, SEEDS)]


def at(answer: SolverAnswer, x: np.ndarray) -> SolverAnswer:
    """The same claims of another point."""
    return replace(answer, point=replace(point_of(answer), x=x))


def lies(case: Case, rng: np.random.Generator):
    """(name, answer, what is known of the program)."""
    honest, best = case.honest, case.best
    x, objective = point_of(honest).x, point_of(honest).objective
    j = int(rng.integers(x.size))
    moved = x.copy()
    moved[j] += rng.choice([-1, 1]) * rng.uniform(0.01, 3)
    told = case.objective(moved)
    swapped = x.copy()
    a, b = rng.choice(x.size, 2, replace=False)
    swapped[[a, b]] = x[[b, a]]
    nothing = KnownFacts()
    yield "perturbed, the objective kept", at(honest, moved), nothing
    yield (
        "perturbed and consistent",
        SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(moved, told), told),
        best,
    )
    if abs(case.objective(swapped) - objective) > 1e-3:
        yield "swapped variables", at(honest, swapped), nothing
    for shift in (-1.0, 1e-3, 5.0):
        yield "wrong objective", replace(honest, point=SolverPoint(x, objective + shift)), nothing
    yield "bound above the point", replace(honest, bound=objective + 0.01), nothing
    yield "bound not reached", replace(honest, bound=objective - 0.01), nothing
    worst = case.objective(case.worse)
    if worst > objective + 1e-3:
        poor = SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(case.worse, worst), worst)
        yield "optimal, though a better point is known", poor, best
        high = replace(poor, outcome=SolverOutcome.FEASIBLE)
        yield "bound above a better point", high, best
    for outcome in (SolverOutcome.INFEASIBLE, SolverOutcome.UNBOUNDED):
        yield "no point, though there is one", SolverAnswer(outcome), best
        yield "no point, and one beside it", replace(honest, outcome=outcome), nothing
    for value in (math.nan, math.inf, -math.inf):
        wrong = x.copy()
        wrong[j] = value
        yield "point not finite", at(honest, wrong), nothing
        yield "objective not finite", replace(honest, point=SolverPoint(x, value)), nothing
        yield "bound not finite", replace(honest, bound=value), nothing
    for wrong in (x[:-1], np.append(x, 0.0), np.array([])):
        yield "wrong length", at(honest, wrong), nothing
    yield "no point", replace(honest, point=None), nothing
    if case.program.integer.all():
        half = np.minimum(x + 0.5, 3)
        half[0] = x[0] - 0.5
        told = case.objective(half)
        yield "not whole", SolverAnswer(SolverOutcome.FEASIBLE, SolverPoint(half, told)), nothing
    below = KnownFacts(bound=objective)
    far = np.full(x.size, -1.0)
    yield (
        "outside the bounds",
        SolverAnswer(SolverOutcome.FEASIBLE, SolverPoint(far, case.objective(far))),
        below,
    )


def test_more_than_a_thousand_lies_are_refuted():
    told: dict[str, int] = {}
    for seed, case in enumerate(CASES):
        for name, answer, known in lies(case, np.random.default_rng(seed)):
            told[name] = told.get(name, 0) + 1
            judged = verdict(case.program, answer, known)
            assert judged.trust is AnswerTrust.REFUTED, (seed, name, answer, judged)
            assert judged.faults, (seed, name)
    assert sum(told.values()) > 3_000
    assert len(told) == 17
    assert min(told.values()) >= 50


def test_honest_answers_are_not_refuted():
    for seed, case in enumerate(CASES):
        for known in (KnownFacts(), case.best, KnownFacts(points=[case.worse])):
            judged = verdict(case.program, case.honest, known)
            assert judged.faults == (), seed
            is_linear = not case.program.integer.any()
            assert judged.trust is (AnswerTrust.PROVED if is_linear else AnswerTrust.CLAIMED), seed


def test_a_bound_from_elsewhere_proves_a_whole_optimum():
    for case in map(whole_case, SEEDS):
        known = KnownFacts(bound=point_of(case.honest).objective)
        judged = verdict(case.program, case.honest, known)
        assert judged.trust is AnswerTrust.PROVED


def test_no_multipliers_prove_more_than_the_optimum():
    for seed in SEEDS:
        case = linear_case(seed)
        rng = np.random.default_rng(seed)
        objective, dual_rows = point_of(case.honest).objective, duals_of(case.honest).rows
        for scale in (0.01, 1, 100):
            dual = dual_rows + scale * rng.standard_normal(case.program.n_rows)
            bound = proved_bound(case.program, dual)
            assert bound <= objective + 1e-9, seed
        exact = proved_bound(case.program, dual_rows)
        assert exact == pytest.approx(objective, abs=1e-9), seed


def test_multipliers_of_another_length_or_not_finite_prove_nothing():
    program = linear_case(0).program
    assert proved_bound(program, np.ones(program.n_rows + 1)) == -math.inf
    assert proved_bound(program, np.full(program.n_rows, math.nan)) == -math.inf


def test_a_multiplier_on_a_bound_that_is_not_there_is_left_out():
    # x >= 1 and nothing above: the sign that would use the upper bound proves only the rest.
    program = LinearProgram.build([1.0], 0, 5, [(1, {0: 1}, math.inf)])
    assert proved_bound(program, np.array([1.0])) == 1.0
    assert proved_bound(program, np.array([-1.0])) == 0.0
    free = LinearProgram.build([1.0], -math.inf, math.inf, [(1, {0: 1}, math.inf)])
    assert proved_bound(free, np.array([0.9])) == -math.inf


def test_reduced_costs_are_costs_less_what_the_rows_are_paid():
    # 3 - 2 * 1 - 1 * 4 and 5 - 2 * 7; the second row has no upper bound, so -1 there counts as 0.
    rows = [(1, {0: 1, 1: 7}, 9), (2, {0: 4}, math.inf)]
    program = LinearProgram.build([3.0, 5.0], 0, 1, rows)
    assert reduced_costs(program, np.array([2.0, 1.0])).tolist() == [-3.0, -9.0]
    assert reduced_costs(program, np.array([2.0, -1.0])).tolist() == [1.0, -9.0]


def test_each_fault_of_a_point_has_its_name():
    program = LinearProgram.build([1.0, 1.0], 0, 3, [(1, {0: 1, 1: 1}, 4)], integer=[True, False])

    def faults(x, outcome=SolverOutcome.FEASIBLE, objective=None):
        value = float(np.sum(x)) if objective is None else objective
        return verdict(
            program, SolverAnswer(outcome, SolverPoint(np.array(x, dtype=float), value))
        ).faults

    assert faults([1, 0.5]) == ()
    assert faults([0.5, 1]) == (AnswerFault.NOT_WHOLE,)
    assert faults([4, -1]) == (AnswerFault.BOUND_EXCEEDED,)
    assert faults([0, 0.5]) == (AnswerFault.ROW_EXCEEDED,)
    assert faults([3, 2]) == (AnswerFault.ROW_EXCEEDED,)
    assert faults([1, 1], objective=3.0) == (AnswerFault.WRONG_OBJECTIVE,)
    assert faults([1]) == (AnswerFault.WRONG_LENGTH,)


def test_a_point_below_a_proved_bound_is_impossible():
    program = LinearProgram.build([1.0], 0, 3, [])
    answer = SolverAnswer(SolverOutcome.FEASIBLE, SolverPoint(np.array([1.0]), 1.0))
    assert verdict(program, answer, KnownFacts(bound=2.0)).faults == (AnswerFault.IMPOSSIBLE,)


def test_a_known_point_that_is_not_feasible_refutes_nothing():
    program = LinearProgram.build([1.0], 0, 3, [(2, {0: 1}, math.inf)])
    honest = SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.array([2.0]), 2.0), 2.0)
    assert verdict(program, honest, KnownFacts(points=[np.array([0.0])])).faults == ()


def test_the_best_point_of_a_grid_claims_a_bound_one_step_of_each_variable_below_it():
    program = LinearProgram.build([-2.0, 3.0, 5.0], 0, 1, [], integer=[False, False, True])
    point = SolverPoint(np.array([1.0, 0.0, 0.0]), -2.0)
    assert claimed_bound(program, SolverAnswer(SolverOutcome.GRID_OPTIMAL, point)) == pytest.approx(
        -2.005
    )
    assert claimed_bound(program, SolverAnswer(SolverOutcome.FEASIBLE, point)) is None
    assert claimed_bound(program, SolverAnswer(SolverOutcome.OPTIMAL, point, -2.0)) == -2.0


@pytest.mark.parametrize(
    ("most", "step"), [(1e4, 1e-3), (1.5e4, 2e-3), (4e4, 4e-3), (1e6, 0.128), (1e8, 16.384)]
)
def test_a_grid_of_larger_bounds_claims_a_lower_bound(most, step):
    program = LinearProgram.build([-2.0, 3.0], 0, [most, 1], [])
    answer = SolverAnswer(SolverOutcome.GRID_OPTIMAL, SolverPoint(np.array([most, 0]), -2 * most))
    assert claimed_bound(program, answer) == pytest.approx(-2 * most - 2 * step - 0.003, rel=1e-12)


def test_what_cannot_be_refuted_stays_a_claim():
    # Nobody knows a point, and the solver gives no reason.
    program = LinearProgram.build([1.0], 0, 3, [(2, {0: 1}, math.inf)])
    assert verdict(program, SolverAnswer(SolverOutcome.INFEASIBLE)).trust is AnswerTrust.CLAIMED
    # A worse point with a bound to match, no multipliers, and nothing known.
    poor = SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.array([3.0]), 3.0), 3.0)
    judged = verdict(program, poor)
    assert judged.trust is AnswerTrust.CLAIMED
    assert judged.gap == math.inf


@pytest.mark.parametrize(
    "outcome",
    [o for o in SolverOutcome if not o.has_point and o not in ("infeasible", "unbounded")],
)
def test_a_failure_claims_nothing(outcome):
    judged = verdict(linear_case(0).program, SolverAnswer(outcome), linear_case(0).best)
    assert judged.trust is AnswerTrust.CLAIMED
    assert judged.faults == ()
