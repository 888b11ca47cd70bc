"""A corner is handed on to programs of other schedules, and only where it is one."""

from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import Basis, BasisStatus
from tailc_solvers.green.parallel.corner import BasisStore
from tailc_solvers.green.parallel.master import Master
from tailc_solvers.green.parallel.rows import MasterRows
from tailc_solvers.green.parallel.schedules import Schedules

from tests.tailc_solvers.backends.answers import point_of
from tests.tailc_solvers.green.parallel.exchange_case import all_columns
from tests.tailc_solvers.green.parallel.instances import solvable_problem


@pytest.fixture(scope="module")
def solver():
    with Solver(Backend.HIGHS) as highs:
        yield highs


def corner_of(seed: int) -> tuple[MasterRows, BasisStore]:
    rows = MasterRows(solvable_problem(seed))
    return rows, BasisStore(rows)


def basis(rows: MasterRows, schedules: list[BasisStatus]) -> Basis:
    """Each job's row and its lack at the corner; all other rows slack."""
    variables = np.full(rows.fixed, BasisStatus.AT_LOWER)
    at_rows = np.full(sum(rows.counts), BasisStatus.BASIC)
    return Basis(np.concatenate([variables, np.array(schedules, dtype=np.int64)]), at_rows)


def test_there_is_no_start_before_the_first_corner():
    _, corner = corner_of(1)
    assert corner.start(2) is None


def test_new_schedules_are_at_zero_and_new_rows_are_slack():
    rows, corner = corner_of(1)
    corner.keep(basis(rows, [BasisStatus.BASIC, BasisStatus.AT_UPPER]), 2)
    rows.with_room[:] = True
    start = corner.start(3)
    assert start is not None
    assert start.variables[rows.fixed :].tolist() == [
        BasisStatus.BASIC,
        BasisStatus.AT_UPPER,
        BasisStatus.AT_LOWER,
    ]
    assert start.rows.tolist() == [BasisStatus.BASIC] * sum(rows.counts)


def test_what_is_no_basis_is_passed_by():
    rows, corner = corner_of(1)
    good = basis(rows, [BasisStatus.BASIC])
    corner.keep(None, 1)
    corner.keep(good, 2)
    corner.keep(Basis(good.variables[1:], good.rows), 1)
    corner.keep(Basis(good.variables, good.rows + 9), 1)
    assert corner.start(1) is None


@pytest.mark.parametrize("seed", range(6))
def test_a_start_changes_no_optimum(solver, seed):
    problem = solvable_problem(seed)
    columns = all_columns(problem)
    master = Master(Schedules(problem, 1_000))
    master.add(columns)
    every = np.ones(len(columns), dtype=np.bool_)
    first = np.array([k == 0 or c.job != columns[k - 1].job for k, c in enumerate(columns)])
    half = first | (np.arange(len(columns)) % 2 == 1)
    # From some schedules to all of them, and back to where basic ones may be forbidden.
    for before, after in ((half, every), (every, half)):
        master.take_up(solver.answer(master.program(before)), before)
        warm = master.program(after)
        assert warm.start is not None
        found = solver.answer(warm)
        cold = solver.answer(replace(warm, start=None))
        assert point_of(found).objective == pytest.approx(point_of(cold).objective, rel=1e-9)
        shares = master.shares(found, after)
        assert shares is not None
        assert (shares[~after] == 0).all()
