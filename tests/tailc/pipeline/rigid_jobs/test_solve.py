"""Plans on racks: by hand, beside every plan there is, and where solvers fail."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome, SolverPoint
from tailc_solvers.green.sla.horizon import Horizon

from tailc.errors import Code, ExitCode, TailcError
from tailc.forms.plan.plan import Span, Terms
from tailc.forms.plan.plan_books import plan_books
from tailc.pipeline.rigid_jobs import shadow_prices as priced
from tailc.pipeline.rigid_jobs.evidence import racks_remarks, racks_settings
from tailc.pipeline.rigid_jobs.formulation import MOVE_UDOLLARS, RacksFormulation
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import PlanMethod, PlanSearch, Weights
from tests.reference import sla_plain
from tests.tailc.pipeline.rigid_jobs.problems import A_SERVER, drawn, named, problem, supply

METHODS = tuple(PlanSearch(method) for method in (PlanMethod.ARRIVAL, PlanMethod.MIP))
ALL = (*METHODS, PlanSearch(PlanMethod.ANNEAL, steps=20))


def method_of(search: PlanSearch) -> str:
    return search.method.value


@pytest.mark.parametrize("search", ALL, ids=method_of)
def test_a_job_goes_to_the_green_rack_when_the_sun_comes(search):
    # Two of its four server-epochs are to be green, and rack 2 is in the second hour. Before that
    # it is dearer by more than a move is.
    asked = problem(named(1, 0, 2, 2, 50), green_w=[0, 200], search=search, epsilon_udollars=150)
    found = solve_for_racks(asked)
    (job,) = found.plan.jobs
    assert [pool.name for pool in found.plan.pools] == ["rack 1", "rack 2"]
    assert [epoch.first_green_pool for epoch in found.plan.epochs] == [2, 1]
    assert job.spans == (Span(0, 0, 1, 2), Span(1, 1, 1, 2))
    books = plan_books(found.plan)
    assert books.income_udollars == 2 * 290_000 + 2 * 240_000
    # The first hour's 200 Wh are brown.
    assert books.profit_udollars == 1_060_000 - 2 * A_SERVER
    # Two slots of the greener group, and two moves, are charged besides.
    assert found.value == 1_060_000 - 2 * A_SERVER - 2 * 150 - 2 * MOVE_UDOLLARS
    assert found.bound is not None
    assert found.bound >= found.value
    assert found.admitted == 1


def test_where_moves_take_the_green_bus_s_energy_it_waits_on_the_green_rack():
    given = {"green_w": [0, 200], "epsilon_udollars": 150}
    asked = problem(named(1, 0, 2, 2, 50), migration_mj=1_000, **given)
    (job,) = solve_for_racks(asked).plan.jobs
    assert job.spans == (Span(1, 0, 2, 2),)


def test_nobody_moves_for_less_than_a_move_is_charged():
    asked = problem(named(1, 0, 2, 2, 50), green_w=[0, 200], epsilon_udollars=50)
    (job,) = solve_for_racks(asked).plan.jobs
    assert job.spans == (Span(1, 0, 2, 2),)


def test_racks_that_are_alike_make_one_pool_and_keep_their_numbers():
    found = solve_for_racks(problem(green_w=[400, 250], racks=5))
    told = [(pool.name, pool.racks, pool.servers) for pool in found.plan.pools]
    assert told == [("racks 1-3", 3, 6), ("rack 4", 1, 2), ("rack 5", 1, 2)]
    assert [epoch.first_green_pool for epoch in found.plan.epochs] == [1, 2]


def test_sleeping_servers_are_fed_before_racks_are_green():
    # Four sleepers draw 80 W. A full rack needs 160 W more.
    for green_w, first_green in ((239, 1), (240, 1), (399, 1), (400, 0)):
        found = solve_for_racks(problem(green_w=[green_w], asleep_mw=20_000))
        pools = len(found.plan.pools)
        expected = pools if green_w == 239 else first_green if pools == 2 else 0
        assert found.plan.epochs[0].first_green_pool == expected, green_w
        assert plan_books(found.plan).short_mj == 0


def test_an_empty_datacentre_is_worth_what_its_sleep_costs():
    found = solve_for_racks(problem(green_w=[0, 30, 80], asleep_mw=20_000))
    # 80 Wh and 50 Wh are brown, at ten cents a kWh.
    assert found.value == found.bound == -8_000 - 5_000
    assert plan_books(found.plan).profit_udollars == found.value


@pytest.mark.parametrize("seed", range(12))
def test_the_program_s_plan_is_the_best_of_all_and_no_bound_is_below(seed):
    asked = drawn(seed)
    stated = RacksFormulation(asked)
    best = sla_plain.best(stated.groups, stated.jobs(asked.jobs))
    for search in METHODS:
        found = solve_for_racks(replace(asked, search=search))
        worth = best[0] - stated.asleep_cost
        assert found.value <= worth <= found.bound, seed
        if search.method is PlanMethod.MIP:
            # Bills are rounded up after the solver has chosen.
            assert found.value >= worth - asked.supply.epochs, seed


@pytest.mark.parametrize("seed", range(40))
def test_what_is_decided_by_is_the_profit_of_the_books_less_its_charges(seed):
    asked = drawn(100 + seed, jobs=5, epochs=4)
    found = solve_for_racks(asked)
    plan, books = found.plan, plan_books(found.plan)
    groups = RacksFormulation(asked).groups
    slots = int(groups.charges.slot @ plan.busy.sum(axis=1))
    charged = slots + MOVE_UDOLLARS * sum(books.moved)
    # A busy server costs whole millionths; each epoch's bill, and that of its sleep, is rounded up.
    assert 0 <= books.profit_udollars - found.value - charged < 2 * asked.supply.epochs
    assert books.short_mj == 0
    assert racks_settings(asked, found)["profit_udollars"] == math.floor(books.profit_udollars)


def test_weights_turn_jobs_away_that_cost_more_than_they_bring_and_the_books_stay_in_dollars():
    # 100 Wh and 40 g a server; a job brings 24 cents.
    job = named(1, 0, 1, 1)
    dear = {"supply": supply([0], carbon_mg=400_000)}
    for weights, is_admitted in (
        (Weights(1, 0, 5_500), True),
        (Weights(1, 0, 6_000), False),
        (Weights(0, 2_399_000, 0), True),
        (Weights(0, 2_401_000, 0), False),
    ):
        found = solve_for_racks(problem(job, green_w=[0], weights=weights, **dear))
        assert found.admitted == int(is_admitted), weights
        profit = 240_000 - A_SERVER if is_admitted else 0
        assert plan_books(found.plan).profit_udollars == profit


def test_a_job_that_may_wait_waits_for_the_sun():
    asked = problem(named(1, 0, 1, 2, 100, may_wait=2), green_w=[0, 0, 200])
    (job,) = solve_for_racks(asked).plan.jobs
    assert job.spans == (Span(1, 2, 1, 2),)


def test_a_job_that_would_cost_more_than_it_pays_is_turned_away_with_a_warning():
    asked = problem(named(1, 0, 1, 2, 100), green_w=[0, 0, 200])
    told = racks_remarks(asked, solve_for_racks(asked))
    assert [one.code for one in told] == [Code.JOBS_TURNED_AWAY, Code.NO_EXPECTED_JOBS]
    assert "1 job of 1 refused" in told[0].message


@pytest.mark.parametrize(("green_w", "asleep_mw"), [(199, 0), (239, 20_000)])
def test_a_sun_that_carries_no_rack_is_told(green_w, asleep_mw):
    given = {"asleep_mw": asleep_mw, "expected": ((named(2, 0, 1, 1),),)}
    dark = problem(named(1, 0, 1, 1), green_w=[0, green_w], **given)
    (told,) = racks_remarks(dark, solve_for_racks(dark))
    assert told.code is Code.NO_GREEN_POWER
    light = problem(named(1, 0, 1, 1), green_w=[0, green_w + 1], **given)
    assert racks_remarks(light, solve_for_racks(light)) == ()


def test_a_job_that_must_run_runs_at_a_loss():
    asked = problem(named(1, 0, 1, 2, 100, must_run=True), green_w=[0])
    found = solve_for_racks(asked)
    assert found.admitted == 1
    assert plan_books(found.plan).income_udollars == 2 * 290_000 - 2 * 500_000


def refused(asked):
    with pytest.raises(TailcError) as caught:
        solve_for_racks(asked)
    (finding,) = caught.value.findings
    return finding


def test_jobs_that_have_begun_and_need_more_servers_than_there_are_name_the_limit():
    begun = [named(number, 0, 2, 3, must_run=True) for number in range(2)]
    finding = refused(problem(*begun, green_w=[0, 0]))
    assert finding.code is Code.INFEASIBLE
    assert "need 6 servers" in finding.message
    assert "has 4" in finding.message
    assert finding.help


WOES = {
    SolverOutcome.NOT_INSTALLED: (Code.MISSING_PART, ExitCode.MISSING_PART),
    SolverOutcome.TIMED_OUT: (Code.BUDGET_ENDED, ExitCode.BUDGET),
    SolverOutcome.OUT_OF_MEMORY: (Code.BUDGET_ENDED, ExitCode.BUDGET),
    SolverOutcome.CRASHED: (Code.SOLVER_FAILED, ExitCode.MISSING_PART),
    SolverOutcome.GARBLED: (Code.SOLVER_FAILED, ExitCode.MISSING_PART),
    SolverOutcome.TOO_LARGE: (Code.METHOD_UNFIT, ExitCode.BAD_CONTENT),
    SolverOutcome.UNBOUNDED: (Code.SOLVER_FAILED, ExitCode.MISSING_PART),
}


@pytest.mark.parametrize("search", ALL, ids=method_of)
@pytest.mark.parametrize("outcome", WOES)
def test_a_solver_without_an_answer_is_told_with_its_exit_code(search, outcome, monkeypatch):
    monkeypatch.setattr(Solver, "answer", lambda *_: SolverAnswer(outcome, message="so it is"))
    finding = refused(problem(named(1, 0, 1, 1), green_w=[0], search=search))
    assert (finding.code, finding.code.exit_code) == WOES[outcome]
    assert "`highs`" in finding.message
    assert finding.help


def of_many_servers(seed, solver):
    """Two racks of 20,000 servers, two jobs that are half a rack wide or more, in three hours."""
    rng, racks = Random(seed), 20_000
    jobs = []
    for number in range(2):
        first = rng.randrange(3)
        length = rng.randint(1, 3 - first)
        width, green = rng.randint(1, 3) * racks // 2, rng.choice([0, 25, 50, 100])
        wait = rng.choice([0, 3 - first - length])
        jobs.append(named(number, first, length, width, green, may_wait=wait))
    green_w = [rng.randint(0, 500) * racks // 2 + rng.randrange(97) for _ in range(3)]
    search = PlanSearch(PlanMethod.MIP, solver=solver)
    return problem(*jobs, green_w=green_w, rack_servers=racks, asleep_mw=10_000, search=search)


@pytest.mark.parametrize("seed", [1, 3, 5, 7])
def test_energy_beyond_ten_million_has_the_same_plan_by_cp_sat(seed):
    """Its whole numbers end there, so the energy of a large datacentre is divided for it."""
    by_cp_sat = solve_for_racks(of_many_servers(seed, "cp-sat"))
    assert by_cp_sat.value == solve_for_racks(of_many_servers(seed, "highs")).value
    assert by_cp_sat.bound >= by_cp_sat.value


@pytest.mark.parametrize("extra", ["tailc[gurobi]", "tailc"])
def test_a_solver_that_is_not_installed_is_told_with_its_own_extra_alone(extra, monkeypatch):
    answer = SolverAnswer(SolverOutcome.NOT_INSTALLED, message=f"pip install '{extra}'")
    monkeypatch.setattr(Solver, "answer", lambda *_: answer)
    finding = refused(problem(named(1, 0, 1, 1), green_w=[0]))
    assert extra in finding.message
    assert finding.help is not None
    assert "pip" not in finding.help


def test_a_solver_that_lies_is_not_believed(monkeypatch):
    def lie(_, program, __):
        return SolverAnswer(
            SolverOutcome.OPTIMAL, SolverPoint(np.zeros(program.n_variables), -1.0), bound=-1.0
        )

    monkeypatch.setattr(Solver, "answer", lie)
    for search in ALL:
        finding = refused(problem(named(1, 0, 1, 1), green_w=[0], search=search))
        assert finding.code is Code.SOLVER_FAILED
        assert "wrong answer" in finding.message


def test_prices_that_fail_after_the_places_give_no_plan_either(monkeypatch):
    gone = Horizon(SolverOutcome.CRASHED, AnswerTrust.CLAIMED, math.inf, None, "signal 11")
    monkeypatch.setattr(priced, "solve_horizon", lambda *_: gone)
    expects = ((named(2, 0, 1, 1),),)
    finding = refused(problem(named(1, 0, 1, 1), green_w=[0], expected=expects))
    assert finding.code is Code.SOLVER_FAILED
    assert "signal 11; the previous plan remains in use" in finding.message


def test_a_solver_that_takes_too_long_is_ended():
    search = PlanSearch(PlanMethod.MIP, wall_s=1)
    many = [named(number, 0, 40, 1 + number % 7, 25 * (number % 5)) for number in range(80)]
    green_w = [(37 * epoch) % 4_000 for epoch in range(40)]
    asked = problem(*many, green_w=green_w, racks=20, migration_mj=7_000, search=search)
    assert refused(asked).code is Code.BUDGET_ENDED


def test_the_same_problem_gives_the_same_plan_whatever_is_asked_of_threads():
    asked = drawn(7, jobs=6, epochs=4, search=PlanSearch(PlanMethod.ANNEAL, steps=30))
    first = solve_for_racks(asked)
    assert [solve_for_racks(asked, threads).plan for threads in (1, 2)] == [first.plan] * 2


def test_terms_without_a_penalty_promise_nothing_that_costs():
    asked = problem(named(1, 0, 1, 2, 100), green_w=[0], terms=Terms(290_000, 240_000, 0))
    found = solve_for_racks(asked)
    assert found.admitted == 1
    assert plan_books(found.plan).income_udollars == 2 * 290_000


@pytest.mark.parametrize(
    ("renamed", "said"),
    [
        (
            ("job-7-2",),
            "1 job has the same number as another job of the log, so the plan calls it `job-7-2`",
        ),
        (
            ("job-7-2", "job-9-2"),
            "2 jobs have the same number as another job of the log, so the plan renames them; the "
            "first is now `job-7-2`",
        ),
    ],
)
def test_jobs_that_are_renamed_are_told(renamed, said):
    asked = problem(named(1, 0, 1, 1, 0), green_w=[400], renamed=renamed)
    told, *_ = racks_remarks(asked, solve_for_racks(asked))
    assert (told.code, told.message) == (Code.SAME_NUMBER, said)
    assert told.about == ("jobs",)
