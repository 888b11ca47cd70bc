"""Plans of clusters: by hand, beside all plans there are, and where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome

from tailc.errors import Code, ExitCode, TailcError
from tailc.forms.plan.plan_books import plan_books
from tailc.pipeline.malleable_jobs import solve as solved
from tailc.pipeline.malleable_jobs.evidence import cluster_remarks, cluster_settings
from tailc.pipeline.malleable_jobs.solve import solve_for_clusters
from tailc.problems.plan import PlanMethod, PlanSearch, Weights
from tests.tailc.pipeline.malleable_jobs.instances import (
    EXACT,
    HOUR,
    cluster,
    cost_of,
    job,
    least_cost,
    random_cluster,
    supply,
)

KWH_UDOLLARS = 100_000


def servers(plan) -> dict[str, list[int]]:
    """Servers of each job by epoch."""
    return {
        one.name: [sum(held for _, held in plan.allocation(one.name, t)) for t in range(epochs)]
        for one in plan.jobs
        if (epochs := len(plan.epochs))
    }


def refused(problem) -> TailcError:
    with pytest.raises(TailcError) as caught:
        solve_for_clusters(problem)
    assert all(finding.help for finding in caught.value.findings)
    return caught.value


def test_a_job_grows_while_the_sun_shines():
    """Four hours of work; two servers in the sun do in an hour what one does in two."""
    problem = cluster([1_000, 2_000, 2_000, 0, 0], [job(hours=4, curve={1: 10**6, 2: 2 * 10**6})])
    found = solve_for_clusters(problem)
    # One server's green hour, then two's and part of two's: 1 + 2 + 1 hours of work.
    assert found.value == 0
    assert found.bound == 0
    told = servers(found.plan)["job-1"]
    assert told in ([1, 2, 1, 0, 0], [1, 1, 2, 0, 0])
    assert plan_books(found.plan).ledger.brown_mj == 0


def test_run_time_is_worth_brown_energy_where_it_counts_more():
    """Two hours of work on 1 kW servers: an hour of run time counts 3 kWh of brown energy."""
    curve = {1: 1_000_000, 2: 1_500_000, 4: 2_000_000}
    patient = cluster([0, 0, 0], [job(hours=2, curve=curve)], run_cost=KWH_UDOLLARS)
    assert servers(solve_for_clusters(patient).plan)["job-1"] == [1, 1, 0]
    # 4 servers for an hour take 4 kWh and 1 h: 7; 1 for two hours 2 kWh and 2 h: 8.
    hasty = replace(patient, run_cost=3 * KWH_UDOLLARS)
    found = solve_for_clusters(hasty)
    assert servers(found.plan)["job-1"] == [4, 0, 0]
    assert found.value == 7 * KWH_UDOLLARS
    assert found.placed[0].run_s == HOUR


def test_a_job_may_take_its_slowdown_and_no_more():
    """On the two servers it asks for it runs for an hour; one server has the sun."""
    curve = {1: 500_000, 2: 1_000_000}
    asked = job(hours=1, requested=2, curve=curve)
    assert asked.asked_s == HOUR
    within = cluster([500, 500, 500], [asked], busy_mw=500_000, slowdown_ppm=2_000_000)
    assert servers(solve_for_clusters(within).plan)["job-1"] == [1, 1, 0]
    beyond = replace(within, slowdown_ppm=1_999_000)
    assert servers(solve_for_clusters(beyond).plan)["job-1"] != [1, 1, 0]


def test_money_energy_and_co2_each_have_their_plan():
    """An hour of work may start in any of three: the cheapest, the sunniest, the cleanest."""
    told = supply([0, 400, 0], [50_000, 200_000, 100_000], [900_000, 600_000, 100_000])
    problem = cluster(told, [job(hours=1, wait=2, curve={1: 10**6})])
    assert servers(solve_for_clusters(problem).plan)["job-1"] == [1, 0, 0]
    # 0.6 kWh of brown energy in the second hour, and 1 kWh in the others.
    energy = replace(problem, weights=Weights(0, 1_000_000, 0))
    found = solve_for_clusters(energy)
    assert servers(found.plan)["job-1"] == [0, 1, 0]
    assert found.value == 600_000
    carbon = replace(problem, weights=Weights(0, 0, 1_000))
    found = solve_for_clusters(carbon)
    assert servers(found.plan)["job-1"] == [0, 0, 1]
    assert found.value == 100 * 1_000


def test_sleeping_servers_take_their_part_of_the_sun_and_of_the_bill():
    """Four of 100 W asleep take the first 400 W of 900: a busy one, of 900 W more, lacks 400."""
    problem = cluster([900, 0], [job(hours=1, curve={1: 10**6})], asleep_mw=100_000)
    found = solve_for_clusters(problem)
    # 0.4 kWh in the first hour, and 0.4 of those who sleep in the second.
    assert found.value == 80_000
    assert found.bound in (79_999, 80_000)
    assert plan_books(found.plan).ledger.brown_udollars == 80_000


def test_a_job_that_outlasts_the_horizon_is_planned_to_its_end():
    """The sun of the last epoch is not seen again: beyond it all is brown, at the last price."""
    told = supply([0, 0], [100_000, 300_000])
    found = solve_for_clusters(cluster(told, [job(hours=3, curve={1: 10**6})]))
    assert servers(found.plan)["job-1"] == [1, 1]
    assert found.value == 100_000 + 300_000 + 300_000
    assert found.epochs_beyond == 1
    assert found.placed[0].is_cut
    assert found.placed[0].run_s == 3 * HOUR


def test_without_jobs_sleep_is_all_there_is_to_pay():
    problem = cluster([0, 1_000], [], asleep_mw=50_000)
    found = solve_for_clusters(problem)
    assert found.plan.jobs == ()
    assert (found.value, found.bound) == (20_000, 20_000)
    assert found.proof == "by-definition"


@pytest.mark.parametrize("seed", range(25))
def test_the_plan_is_within_its_bound_of_the_best_of_all_plans(seed):
    problem = random_cluster(seed)
    least = least_cost(problem)
    if least is None:
        assert refused(problem).exit_code is ExitCode.INFEASIBLE
        return
    found = solve_for_clusters(problem)
    assert found.bound is not None
    assert found.bound <= least <= found.value
    if found.epochs_beyond == 0:
        rows = list(servers(found.plan).values())
        assert -(-cost_of(problem, rows) // 1) == found.value


def test_most_small_clusters_get_the_best_plan():
    reached = total = 0
    for seed in range(25, 45):
        problem = random_cluster(seed)
        least = least_cost(problem)
        if least is not None:
            reached += solve_for_clusters(problem).value == -(-least // 1)
            total += 1
    assert total >= 10
    assert reached >= 0.9 * total


def test_the_job_that_no_longer_fits_is_named():
    """Three servers, and the second job of two begins when the first still runs."""
    pair = {2: 2 * 10**6}
    jobs = [job("job-7", 0, 8, 2, curve=pair), job("job-8", 1, 4, 2, curve=pair)]
    jobs.append(job("job-9", 4, curve={1: 10**6}))
    error = refused(cluster([0] * 6, jobs, servers=3))
    (finding,) = error.findings
    assert error.exit_code is ExitCode.INFEASIBLE
    assert finding.message == (
        "`job-8` cannot end within its slowdown on 3 servers together with the job before it; "
        "with the servers that they request, the jobs need up to 4"
    )


class Rogue:
    """A solver that does not answer."""

    def __init__(self, outcome, backend):
        self._outcome = outcome
        self.backend = solved.Backend(backend)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def answer(self, program, limits=None):  # noqa: ARG002
        return SolverAnswer(self._outcome, message="said so")


@pytest.mark.parametrize("method", list(PlanMethod)[2:])
@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (SolverOutcome.TIMED_OUT, Code.BUDGET_ENDED),
        (SolverOutcome.OUT_OF_MEMORY, Code.BUDGET_ENDED),
        (SolverOutcome.CRASHED, Code.SOLVER_FAILED),
        (SolverOutcome.GARBLED, Code.SOLVER_FAILED),
        (SolverOutcome.TOO_LARGE, Code.METHOD_UNFIT),
        (SolverOutcome.NOT_INSTALLED, Code.MISSING_PART),
    ],
)
def test_a_solver_that_fails_gives_no_plan(monkeypatch, method, outcome, code):
    monkeypatch.setattr(solved, "Solver", lambda backend: Rogue(outcome, backend))
    problem = replace(random_cluster(1), search=PlanSearch(method))
    (finding,) = refused(problem).findings
    assert finding.code is code
    assert "`highs`" in finding.message


def test_a_wide_gap_is_told():
    problem = random_cluster(1)
    found = replace(solve_for_clusters(problem), value=1_000, bound=990)
    loose = replace(problem, search=PlanSearch(PlanMethod.COLUMNS, aim_ppm=8_000))
    assert [one.code for one in cluster_remarks(loose, replace(found, spans=1))] == []
    tight = replace(problem, search=PlanSearch(PlanMethod.COLUMNS, aim_ppm=7_000))
    (told,) = cluster_remarks(tight, replace(found, spans=1))
    assert told.code is Code.OPEN_GAP
    assert "costs up to 1.00 % less" in told.message
    assert cluster_settings(tight, found)["gap_ppm"] == 10_000


def test_jobs_that_are_left_out_and_prices_without_days_are_told():
    problem = replace(random_cluster(1), left_out=2)
    codes = [one.code for one in cluster_remarks(problem, solve_for_clusters(problem))]
    assert codes == [Code.JOBS_TURNED_AWAY, Code.NO_EXPECTED_JOBS]


def test_weights_beyond_what_a_plan_states_are_refused():
    problem = cluster([0], [job()], weights=Weights(money=10_000), search=EXACT)
    told = supply([0], 1_000_000)
    (finding,) = refused(replace(problem, supply=told)).findings
    assert finding.about == ("weights",)
    assert np.iinfo(np.int64).max > problem.run_cost
