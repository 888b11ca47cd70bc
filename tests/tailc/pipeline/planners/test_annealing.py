from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.sla.anneal import AnnealingSchedule, anneal
from tailc_solvers.green.sla.solution import PlacementSolution

from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.pipeline.planners.annealing import Annealing, jobs_to_replan, outlooks
from tailc.pipeline.planners.on_arrival import OnArrival
from tests.tailc.models.datacentre.sites import SMALL, Known, supply
from tests.tailc.pipeline.planners import random_sites as sites
from tests.tailc.pipeline.planners.planner_state_case import running, view

SHORT = AnnealingSchedule(steps=10)


def replayed(racks, jobs, planner, forecasts=None, **options):
    forecasts = forecasts or Known(supply(racks))
    return replay_rigid(SMALL, supply(racks), forecasts, jobs, planner, **options)


# One rack for each of three jobs; the first ends before the sun comes.
FULL = [
    SubmittedJob(1, 0, 1_800, 2, 0),
    SubmittedJob(2, 0, 5_400, 2, 0),
    SubmittedJob(3, 0, 5_400, 2, 0),
]
GREEN = SubmittedJob(4, 1_800, 1_800, 2, 1_000_000)


def test_a_job_is_let_in_by_moving_one_that_has_more_green_slots_than_it_is_owed():
    """Only the brownest rack is free when the green job comes: alone it would miss 4 slots."""
    sun = [0, 0, 1, 1, 1, 1]
    refused = replayed(sun, [*FULL, GREEN], OnArrival())
    assert [one.number for one in refused.settled] == [1, 2, 3]
    found = replayed(sun, [*FULL, GREEN], Annealing(SHORT))
    assert [(one.number, one.moved, one.green_slots) for one in found.settled[2:]] == [
        (3, 2, 0),
        (4, 0, 4),
    ]
    # Two moves of 1,000 mJ are all that it costs, and 4 slots of green energy.
    assert found.income_udollars - refused.income_udollars == 4 * 72_500


def test_a_promise_that_the_newest_forecast_breaks_is_kept_by_changing_places():
    """The first green job has the greenest rack, the second the next; when the first has ended, one
    without a promise takes its rack, and then only that one stays green.
    """
    jobs = [
        SubmittedJob(1, 0, 1_800, 2, 1_000_000),
        SubmittedJob(2, 0, 4_500, 2, 1_000_000),
        SubmittedJob(3, 0, 4_500, 2, 0),
        SubmittedJob(4, 1_800, 2_700, 2, 0),
    ]
    sun = [2, 2, 2, 1, 1]
    said = sites.Changing([[2] * 5] * 3 + [sun])
    site = replace(SMALL, migration_mj=0)
    runs = [
        replay_rigid(site, supply(sun), said, jobs, planner)
        for planner in (OnArrival(), Annealing(SHORT))
    ]
    missed, kept = ([(one.green_slots, one.moved) for one in run.settled] for run in runs)
    assert missed == [(4, 0), (6, 0), (0, 0), (6, 0)]
    assert kept == [(4, 0), (10, 2), (0, 0), (2, 2)]


def test_nothing_is_searched_where_forecasts_hold_and_no_job_comes():
    calls = []

    def counted(groups, jobs, start, schedule):
        calls.append(len(jobs))
        return anneal(groups, jobs, start, schedule)

    job = SubmittedJob(1, 0, 5_400, 4, 1_000_000)
    replayed([1] * 6, [job], Annealing(SHORT, counted))
    assert calls in ([], [1])


def test_no_more_jobs_are_open_to_a_search_than_the_schedule_says():
    most = []

    def counted(groups, jobs, start, schedule):
        most.append(len(jobs))
        return anneal(groups, jobs, start, schedule)

    jobs = [SubmittedJob(number, 0, 3_600, 1, 1_000_000) for number in range(6)]
    said = sites.Changing([[3] * 4, [1] * 4])
    replayed([1] * 4, jobs, Annealing(AnnealingSchedule(steps=2, most_jobs=2), counted), said)
    assert max(most) == 2


def test_open_are_jobs_that_miss_have_too_much_or_move_too_often():
    missing = running(1, [[1, 1], [0, 0], [0, 0]], green_ppm=500_000)
    right = running(2, [[0, 0], [0, 0], [1, 1]], green_ppm=1_000_000)
    extra = running(3, [[0, 0], [0, 0], [1, 1]])
    moves = running(4, [[1, 0], [0, 1], [0, 0]])
    now = view([1, 1], [missing, right, extra, moves])
    assert [(one.owed, one.green, one.moves) for one in outlooks(now)] == [
        (1, 0, 0),
        (2, 2, 0),
        (0, 2, 0),
        (0, 0, 1),
    ]
    assert [one.job.number for one in jobs_to_replan(now, None, 1, 1)] == [1, 3]
    assert [one.job.number for one in jobs_to_replan(now, None, 0, 1)] == [1, 3, 4]
    assert len(jobs_to_replan(now, 2, 0, 1)) == 2
    assert jobs_to_replan(now, 0, 0, 1) == ()


FAILURES = (SolverOutcome.INFEASIBLE, SolverOutcome.TIMED_OUT, SolverOutcome.CRASHED)


def failing(outcome):
    claim = partial(PlacementSolution, outcome, AnswerTrust.CLAIMED)
    return lambda groups, *_: claim(groups)


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_search_without_an_answer_leaves_the_plan_in_force(outcome):
    sun = [0, 0, 1, 1, 1, 1]
    found = replayed(sun, [*FULL, GREEN], Annealing(SHORT, failing(outcome)))
    assert sites.outcome(found) == sites.outcome(replayed(sun, [*FULL, GREEN], OnArrival()))


@given(sites.green_racks, sites.forecasts, sites.jobs)
def test_without_answers_it_does_what_is_done_on_arrival(racks, forecasts, jobs):
    planner = Annealing(SHORT, failing(SolverOutcome.TIMED_OUT))
    found = replayed(racks, jobs, planner, forecasts)
    assert sites.outcome(found) == sites.outcome(replayed(racks, jobs, OnArrival(), forecasts))


@given(sites.green_racks, sites.forecasts, sites.jobs, st.sampled_from([0, 1, 30, None]))
def test_energy_and_money_balance_however_jobs_are_moved(racks, forecasts, jobs, most):
    planner = Annealing(AnnealingSchedule(steps=4, most_jobs=most))
    assert sites.unfair(replayed(racks, jobs, planner, forecasts)) == []


@settings(max_examples=20)
@given(sites.green_racks, sites.forecasts, sites.jobs)
def test_the_same_seed_makes_the_same_replay(racks, forecasts, jobs):
    runs = [replayed(racks, jobs, Annealing(SHORT), forecasts) for _ in range(2)]
    assert sites.outcome(runs[0]) == sites.outcome(runs[1])


def test_jobs_that_lose_servers_are_planned_with_those_they_have_left():
    site = replace(SMALL, failures_ppm=900_000)
    jobs = [SubmittedJob(number, 0, 20 * 900, 3, 500_000) for number in (1, 2)]
    jobs.append(SubmittedJob(3, 4_000, 900, 2, 1_000_000))
    said = sites.Changing([[2] * 20, [1] * 20, [2] * 20, [0] * 20, [3] * 20])
    found = replay_rigid(site, supply([2] * 20), said, jobs, Annealing(SHORT), seed=5)
    assert (found.busy <= 6).all()
    assert sum(one.slots for one in found.settled) == int(found.busy.sum())
    assert found.settled[0].slots < 60
