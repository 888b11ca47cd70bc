"""Plans for several ways the sun may shine: against enumeration and by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.child import Child
from tailc_solvers.backends.linear import BackendLimits, SolverOutcome
from tailc_solvers.green.sla.check import faults_of, figures_of
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups, Job, Racks
from tailc_solvers.green.sla.robust import groups_of_scenarios, place_robust, solve_robust

from tests.reference import sla_plain
from tests.tailc_solvers.green.sla.instances import SERVER, small_job, small_racks

MONEY = 1e-3


@pytest.fixture(scope="module")
def solver():
    with Solver(Backend.HIGHS) as found:
        yield found


def scenarios_of(seed: int, count: int) -> list[Groups]:
    racks = small_racks(seed, racks=2)
    rng = np.random.default_rng((seed, 3))
    full = SERVER * racks.racks * racks.servers
    return groups_of_scenarios(racks, rng.integers(0, full + 1, (count, racks.energy.epochs)))


def best_of_all(scenarios: list[Groups], jobs: list[Job]) -> Fraction:
    """The highest mean value of any plan that may be in every scenario, by enumeration."""
    firsts = [[int((~one.is_green[:, t]).sum()) for t in range(one.epochs)] for one in scenarios]

    def mean(plan):
        values = [
            sla_plain.value(one, jobs, plan, first)
            for one, first in zip(scenarios, firsts, strict=True)
        ]
        return None if None in values else Fraction(sum(values), len(values))

    found = sla_plain._best(scenarios[0], jobs, mean)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("seed", range(40))
def test_no_plan_is_better_than_the_one_found(seed, solver):
    scenarios = scenarios_of(seed, 1 + seed % 3)
    groups = scenarios[0]
    jobs = [small_job(100 * seed + k, groups.groups, groups.epochs) for k in range(1 + seed % 2)]
    found = solve_robust(scenarios, jobs, solver)
    assert found.plan is not None
    best = best_of_all(scenarios, jobs)
    # A bill is rounded up to a micro-dollar in each epoch, which the program does not know.
    assert float(best) - groups.epochs - MONEY <= float(found.mean) <= float(best)
    assert found.bound >= float(best) - MONEY
    for one in scenarios:
        assert not faults_of(one, jobs, found.plan)


@pytest.mark.parametrize("seed", range(20))
def test_one_scenario_is_the_plain_problem(seed, solver):
    (groups,) = scenarios_of(seed, 1)
    job = small_job(seed, groups.groups, groups.epochs)
    found, plain = solve_robust([groups], [job], solver), place_job(groups, job)
    assert plain.figures is not None
    assert abs(found.values[0] - plain.figures.value) <= groups.epochs


def test_a_job_is_spread_where_one_scenario_would_miss_all():
    """Either the morning or the afternoon is green; who waits for neither breaks no promise.

    Two epochs, one rack of one server, energy for it in epoch 0 or in epoch 1. A job of an epoch
    that may start in either is promised green: wherever it runs it misses in one of two scenarios.
    At 10 of revenue and 30 of penalty it loses 5 in the mean, and is turned away; by the first
    scenario alone it would be taken.
    """
    racks = Racks(
        1, 1, EnergySupply(np.zeros(2, int), SERVER, 0, np.zeros(2, int)), Charges(np.zeros(1, int))
    )
    both = groups_of_scenarios(racks, np.array([[SERVER, 0], [0, SERVER]]))
    job = Job(1, 1, 1, 10, 30, latest_start=1)
    with Solver(Backend.HIGHS) as solver:
        assert solve_robust(both, [job], solver).plan == (None,)
        alone = solve_robust(both[:1], [job], solver)
        assert alone.values == (10,)
        cheap = solve_robust(both, [replace(job, penalty=10)], solver)
        assert sorted(cheap.values) == [0, 10]


def test_racks_of_a_group_have_one_colour_in_every_scenario():
    racks = Racks(
        4, 1, EnergySupply(np.zeros(2, int), SERVER, 0, np.zeros(2, int)), Charges(np.zeros(4, int))
    )
    first, second = groups_of_scenarios(racks, SERVER * np.array([[1, 0], [3, 3]]))
    assert first.servers.tolist() == second.servers.tolist() == [1, 2, 1]
    assert first.is_green.tolist() == [[False, False], [False, False], [True, False]]
    assert second.is_green.tolist() == [[False, False], [True, True], [True, True]]


def test_one_after_another_leaves_room():
    scenarios = scenarios_of(3, 2)
    groups = scenarios[0]
    jobs = [small_job(900 + k, groups.groups, groups.epochs) for k in range(3)]
    found = place_robust(scenarios, jobs)
    assert found.outcome is SolverOutcome.FEASIBLE
    assert found.plan is not None
    assert all(not faults_of(one, jobs, found.plan) for one in scenarios)


@pytest.mark.parametrize("seed", range(30))
def test_a_job_is_placed_no_worse_than_by_any_scenario_alone(seed, solver):
    scenarios = scenarios_of(seed, 3)
    job = small_job(seed, scenarios[0].groups, scenarios[0].epochs)
    found, exact = place_robust(scenarios, [job]), solve_robust(scenarios, [job], solver)
    assert found.plan is not None
    assert found.mean <= exact.bound + MONEY
    for one in scenarios:
        alone = place_job(one, job).plan
        assert alone is not None
        if not any(faults_of(groups, [job], alone) for groups in scenarios):
            values = [figures_of(groups, [job], alone).value for groups in scenarios]
            assert found.mean >= Fraction(sum(values), 3)


def test_a_job_goes_where_every_scenario_is_green():
    """Each alone would take the first hour that it has, and misses in the other."""
    idle = np.zeros(3, int)
    racks = Racks(1, 1, EnergySupply(idle, SERVER, 0, idle), Charges(np.zeros(1, int)))
    green = SERVER * np.array([[1, 0, 1], [0, 1, 1]])
    found = place_robust(groups_of_scenarios(racks, green), [Job(1, 1, 1, 9, 30, latest_start=2)])
    assert found.values == (9, 9)
    assert found.plan is not None
    assert found.plan[0] is not None
    assert found.plan[0].start == 2


def test_a_job_that_must_run_and_has_no_room_ends_it():
    (groups,) = scenarios_of(3, 1)
    full = groups.with_load(groups.free, groups.moves)
    job = Job(1, 1, 0, 1, 1, must_run=True)
    assert place_robust([full], [job]).outcome is SolverOutcome.INFEASIBLE


@pytest.mark.parametrize(
    ("rogue", "wall_s", "outcome"),
    [("hang", 0.3, SolverOutcome.TIMED_OUT), ("segfault", 300.0, SolverOutcome.CRASHED)],
)
def test_a_crashing_or_slow_solver_gives_no_plan(rogue, wall_s, outcome):
    scenarios = scenarios_of(1, 2)
    groups = scenarios[0]
    job = small_job(1, groups.groups, groups.epochs)
    with Solver(Backend.HIGHS) as solver:
        solver._child = Child(f"tests.tailc_solvers.backends.rogues:{rogue}")
        found = solve_robust(scenarios, [job], solver, BackendLimits(wall_s))
    assert found.outcome is outcome
    assert found.plan is None


def test_scenarios_of_other_servers_are_refused(solver):
    (first,), (second,) = scenarios_of(1, 1), scenarios_of(2, 1)
    if first.servers.tolist() == second.servers.tolist():
        second = second.with_load(np.ones_like(second.busy), second.moves)
    job = small_job(1, first.groups, first.epochs)
    with pytest.raises(ValueError, match="except their energy"):
        solve_robust([first, second], [job], solver)
