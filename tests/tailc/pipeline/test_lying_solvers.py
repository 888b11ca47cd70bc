"""Answers of general solvers that are changed on their way: none reaches a plan or thresholds.

Every use of an answer is solved once honestly. Then one of the answers is changed in one way. The
problem must be refused with a documented code, or have what it has without the lie.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.frames import encoded_question
from tailc_solvers.backends.linear import (
    BackendLimits,
    Basis,
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
)
from tailc_solvers.course import SearchProgress

from tailc.errors import Code, TailcError
from tailc.pipeline.solve import solve
from tests.tailc.artifact.published import ROOT
from tests.tailc.pipeline.solver_uses import BY_USE, USES

Vector = np.ndarray

REFUSALS = {
    Code.SOLVER_FAILED,
    Code.MISSING_PART,
    Code.BUDGET_ENDED,
    Code.METHOD_UNFIT,
    Code.INFEASIBLE,
}
AGREEMENT = 2e-5
"""Relative: a bound may be off by the ten millionths at which the search for one ends."""

Numbers = Callable[[Vector, np.random.Generator], Vector]


def swapped(values: Vector, rng: np.random.Generator) -> Vector:
    return values[rng.permutation(values.size)]


def spoilt(value: float) -> Numbers:
    def change(values: Vector, rng: np.random.Generator) -> Vector:
        return np.where(np.arange(values.size) == rng.integers(values.size), value, values)

    return change


NUMBERS: dict[str, Numbers] = {
    "times a million": lambda values, _: values * 1e6,
    "times 1.01": lambda values, _: values * 1.01,
    "halved": lambda values, _: values / 2,
    "negated": lambda values, _: -values,
    "one more": lambda values, _: values + 1,
    "zero": lambda values, _: values * 0,
    "short": lambda values, _: values[:-1],
    "empty": lambda values, _: values[:0],
    "long": lambda values, _: np.append(values, 1.0),
    "swapped": swapped,
    "NaN": spoilt(math.nan),
    "infinite": spoilt(math.inf),
    "minus infinite": spoilt(-math.inf),
    "huge": spoilt(1e300),
}
SCALARS = {
    name: change
    for name, change in NUMBERS.items()
    if name not in ("short", "empty", "long", "swapped")
}


def lies_of(
    answer: SolverAnswer, program: LinearProgram, rng: np.random.Generator, poor: SolverAnswer
) -> Iterator[SolverAnswer]:
    """All lies about an answer. poor: to the program without its costs."""
    point = answer.point
    for outcome in SolverOutcome:
        yield replace(answer, outcome=outcome)
        if outcome is not SolverOutcome.LIMIT:  # which claims nothing: the search was cut short
            yield SolverAnswer(outcome, message="so it is")
    if point is None:
        return
    yield replace(answer, point=None)
    for change in NUMBERS.values():
        yield replace(answer, point=replace(point, x=change(point.x, rng)))
    for change in SCALARS.values():
        objective = float(change(np.array([point.objective]), rng)[0])
        yield replace(answer, point=replace(point, objective=objective))
        bound = float(change(np.array([point.objective]), rng)[0])
        yield replace(answer, bound=bound)
    lowest = SolverPoint(program.lower, float(program.cost @ program.lower) + program.offset)
    yield SolverAnswer(SolverOutcome.OPTIMAL, lowest, lowest.objective)
    if answer.outcome.claims_best and poor.point is not None:
        yield praised(answer, program, poor.point.x)
    yield replace(answer, solver="\x1b[31m\0" * 1_000)
    yield from lies_of_course(answer, point.objective)
    if answer.duals is not None:
        yield replace(answer, duals=None)
        for change in NUMBERS.values():
            yield replace(answer, duals=Duals(change(answer.duals.rows, rng), answer.duals.basis))
        yield from lies_of_basis(answer, answer.duals, rng)


def praised(answer: SolverAnswer, program: LinearProgram, x: Vector) -> SolverAnswer:
    """The answer with another feasible point, which it calls the best, at its right objective."""
    worth = float(program.cost @ x) + program.offset
    bound = None if answer.bound is None else worth
    return replace(answer, point=SolverPoint(x, worth), bound=bound)


def lies_of_course(answer: SolverAnswer, objective: float) -> Iterator[SolverAnswer]:
    """A search that began beyond its end, or that took more steps than there are."""
    for bound, found in ((objective + 1, math.inf), (math.inf, math.inf), (-math.inf, -1e18)):
        yield replace(answer, course=(SearchProgress(1, bound, found),))
    yield replace(answer, course=(SearchProgress(2**70, -math.inf, math.inf),))


def lies_of_basis(
    answer: SolverAnswer, duals: Duals, rng: np.random.Generator
) -> Iterator[SolverAnswer]:
    """Another corner, in which the next search begins."""
    if duals.basis is None:
        return
    for name in ("swapped", "short", "long", "zero", "negated", "one more", "times a million"):
        variables = NUMBERS[name](duals.basis.variables, rng).astype(np.int64)
        changed = Basis(variables, NUMBERS[name](duals.basis.rows, rng).astype(np.int64))
        yield replace(answer, duals=Duals(duals.rows, changed))


@dataclass
class Liar:
    """Answers of real solvers, each asked once, of which one may be changed."""

    at: int = -1
    lie: Callable[[SolverAnswer, LinearProgram, SolverAnswer], SolverAnswer] | None = None
    asked: int = 0

    def answer(
        self, solver: Solver, program: LinearProgram, limits: BackendLimits | None
    ) -> SolverAnswer:
        honest = _honest(solver, program, limits)
        self.asked += 1
        if self.asked - 1 != self.at or self.lie is None:
            return honest
        without_costs = replace(program, cost=0 * program.cost, start=None)
        return self.lie(honest, program, _honest(solver, without_costs, limits))


_ANSWERS: dict[tuple[str, bytes], SolverAnswer] = {}
_ANSWER = Solver.answer


def _honest(solver: Solver, program: LinearProgram, limits: BackendLimits | None) -> SolverAnswer:
    key = solver.backend.value, encoded_question(program, limits or BackendLimits())
    if key not in _ANSWERS:
        _ANSWERS[key] = _ANSWER(solver, program, limits)
    return _ANSWERS[key]


def ended(asked: Any, liar: Liar) -> Any:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            Solver,
            "answer",
            lambda solver, program, limits=None: liar.answer(solver, program, limits),
        )
        return solve(asked)


@cache
def honestly(use: str) -> tuple[Any, Any, int]:
    """The problem, its solution and how many answers that takes."""
    liar = Liar()
    asked = USES[use]()
    return asked, ended(asked, liar), liar.asked


def figures(found: Any) -> list[float]:
    """What a solution says it is worth, and its bound, if it has one."""
    if hasattr(found, "evidence"):
        evidence = found.evidence
        return [float(evidence.objective_us), float(evidence.bound_us or 0)]
    return [float(found.value), float(found.bound)]


def assert_refused_or_harmless(use: str, at: int, number: int, seed: int) -> None:
    """An AssertionError if the lie of this number reaches a solution."""
    asked, honest, _ = honestly(use)
    made: list[SolverAnswer] = []

    def lie(answer: SolverAnswer, program: LinearProgram, poor: SolverAnswer) -> SolverAnswer:
        lies = list(lies_of(answer, program, np.random.default_rng(seed), poor))
        made.append(lies[number % len(lies)])
        return made[0]

    found = ended_or_codes(asked, Liar(at, lie))
    if isinstance(found, set):
        assert found & REFUSALS
    else:
        # Without multipliers less is proved, and nothing wrong: SCIP gives none.
        count = 1 if made and made[0].duals is None else 2
        reached, wanted = figures(found)[:count], figures(honest)[:count]
        assert reached == pytest.approx(wanted, rel=AGREEMENT), (use, at, number, made)


def ended_or_codes(asked: Any, liar: Liar) -> Any:
    """The solution, or the codes of a refusal."""
    try:
        return ended(asked, liar)
    except TailcError as error:
        return {finding.code for finding in error.findings}


WITH_MULTIPLIERS = [
    "racks: jobs to admit and their bound, `arrival`, by highs",
    "racks: all jobs at once, `mip`, by highs",
    "racks: prices from past days, by highs",
    "clusters: schedules by columns, by highs",
]


@pytest.mark.parametrize("use", WITH_MULTIPLIERS)
@pytest.mark.parametrize("name", ["times a million", "negated", "short", "NaN", "long", "halved"])
def test_multipliers_that_prove_nothing_are_a_wrong_answer(use, name):
    asked, _, answers = honestly(use)

    def lie(answer: SolverAnswer, _program: LinearProgram, _poor: SolverAnswer) -> SolverAnswer:
        assert answer.duals is not None
        rows = NUMBERS[name](answer.duals.rows, np.random.default_rng(1))
        return replace(answer, duals=Duals(rows, answer.duals.basis))

    for at in {0, answers - 1}:
        assert ended_or_codes(asked, Liar(at, lie)) == {Code.SOLVER_FAILED}


@pytest.mark.parametrize("use", [use for use in USES if use.endswith("by cp-sat")])
def test_a_worse_point_of_a_grid_is_not_the_best_of_it(use):
    asked, honest, answers = honestly(use)

    def lie(answer: SolverAnswer, program: LinearProgram, poor: SolverAnswer) -> SolverAnswer:
        has_claim = answer.outcome.claims_best and poor.point is not None
        return praised(answer, program, poor.point.x) if has_claim else answer

    found = [ended_or_codes(asked, Liar(at, lie)) for at in range(answers)]
    assert {Code.SOLVER_FAILED} in found
    reached = [figures(one) for one in found if not isinstance(one, set)]
    assert reached == [pytest.approx(figures(honest), rel=AGREEMENT)] * len(reached)


def test_the_page_lists_every_use_of_an_answer_with_its_solvers():
    table = "".join(f"| {use} | {', '.join(by)} |\n" for use, (by, _) in BY_USE.items())
    assert f"| use | solvers |\n| --- | --- |\n{table}\n" in (ROOT / "docs/solvers.md").read_text()


@pytest.mark.parametrize("use", USES)
def test_a_changed_answer_is_refused_or_changes_nothing(use):
    """A few of all lies on each answer; `make fuzz` takes all."""
    *_, answers = honestly(use)
    rng = np.random.default_rng(sum(use.encode()))
    for _ in range(20):
        assert_refused_or_harmless(use, int(rng.integers(answers)), int(rng.integers(10_000)), 1)


@pytest.mark.fuzz
@pytest.mark.parametrize("use", USES)
def test_no_lie_of_ten_thousand_reaches_a_solution(use):
    *_, answers = honestly(use)
    rng = np.random.default_rng(1 + sum(use.encode()))
    for _ in range(10_000 // len(USES) + 1):
        assert_refused_or_harmless(
            use, int(rng.integers(answers)), int(rng.integers(10_000)), int(rng.integers(99))
        )
