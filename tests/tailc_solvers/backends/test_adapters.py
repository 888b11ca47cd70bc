"""Every solver behind the same programs, statuses and limits."""

import itertools
import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerTrust, claimed_bound, verdict
from tailc_solvers.backends.linear import (
    BackendLimits,
    Basis,
    BasisStatus,
    LinearProgram,
    SolverOutcome,
    grid_steps,
)

from tests.tailc_solvers.backends.answers import duals_of, point_of

LINEAR = (Backend.HIGHS, Backend.SCIP, Backend.CLARABEL, Backend.GUROBI)
WHOLE = (Backend.HIGHS, Backend.SCIP, Backend.CP_SAT, Backend.GUROBI)
TOLERANCE = 1e-7


@pytest.fixture(scope="module")
def solvers():
    """One child of each, for all tests of this file."""
    found = {backend: Solver(backend) for backend in Backend}
    yield found
    for solver in found.values():
        solver.__exit__(None, None, None)


# Two products share 40 hours and 30 parts: the corner (10, 20) is worth 3 * 10 + 2 * 20 = 70.
PRODUCTS = LinearProgram.build(
    [-3.0, -2.0],
    0,
    100,
    [(-math.inf, {0: 2, 1: 1}, 40), (-math.inf, {0: 1, 1: 1}, 30)],
    offset=1.5,
)
# Weights 3, 5 and 7 worth 4, 6 and 9 in a bag for 11: 3 and 7 are worth 13.
BAG = LinearProgram.build(
    [-4.0, -6.0, -9.0], 0, 1, [(-math.inf, {0: 3, 1: 5, 2: 7}, 11)], integer=True, offset=-1.0
)


@pytest.mark.parametrize("backend", LINEAR)
def test_a_linear_program_has_its_corner(solvers, backend):
    found = solvers[backend].answer(PRODUCTS)
    assert found.outcome is SolverOutcome.OPTIMAL
    assert point_of(found).x == pytest.approx([10, 20], abs=TOLERANCE)
    assert point_of(found).objective == pytest.approx(-70 + 1.5, abs=TOLERANCE)


@pytest.mark.parametrize("backend", [Backend.HIGHS, Backend.CLARABEL, Backend.GUROBI])
def test_multipliers_have_one_sign_and_prove_the_optimum(solvers, backend):
    # One more hour is worth 1, one more part is worth 1.
    found = solvers[backend].answer(PRODUCTS)
    assert duals_of(found).rows == pytest.approx([-1, -1], abs=1e-6)
    judged = verdict(PRODUCTS, found)
    assert judged.trust is AnswerTrust.PROVED
    assert judged.bound == pytest.approx(-68.5, abs=1e-5)


def test_a_corner_is_told_and_may_be_begun_with(solvers):
    # Hours and parts are used up, and of both products something is made.
    found = solvers[Backend.HIGHS].answer(PRODUCTS)
    assert duals_of(found).basis.variables.tolist() == [BasisStatus.BASIC, BasisStatus.BASIC]
    assert duals_of(found).basis.rows.tolist() == [BasisStatus.AT_UPPER, BasisStatus.AT_UPPER]
    dearer = replace(PRODUCTS, cost=np.array([-5.0, -1.0]), start=duals_of(found).basis)
    # 20 of the first use up all hours, and the second is worth less than half of it.
    assert point_of(solvers[Backend.HIGHS].answer(dearer)).x == pytest.approx(
        [20, 0], abs=TOLERANCE
    )


@pytest.mark.parametrize("backend", LINEAR)
def test_a_start_that_is_no_corner_does_no_harm(solvers, backend):
    nowhere = Basis(np.full(2, BasisStatus.AT_LOWER), np.full(2, BasisStatus.AT_UPPER))
    found = solvers[backend].answer(replace(PRODUCTS, start=nowhere))
    assert point_of(found).x == pytest.approx([10, 20], abs=TOLERANCE)


@pytest.mark.parametrize("backend", LINEAR)
def test_equations_and_ranges_are_kept(solvers, backend):
    # x + y = 3 and 1 <= x - y <= 2: the least 2 x + y has x - y = 1, so x = 2 and y = 1.
    program = LinearProgram.build(
        [2.0, 1.0], -10, 10, [(3, {0: 1, 1: 1}, 3), (1, {0: 1, 1: -1}, 2)]
    )
    found = solvers[backend].answer(program)
    assert point_of(found).x == pytest.approx([2, 1], abs=TOLERANCE)
    if found.duals is not None:
        assert verdict(program, found).trust is AnswerTrust.PROVED


