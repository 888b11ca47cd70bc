"""Every method that asks a solver, and all that can become of the answer: a typed outcome each."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.child import Child
from tailc_solvers.backends.linear import BackendLimits, SolverAnswer, SolverOutcome
from tailc_solvers.green.parallel.check import faults_of
from tailc_solvers.green.parallel.columns import solve_columns
from tailc_solvers.green.parallel.indexed_plan import solve_indexed
from tailc_solvers.green.parallel.solution import Ending
from tailc_solvers.green.sla.admission import prove_admission
from tailc_solvers.green.sla.exact import solve_exact
from tailc_solvers.green.sla.horizon import solve_admission, solve_horizon
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups, Job, Racks
from tailc_solvers.green.sla.reduced_program import solve_reduced

from tests.tailc_solvers.green.parallel.instances import solvable_problem

ROGUES = "tests.tailc_solvers.backends.rogues"
BRIEF = BackendLimits(wall_s=0.5, nodes=1_000)
# Only ends a hang: a busy machine crashes late.
PATIENT = BackendLimits(wall_s=300.0, nodes=1_000)

ENERGY = EnergySupply(np.array([0, 130, 130, 0]), 60, 5, np.full(4, 20))
RACKS = Racks(2, 2, ENERGY, Charges(np.array([0, 1]), 2))
JOBS = [Job(2, 4, 4, 1_000, 100), Job(1, 2, 0, 300, 100)]
MALLEABLE = solvable_problem(3)

Told = tuple[SolverOutcome, bool]
"""The outcome that a method hands on, and whether it has a plan or an admission."""


def reduced(solver: Solver, limits: BackendLimits) -> Told:
    found = solve_reduced(Groups.build(RACKS), JOBS, solver, limits)
    assert found.bound == math.inf
    return found.outcome, found.plan is not None


def exact(solver: Solver, limits: BackendLimits) -> Told:
    found = solve_exact(RACKS, JOBS, solver, limits)
    assert found.bound == math.inf
    return found.outcome, found.plan is not None


def horizon(solver: Solver, limits: BackendLimits) -> Told:
    found = solve_horizon(Groups.build(RACKS), JOBS, solver, limits)
    assert found.bound == math.inf
    return found.outcome, found.price is not None


def claimed(solver: Solver, limits: BackendLimits) -> Told:
    found = solve_admission(Groups.build(RACKS), JOBS, solver, limits)
    assert found.claimed_bound == math.inf
    return found.outcome, found.admitted is not None


def proved(solver: Solver, limits: BackendLimits) -> Told:
    found = prove_admission(Groups.build(RACKS), JOBS, solver, limits)
    assert found.bound == math.inf
    return found.outcome, found.admitted is not None


def indexed(solver: Solver, limits: BackendLimits) -> Told:
    found = solve_indexed(MALLEABLE, solver, limits)
    assert found.bounds.proved is None
    assert found.outcome is not None
    return found.outcome, found.best is not None


METHODS = [reduced, exact, horizon, claimed, proved, indexed]


@contextmanager
def gone_wrong(rogue: str) -> Iterator[Solver]:
    """A solver whose child does what no solver should."""
    solver = Solver(Backend.HIGHS)
    solver._child = Child(f"{ROGUES}:{rogue}")
    with solver:
        yield solver


class Says(Solver):
    """One answer to everything."""

    def __init__(self, outcome: SolverOutcome) -> None:
        self._told = SolverAnswer(outcome, message="so it is")

    def answer(self, program, limits=None):
        del program, limits
        return self._told


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("outcome", [one for one in SolverOutcome if not one.has_point])
def test_what_a_solver_says_instead_of_a_point_is_handed_on(
    method: Callable, outcome: SolverOutcome
):
    assert method(Says(outcome), BRIEF) == (outcome, False)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("rogue", "limits", "outcome"),
    [("hang", BRIEF, SolverOutcome.TIMED_OUT), ("segfault", PATIENT, SolverOutcome.CRASHED)],
)
def test_a_solver_that_hangs_or_crashes_is_an_outcome(
    method: Callable, rogue: str, limits: BackendLimits, outcome: SolverOutcome
):
    with gone_wrong(rogue) as solver:
        assert method(solver, limits) == (outcome, False)


DENIALS = SolverOutcome.INFEASIBLE, SolverOutcome.UNBOUNDED
FAILURES = [one for one in SolverOutcome if not one.has_point and one not in DENIALS]


@pytest.mark.parametrize("outcome", DENIALS)
def test_columns_refuse_a_solver_that_denies_an_optimum(outcome: SolverOutcome):
    found = solve_columns(MALLEABLE, Says(outcome)).solution
    assert (found.outcome, found.best, found.ending) == (outcome, None, Ending.REFUSED)
    assert found.message == "it denies that there is an optimum, and there is one"


@pytest.mark.parametrize("outcome", FAILURES)
def test_columns_have_a_plan_and_a_bound_however_a_solver_fails(outcome: SolverOutcome):
    found = solve_columns(MALLEABLE, Says(outcome)).solution
    assert (found.outcome, found.message) == (outcome, "so it is")
    assert found.best is not None
    assert faults_of(MALLEABLE, found.best.plan) == []
    assert found.bounds.proved is not None
    assert found.bounds.proved <= found.best.ledger.cost


def test_running_jobs_for_which_there_is_no_room_are_infeasible():
    running = [Job(2, 2, 0, 100, 0, placed=np.array([1, 1])) for _ in range(3)]
    groups = Groups.build(RACKS)
    with Solver(Backend.HIGHS) as solver:
        assert solve_reduced(groups, running, solver).outcome is SolverOutcome.INFEASIBLE
        assert solve_exact(RACKS, running, solver).outcome is SolverOutcome.INFEASIBLE
        assert solve_horizon(groups, running, solver).outcome is SolverOutcome.INFEASIBLE
        assert solve_admission(groups, running, solver).admitted is None
        assert prove_admission(groups, running, solver).admitted is None
