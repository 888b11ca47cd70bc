"""Admissions proved by cuts: against all plans, a general solver's tree, and by hand."""

import math

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import Duals, SolverAnswer, SolverOutcome, SolverPoint
from tailc_solvers.green.sla.admission import AdmissionEffort, prove_admission, room_of
from tailc_solvers.green.sla.arrival import place_jobs
from tailc_solvers.green.sla.horizon import HorizonProgram, solve_admission, solve_horizon
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups, Job

from tests.reference import sla_plain
from tests.tailc_solvers.green.sla.instances import SERVER, small_groups, small_job

MICRO = 12
"""Micro-dollars by which whole numbers of cuts are rounded up: one each, for some starts of four
jobs, and costs of some thousand that a solver has to 1e-9."""


@pytest.fixture(scope="module")
def highs():
    with Solver(Backend.HIGHS) as solver:
        yield solver


def four_jobs(seed: int, groups: Groups, *, runs: bool) -> list[Job]:
    shape = groups.groups, groups.epochs
    return [small_job((seed, k), *shape, runs=runs and k == 0) for k in range(4)]


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_holds_on_all_plans_and_is_no_higher_than_that_of_fractions(highs, seed):
    groups = small_groups(seed, epochs=3)
    jobs = four_jobs(seed, groups, runs=seed % 3 == 0)[:2]
    best = sla_plain.best(groups, jobs)
    if best is None:
        return
    found = prove_admission(groups, jobs, highs)
    assert best[0] <= found.bound, seed
    assert found.bound <= solve_horizon(groups, jobs, highs).bound + MICRO, seed


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_is_the_optimum_that_a_tree_finds(highs, seed):
    groups = small_groups(seed, epochs=4)
    jobs = four_jobs(seed, groups, runs=False)
    found = prove_admission(groups, jobs, highs, effort=AdmissionEffort(programs=60))
    claimed = solve_admission(groups, jobs, highs).claimed_bound
    assert found.bound == pytest.approx(claimed, abs=MICRO), seed


def knapsack() -> tuple[Groups, list[Job]]:
    """Five brown servers for one epoch; energy costs nothing."""
    energy = EnergySupply(np.array([0]), SERVER, 0, np.array([0]))
    idle = np.zeros((1, 1), dtype=np.int64)
    is_green = np.array([[False]])
    groups = Groups(np.array([5]), is_green, energy, Charges(np.array([0])), idle, idle)
    return groups, [Job(4, 1, 0, 41, 0), Job(3, 1, 0, 30, 0), Job(2, 1, 0, 19, 0)]


def test_jobs_that_do_not_fit_together_are_not_admitted_in_part(highs):
    # 3 + 2 servers pay 49; 4 of 5 servers 41; fractions would have 41 + 10 = 51.
    groups, jobs = knapsack()
    found = prove_admission(groups, jobs, highs)
    assert found.admitted == (False, True, True)
    assert 49 <= found.bound <= 49 + 4
    assert solve_horizon(groups, jobs, highs).bound == pytest.approx(51)
    assert place_jobs(groups, jobs, highs).figures.value == 49


def test_servers_that_the_green_bus_cannot_feed_are_no_room(highs):
    # Four green servers; moves of jobs before draw one of their energy.
    energy = EnergySupply(np.array([4 * SERVER]), SERVER, SERVER, np.array([20]))
    is_green = np.array([[False], [True]])
    idle, moves = np.zeros((2, 1), dtype=np.int64), np.array([[0], [1]])
    groups = Groups(np.array([2, 4]), is_green, energy, Charges(np.array([0, 5])), idle, moves)
    assert room_of(groups).tolist() == [5]
    program = HorizonProgram.build(groups, [Job(6, 1, 0, 1_000, 0)])
    assert program.fed.tolist() != [-1]
    assert solve_horizon(groups, [Job(6, 1, 0, 1_000, 0)], highs).bound < 1_000
    assert prove_admission(groups, [Job(6, 1, 0, 1_000, 0)], highs).admitted == (False,)


def test_a_search_that_is_cut_short_still_bounds_every_plan(highs):
    for seed in range(12):
        groups = small_groups(seed, epochs=3)
        jobs = four_jobs(seed, groups, runs=False)[:2]
        short = prove_admission(
            groups, jobs, highs, effort=AdmissionEffort(programs=3, looked_at=1)
        )
        assert sla_plain.best(groups, jobs)[0] <= short.bound, seed


class Told(Solver):
    """Answers what it is told, once honest answers have run out."""

    def __init__(self, honest: Solver, after: int, answer: SolverAnswer) -> None:
        self.honest, self.after, self.told = honest, after, answer

    def answer(self, program, limits=None):
        self.after -= 1
        return self.told if self.after < 0 else self.honest.answer(program, limits)


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("outcome", [one for one in SolverOutcome if not one.has_point])
def test_a_solver_that_fails_leaves_what_was_proved(highs, after, outcome):
    groups, jobs = knapsack()
    found = prove_admission(groups, jobs, Told(highs, after, SolverAnswer(outcome)))
    assert found.outcome is outcome
    assert found.bound == (math.inf if after == 0 else pytest.approx(51, abs=4))
    assert (found.admitted is None) == (after == 0)
    assert place_jobs(groups, jobs, Told(highs, after, SolverAnswer(outcome))).plan is not None


@pytest.mark.parametrize("scale", [-1e30, -1.0, 0.0, 1e-3, 1e30, math.nan])
def test_multipliers_that_are_made_up_prove_nothing_wrong(highs, scale):
    groups, jobs = knapsack()
    size = HorizonProgram.build(groups, jobs).assembly.program().n_rows
    lie = SolverAnswer(
        SolverOutcome.OPTIMAL, SolverPoint(np.ones(3), 0.0), duals=Duals(np.full(size, scale))
    )
    for after in (0, 1):
        assert prove_admission(groups, jobs, Told(highs, after, lie)).bound >= 49