@pytest.mark.parametrize("backend", WHOLE)
def test_a_whole_program_has_its_best_bag(solvers, backend):
    found = solvers[backend].answer(BAG)
    assert found.outcome is SolverOutcome.OPTIMAL
    assert point_of(found).x == pytest.approx([1, 0, 1], abs=TOLERANCE)
    assert point_of(found).objective == pytest.approx(-14.0, abs=TOLERANCE)
    # Only the solver knows that there is no better one.
    assert verdict(BAG, found).trust is AnswerTrust.CLAIMED


def test_the_course_of_a_whole_program_closes_in_on_its_optimum(solvers):
    rng = np.random.default_rng(1)
    weights, values = rng.integers(1, 40, (8, 30)), rng.integers(1, 60, 30)
    rows = [(-math.inf, dict(enumerate(map(float, row))), row.sum() / 3) for row in weights]
    program = LinearProgram.build(-values.astype(float), 0, 1, rows, integer=True)
    found, again = (solvers[Backend.HIGHS].answer(program) for _ in range(2))
    objective = point_of(found).objective
    assert len(found.course) > 2
    assert found.course == again.course
    for one in found.course:
        assert one.bound <= objective + 1e-6 <= one.found + 2e-6
    for before, after in itertools.pairwise(found.course):
        assert before.effort < after.effort
        assert after.bound > before.bound or after.found < before.found


def test_a_linear_program_has_no_course(solvers):
    assert solvers[Backend.HIGHS].answer(PRODUCTS).course == ()


@pytest.mark.parametrize("backend", LINEAR)
def test_an_infeasible_program_has_no_point(solvers, backend):
    program = LinearProgram.build([1.0], 0, 1, [(2, {0: 1}, math.inf)])
    found = solvers[backend].answer(program)
    assert found.outcome is SolverOutcome.INFEASIBLE
    assert found.point is None


@pytest.mark.parametrize("backend", [Backend.HIGHS, Backend.CLARABEL, Backend.GUROBI])
def test_an_unbounded_program_is_no_optimum(solvers, backend):
    program = LinearProgram.build([-1.0], 0, math.inf, [(0, {0: 1}, math.inf)])
    found = solvers[backend].answer(program)
    assert not found.outcome.has_point


def test_whole_numbers_are_refused_where_there_are_none(solvers):
    found = solvers[Backend.CLARABEL].answer(BAG)
    assert found.outcome is SolverOutcome.REFUSED
    assert found.message == "Clarabel takes no whole variables"


def test_an_optimum_of_a_grid_is_no_optimum(solvers):
    thirds = LinearProgram.build([1.0], 0, 1, [(1, {0: 3}, 1)])
    found = solvers[Backend.CP_SAT].answer(thirds)
    assert (found.outcome, found.bound) == (SolverOutcome.GRID_OPTIMAL, None)
    # Nor is a grid without a point the end of all points.
    none = LinearProgram.build([1.0], 0, 1, [(2, {0: 1}, 3)])
    assert solvers[Backend.CP_SAT].answer(none).outcome is SolverOutcome.LIMIT


LARGE = [1e4, 2e4, 1e5, 3.6e6, 1e7, 1e8, 1e9, 1e11]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("most", LARGE)
def test_a_grid_reaches_every_bound_in_steps_of_a_ten_millionth_of_it(solvers, most, sign):
    """CP-SAT alone cuts off what is above ten million. At 0.6 of the bound, two switches are on."""
    least = 0.6 * most
    program = LinearProgram.build(
        [sign * 1.0, 10.0, 20.0],
        [0 if sign > 0 else -most, 0, 0],
        [most if sign > 0 else 0, 1, 1],
        [
            (least, {0: sign * 1.0}, math.inf),
            (-math.inf, {0: sign / most, 1: -0.4, 2: -0.3}, 0),
        ],
        integer=[False, True, True],
    )
    found = solvers[Backend.CP_SAT].answer(program)
    assert found.outcome is SolverOutcome.GRID_OPTIMAL
    step = grid_steps(program)[0]
    assert 0 <= sign * point_of(found).x[0] - least <= step * (1 + 1e-9)
    assert step == 1e-3 if most <= 1e4 else most <= step * 1e7 < 2 * most
    assert point_of(found).x[1:].tolist() == [1, 1]
    assert verdict(program, found).trust is AnswerTrust.CLAIMED
    best = solvers[Backend.HIGHS].answer(program)
    bound = claimed_bound(program, found)
    assert bound is not None
    assert bound <= point_of(best).objective <= point_of(found).objective + step * 1e-6


