"""Plans of racks for several ways the sun may shine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.plan.plan import Terms
from tailc.forms.plan.plan_books import green_slots
from tailc.pipeline.rigid_jobs.evidence import racks_settings
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import PlanMethod, PlanSearch
from tailc.problems.rigid_jobs import RacksProblem
from tests.tailc.pipeline.rigid_jobs.problems import A_SERVER, TERMS, drawn, named, problem

METHODS = (PlanMethod.ARRIVAL, PlanMethod.MIP)


def with_scenarios(asked: RacksProblem, watts: list[list[int]], **changes) -> RacksProblem:
    supply = replace(asked.supply, scenarios_mw=np.array(watts, np.int64) * 1_000)
    return replace(asked, supply=supply, **changes)


def search(method: PlanMethod) -> PlanSearch:
    return PlanSearch(method)


@pytest.mark.parametrize("method", METHODS)
def test_a_promise_that_may_break_is_weighed(method):
    """An hour on a server, all green, now or an hour later; the sun carries a rack in one of them.

    It pays 29 cents. In one of two scenarios it gets 50 back and costs a cent of brown energy: 3.5
    cents are left in the mean. At a penalty of a dollar 21.5 would be lost. The forecast alone
    knows of no risk: 29 cents.
    """
    job = named(1, 0, 1, 1, 100, may_wait=1)
    asked = problem(job, green_w=[200, 0], search=search(method))
    both = with_scenarios(asked, [[200, 0], [0, 200]], epsilon_udollars=0)
    found = solve_for_racks(both)
    assert found.admitted == 1
    assert found.value == 290_000 - (500_000 + A_SERVER) // 2
    dear = Terms(TERMS.green_udollars, TERMS.brown_udollars, 1_000_000)
    assert solve_for_racks(replace(both, terms=dear)).admitted == 0
    careless = solve_for_racks(replace(asked, terms=dear, epsilon_udollars=0))
    assert (careless.admitted, careless.value) == (1, 290_000)


@pytest.mark.parametrize("method", METHODS)
def test_a_job_goes_where_both_scenarios_are_green(method):
    """The forecast likes the first hour, one scenario the second, both the third."""
    job = named(1, 0, 1, 2, 100, may_wait=2)
    asked = problem(job, green_w=[400, 200, 200], search=search(method))
    both = with_scenarios(asked, [[400, 0, 200], [0, 400, 200]])
    found = solve_for_racks(both)
    (planned,) = found.plan.jobs
    assert [span.first_epoch for span in planned.spans] == [2]
    assert green_slots(found.plan, planned) == 2
    assert racks_settings(both, found)["scenarios"] == 2


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method", METHODS)
def test_no_plan_is_worth_more_than_the_bound(seed, method):
    asked = drawn(seed)
    rng = np.random.default_rng(seed)
    watts = rng.integers(0, 500, (3, asked.supply.epochs)).tolist()
    found = solve_for_racks(with_scenarios(asked, watts, search=search(method)))
    assert found.bound is not None
    assert found.value <= found.bound
    assert "robust" in found.solver


@pytest.mark.parametrize("seed", range(8))
def test_a_scenario_that_is_the_forecast_changes_nothing(seed):
    asked = drawn(seed, search=search(PlanMethod.MIP))
    told = [(asked.supply.green_mw // 1_000).tolist()]
    plain, robust = solve_for_racks(asked), solve_for_racks(with_scenarios(asked, told))
    # Each rounds the bill of an epoch up.
    assert abs(plain.value - robust.value) <= asked.supply.epochs


def test_annealing_knows_no_scenarios():
    asked = problem(named(1, 0, 1, 1), green_w=[0, 0], search=search(PlanMethod.ANNEAL))
    with pytest.raises(TailcError) as caught:
        solve_for_racks(with_scenarios(asked, [[0, 0], [100, 0]]))
    (finding,) = caught.value.findings
    assert finding.code is Code.METHOD_UNFIT
    assert finding.about == ("supply", "forecast", "scenarios")
    assert finding.help
