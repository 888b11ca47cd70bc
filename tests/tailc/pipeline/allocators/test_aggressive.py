from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.parallel.check import faults_of
from tailc_solvers.green.parallel.columns import ColumnsSolution
from tailc_solvers.green.parallel.plan import ServerPlan, ledger
from tailc_solvers.green.parallel.solution import CostedPlan, Ending, ParallelSolution

from tailc.forms.plan.ledger import ledger_of
from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.baselines.constant import ConstantAllocator
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.pipeline.allocators.aggressive import Aggressive
from tailc.pipeline.allocators.problem import Aims
from tailc.pipeline.allocators.solving import column_generation
from tests.tailc.models.datacentre.sites import Known
from tests.tailc.pipeline.allocators.clusters import (
    AIMS,
    BENT,
    EIGHT,
    QUICK,
    Watched,
    job,
    no_plan,
    sun,
)


@pytest.fixture(scope="module")
def solve():
    with Solver(Backend.HIGHS) as highs:
        yield column_generation(highs, QUICK)


@dataclass
class Foretold:
    """Forecasts by the epoch from which they hold."""

    by_epoch: dict[int, Supply]

    def ahead(self, epoch, epochs):
        newest = max(at for at in self.by_epoch if at <= epoch)
        return Known(self.by_epoch[newest]).ahead(epoch, epochs)


def replayed(servers, jobs, allocator, forecasts=None):
    supply = sun(servers)
    return replay_malleable(EIGHT, supply, forecasts or Known(supply), jobs, allocator)


def test_the_sun_of_an_hour_runs_a_job_on_four_times_the_machines(solve):
    found = replayed([8, 8, 0, 0], [job(run_s=3_600)], Aggressive(solve, AIMS))
    assert found.history == ((0, {1: 8}), (900, {}))
    assert [one.vms for one in found.done] == [8]
    assert ledger_of(found.entries).brown_mj == 0


def test_what_was_gained_in_the_sun_is_given_back_in_the_dark(solve):
    # Where run time costs nothing brown energy decides.
    aims = Aims(run_cost=0)
    found = replayed([4, 0, 0, 0, 0, 0], [job(run_s=1_800, curve=BENT)], Aggressive(solve, aims))
    dark = [servers for at_s, servers in found.history if at_s >= 900 and servers]
    assert dict(found.history)[0] == {1: 4}
    assert max(servers[1] for servers in dark) < 2
    assert not any(one.is_late for one in found.done)


def test_a_job_that_arrives_is_planned_with_those_that_run(solve):
    jobs = [job(1, 0, run_s=3_600), job(2, 1_000, run_s=3_600)]
    found = replayed([8] * 6, jobs, Aggressive(solve, AIMS))
    history = dict(found.history)
    assert history[0] == {1: 8}
    assert [one.started_s for one in found.done] == [0, 1_000]


@pytest.mark.parametrize(("percent", "questions"), [(100, 1), (95, 1), (89, 2), (111, 1), (112, 2)])
def test_a_forecast_that_changes_by_more_than_a_tenth_is_planned_for(solve, percent, questions):
    watched = Watched(solve)
    later = sun([8 * percent] * 6)
    later.green_mw[:] //= 100
    forecasts = Foretold({0: sun([8] * 6), 1: later})
    replayed([8] * 6, [job(run_s=5_000, requested=4)], Aggressive(watched, AIMS), forecasts)
    # The job runs to its end on eight servers, in three epochs.
    assert len(watched.asked) == questions


def test_a_job_that_is_done_makes_room_for_others(solve):
    watched = Watched(solve)
    jobs = [job(1, 0, requested=4, run_s=500), job(2, 0, requested=4, run_s=2_750)]
    found = replayed([8] * 8, jobs, Aggressive(watched, AIMS))
    # Run time counts in whole epochs: eight servers for the rest of the first one save the last.
    assert len(watched.asked) == 2
    assert found.history[1] == (500, {2: 8})


def test_a_new_plan_begins_with_what_is_left_of_the_one_in_force(solve):
    watched = Watched(solve)
    jobs = [job(1, 0, run_s=5_000), job(2, 1_000, run_s=900)]
    replayed([3] * 8, jobs, Aggressive(watched, AIMS))
    best = watched.found[0].solution.best
    counts = [count for count in best.plan.servers[0].tolist() if count]
    first = watched.asked[1][1][0]
    # One epoch has passed, and the second has begun.
    assert first.servers == tuple(counts[1:])


def test_without_any_plan_jobs_have_what_they_ask_for():
    jobs = [job(1), job(2, 100, requested=8), job(3, 200)]
    found = replayed([8] * 8, jobs, Aggressive(no_plan, AIMS))
    assert found.history == replayed([8] * 8, jobs, ConstantAllocator()).history


