"""Prices of servers: the brown energy of one alone, what jobs of days before bid, and means."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import BackendLimits

from tailc.pipeline.malleable_jobs.shadow_prices import idle_udollars, server_prices
from tailc.progress import silent
from tests.tailc.pipeline.malleable_jobs.instances import cluster, job, supply


@pytest.fixture(scope="module")
def solver():
    with Solver("highs") as highs:
        yield highs


def told(problem, solver):
    return server_prices(problem, None, solver, BackendLimits(), silent)


def test_one_server_alone_pays_the_brown_energy_that_it_draws():
    """Of 1 kW for an hour: all of it at night, what 400 W of sun leave, nothing under 2 kW."""
    problem = cluster(supply([0, 400, 2_000], [100_000, 100_000, 300_000]), [])
    assert idle_udollars(problem).tolist() == [100_000, 60_000, 0]


def test_sleeping_servers_have_the_sun_first():
    """Four of 100 W; a busy server draws 900 W more than when it sleeps."""
    problem = cluster([300, 900, 1_300], [], asleep_mw=100_000)
    assert idle_udollars(problem).tolist() == [90_000, 40_000, 0]


def test_ways_that_the_sun_may_shine_count_alike():
    problem = cluster(supply([700], scenarios_w=[[0], [1_000], [600]]), [])
    # Brown 1, 0 and 0.4 kWh.
    assert idle_udollars(problem).tolist() == [round(100_000 * 1.4 / 3)]


def test_without_jobs_of_days_before_a_server_costs_its_energy(solver):
    found = told(cluster([0, 2_000], [], run_cost=70_000), solver)
    assert found.udollars.tolist() == [100_000, 0]
    assert (found.delay_udollars, found.spans) == (70_000, 0)


def test_where_servers_are_scarce_they_cost_more_than_energy(solver):
    """Two jobs of an hour on one server; the second may wait, and an hour of it counts."""
    jobs = tuple(job(f"job-{n}", curve={1: 10**6}, wait=1) for n in range(2))
    scarce = cluster([0, 5_000, 5_000], [], servers=1, expected=(jobs,))
    found = told(scarce, solver)
    # Who has the sunny hour saves the brown energy of the first.
    assert found.udollars[1] == 100_000
    enough = replace(scarce, servers=2)
    assert told(enough, solver).udollars[1] == 0


def test_prices_are_means_over_days(solver):
    """No job came on one of two days; on the other one had the server's sunny hour alone."""
    jobs = tuple(job(f"job-{n}", curve={1: 10**6}, wait=1) for n in range(2))
    problem = cluster([0, 5_000, 5_000], [], servers=1, expected=((), jobs))
    found = told(problem, solver)
    assert found.udollars[1] == 50_000
    assert found.spans == 2


def test_a_delay_counts_by_how_many_jobs_the_mean_is_over(solver):
    one = (job(curve={1: 10**6}),)
    three = tuple(job(f"job-{n}", curve={1: 10**6}) for n in range(3))
    problem = cluster([0, 0], [], run_cost=100, expected=(one, three))
    # 100 an hour of one, 33.3 of one of three.
    assert told(problem, solver).delay_udollars == 67


def test_no_price_is_below_the_energy_of_a_server(solver):
    """At night no job of the day before ran, and a multiplier of nothing says nothing."""
    jobs = (job(submit_h=1, curve={1: 10**6}),)
    problem = cluster([0, 0, 3_000], [], expected=(jobs,))
    assert told(problem, solver).udollars.tolist() == [100_000, 100_000, 0]
