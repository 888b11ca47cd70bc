import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tailc.pipeline.planners.current_schedule import free_places
from tailc.pipeline.planners.planner_state import planner_state
from tailc.pipeline.planners.rack_assignment import GroupServers, assign_racks
from tests.tailc.pipeline.planners.planner_state_case import running, view


def given_to(servers, is_owed_green=False, before=None) -> GroupServers:
    return GroupServers(np.array(servers, np.int64), before, is_owed_green)


def test_who_is_owed_green_slots_takes_the_greenest_rack_of_a_group():
    now = planner_state(view([3, 3]), 2)
    assert now.groups.groups == 1
    for is_owed, places in ((True, [0, 1, 2]), (False, [2, 1, 0])):
        (found,) = assign_racks(now, [given_to([[3, 3]], is_owed)])
        assert found.tolist() == [[count] * 2 for count in places]


def test_at_night_all_take_the_brownest_rack():
    (found,) = assign_racks(planner_state(view([0, 0]), 2), [given_to([[2, 2]], True)])
    assert found.tolist() == [[2, 2], [0, 0], [0, 0]]


def test_who_stays_keeps_the_rack_and_who_goes_leaves_the_smaller_part():
    now = planner_state(view([0, 0, 0]), 3)
    before = np.array([1, 0, 2])
    (found,) = assign_racks(now, [given_to([[3, 3, 3]], before=before)])
    assert found.tolist() == [[1] * 3, [0] * 3, [2] * 3]
    (found,) = assign_racks(now, [given_to([[2, 2, 3]], before=before)])
    assert found.tolist() == [[0, 0, 1], [0, 0, 0], [2, 2, 2]]


def test_a_job_that_ends_makes_room_for_one_that_comes():
    found = assign_racks(planner_state(view([0, 0]), 2), [given_to([[6]]), given_to([[0, 6]])])
    assert found[0].tolist() == [[2], [2], [2]]
    assert found[1].tolist() == [[0, 2], [0, 2], [0, 2]]


@given(
    st.lists(st.integers(0, 3), min_size=5, max_size=5),
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), max_size=3),
    st.lists(
        st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=5, max_size=5),
        min_size=1,
        max_size=3,
    ),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_places_are_what_groups_were_given_with_no_move_but_between_them(
    racks, others, asked, owed
):
    """Jobs are drawn as places on racks, as far as there is room, and forgotten but by group."""
    held = []
    room = np.full((3, 5), 2)
    for number, (rack, epochs) in enumerate(others):
        places = np.zeros((3, epochs), np.int64)
        places[rack] = 1
        if (places <= room[:, :epochs]).all():
            room[:, :epochs] -= places
            held.append(running(number, places))
    now = planner_state(view(racks, held), 5)
    granted = []
    for rows, is_owed in zip(asked, owed, strict=False):
        places = np.minimum(np.array(rows).T, room)
        room = room - places
        granted.append(GroupServers(now.by_group(places), None, is_owed))
    found = assign_racks(now, granted)
    assert (sum(found) <= now.free).all()
    for places, one in zip(found, granted, strict=True):
        assert (places >= 0).all()
        assert (now.by_group(places) == one.servers).all()
        moves, planned = (
            np.maximum(np.diff(table, axis=1), 0).sum() for table in (places, one.servers)
        )
        assert moves == planned


def test_places_that_are_not_free_yet_are_others_for_now():
    free, meant = np.array([[2], [1], [0]]), np.array([[0], [0], [3]])
    assert free_places(free, meant).tolist() == [[2], [1], [0]]
    assert free_places(free, np.array([[1], [1], [0]])).tolist() == [[1], [1], [0]]