def test_where_a_solve_fails_the_plan_before_stays_in_force(solve):
    jobs = [job(1, 0, run_s=3_600, curve=BENT), job(2, 1_000, requested=1, run_s=900)]
    suns = [4, 6, 0, 4, 0, 0, 4, 0]
    # Where run time costs nothing the first job is on four servers at most.
    aims = Aims(run_cost=0)
    alone = replayed(suns, jobs[:1], Aggressive(solve, aims))
    both = replayed(suns, jobs, Aggressive(Watched(solve, until=1), aims))
    first = {at_s: servers[1] for at_s, servers in both.history if 1 in servers}
    for at_s, servers in alone.history:
        assert first.get(at_s, servers.get(1)) == servers.get(1)
    assert dict(both.history)[1_000][2] == 1
    assert both.done[0].ended_s == alone.done[0].ended_s


def test_a_plan_that_breaks_a_rule_is_not_carried_out(solve):
    def lies(problem, warm):
        servers = np.full((len(problem.jobs), problem.epochs), problem.servers)
        plan = ServerPlan(servers, np.zeros(len(problem.jobs), np.int64))
        assert faults_of(problem, plan)
        return ColumnsSolution(
            ParallelSolution(Ending.BEST, CostedPlan(plan, ledger(problem, plan)))
        )

    jobs = [job(1), job(2, 100)]
    found = replayed([8] * 8, jobs, Aggressive(lies, AIMS))
    assert found.history == replayed([8] * 8, jobs, ConstantAllocator()).history


def test_jobs_that_have_to_wait_start_in_order_as_soon_as_there_is_room(solve):
    strict = {"slowdown_ppm": 1_000_000, "run_s": 900}
    jobs = [job(n, 3 * (n // 3), requested=4, **strict) for n in (1, 2, 3)] + [job(4, 4, **strict)]
    found = replayed([0] * 8, jobs, Aggressive(solve, AIMS))
    # Each of the first two needs four of the eight servers for all of its 900 s.
    assert [one.started_s for one in found.done] == [0, 0, 900, 900]


def test_what_runs_on_more_than_it_asked_for_gives_way_before_a_job_waits(solve):
    jobs = [job(1, 0, requested=4, run_s=5_000), job(2, 1_000, requested=4, run_s=900)]
    found = replayed([8] * 8, jobs, Aggressive(Watched(solve, until=1), AIMS))
    assert dict(found.history)[0] == {1: 8}
    assert dict(found.history)[1_000] == {1: 4, 2: 4}


@pytest.mark.parametrize("percent", [75, 100, 125])
def test_jobs_end_whatever_was_expected_of_them(solve, percent):
    def expected(one):
        return max(one.work_s * percent // 100, 1)

    jobs = [job(n, 700 * n, run_s=2_000 + 300 * n, curve=BENT) for n in range(4)]
    allocator = Aggressive(solve, AIMS, expected_work_s=expected)
    found = replayed([0, 4, 8, 8, 3, 0, 6, 0, 0, 0, 0, 0], jobs, allocator)
    assert len(found.done) == 4
    assert percent > 100 or not any(one.is_late for one in found.done)


listed_jobs = st.lists(
    st.tuples(
        st.integers(0, 4_000),
        st.sampled_from([1, 2, 4]),
        st.integers(1, 4_000),
        st.sampled_from([1_000_000, 1_100_000, 1_500_000]),
    ),
    min_size=1,
    max_size=6,
)
suns = st.lists(st.integers(0, 10), min_size=4, max_size=8)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(listed_jobs, suns, suns, st.integers(0, 6))
def test_no_promise_is_broken_whatever_fails(solve, listed, green, foretold, until):
    """Nor where the forecast was wrong, nor where jobs had to wait."""
    jobs = [
        job(number, at_s, requested, run_s, slowdown_ppm, BENT)
        for number, (at_s, requested, run_s, slowdown_ppm) in enumerate(sorted(listed))
    ]
    length = 24
    green, foretold = (np.resize(one, length) for one in (green, foretold))
    forecasts = Foretold({0: sun(foretold), 3: sun(green)})
    watched = Watched(solve, until)
    found = replayed(green, jobs, Aggressive(watched, AIMS), forecasts)
    assert not any(one.is_late for one in found.done)
    for (problem, _), answer in zip(watched.asked, watched.found, strict=True):
        best = answer.solution.best
        assert best is None or faults_of(problem, best.plan) == []
    constant = replayed(green, jobs, ConstantAllocator())
    assume(all(one.started_s == one.submit_s for one in constant.done))
    assert len(found.done) >= len(constant.done)
