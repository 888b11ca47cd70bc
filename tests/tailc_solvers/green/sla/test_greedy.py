"""Baselines by hand."""

import numpy as np
from tailc_solvers.backends.linear import Outcome
from tailc_solvers.green.sla.greedy import first_fit, static_placement
from tailc_solvers.green.sla.problem import Charges, Energy, Groups, Job

SERVER = 60


def three_groups(busy: list[list[int]] | None = None) -> Groups:
    """Two servers each; green in none, the second and the last two of four epochs."""
    is_green = np.array([[False] * 4, [False, True, False, False], [False, True, True, True]])
    energy = Energy(np.full(4, 6 * SERVER), SERVER, 0, np.full(4, 7))
    idle = np.zeros((3, 4), dtype=np.int64)
    taken = idle if busy is None else np.array(busy)
    return Groups(np.full(3, 2), is_green, energy, Charges(np.arange(3)), taken, idle)


def test_first_fit_takes_the_first_free_servers_whatever_their_energy():
    found = first_fit(three_groups(), Job(3, 4, 12, 1, 1_000))
    assert found.plan[0].servers.tolist() == [[2] * 4, [1] * 4, [0] * 4]
    # One of the three is green, once.
    assert found.figures.missing.tolist() == [11]


def test_first_fit_moves_only_where_a_room_closes():
    busy = [[0, 0, 2, 0], [0] * 4, [0] * 4]
    found = first_fit(three_groups(busy), Job(2, 4, 0, 100, 0))
    assert found.plan[0].servers.tolist() == [[2, 2, 0, 0], [0, 0, 2, 2], [0] * 4]
    assert found.figures.moves == 2


def test_first_fit_refuses_for_want_of_room_alone():
    assert first_fit(three_groups(), Job(7, 4, 0, 1_000, 0)).plan == (None,)
    running = Job(7, 4, 0, 1_000, 0, placed=np.array([2, 2, 3]))
    assert first_fit(three_groups(), running).outcome is Outcome.INFEASIBLE


def test_static_placement_takes_the_least_green_that_is_green_enough():
    # One VM, one green epoch of four: the second group has just that.
    found = static_placement(three_groups(), Job(1, 4, 1, 100, 10))
    assert found.plan[0].servers.tolist() == [[0] * 4, [1] * 4, [0] * 4]
    assert found.figures.moves == 0


def test_static_placement_computes_the_need_anew_for_what_does_not_fit():
    # 3 VMs and 6 green slots, 2 each: 2 VMs on the last group bring 6, the third needs none.
    found = static_placement(three_groups(), Job(3, 4, 6, 100, 10))
    assert found.plan[0].servers[:, 0].tolist() == [1, 0, 2]
    # 7 green slots: after 6 on the last group 1 is needed.
    found = static_placement(three_groups(), Job(3, 4, 7, 100, 10))
    assert found.plan[0].servers[:, 0].tolist() == [0, 1, 2]


def test_static_placement_turns_away_a_promise_that_it_cannot_keep():
    assert static_placement(three_groups(), Job(1, 4, 4, 1_000, 1)).plan == (None,)
    assert static_placement(three_groups(), Job(3, 4, 9, 1_000, 1)).plan == (None,)
