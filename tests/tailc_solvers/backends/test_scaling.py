"""Programs with rows of all sizes: scaled without loss, answered as they are, or refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerTrust, verdict
from tailc_solvers.backends.linear import (
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
)
from tailc_solvers.backends.scaling import (
    cost_size,
    row_sizes,
    scale_costs,
    scale_rows,
    scale_units,
    too_wide,
    unit_sizes,
    unscale_answer,
    unscale_costs,
    unscale_units,
)

from tests.tailc_solvers.backends.answers import duals_of, point_of


def covering(size: float, *, integer: bool) -> LinearProgram:
    """3 x + 5 y >= 7 with the row multiplied: the least 4 x + 6 y is at (1, 1), or 7 / 5 of y."""
    row = (7 * size, {0: 3 * size, 1: 5 * size}, math.inf)
    return LinearProgram.build([4.0, 6.0], 0, 9, [row], integer=integer)


def test_rows_of_usual_size_are_left_alone():
    program = covering(100, integer=False)
    assert row_sizes(program).tolist() == [1]
    assert scale_rows(program, row_sizes(program)) is program


@pytest.mark.parametrize("size", [1e-8, 1e-4, 1e5, 4e9, 1e15])
def test_other_rows_come_to_coefficients_near_one_and_lose_no_digit(size):
    program = covering(size, integer=False)
    sizes = row_sizes(program)
    there = scale_rows(program, sizes)
    assert 1 <= np.abs(there.value).max() < 2
    assert (there.value * sizes[0] == program.value).all()
    assert (there.row_lower * sizes == program.row_lower).all()
    assert np.isinf(there.row_upper).all()


@pytest.mark.parametrize("backend", [Backend.HIGHS, Backend.SCIP, Backend.GUROBI])
@pytest.mark.parametrize("integer", [False, True])
def test_the_answer_is_that_of_the_program_as_it_is(backend, integer):
    least = 10.0 if integer else 42 / 5
    with Solver(backend) as solver:
        for size in (1e-8, 1.0, 4e9, 1e15):
            program = covering(size, integer=integer)
            found = solver.answer(program)
            assert point_of(found).objective == pytest.approx(least)
            assert verdict(program, found).faults == ()
            if not integer and backend is not Backend.SCIP:
                assert duals_of(found).rows == pytest.approx([6 / 5 / size])
                assert verdict(program, found).trust is AnswerTrust.PROVED


def energy(joules: float) -> LinearProgram:
    """Two jobs of 2 and 4 times as many joules, which earn 3 each; half of the first one's joules
    are free, and others cost 1. The best is the first job alone: 3 - 1 times as much."""
    row = (-math.inf, {0: 2 * joules, 1: 4 * joules, 2: -1.0}, joules)
    cost = [-3 * joules, -3 * joules, 1.0]
    return LinearProgram.build(cost, 0, [1.0, 1.0, 5 * joules], [row])


@pytest.mark.parametrize("backend", [Backend.HIGHS, Backend.SCIP, Backend.GUROBI])
def test_single_units_in_rows_of_large_amounts_count(backend):
    """HiGHS ignores a coefficient of 1 in a row with 4e10."""
    with Solver(backend) as solver:
        for joules in (1.0, 1e6, 1e9, 1e10, 1e12):
            program = energy(joules)
            found = solver.answer(program)
            assert point_of(found).objective == pytest.approx(-2 * joules)
            checked = verdict(program, found)
            assert checked.faults == ()
            if backend is not Backend.SCIP:
                assert checked.is_proved_optimum


@pytest.mark.parametrize("joules", [1.0, 100.0, 1e6])
def test_programs_of_usual_coefficients_keep_their_units(joules):
    program = energy(joules)
    assert scale_units(program, unit_sizes(program)) is program


@pytest.mark.parametrize("joules", [1e9, 3e11])
def test_units_lose_no_digit(joules):
    program = energy(joules)
    unit = unit_sizes(program)
    assert unit[:2].tolist() == [1, 1]
    there = scale_units(program, unit)
    assert 1 <= there.upper[2] < 2
    assert (there.upper * unit == program.upper).all()
    assert (there.value / unit[there.column] == program.value).all()
    assert (there.cost / unit == program.cost).all()


def test_whole_and_unbounded_variables_keep_their_units():
    program = energy(1e9)
    whole = replace(program, integer=np.array([False, False, True]))
    assert unit_sizes(whole).tolist() == [1, 1, 1]
    free = replace(program, upper=np.array([1.0, 1.0, math.inf]))
    assert unit_sizes(free).tolist() == [1, 1, 1]


def test_points_of_another_length_are_left_for_the_check():
    lie = SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.ones(2), 1.0))
    assert unscale_units(lie, np.array([2.0])) is lie


def test_multipliers_of_another_length_are_left_for_the_check():
    lie = SolverAnswer(SolverOutcome.OPTIMAL, duals=Duals(np.ones(2)))
    assert unscale_answer(lie, np.array([2.0])) is lie


def test_a_point_is_feasible_to_the_size_of_its_row():
    program = covering(4e9, integer=True)
    one = np.array([1.0, 1.0])
    for shift, is_there in ((4.0, True), (4e5, False)):
        low = replace(program, row_lower=np.array([32e9 + shift]))
        answer = SolverAnswer(SolverOutcome.FEASIBLE, SolverPoint(one, 10.0))
        assert (verdict(low, answer).faults == ()) is is_there


WIDE = {
    "two whole terms": ({0: 1.0, 1: 2e7}, True, 9),
    "a switch of a flow": ({0: -1.0, 1: 1e9}, [False, True], [5, 1]),
    "a whole term and hardly any": ({0: 1e-12, 1: 1.0}, True, 9),
}


@pytest.mark.parametrize("case", WIDE)
def test_terms_that_no_tolerance_tells_apart_are_refused(case):
    terms, integer, upper = WIDE[case]
    program = LinearProgram.build([1.0, 1.0], 0, upper, [(0.5, terms, math.inf)], integer=integer)
    with Solver(Backend.HIGHS) as solver:
        found = solver.answer(program)
    assert found.outcome is SolverOutcome.REFUSED
    assert "differ by a factor of" in found.message


FINE = {
    "a flow as large as its switch": ({0: -1.0, 1: 1e9}, [False, True], [1e9, 1]),
    "no whole variable": ({0: 1.0, 1: 1e9}, False, 9),
    "no limit": ({0: -1.0, 1: 1e9}, [False, True], [math.inf, 1]),
    "a term that is nothing": ({0: 0.0, 1: 1e9}, True, 9),
}


@pytest.mark.parametrize("case", FINE)
def test_terms_that_are_told_apart_are_not(case):
    terms, integer, upper = FINE[case]
    program = LinearProgram.build([1.0, 1.0], 0, upper, [(0.5, terms, math.inf)], integer=integer)
    assert too_wide(program) is None


def with_costs(size: float, *, integer: bool = False) -> LinearProgram:
    program = covering(1, integer=integer)
    return replace(program, cost=program.cost * size, offset=3 * size)


@pytest.mark.parametrize(("size", "divisor"), [(1, 1), (1e5, 1), (1e6, 8), (1e9, 2**13)])
def test_large_costs_are_divided_by_a_power_of_two(size, divisor):
    assert cost_size(with_costs(size)) == divisor
    scaled = scale_costs(with_costs(size), divisor)
    assert np.abs(scaled.cost).max() <= 2**20
    assert (scaled.cost * divisor == with_costs(size).cost).all()


@pytest.mark.parametrize("integer", [False, True])
def test_an_answer_with_divided_costs_is_that_of_the_program(integer):
    program = with_costs(1e9, integer=integer)
    size = cost_size(program)
    with Solver(Backend.HIGHS) as solver:
        plain = solver.answer(program)
        scaled = unscale_costs(solver.answer(scale_costs(program, size)), size)
    found, wanted = point_of(scaled), point_of(plain)
    assert found.x == pytest.approx(wanted.x)
    assert found.objective == pytest.approx(wanted.objective)
    assert scaled.bound == pytest.approx(plain.bound)
    if not integer:
        assert duals_of(scaled).rows == pytest.approx(duals_of(plain).rows)
    assert verdict(program, scaled).trust is AnswerTrust.PROVED or integer


class _GivesUpOnLargeCosts:
    """A child of which the solver gives up on costs above a limit, as a dual simplex does."""

    def __init__(self) -> None:
        self.costs: list[float] = []

    def answer(self, program: LinearProgram, _limits: object) -> SolverAnswer:
        self.costs.append(float(program.cost.max()))
        if self.costs[-1] > 2**20:
            return SolverAnswer(SolverOutcome.REFUSED, message="Not Set")
        point = SolverPoint(np.array([1.0, 1.0]), float(program.cost.sum() + program.offset))
        return SolverAnswer(SolverOutcome.OPTIMAL, point)


def test_a_program_that_a_solver_gives_up_on_is_sent_again_with_smaller_costs(monkeypatch):
    child = _GivesUpOnLargeCosts()
    solver = Solver(Backend.HIGHS)
    monkeypatch.setattr(solver, "_child", child)
    answer = solver.answer(with_costs(1e9))
    assert len(child.costs) == 2
    assert point_of(answer).objective == pytest.approx(13e9)
    child.costs.clear()
    assert solver.answer(with_costs(1)).outcome is SolverOutcome.OPTIMAL
    assert len(child.costs) == 1
