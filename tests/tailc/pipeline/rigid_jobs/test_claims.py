"""Claims of a general solver that the plan of another method refutes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tailc_solvers.backends.linear import SolverOutcome

from tailc.errors import Code, TailcError
from tailc.pipeline.rigid_jobs import search
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import PlanMethod, PlanSearch
from tests.tailc.pipeline.rigid_jobs.problems import drawn, named, problem

MIP = PlanSearch(PlanMethod.MIP)


def plan_problem(method=MIP):
    return problem(named(1, 0, 2, 2, 50), named(2, 0, 2, 1), green_w=[400, 400], search=method)


def lying(monkeypatch, **claims):
    """A general solver whose solution is changed as said."""
    real = search.solve_reduced

    def solved(*given):
        return replace(real(*given), **claims)

    monkeypatch.setattr(search, "solve_reduced", solved)


def test_a_true_claim_is_taken(monkeypatch):
    lying(monkeypatch)
    found = solve_for_racks(plan_problem())
    assert found.value == found.bound


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        ({"outcome": SolverOutcome.INFEASIBLE, "plan": None}, "that there is no plan"),
        ({"claimed_bound": 1.0}, "below the value of a plan"),
        ({"claimed_bound": 1.0, "outcome": SolverOutcome.FEASIBLE}, "below the value of a plan"),
    ],
)
def test_a_false_claim_is_an_error(monkeypatch, claims, says):
    lying(monkeypatch, **claims)
    with pytest.raises(TailcError) as caught:
        solve_for_racks(plan_problem())
    (finding,) = caught.value.findings
    assert finding.code is Code.SOLVER_FAILED
    assert says in finding.message


def test_a_plan_that_is_called_optimal_and_is_not_is_an_error(monkeypatch):
    worse = solve_for_racks(problem(named(1, 0, 2, 2, 50), green_w=[400, 400], search=MIP))
    assert worse.value < solve_for_racks(plan_problem()).value
    real = search.solve_reduced

    def solved(groups, jobs, *given):
        found = real(groups, jobs, *given)
        assert found.plan is not None
        plan = (found.plan[0], None)
        return replace(found, plan=plan, figures=search.figures_of(groups, jobs, plan))

    monkeypatch.setattr(search, "solve_reduced", solved)
    with pytest.raises(TailcError, match="another plan is worth more"):
        solve_for_racks(plan_problem())


@pytest.mark.parametrize("outcome", [SolverOutcome.LIMIT, SolverOutcome.FEASIBLE])
def test_at_a_limit_the_better_plan_is_taken(monkeypatch, outcome):
    best = solve_for_racks(plan_problem())
    real = search.solve_reduced

    def solved(groups, jobs, *given):
        found = real(groups, jobs, *given)
        plan = None if outcome is SolverOutcome.LIMIT else (None, None)
        figures = None if plan is None else search.figures_of(groups, jobs, plan)
        return replace(found, outcome=outcome, plan=plan, figures=figures)

    monkeypatch.setattr(search, "solve_reduced", solved)
    assert solve_for_racks(plan_problem()).value == best.value


@pytest.mark.parametrize("seed", range(20))
def test_one_after_another_is_within_the_claim_of_the_program(seed):
    made = drawn(900 + seed)
    program = solve_for_racks(replace(made, search=MIP))
    arrival = solve_for_racks(replace(made, search=PlanSearch(PlanMethod.ARRIVAL)))
    assert arrival.value <= program.value
    assert arrival.bound is not None
    assert program.bound is not None
    assert program.value <= min(arrival.bound, program.bound) + made.supply.epochs
