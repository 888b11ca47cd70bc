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
from tailc_solvers.backends.linear import Answer, Duals, Limits, LinearProgram, Outcome, Point

from tailc.errors import Code, TailcError
from tailc.pipeline.solve import solve
from tailc.problems.plan import PlanMethod, PlanSearch
from tailc.problems.thresholds import ThresholdMethod
from tests.tailc.pipeline.cores import MS, problem, profile
from tests.tailc.pipeline.malleable_jobs.instances import long_cluster, random_cluster
from tests.tailc.pipeline.rigid_jobs.problems import drawn, named, supply
from tests.tailc.pipeline.rigid_jobs.problems import problem as racks

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

OWN_SPEEDS = profile([100.0, 80.0, 60.0], ((1.0, 1.25), (1.0, 4.0)), [0, 1, 1])
MANY_JOBS = [named(n, n % 3, 1 + n % 2, 1 + n % 2, 50 * (n % 3)) for n in range(14)]
SUN_W = [250, 120, 400, 90]


def plans_of(method: PlanMethod, solver: str = "highs") -> PlanSearch:
    return PlanSearch(method, solver=solver, steps=20)


def with_scenarios(**changes: Any):
    ways = np.array([[250, 100, 400, 0], [300, 0, 200, 90]], np.int64) * 1_000
    asked = racks(*MANY_JOBS[:3], green_w=SUN_W, **changes)
    return replace(asked, supply=replace(supply(SUN_W), scenarios_mw=ways))


USES: dict[str, Callable[[], Any]] = {
    "thresholds by convex": lambda: problem(method=ThresholdMethod.CONVEX),
    "thresholds by highs": lambda: problem(method=ThresholdMethod.MIP, solver="highs"),
    "thresholds by scip": lambda: problem(method=ThresholdMethod.MIP, solver="scip"),
    "thresholds by gurobi": lambda: problem(method=ThresholdMethod.MIP, solver="gurobi"),
    "thresholds of own speeds": lambda: problem(
        profile=OWN_SPEEDS, target_us=90 * MS, method=ThresholdMethod.MIP, solver="highs"
    ),
    "racks by arrival": lambda: drawn(3, jobs=4, epochs=4, search=plans_of(PlanMethod.ARRIVAL)),
    "racks by annealing": lambda: drawn(5, jobs=4, epochs=4, search=plans_of(PlanMethod.ANNEAL)),
    "racks by highs": lambda: drawn(7, jobs=4, epochs=4, search=plans_of(PlanMethod.MIP)),
    "racks by scip": lambda: drawn(8, jobs=4, epochs=4, search=plans_of(PlanMethod.MIP, "scip")),
    "racks by gurobi": lambda: drawn(9, jobs=3, search=plans_of(PlanMethod.MIP, "gurobi")),
    "racks of many jobs": lambda: racks(*MANY_JOBS, green_w=SUN_W),
    "racks of other days": lambda: racks(
        *MANY_JOBS[:3], green_w=SUN_W, expected=(tuple(MANY_JOBS[3:8]), ())
    ),
    "racks of scenarios": lambda: with_scenarios(search=plans_of(PlanMethod.MIP)),
    "clusters by columns": lambda: random_cluster(1),
    "clusters of long jobs": lambda: long_cluster(1),
    "clusters by gurobi": lambda: replace(
        random_cluster(4), search=plans_of(PlanMethod.COLUMNS, "gurobi")
    ),
    "clusters by highs' program": lambda: replace(
        random_cluster(4), search=plans_of(PlanMethod.MIP)
    ),
    "clusters by scip's program": lambda: replace(
        random_cluster(1), search=plans_of(PlanMethod.MIP, "scip")
    ),
    "clusters of other days": lambda: replace(
        random_cluster(4), expected=(random_cluster(1).jobs,)
    ),
}


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


def lies_of(answer: Answer, program: LinearProgram, rng: np.random.Generator) -> Iterator[Answer]:
    """All lies about an answer, each of one of its parts."""
    point = answer.point
    for outcome in Outcome:
        yield replace(answer, outcome=outcome)
        if outcome is not Outcome.LIMIT:  # which claims nothing: the search was cut short
            yield Answer(outcome, message="so it is")
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
    lowest = Point(program.lower, float(program.cost @ program.lower) + program.offset)
    yield Answer(Outcome.OPTIMAL, lowest, lowest.objective)
    if answer.duals is not None:
        yield replace(answer, duals=None)
        for change in NUMBERS.values():
            yield replace(answer, duals=Duals(change(answer.duals.rows, rng), answer.duals.basis))


@dataclass
class Liar:
    """Answers of real solvers, each asked once, of which one may be changed."""

    at: int = -1
    lie: Callable[[Answer, LinearProgram], Answer] | None = None
    asked: int = 0

    def answer(self, solver: Solver, program: LinearProgram, limits: Limits | None) -> Answer:
        honest = _honest(solver, program, limits)
        self.asked += 1
        is_now = self.asked - 1 == self.at and self.lie is not None
        return self.lie(honest, program) if is_now else honest


_ANSWERS: dict[tuple[str, bytes], Answer] = {}
_ANSWER = Solver.answer


def _honest(solver: Solver, program: LinearProgram, limits: Limits | None) -> Answer:
    key = solver.backend.value, encoded_question(program, limits or Limits())
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
    made: list[Answer] = []

    def lie(answer: Answer, program: LinearProgram) -> Answer:
        lies = list(lies_of(answer, program, np.random.default_rng(seed)))
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
    "racks by arrival",
    "racks by highs",
    "racks of other days",
    "clusters by columns",
]


@pytest.mark.parametrize("use", WITH_MULTIPLIERS)
@pytest.mark.parametrize("name", ["times a million", "negated", "short", "NaN", "long", "halved"])
def test_multipliers_that_prove_nothing_are_a_wrong_answer(use, name):
    asked, _, answers = honestly(use)

    def lie(answer: Answer, _program: LinearProgram) -> Answer:
        assert answer.duals is not None
        rows = NUMBERS[name](answer.duals.rows, np.random.default_rng(1))
        return replace(answer, duals=Duals(rows, answer.duals.basis))

    for at in {0, answers - 1}:
        assert ended_or_codes(asked, Liar(at, lie)) == {Code.SOLVER_FAILED}


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
