import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import Duals, SolverAnswer, SolverOutcome, SolverPoint

from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.model import PriceAdmission
from tailc.pipeline.planners.bid_prices import bid_prices
from tests.tailc.models.datacentre.sites import SMALL, Known, supply
from tests.tailc.pipeline.planners.on_arrival_case import Rogue


@pytest.fixture(scope="module")
def solver():
    with Solver(Backend.HIGHS) as found:
        yield found


def jobs(*listed) -> list[SubmittedJob]:
    """(submit_s, run_s, width, green share in millionths) each."""
    return [SubmittedJob(number, *one) for number, one in enumerate(listed)]


def test_a_server_that_nobody_waits_for_is_worth_its_energy(solver):
    """A micro-dollar below what one costs, so that a job at the margin is let in."""
    plan = bid_prices(SMALL, supply([0, 0]), [jobs((0, 1_800, 1, 0))], solver)
    assert [pool.servers for pool in plan.pools] == [6]
    assert plan.prices[0].udollars == (3_692, 3_692)


def test_green_servers_that_too_many_want_are_worth_what_the_best_of_them_would_pay(solver):
    """One green rack and three green jobs: each would pay $0.0725 a slot, or is turned away."""
    one = (0, 900, 2, 1_000_000)
    plan = bid_prices(SMALL, supply([1]), [jobs(one, one, one)], solver)
    assert [(pool.racks, pool.servers) for pool in plan.pools] == [(2, 4), (1, 2)]
    assert [epoch.first_green_pool for epoch in plan.epochs] == [1]
    brown, green = (one.udollars[0] for one in plan.prices)
    assert brown <= 3_693
    assert 72_000 <= green <= 72_500


def test_prices_are_means_over_windows_rounded_down(solver):
    """Nobody wants a server in one window, and in the other more than there are."""
    full = jobs(*[(0, 900, 3, 0)] * 3)
    plan = bid_prices(SMALL, supply([0]), [jobs((0, 900, 1, 0)), full], solver)
    (crowded,) = bid_prices(SMALL, supply([0]), [full], solver).prices[0].udollars
    assert 59_900 <= crowded <= 60_000
    assert plan.prices[0].udollars == ((3_692 + crowded) // 2,)


def test_jobs_beyond_the_horizon_or_wider_than_the_site_set_no_price(solver):
    late = jobs((0, 900, 7, 0), (1_801, 900, 6, 0))
    plan = bid_prices(SMALL, supply([0, 0]), [late], solver)
    # Nor is energy that nobody is expected to want part of a price.
    assert plan.prices[0].udollars == (0, 0)


def test_a_plan_of_prices_admits_jobs_in_a_replay(solver):
    one = (0, 900, 2, 1_000_000)
    energy = supply([1, 0])
    plan = bid_prices(SMALL, energy, [jobs(one, one, one)], solver)
    asked = jobs(one, one, (0, 900, 2, 0))
    priced = PriceAdmission(plan, lambda epoch: epoch % len(plan.epochs))
    found = replay_rigid(SMALL, energy, Known(energy), asked, priced)
    # The second finds no green server left, and pays 2 x 0.0725 - 2 x 0.125 on brown ones.
    assert [one.number for one in found.settled] == [0, 2]


FAILURES = (
    SolverOutcome.INFEASIBLE,
    SolverOutcome.TIMED_OUT,
    SolverOutcome.CRASHED,
    SolverOutcome.GARBLED,
)


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_solver_without_multipliers_leaves_the_prices_before_in_force(solver, outcome):
    past = [jobs((0, 900, 1, 0))]
    before = bid_prices(SMALL, supply([0]), past, solver)
    rogue = Rogue(SolverAnswer(outcome))
    assert bid_prices(SMALL, supply([1]), past, rogue, before=before) is before
    assert bid_prices(SMALL, supply([1]), past, rogue) is None


def test_multipliers_of_nonsense_make_no_prices(solver):
    lie = Rogue(
        SolverAnswer(
            SolverOutcome.OPTIMAL, SolverPoint(np.zeros(1), 0.0), duals=Duals(np.full(1, np.nan))
        )
    )
    before = bid_prices(SMALL, supply([0]), [jobs((0, 900, 1, 0))], solver)
    assert bid_prices(SMALL, supply([0]), [jobs((0, 900, 1, 0))], lie, before=before) is before
