"""A corner is handed on to programs of other schedules, and only where it is one."""

from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import Basis, Place
from tailc_solvers.green.parallel.corner import Corner
from tailc_solvers.green.parallel.master import Master
from tailc_solvers.green.parallel.rows import Rows
from tailc_solvers.green.parallel.schedules import Schedules

from tests.tailc_solvers.green.parallel.instances import solvable_problem
from tests.tailc_solvers.green.parallel.test_exchange import all_columns


@pytest.fixture(scope="module")
def solver():
    with Solver(Backend.HIGHS) as highs:
        yield highs


def corner_of(seed: int) -> tuple[Rows, Corner]:
    rows = Rows(solvable_problem(seed))
    return rows, Corner(rows)


def basis(rows: Rows, schedules: list[Place]) -> Basis:
    """Each job's row and its lack at the corner; all other rows slack."""
    variables = np.full(rows.fixed, Place.AT_LOWER)
    at_rows = np.full(sum(rows.counts), Place.BASIC)
    return Basis(np.concatenate([variables, np.array(schedules, dtype=np.int64)]), at_rows)


def test_there_is_no_start_before_the_first_corner():
    _, corner = corner_of(1)
    assert corner.start([0, 1], [0, 1]) is None


def test_new_schedules_are_at_zero_and_new_rows_are_slack():
    rows, corner = corner_of(1)
    corner.keep(basis(rows, [Place.BASIC, Place.AT_UPPER]), [0, 1])
    rows.with_room[:] = True
    start = corner.start([0, 1, 2], [0, 1, 1])
    assert start is not None
    assert start.variables[rows.fixed :].tolist() == [Place.BASIC, Place.AT_UPPER, Place.AT_LOWER]
    assert start.rows.tolist() == [Place.BASIC] * sum(rows.counts)


def test_a_basic_schedule_that_is_left_out_is_replaced_by_what_its_job_lacks():
    rows, corner = corner_of(1)
    corner.keep(basis(rows, [Place.BASIC, Place.AT_LOWER]), [0, 1])
    start = corner.start([1], [1, 0])
    assert start is not None
    lacks = start.variables[rows.problem.green_mj.size : rows.fixed]
    assert lacks[1] == Place.BASIC
    assert (np.delete(lacks, 1) == Place.AT_LOWER).all()
    # A second one of the same job has no substitute left.
    corner.keep(basis(rows, [Place.BASIC, Place.BASIC]), [0, 1])
    assert corner.start([2], [1, 1, 1]) is None


def test_what_is_no_basis_is_passed_by():
    rows, corner = corner_of(1)
    good = basis(rows, [Place.BASIC])
    corner.keep(None, [0])
    corner.keep(Basis(good.variables[1:], good.rows), [0])
    corner.keep(Basis(good.variables, good.rows + 9), [0])
    assert corner.start([0], [0]) is None


@pytest.mark.parametrize("seed", range(6))
def test_a_start_changes_no_optimum(solver, seed):
    problem = solvable_problem(seed)
    columns = all_columns(problem)
    master = Master(Schedules(problem, 1_000))
    master.add(columns)
    every = range(len(columns))
    half = [k for k in every if k % 2 or columns[k].job != columns[k - 1].job]
    master.take_up(solver.answer(master.program(half)), half)
    warm = master.program(every)
    assert warm.start is not None
    found = solver.answer(warm).objective
    assert found == pytest.approx(solver.answer(replace(warm, start=None)).objective, rel=1e-9)
