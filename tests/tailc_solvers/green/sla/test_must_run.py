"""Jobs that have begun, and of which nobody knows where they are: placed freely, never refused."""

from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.sla.arrival import by_pay, place_jobs
from tailc_solvers.green.sla.check import PlacementFault, faults_of
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.problem import Job
from tailc_solvers.green.sla.reduced_program import solve_reduced

from tests.reference import sla_plain
from tests.tailc_solvers.green.sla.instances import small_groups, small_job


@pytest.fixture(scope="module")
def solver():
    with Solver(Backend.HIGHS) as found:
        yield found


def begun(seed: int, epochs: int) -> Job:
    """One that brings next to nothing."""
    job = small_job((seed, 0), 3, epochs)
    return replace(job, latest_start=None, revenue=0, must_run=True)


@pytest.mark.parametrize("seed", range(15))
def test_a_job_that_must_run_is_placed_at_a_loss_where_it_loses_least(seed, solver):
    groups = small_groups(seed, epochs=3)
    jobs = [begun(seed, 3), small_job((seed, 1), groups.groups, 3)]
    best = sla_plain.best(groups, jobs)
    found = solve_reduced(groups, jobs, solver)
    if best is None:
        assert found.outcome is SolverOutcome.INFEASIBLE
        assert place_job(groups, jobs[0]).outcome is SolverOutcome.INFEASIBLE
        return
    assert 0 <= best[0] - found.figures.value <= groups.epochs
    assert found.bound >= best[0]
    assert solve_horizon(groups, jobs, solver).bound >= best[0]
    one_by_one = place_jobs(groups, jobs, solver)
    assert one_by_one.plan[0] is not None
    assert one_by_one.figures.value <= best[0] <= one_by_one.bound


def test_a_job_alone_that_must_run_has_the_best_place_of_all():
    for seed in range(40):
        groups = small_groups(seed)
        job = begun(seed, groups.epochs)
        best, found = sla_plain.best(groups, [job]), place_job(groups, job)
        if best is None:
            assert found.outcome is SolverOutcome.INFEASIBLE, seed
        else:
            assert found.figures.value <= best[0] <= found.bound, seed


def test_to_turn_it_away_is_a_fault_and_it_goes_before_others():
    groups = small_groups(1)
    job = begun(1, groups.epochs)
    assert faults_of(groups, [job], (None,)) == (PlacementFault.TURNED_AWAY,)
    assert by_pay([small_job((1, 1), 3, 4), job]) == [1, 0]


def test_without_room_it_is_infeasible():
    groups = small_groups(1)
    full = groups.with_load(groups.free, np.zeros_like(groups.free))
    job = begun(1, groups.epochs)
    assert place_job(full, job).outcome is SolverOutcome.INFEASIBLE


def test_a_job_that_must_run_cannot_be_put_off():
    with pytest.raises(ValueError, match="must start at"):
        Job(1, 1, 0, 0, 0, latest_start=1, must_run=True)
