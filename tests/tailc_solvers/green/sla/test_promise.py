"""Plans in which at most a share of the jobs miss promised slots, beside all plans there are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
from tailc_solvers.green.sla.arrival import by_pay, in_order
from tailc_solvers.green.sla.check import faults_of, figures_of
from tailc_solvers.green.sla.problem import PPM
from tailc_solvers.green.sla.promise import is_lost, misses_of, repaired, trimmed

from tests.reference import sla_plain
from tests.tailc_solvers.green.sla.instances import placement, small_groups, small_job

LIMITS = (0, PPM // 4, PPM // 2)
SEEDS = range(12)


def instance(seed):
    groups = small_groups(seed, epochs=3)
    jobs = [
        replace(
            small_job(100 * seed + number, groups.groups, 3),
            latest_start=None,
            # Misses pay: the penalty alone admits jobs that miss.
            penalty=1,
        )
        for number in range(3)
    ]
    return groups, jobs


@cache
def best_values(seed):
    """The highest value of all plans within each limit, by enumeration."""
    groups, jobs = instance(seed)
    first = [int((~groups.is_green[:, t]).sum()) for t in range(groups.epochs)]
    free = groups.free.tolist()
    best = dict.fromkeys(LIMITS, -(10**9))
    for ways in product(*(list(sla_plain.places(job, free)) for job in jobs)):
        misses = misses_of(groups, jobs, tuple(placement(one) for one in ways))
        within = [limit for limit in LIMITS if misses.is_within(limit)]
        value = sla_plain.value(groups, jobs, ways, first) if within else None
        if value is not None:
            best |= {limit: max(best[limit], value) for limit in within}
    return best


def test_a_repaired_plan_is_within_the_limit_and_not_above_the_best():
    repaired_value = 0
    for seed, limit_ppm in product(SEEDS, LIMITS):
        groups, jobs = instance(seed)
        plan = in_order(groups, jobs, by_pay(jobs))
        found = repaired(groups, jobs, plan, limit_ppm)
        assert faults_of(groups, jobs, found) == (), (seed, limit_ppm)
        assert misses_of(groups, jobs, found).is_within(limit_ppm), (seed, limit_ppm)
        value = figures_of(groups, jobs, found).value
        assert value <= best_values(seed)[limit_ppm], (seed, limit_ppm)
        cut = trimmed(groups, jobs, plan, limit_ppm)
        assert misses_of(groups, jobs, cut).is_within(limit_ppm), (seed, limit_ppm)
        assert value >= figures_of(groups, jobs, cut).value, (seed, limit_ppm)
        repaired_value += value if limit_ppm == 0 else 0
    # A repair costs little of the best value.
    assert repaired_value >= 0.9 * sum(best_values(seed)[0] for seed in SEEDS)


def test_only_as_many_jobs_are_refused_as_needed():
    groups = small_groups(3, epochs=3)
    dark = replace(groups, is_green=np.zeros_like(groups.is_green))
    job = replace(small_job(1, dark.groups, 3, width=1), penalty=0, green_slots=1, first_epoch=0)
    jobs = [replace(job, epochs=1, latest_start=None, revenue=pay) for pay in (5, 9, 7)]
    plan = in_order(dark, jobs, by_pay(jobs))
    assert plan is not None
    placed = [one is not None for one in plan]
    cut = trimmed(dark, jobs, plan, PPM)
    assert [one is not None for one in cut] == placed
    assert all(one is None for one in trimmed(dark, jobs, plan, PPM // 2))


def test_a_running_job_without_enough_green_servers_is_not_counted():
    groups = small_groups(3, epochs=3)
    dark = replace(groups, is_green=np.zeros_like(groups.is_green))
    job = replace(small_job(1, dark.groups, 3, width=1), green_slots=1, latest_start=None)
    runs = replace(job, must_run=True)
    assert is_lost(dark, runs)
    assert not is_lost(dark, job)
    plan = in_order(dark, [runs], [0])
    assert plan is not None
    misses = misses_of(dark, [runs], plan)
    assert (misses.missed, misses.placed, misses.share_ppm) == (0, 0, 0)
