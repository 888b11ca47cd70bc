from dataclasses import replace

import pytest

from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.pipeline.planners.current_schedule import previous_places
from tailc.pipeline.planners.planner_state import Epsilons, expected_green, planner_state
from tailc.pipeline.planners.remaining_sla import arriving_job, job_within, remaining_green_slots
from tests.tailc.models.datacentre.sites import RACK_MW, SMALL
from tests.tailc.pipeline.planners.planner_state_case import running, view

SERVER_MJ = 140_000 * 900


def test_racks_of_one_colour_and_steady_room_make_a_group():
    now = planner_state(view([1, 1, 1]), 3)
    assert now.rack_group.tolist() == [0, 0, 1]
    assert now.groups.servers.tolist() == [4, 2]
    assert now.groups.is_green.tolist() == [[False] * 3, [True] * 3]


def test_a_rack_whose_room_opens_is_a_group_of_its_own():
    ends = running(1, [[1], [0], [0]])
    now = planner_state(view([0, 0, 0], [ends]), 3)
    assert now.rack_group.tolist() == [0, 1, 1]
    assert now.groups.free.tolist() == [[1, 2, 2], [4, 4, 4]]
    # Until the job ends with the first epoch, room does not change: that is all one group.
    assert planner_state(view([0, 0, 0], [ends]), 1).rack_group.tolist() == [0, 0, 0]


def test_a_rack_that_an_open_job_must_leave_is_a_group_of_its_own():
    """Two jobs are to change places now; were the first to stay, it would meet the second."""
    first = running(1, [[0, 2], [2, 0], [0, 0]])
    second = running(2, [[2, 0], [0, 2], [0, 0]])
    now = planner_state(view([0], [first, second], epoch=1), 1, None, [first])
    assert now.free.tolist() == [[2], [0], [2]]
    assert now.rack_group.tolist() == [0, 1, 0]


def test_racks_that_turn_green_at_other_times_are_apart_and_dearer_the_greener():
    now = planner_state(view([0, 1, 2]), 3, Epsilons(7, 3))
    assert now.rack_group.tolist() == [0, 1, 2]
    assert now.groups.charges.slot.tolist() == [0, 7, 14]
    assert now.groups.charges.move == 3
    assert planner_state(view([0, 0, 0]), 3).groups.charges.slot.tolist() == [0]


def test_energy_is_that_of_full_servers_and_its_price_rounded_up():
    energy = planner_state(view([1, 2, 0]), 3).groups.energy
    assert energy.green.tolist() == [RACK_MW * 900, 2 * RACK_MW * 900, 0]
    assert (energy.server, energy.move) == (SERVER_MJ, 1_000)
    # 0.035 kWh at 10.55 cents.
    assert energy.brown_cost.tolist() == [3_693] * 3


def test_the_servers_of_open_jobs_are_free_and_their_moves_forgotten():
    moving = running(1, [[2, 0], [0, 2], [0, 0]])
    stays = running(2, [[0, 0], [0, 0], [1, 1]])
    closed = planner_state(view([0, 0], [moving, stays]), 2)
    assert closed.groups.moves.sum() == 2
    opened = planner_state(view([0, 0], [moving, stays]), 2, None, [moving])
    assert opened.groups.moves.sum() == 0
    assert opened.free.tolist() == [[2, 2], [2, 2], [1, 1]]
    assert opened.rack_group.tolist() == [0, 0, 0]


def test_moves_into_green_racks_take_the_energy_of_one():
    """Green energy for two full racks to the millijoule: two moves into full ones are too much."""
    swaps = [running(1, [[0, 0], [2, 0], [0, 2]]), running(2, [[0, 0], [0, 2], [2, 0]])]
    assert expected_green(view([0, 2], swaps), 2).sum(axis=0).tolist() == [0, 1]
    free = replace(SMALL, migration_mj=0)
    assert expected_green(view([0, 2], swaps, free), 2).sum(axis=0).tolist() == [0, 2]


def test_a_job_owes_what_it_was_promised_and_has_not_had():
    one = running(1, [[2, 2, 2, 2], [0] * 4, [0] * 4], green_ppm=500_000)
    one.slots, one.green_slots = 4, 1
    assert remaining_green_slots(one, 2) == 3
    one.green_slots = 4
    assert remaining_green_slots(one, 2) == 0
    one.green_slots, one.slots = 0, 6
    assert remaining_green_slots(one, 3) == 2


def test_a_job_was_where_it_was_less_what_failed():
    one = running(1, [[1, 1], [2, 2], [0, 0]])
    assert previous_places(one, 0) is None
    assert previous_places(one, 1).tolist() == [1, 2, 0]
    one.width = 1
    assert previous_places(one, 1).tolist() == [0, 1, 0]


def test_an_arriving_job_pays_for_its_promise_rounded_up():
    found = arriving_job(SMALL, SubmittedJob(1, 0, 901, 3, 250_000))
    assert (found.width, found.epochs, found.green_slots) == (3, 2, 2)
    assert found.revenue == 2 * 72_500 + 4 * 60_000
    assert found.penalty == 125_000


@pytest.mark.parametrize(
    ("submit_s", "horizon", "first", "epochs"),
    [(0, 4, 0, 2), (1, 4, 1, 2), (900, 2, 1, 1), (1_801, 3, None, None)],
)
def test_a_job_of_the_past_counts_as_far_as_it_falls_into_the_horizon(
    submit_s, horizon, first, epochs
):
    found = job_within(SMALL, SubmittedJob(1, submit_s, 1_800, 1, 1_000_000), horizon)
    if first is None:
        assert found is None
    else:
        assert (found.first_epoch, found.epochs, found.green_slots) == (first, epochs, epochs)
