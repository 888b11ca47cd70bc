"""The share of jobs that miss green energy, as a constraint of the plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.plan.plan_books import plan_books
from tailc.pipeline.rigid_jobs.evidence import racks_remarks
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import PlanMethod, PlanSearch
from tests.tailc.pipeline.rigid_jobs.problems import drawn, named, problem, supply

METHODS = (PlanMethod.ARRIVAL, PlanMethod.ANNEAL, PlanMethod.MIP)


def missed(solution) -> int:
    return sum(job.green_slots < job.promised_slots for job in plan_books(solution.plan).jobs)


def enforced(*jobs, percent=0, **more):
    given = {"enforces_violations": True, "violations_ppm": percent * 10_000}
    return problem(*jobs, **(given | more))


@pytest.mark.parametrize("method", METHODS)
def test_a_job_that_misses_green_energy_is_refused_even_if_it_pays(method):
    """A quarter of its slots is promised green; it pays the penalty and still makes a profit."""
    search = PlanSearch(method, steps=5)
    job = named(1, 0, 2, 2, 25)
    assert solve_for_racks(problem(job, green_w=[0, 0], search=search)).admitted == 1
    found = solve_for_racks(enforced(job, green_w=[0, 0], search=search))
    assert found.admitted == 0
    assert found.bound is not None
    assert found.bound >= found.value


@pytest.mark.parametrize(("percent", "admitted"), [(0, 2), (32, 2), (34, 3), (100, 4)])
def test_the_share_is_of_the_placed_jobs(percent, admitted):
    """Two jobs promise nothing and two miss; one of three is 33.3 %, two of four are 50 %."""
    calm = [named(number, 0, 1, 1) for number in (1, 2)]
    eager = [named(number, 0, 1, 1, 25) for number in (3, 4)]
    terms = replace(problem(green_w=[0]).terms, penalty_udollars=1)
    found = solve_for_racks(enforced(*calm, *eager, green_w=[0], percent=percent, terms=terms))
    assert found.admitted == admitted
    assert missed(found) == admitted - 2


def test_a_refused_job_leaves_its_servers_to_one_without_a_promise():
    wide, calm = named(1, 0, 2, 4, 25), named(2, 0, 2, 4)
    given = {"green_w": [0, 0], "terms": replace(problem(green_w=[0]).terms, penalty_udollars=1)}
    (first,) = solve_for_racks(problem(wide, calm, **given)).plan.jobs
    assert first.name == "job-1"
    (first,) = solve_for_racks(enforced(wide, calm, **given)).plan.jobs
    assert first.name == "job-2"


def test_running_jobs_above_the_limit_name_the_share_that_is_possible():
    """Either has the only green rack to itself, but not both."""
    begun = [named(number, 0, 1, 2, 100, must_run=True) for number in (1, 2)]
    with pytest.raises(TailcError) as caught:
        solve_for_racks(enforced(*begun, green_w=[200]))
    (finding,) = caught.value.findings
    assert finding.code is Code.INFEASIBLE
    assert "the lowest share found is 50 %" in finding.message
    assert "`violations: 50%`" in (finding.help or "")
    assert finding.about == ("violations",)
    assert solve_for_racks(enforced(*begun, green_w=[200], percent=50)).admitted == 2


def test_a_promise_that_no_plan_keeps_is_a_warning():
    begun = named(1, 0, 1, 2, 100, must_run=True)
    asked = enforced(begun, green_w=[0])
    found = solve_for_racks(asked)
    assert found.admitted == 1
    (lost,) = [one for one in racks_remarks(asked, found) if one.code is Code.LOST_PROMISE]
    assert "1 running job" in lost.message
    assert "`job-1`" in lost.message


@pytest.mark.parametrize("seed", range(10))
def test_no_plan_is_above_the_limit_and_a_plan_within_it_stays(seed):
    asked = replace(drawn(200 + seed, jobs=4), violations_ppm=250_000)
    free = solve_for_racks(asked)
    try:
        found = solve_for_racks(replace(asked, enforces_violations=True))
    except TailcError as error:
        assert error.findings[0].code is Code.INFEASIBLE  # noqa: PT017
        return
    # Jobs that no plan can save are not counted.
    lost = sum(one.code is Code.LOST_PROMISE for one in racks_remarks(asked, found))
    assert (missed(found) - lost) * 4 <= found.admitted
    if missed(free) * 4 <= free.admitted:
        assert found.value == free.value
    assert found.bound is not None
    assert found.value <= found.bound


def test_scenarios_count_by_the_forecast():
    job = named(1, 0, 2, 2, 25)
    dark = replace(supply([0, 0]), scenarios_mw=np.array([[0, 0], [200_000, 200_000]]))
    assert solve_for_racks(problem(job, green_w=[0, 0], supply=dark)).admitted == 1
    found = solve_for_racks(enforced(job, green_w=[0, 0], supply=dark))
    assert found.admitted == 0
    assert found.value == 0