def counts(size, most):
    """Three counts that no bound of a row determines alone, each at most `most`."""
    rows = [
        (5 * size, {0: 2, 1: 3}, math.inf),
        (-math.inf, {0: 1, 1: -2, 2: -7}, 10),
        (-math.inf, {0: -5, 1: 4, 2: 1}, 17),
    ]
    return LinearProgram.build([3.0, 2.0, 10.0], 0, [most, most, 1], rows, integer=True)


@pytest.mark.parametrize("size", [1e6, 8e6, 3e7, 2e8])
def test_large_counts_are_not_called_impossible(solvers, size):
    """CP-SAT alone has none above ten million, and called such a program infeasible."""
    program = counts(size, 2 * size)
    found, best = (solvers[backend].answer(program) for backend in (Backend.CP_SAT, Backend.HIGHS))
    assert found.outcome is SolverOutcome.OPTIMAL
    assert point_of(found).objective == pytest.approx(point_of(best).objective, rel=1e-9)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (counts(1e6, math.inf), "has no bound"),
        (counts(1e6, 2e9), "2e+09"),
        (counts(1e6, 1e15), "1e+15"),
        (LinearProgram.build([1.0], 0, math.inf, [(1, {0: 1}, math.inf)]), "has no bound"),
    ],
)
def test_what_cp_sat_would_cut_off_is_refused_before(solvers, program, why):
    found = solvers[Backend.CP_SAT].answer(program)
    assert found.outcome is SolverOutcome.REFUSED
    assert why in found.message


def test_the_steps_of_a_grid_are_those_of_its_bounds():
    program = LinearProgram.build(
        [1.0] * 6,
        [0, 0, -3e4, -math.inf, 0, 0],
        [1, 1e4, 1, 0, 1e8, 1e8],
        [],
        integer=[False, False, False, False, False, True],
    )
    assert grid_steps(program) == pytest.approx([1e-3, 1e-3, 4e-3, 1e-3, 16.384, 0])


def test_a_program_above_the_free_licence_is_named_as_such(solvers):
    n = 3_000
    program = LinearProgram.build(np.ones(n), 0, 1, [])
    found = solvers[Backend.GUROBI].answer(program)
    if found.outcome is not SolverOutcome.OPTIMAL:  # as under a full licence
        assert found.outcome is SolverOutcome.TOO_LARGE
        assert "size-limited" in found.message


@pytest.mark.parametrize("backend", list(Backend))
def test_the_same_question_has_the_same_answer_to_the_last_bit(solvers, backend):
    rng = np.random.default_rng(3)
    rows = [
        (float(rng.integers(5, 10)), dict(enumerate(rng.integers(1, 9, 12).tolist())), math.inf)
        for _ in range(8)
    ]
    integer = backend not in (Backend.CLARABEL,)
    program = LinearProgram.build(rng.integers(1, 20, 12), 0, 5, rows, integer=integer)
    first = solvers[backend].answer(program, BackendLimits(seed=5))
    with Solver(backend) as other:
        again = other.answer(program, BackendLimits(seed=5))
    one, other = point_of(first), point_of(again)
    assert one.x.tobytes() == other.x.tobytes()
    assert one.objective == other.objective


@pytest.mark.parametrize(
    ("backend", "library", "what"),
    [
        (Backend.HIGHS, "highspy", "tailc"),
        (Backend.SCIP, "ortools", "tailc"),
        (Backend.CLARABEL, "clarabel", "tailc"),
        (Backend.GUROBI, "gurobipy", "tailc[gurobi]"),
    ],
)
def test_a_missing_library_names_what_to_install(monkeypatch, tmp_path, backend, library, what):
    (tmp_path / f"{library}.py").write_text(
        f"raise ModuleNotFoundError('none', name={library!r})\n"
    )
    monkeypatch.syspath_prepend(os.fspath(tmp_path))
    with Solver(backend) as solver:
        found = solver.answer(PRODUCTS)
    assert found.outcome is SolverOutcome.NOT_INSTALLED
    assert found.message == f"`{library}` is not installed: pip install '{what}'"


