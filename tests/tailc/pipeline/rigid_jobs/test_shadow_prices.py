"""Prices of servers: by hand, from none, one and several days of jobs."""

from __future__ import annotations

from tailc.errors import Code
from tailc.forms.plan.plan import LARGEST_UDOLLARS, Terms
from tailc.forms.plan.quote import RigidJob, quote
from tailc.pipeline.rigid_jobs.evidence import racks_remarks
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tests.tailc.pipeline.rigid_jobs.problems import A_SERVER, named, problem

EPSILON = 10


def prices(asked) -> list[list[int]]:
    return [list(one.udollars) for one in solve_for_racks(asked).plan.prices]


def test_without_jobs_a_server_is_worth_its_charge_and_the_brown_energy_of_one_more():
    asked = problem(green_w=[0, 50, 200])
    # A millionth below, so that a job that just pays is admitted.
    brown = [A_SERVER - 1, A_SERVER // 2 - 1, 0]
    green = [brown[0] + EPSILON, brown[1] + EPSILON, EPSILON - 1]
    assert prices(asked) == [brown, green]
    assert Code.NO_EXPECTED_JOBS in {
        one.code for one in racks_remarks(asked, solve_for_racks(asked))
    }


def test_where_jobs_are_turned_away_a_server_is_worth_what_they_would_pay():
    # Six jobs of one server, and four servers.
    day = tuple(named(number, 0, 1, 1) for number in range(6))
    asked = problem(green_w=[0], expected=(day,))
    assert prices(asked) == [[240_000 - 1]]


def test_prices_are_means_over_days_rounded_down():
    full = tuple(named(number, 0, 1, 1) for number in range(6))
    asked = problem(green_w=[0], expected=(full, (), ()))
    assert prices(asked) == [[(240_000 - 1 + 2 * (A_SERVER - 1)) // 3]]


def test_servers_of_jobs_that_have_begun_are_not_priced_as_if_they_were_free():
    day = tuple(named(number, 0, 1, 1) for number in range(3))
    begun = named(9, 0, 1, 2, must_run=True)
    # Three jobs and two servers that are left; without the one that has begun there are four.
    assert prices(problem(begun, green_w=[0], expected=(day,))) == [[240_000 - 1]]
    assert prices(problem(green_w=[0], expected=(day,))) == [[A_SERVER - 1]]


def test_without_days_before_the_jobs_that_are_known_make_the_prices():
    known = tuple(named(number, 0, 1, 1) for number in range(6))
    assert prices(problem(*known, green_w=[0])) == [[240_000 - 1]]


def test_a_job_that_pays_as_much_as_its_places_are_worth_to_others_is_admitted():
    day = tuple(named(number, 0, 1, 1) for number in range(6))
    plan = solve_for_racks(problem(green_w=[0], expected=(day,))).plan
    assert quote(plan, plan.free, RigidJob(0, 1, 1, 0)).is_admitted


def test_prices_beyond_what_a_plan_states_are_cut():
    terms = Terms(LARGEST_UDOLLARS, LARGEST_UDOLLARS, 0)
    day = (named(0, 0, 1, 4), named(1, 0, 1, 1), named(2, 0, 1, 4))
    told = prices(problem(green_w=[0], expected=(day,), terms=terms))
    assert max(map(max, told)) <= LARGEST_UDOLLARS
