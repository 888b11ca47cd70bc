from functools import partial

import numpy as np
import pytest
from hypothesis import given
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome, SolverPoint
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.reduced_program import solve_reduced
from tailc_solvers.green.sla.solution import PlacementSolution

from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.pipeline.planners.on_arrival import OnArrival
from tests.tailc.models.datacentre.sites import SMALL, Known, supply
from tests.tailc.pipeline.planners import random_sites as sites
from tests.tailc.pipeline.planners.on_arrival_case import Rogue


def replayed(racks, jobs, planner=None, forecasts=None):
    forecasts = forecasts or Known(supply(racks))
    return replay_rigid(SMALL, supply(racks), forecasts, jobs, planner or OnArrival())


def test_a_job_follows_the_sun_as_far_as_its_promise_needs():
    """Half of two servers for four epochs: four slots, of which the sun has two full racks' worth.

    Green in the second and third epoch is the third rack alone, two slots each.
    """
    found = replayed([0, 1, 1, 0], [SubmittedJob(1, 0, 3_600, 2, 500_000)])
    (one,) = found.settled
    assert (one.promised_slots, one.green_slots, one.moved) == (4, 4, 0)
    assert one.udollars == 4 * 72_500 + 4 * 60_000


@pytest.mark.parametrize(
    ("green_ppm", "paid"), [(0, 240_000), (250_000, 127_500), (500_000, 15_000), (750_000, None)]
)
def test_at_night_a_job_is_admitted_if_it_pays_in_spite_of_its_penalty(green_ppm, paid):
    """Four slots of brown energy cost $0.01477. All brown ones pay $0.24 before that; with two
    promised 2 x 0.0725 + 2 x 0.06 - 2 x 0.125 = $0.015; with three -$0.0975.
    """
    found = replayed([0, 0], [SubmittedJob(1, 0, 1_800, 2, green_ppm)])
    assert len(found.settled) == (paid is not None)
    profit = 0 if paid is None else paid - 4 * 3_692.5
    assert found.profit_udollars == pytest.approx(profit)


def test_a_job_without_a_promise_leaves_green_racks_to_others():
    jobs = [SubmittedJob(1, 0, 900, 2, 0), SubmittedJob(2, 0, 900, 2, 1_000_000)]
    found = replayed([1], jobs)
    assert [one.green_slots for one in found.settled] == [0, 2]


def test_a_job_wider_than_the_site_is_refused():
    assert replayed([3, 3], [SubmittedJob(1, 0, 900, 7, 0)]).settled == ()


def test_jobs_may_run_on_after_the_forecast_ends():
    found = replayed([1, 1], [SubmittedJob(1, 0, 9 * 900, 2, 0)])
    assert [one.slots for one in found.settled] == [4]


def failing(outcome):
    claim = partial(PlacementSolution, outcome, AnswerTrust.CLAIMED, message="none")
    return lambda groups, _job: claim(groups)


FAILURES = (
    SolverOutcome.INFEASIBLE,
    SolverOutcome.TIMED_OUT,
    SolverOutcome.CRASHED,
    SolverOutcome.GARBLED,
)


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_solver_without_an_answer_refuses_the_job_and_what_runs_stays(outcome):
    """The first job is placed; the second comes when the solver fails."""
    answers = [failing(outcome), place_job]

    def place(groups, job):
        return answers.pop()(groups, job)

    planner = OnArrival(place)
    jobs = [SubmittedJob(1, 0, 3_600, 2, 0), SubmittedJob(2, 900, 900, 2, 0)]
    found = replayed([0] * 4, jobs, planner)
    alone = replayed([0] * 4, jobs[:1])
    assert (found.submitted, alone.submitted) == (2, 1)
    assert found.settled == alone.settled
    assert found.entries == alone.entries


@pytest.mark.parametrize(
    "answer",
    [
        *(SolverAnswer(one) for one in FAILURES),
        SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.full(3, 1e9), 0.0)),
    ],
)
def test_a_general_solver_that_fails_or_lies_refuses_the_job(answer):
    planner = OnArrival(lambda groups, job: solve_reduced(groups, [job], Rogue(answer)))  # type: ignore[arg-type]
    assert replayed([0, 0], [SubmittedJob(1, 0, 900, 2, 0)], planner).settled == ()


@given(sites.green_racks, sites.forecasts, sites.jobs)
def test_energy_and_money_balance_however_wrong_forecasts_are(racks, forecasts, jobs):
    assert sites.unfair(replayed(racks, jobs, forecasts=forecasts)) == []


@given(sites.green_racks, sites.jobs)
def test_a_job_alone_never_loses_money_where_the_forecast_is_right(racks, jobs):
    """Turning it away brings nothing, and empty racks make no fewer slots green than planned."""
    for job in jobs:
        if job.submit_s // SMALL.epoch_s + job.epochs(SMALL.epoch_s) < sites.EPOCHS:
            assert replayed(racks, [job]).profit_udollars >= 0