def test_a_program_without_rows_is_solved_by_all(solvers):
    program = LinearProgram.build([1.0, -1.0], 0, 2, [], integer=False)
    for backend in LINEAR:
        found = solvers[backend].answer(program)
        assert point_of(found).x == pytest.approx([0, 2], abs=TOLERANCE), backend


def test_broken_programs_are_refused_here():
    with pytest.raises(ValueError, match="in order"):
        LinearProgram.build([1.0], 1, 0, [])
    with pytest.raises(ValueError, match="finite"):
        LinearProgram.build([math.nan], 0, 1, [])
    with pytest.raises(ValueError, match="within its rows"):
        LinearProgram.build([1.0], 0, 1, [(0, {3: 1.0}, 1)])
    with pytest.raises(ValueError, match="a status for each row"):
        replace(PRODUCTS, start=Basis(np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int64)))
    with pytest.raises(ValueError, match="must differ"):
        replace(PRODUCTS, row=np.zeros(4, dtype=np.int64))
    with pytest.raises(ValueError, match="must not be empty"):
        LinearProgram.build([], 0, 1, [])


def test_asking_a_solver_loads_none_here():
    script = (
        "import sys; from tailc_solvers.backends.adapters import Solver, Backend;"
        "from tests.tailc_solvers.backends.test_child import PROGRAM\n"
        "with Solver('highs') as solver: assert solver.answer(PROGRAM).outcome == 'optimal'\n"
        "assert not {'ortools', 'clarabel', 'gurobipy', 'highspy', 'scipy'} & set(sys.modules)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", script], check=True, env=env)


HOURS = LinearProgram.build([-1.0, -1.0], 0, 4, [(-math.inf, {0: 2, 1: 1}, 8)])
"""As many as there can be of two things, up to four of each: two hours and one, of eight."""


def _longer(corner: Basis, **other) -> LinearProgram:
    """HOURS with a third thing that is worth 3 and takes 4 hours, up to one; from a corner."""
    start = Basis(np.append(corner.variables, BasisStatus.AT_LOWER), corner.rows)
    program = LinearProgram.build(
        [-1.0, -1.0, -3.0], 0, [4, 4, 1], [(-math.inf, {0: 2, 1: 1, 2: 4}, 8)]
    )
    return replace(program, **{"start": start, **other})


@pytest.mark.parametrize(
    ("other", "x"),
    [
        ({}, [0, 4, 1]),
        ({"upper": np.array([4.0, 3.0, 1.0])}, [0.5, 3, 1]),
        ({"upper": np.array([4.0, 4.0, 0.0])}, [2, 4, 0]),
        ({"cost": np.array([-4.0, -1.0, -3.0])}, [4, 0, 0]),
        ({"value": np.array([2.0, 4.0, 4.0])}, [2, 0, 1]),
        ({"row_upper": np.array([6.0])}, [0, 4, 0.5]),
        ({"lower": np.array([1.0, 0.0, 0.0])}, [1, 4, 0.5]),
        ({"integer": np.array([True, True, True]), "start": None}, [0, 4, 1]),
    ],
    ids=["more", "bounds", "forbidden", "cost", "value", "room", "least", "whole"],
)
def test_a_program_that_goes_on_from_the_last_has_its_own_answer(solvers, other, x):
    first = solvers[Backend.HIGHS].answer(HOURS)
    assert point_of(first).x == pytest.approx([2, 4], abs=TOLERANCE)
    program = _longer(duals_of(first).basis, **other)
    for _ in range(2):  # the second time it is the last program itself
        found = solvers[Backend.HIGHS].answer(program)
        assert point_of(found).x == pytest.approx(x, abs=TOLERANCE)
        assert found.outcome is SolverOutcome.OPTIMAL


def test_a_program_after_one_without_a_point_begins_anew(solvers):
    first = solvers[Backend.HIGHS].answer(HOURS)
    nothing = replace(
        _longer(duals_of(first).basis), row_lower=np.array([100.0]), row_upper=np.array([100.0])
    )
    assert solvers[Backend.HIGHS].answer(nothing).outcome is SolverOutcome.INFEASIBLE
    found = solvers[Backend.HIGHS].answer(_longer(duals_of(first).basis))
    assert point_of(found).x == pytest.approx([0, 4, 1], abs=TOLERANCE)
