"""Plans from schedules: every small problem beside all of its plans, and solvers that fail."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.child import Child
from tailc_solvers.backends.linear import (
    BackendLimits,
    Duals,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
)
from tailc_solvers.green.parallel.check import faults_of
from tailc_solvers.green.parallel.columns import ColumnsEffort, solve_columns
from tailc_solvers.green.parallel.solution import Ending

from tests.reference import parallel_plain
from tests.tailc_solvers.green.parallel.instances import (
    brimful_problem,
    feasible_problem,
    small_problem,
    solvable_problem,
)

ROGUES = "tests.tailc_solvers.backends.rogues"
THOROUGH = ColumnsEffort(aim=0.0)
COARSE = ColumnsEffort(aim=0.0, cells=7, nodes=4)
"""A grid of seven units of work: it rounds nearly everything."""


@pytest.fixture(scope="module")
def solver():
    with Solver(Backend.HIGHS) as highs:
        yield highs


@functools.cache
def least_of(seed):
    """The least cost of all plans of the first feasible problem from a seed on: that takes long."""
    return parallel_plain.least_cost(feasible_problem(seed))


class Scripted(Solver):
    """Answers with what it is told, once honest answers have run out."""

    def __init__(self, honest: Solver, after: int, answer: SolverAnswer) -> None:
        self.honest, self.after, self.told = honest, after, answer

    @property
    def has_lied(self) -> bool:
        return self.after < 0

    def answer(self, program, limits=None):
        self.after -= 1
        return self.told if self.has_lied else self.honest.answer(program, limits)


@settings(max_examples=40)
@given(st.integers(0, 10**9), st.sampled_from([1, 2]))
def test_the_cost_is_within_the_gap_of_the_least_of_all_plans(solver, seed, forecasts):
    problem = small_problem(seed, forecasts=forecasts)
    least = parallel_plain.least_cost(problem)
    found = solve_columns(problem, solver, effort=THOROUGH).solution
    if math.isinf(least):
        assert found.ending in (Ending.NONE_EXISTS, Ending.NO_PLAN)
        return
    assert found.best is not None
    assert found.bounds.proved is not None
    assert found.bounds.proved <= least <= found.best.ledger.cost
    assert found.best.ledger.cost == parallel_plain.cost(problem, found.best.plan.servers.tolist())
    assert faults_of(problem, found.best.plan) == []


@pytest.mark.parametrize("seed", range(4))
def test_at_every_milestone_the_least_cost_is_between_bound_and_best(solver, seed):
    problem = solvable_problem(seed)
    least = float(parallel_plain.least_cost(problem))
    found = solve_columns(problem, solver, effort=ColumnsEffort(aim=0.0, nodes=10))
    assert found.course
    for before, after in itertools.pairwise(found.course):
        assert before.effort <= after.effort
        assert before.bound <= after.bound
        assert before.found >= after.found
    assert all(one.bound <= least * (1 + 1e-9) for one in found.course)
    assert all(one.found >= least * (1 - 1e-9) for one in found.course)
    assert found.solution.bounds.proved is not None
    assert found.course[-1].bound == pytest.approx(float(found.solution.bounds.proved), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_jobs_that_fit_to_the_brim_have_a_plan(solver, seed):
    problem = brimful_problem(seed)
    found = solve_columns(problem, solver).solution
    assert found.best is not None, (found.ending, found.message)
    assert faults_of(problem, found.best.plan) == []


@settings(max_examples=40)
@given(st.integers(0, 10**9))
def test_a_coarse_grid_of_work_never_lifts_the_bound_above_the_least_cost(solver, seed):
    problem = feasible_problem(seed)
    least = parallel_plain.least_cost(problem)
    found = solve_columns(problem, solver, effort=COARSE).solution
    if found.best is None:
        assert found.ending is not Ending.NONE_EXISTS or math.isinf(least)
        return
    assert found.best is not None
    assert found.bounds.proved is not None
    assert found.bounds.proved <= least <= found.best.ledger.cost
    assert faults_of(problem, found.best.plan) == []


def test_most_small_problems_are_solved_to_the_least_cost(solver):
    reached = total = 0
    for seed in range(60):
        least = least_of(seed)
        if math.isinf(least):
            continue
        found = solve_columns(feasible_problem(seed), solver, effort=THOROUGH).solution
        total += 1
        reached += found.best is not None and found.best.ledger.cost == least
    assert total >= 40
    assert reached >= 0.95 * total


def test_the_same_problem_has_the_same_answer(solver):
    problem = solvable_problem(5)
    first, second = (solve_columns(problem, solver) for _ in range(2))
    assert first.columns == second.columns
    assert first.solution.bounds.proved == second.solution.bounds.proved
    assert first.solution.best is not None
    assert second.solution.best is not None
    assert (first.solution.best.plan.servers == second.solution.best.plan.servers).all()


def test_columns_of_the_last_plan_are_a_start_for_the_next(solver):
    problem = solvable_problem(9)
    first = solve_columns(problem, solver, effort=THOROUGH)
    second = solve_columns(problem, solver, effort=THOROUGH, warm=first.columns)
    assert first.solution.best is not None
    assert second.solution.best is not None
    assert second.solution.best.ledger.cost <= first.solution.best.ledger.cost
    assert set(first.columns) <= set(second.columns)


@pytest.mark.parametrize("rogue", ["segfault", "rubbish", "raises", "hang"])
@pytest.mark.parametrize("seed", [3, 4, 9])
def test_a_solver_that_fails_leaves_a_plan_with_its_outcome(rogue, seed):
    problem = solvable_problem(seed)
    solver = Solver(Backend.HIGHS)
    solver._child = Child(f"{ROGUES}:{rogue}")
    with solver:
        found = solve_columns(
            problem, solver, limits=BackendLimits(wall_s=0.5, nodes=1_000)
        ).solution
    assert found.outcome is not None
    assert not found.outcome.has_point
    assert found.best is not None
    assert found.bounds.proved is not None
    assert faults_of(problem, found.best.plan) == []
    assert found.bounds.proved <= parallel_plain.least_cost(problem) <= found.best.ledger.cost


@pytest.mark.parametrize("after", [0, 1, 2, 3])
@pytest.mark.parametrize("scale", [-1e30, -1.0, 0.0, 1e-3, 1e30, math.nan])
def test_multipliers_that_are_made_up_prove_nothing_wrong(solver, after, scale):
    problem = solvable_problem(11)
    size = len(problem.jobs) + 3 * problem.epochs
    lie = SolverAnswer(
        SolverOutcome.OPTIMAL, SolverPoint(np.ones(3), 0.0), duals=Duals(np.full(size, scale))
    )
    scripted = Scripted(solver, after, lie)
    found = solve_columns(problem, scripted).solution
    if scripted.has_lied:
        assert (found.ending, found.best) == (Ending.REFUSED, None)


def test_a_job_that_cannot_meet_its_deadline_is_named(solver):
    seed = 0
    while all(any(parallel_plain.schedules(small_problem(seed), j)) for j in _jobs(seed)):
        seed += 1
    found = solve_columns(small_problem(seed), solver).solution
    assert found.ending is Ending.NONE_EXISTS
    assert found.message.startswith("job ")


def test_jobs_that_do_not_fit_together_are_proved_not_to(solver):
    infeasible = [feasible_problem(seed) for seed in range(80) if math.isinf(least_of(seed))]
    endings = [solve_columns(p, solver).solution.ending for p in infeasible]
    assert len(endings) >= 3
    assert set(endings) <= {Ending.NONE_EXISTS, Ending.NO_PLAN}
    assert endings.count(Ending.NONE_EXISTS) >= len(endings) // 2


def _jobs(seed):
    return small_problem(seed).jobs
