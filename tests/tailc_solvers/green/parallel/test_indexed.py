"""The time-indexed program: general solvers beside all plans, columns beside it, and lies."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.child import Child
from tailc_solvers.backends.linear import BackendLimits, SolverAnswer, SolverOutcome, SolverPoint
from tailc_solvers.green.parallel.check import ServerPlanFault, faults_of
from tailc_solvers.green.parallel.columns import ColumnsEffort, solve_columns
from tailc_solvers.green.parallel.indexed_plan import IndexedPlan, solve_indexed
from tailc_solvers.green.parallel.solution import Ending

from tests.reference import parallel_plain
from tests.tailc_solvers.backends.answers import point_of
from tests.tailc_solvers.green.parallel.instances import feasible_problem, solvable_problem

AGREEMENT = 1e-6
"""Relative, and in micro-units: what solvers may be off."""

LIMITS = BackendLimits(wall_s=30.0, nodes=5_000)
ROGUES = "tests.tailc_solvers.backends.rogues"


@pytest.fixture(scope="module")
def solvers():
    found = {b: Solver(b) for b in (Backend.HIGHS, Backend.SCIP)}
    yield found
    for solver in found.values():
        solver.__exit__(None, None, None)


class Told(Solver):
    """Answers what it is told."""

    def __init__(self, answer: SolverAnswer) -> None:
        self.told = answer

    def answer(self, program, limits=None):
        del program, limits
        return self.told


@pytest.mark.parametrize("backend", [Backend.HIGHS, Backend.SCIP])
def test_the_programs_optimum_is_the_least_of_all_plans(solvers, backend):
    for seed in range(25):
        problem = feasible_problem(seed)
        least = parallel_plain.least_cost(problem)
        found = solve_indexed(problem, solvers[backend], LIMITS)
        if math.isinf(least):
            assert found.ending is Ending.CLAIMED_NONE
            continue
        assert found.best is not None
        assert found.bounds.claimed is not None
        assert float(found.best.ledger.cost) == pytest.approx(
            float(least), rel=AGREEMENT, abs=AGREEMENT
        )
        assert found.bounds.claimed <= float(least) + AGREEMENT * (1 + float(least))
        for one in found.course:
            assert one.found >= float(least) * (1 - AGREEMENT) - AGREEMENT


def test_columns_agree_with_the_program_within_their_gap(solvers):
    for seed in range(100, 110):
        problem = solvable_problem(seed)
        whole = solve_indexed(problem, solvers[Backend.HIGHS], LIMITS)
        mixed = solve_columns(
            problem, solvers[Backend.HIGHS], effort=ColumnsEffort(aim=0.0)
        ).solution
        assert whole.best is not None
        assert mixed.best is not None
        assert mixed.bounds.proved is not None
        assert mixed.bounds.proved <= whole.best.ledger.cost
        assert whole.best.ledger.cost <= mixed.best.ledger.cost * (1 + 1e-6)


def test_every_point_has_a_plan_of_its_cost(solvers):
    problem = solvable_problem(21)
    indexed = IndexedPlan(problem)
    answer = solvers[Backend.HIGHS].answer(indexed.program)
    plan = indexed.plan(point_of(answer).x)
    assert faults_of(problem, plan) == []
    cost = float(parallel_plain.cost(problem, plan.servers.tolist()))
    assert point_of(answer).objective == pytest.approx(cost, rel=AGREEMENT, abs=AGREEMENT)


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [
        (SolverOutcome.INFEASIBLE, Ending.CLAIMED_NONE),
        (SolverOutcome.UNBOUNDED, Ending.NO_PLAN),
        (SolverOutcome.LIMIT, Ending.NO_PLAN),
        (SolverOutcome.TIMED_OUT, Ending.NO_PLAN),
        (SolverOutcome.CRASHED, Ending.NO_PLAN),
        (SolverOutcome.OUT_OF_MEMORY, Ending.NO_PLAN),
        (SolverOutcome.GARBLED, Ending.NO_PLAN),
        (SolverOutcome.NOT_INSTALLED, Ending.NO_PLAN),
    ],
)
def test_every_outcome_without_a_point_is_typed(outcome, ending):
    found = solve_indexed(solvable_problem(3), Told(SolverAnswer(outcome, message="so it is")))
    assert (found.ending, found.outcome, found.best) == (ending, outcome, None)
    assert found.message == "so it is"


@pytest.mark.parametrize(
    ("rogue", "wall_s", "outcome"),
    [
        ("hang", 0.5, SolverOutcome.TIMED_OUT),
        ("abort", 300.0, SolverOutcome.CRASHED),
        ("rubbish", 300.0, SolverOutcome.GARBLED),
    ],
)
def test_a_child_that_goes_wrong_is_an_outcome(rogue, wall_s, outcome):
    solver = Solver(Backend.HIGHS)
    solver._child = Child(f"{ROGUES}:{rogue}")
    with solver:
        found = solve_indexed(solvable_problem(3), solver, BackendLimits(wall_s, nodes=1_000))
    assert (found.ending, found.outcome) == (Ending.NO_PLAN, outcome)


def test_a_point_that_breaks_a_row_is_refused(solvers):
    problem = solvable_problem(3)
    program = IndexedPlan(problem).program
    lie = SolverAnswer(
        SolverOutcome.OPTIMAL, SolverPoint(np.zeros(program.n_variables), 0.0), bound=0.0
    )
    assert solve_indexed(problem, Told(lie)).ending is Ending.REFUSED


def test_a_plan_of_a_laxer_program_is_refused_by_its_faults(solvers):
    problem = solvable_problem(3)
    harder = replace(problem, jobs=tuple(_longer(job) for job in problem.jobs))
    answer = solvers[Backend.HIGHS].answer(IndexedPlan(problem).program)
    plan = IndexedPlan(problem).plan(point_of(answer).x)
    faults = {found.fault for found in faults_of(harder, plan)}
    assert faults & {ServerPlanFault.UNFINISHED, ServerPlanFault.TOO_LATE}


def _longer(job):
    return replace(job, work_left=2 * job.work_left)
