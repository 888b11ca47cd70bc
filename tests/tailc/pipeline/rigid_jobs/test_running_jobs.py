"""Running jobs on all servers, where a move needs more energy than a green rack leaves."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.sla.arrival import admitting, by_pay, in_order
from tailc_solvers.green.sla.check import faults_of, figures_of
from tailc_solvers.green.sla.reduced_program import solve_reduced

from tailc.pipeline.rigid_jobs.formulation import RacksFormulation
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import PlanMethod, PlanSearch
from tests.tailc.pipeline.rigid_jobs.problems import named, problem

EPOCHS, RACK = 4, 2
# Seeds whose jobs find no place one after another.
CROWDED = (4, 5, 84, 234)


def crowded(seed: int, **more):
    """Jobs that run on all servers of two or three racks, and expensive moves."""
    rng = Random(seed)
    racks = rng.choice([2, 3])
    servers = [rack for rack in range(racks) for _ in range(RACK)]
    rng.shuffle(servers)
    jobs = []
    while servers and len(jobs) < 4:
        width = min(rng.randint(1, 3), len(servers))
        mine, servers = servers[:width], servers[width:]
        epochs, green = rng.randint(1, EPOCHS), rng.choice([0, 25, 50, 100])
        held = tuple(mine.count(rack) for rack in range(racks))
        jobs.append(named(len(jobs) + 1, 0, epochs, width, green, must_run=True, racks=held))
    green_w = [rng.randint(0, 700) for _ in range(EPOCHS)]
    move_mj = rng.choice([36_000_000, 180_000_000, 360_000_000])
    return problem(*jobs, green_w=green_w, racks=racks, migration_mj=move_mj, **more)


@pytest.mark.parametrize("seed", CROWDED)
def test_running_jobs_that_find_no_place_in_order_stay_or_move_where_that_is_better(seed):
    formulation = RacksFormulation(crowded(seed))
    groups, jobs = formulation.groups, formulation.jobs(formulation.problem.jobs)
    assert in_order(groups, jobs, by_pay(jobs)) is None
    plan = admitting(groups, jobs, (True,) * len(jobs))
    assert plan is not None
    assert faults_of(groups, jobs, plan) == ()
    with Solver(Backend.HIGHS) as solver:
        best = solve_reduced(groups, jobs, solver)
    assert best.figures is not None
    assert figures_of(groups, jobs, plan).value <= best.figures.value + groups.epochs


@pytest.mark.parametrize("method", [PlanMethod.ARRIVAL, PlanMethod.ANNEAL, PlanMethod.MIP])
def test_every_method_has_a_plan_below_its_bound(method):
    found = solve_for_racks(crowded(5, search=PlanSearch(method, steps=5)))
    assert found.bound is not None
    assert found.value <= found.bound
    assert found.admitted == len(crowded(5).jobs)


def test_a_job_whose_servers_are_unknown_gets_free_ones_for_its_promise():
    made = crowded(4)
    unknown = tuple(replace(one, racks=None) for one in made.jobs)
    found = solve_for_racks(replace(made, jobs=unknown))
    assert found.admitted == len(unknown)


def test_a_job_that_arrives_finds_its_place_next_to_those_that_stay():
    made = crowded(4)
    last = max(one.job.epochs for one in made.jobs)
    new = named(9, last - 1, 1, 1)
    short = tuple(
        replace(one, job=replace(one.job, epochs=min(one.job.epochs, last - 1)))
        for one in made.jobs
    )
    found = solve_for_racks(replace(made, jobs=(*short, new)))
    assert found.admitted == len(made.jobs) + 1
