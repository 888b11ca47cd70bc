"""Every method on drawn racks against one mixed-integer program that is written for tests alone."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tailc.errors import ExitCode, TailcError
from tailc.pipeline.rigid_jobs.formulation import RacksFormulation
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import PlanMethod, PlanSearch, Weights
from tests.reference import racks_program, sla_plain
from tests.tailc.pipeline.rigid_jobs.problems import drawn

SEARCHES = (
    PlanSearch(PlanMethod.ARRIVAL),
    PlanSearch(PlanMethod.ANNEAL, steps=10),
    PlanSearch(PlanMethod.MIP),
)
MONEY = 0.01
"""Micro-dollars by which an optimum of the other program may be off."""


def instance(seed: int):
    """Up to six jobs in up to six epochs, which no enumeration could do."""
    rng = Random((seed << 8) + 9)
    made = drawn(
        seed,
        jobs=rng.randint(3, 6),
        epochs=rng.randint(3, 6),
        racks=rng.randint(2, 4),
        rack_servers=rng.randint(2, 4),
        epsilon_udollars=rng.choice([0, 10, 500]),
        weights=rng.choice([Weights(), Weights(3, 100_000, 0)]),
        violations_ppm=rng.choice([0, 250_000, 500_000]),
        enforces_violations=rng.random() < 0.3,
    )
    return replace(made, jobs=tuple(_running(rng, made, one) for one in made.jobs))


def _running(rng: Random, made, named):
    """The job, with racks of before if it runs."""
    if not named.must_run or rng.random() < 0.5:
        return named
    left, racks = named.job.width, []
    for _ in range(made.racks):
        racks.append(min(left, rng.randint(0, made.rack_servers)))
        left -= racks[-1]
    racks[0] += left
    return replace(named, racks=tuple(racks)) if racks[0] <= made.rack_servers else named


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in range(40, 200))]
)
def test_no_plan_is_worth_more_than_the_best_and_no_bound_is_below_it(seed):
    asked = instance(seed)
    stated = RacksFormulation(asked)
    groups, jobs = stated.groups, stated.jobs(asked.jobs)
    limit = asked.violations_ppm if asked.enforces_violations else None
    best = racks_program.most_value(groups, jobs, limit)
    first = [int((~groups.is_green[:, t]).sum()) for t in range(groups.epochs)]
    for search in SEARCHES:
        problem = replace(asked, search=search)
        if best is None:
            with pytest.raises(TailcError) as caught:
                solve_for_racks(problem)
            assert caught.value.exit_code is ExitCode.INFEASIBLE
            continue
        found = solve_for_racks(problem)
        most, plan = best
        reached = sla_plain.value(groups, jobs, plan, first)
        assert reached is not None
        assert most - groups.epochs - MONEY <= reached <= most + MONEY, seed
        assert found.value + stated.asleep_cost <= most + MONEY, (seed, search.method)
        assert found.bound is not None
        assert found.bound + stated.asleep_cost >= reached, (seed, search.method)
        if search.method is PlanMethod.MIP and limit is None:
            assert found.value + stated.asleep_cost >= reached - groups.epochs, seed
