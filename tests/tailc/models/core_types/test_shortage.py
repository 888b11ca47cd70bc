"""Requests on whole cores that are asked for theirs, by hand; times in ms."""

import dataclasses

import pytest

from tests.tailc.models.core_types.servers import FROM_ARRIVAL, cores, latency_ms, row, run


def test_room_is_made_for_a_climb_to_a_type_that_is_held():
    policy = cores([5, 1, 1], row((0, 0), (50, 1), (200, 2)), speeds=(1, 1.5, 2))
    outcome = run(policy, [0, 1], [300, 300])
    # at 51 ms the second wants type 2, so the first leaves it, with 50 + 1.5 done; the second has
    # type 2 from 51 ms, and type 3 at 201 ms, when 50 + 225 are done and the first is gone
    assert latency_ms(outcome) == [51 + 248.5 / 2, 200 + 25 / 2]


def test_room_for_a_climb_is_not_made_without_the_rule():
    policy = cores(
        [5, 1, 1], row((0, 0), (50, 1), (200, 2)), speeds=(1, 1.5, 2), rules=FROM_ARRIVAL
    )
    # at 200 ms the first goes to type 3, with 275 done, and the second to type 2, with 199 done; it
    # has type 3 at its tick after the first's exit at 212.5 ms, with 13 * 1.5 more done
    assert latency_ms(run(policy, [0, 1], [300, 300])) == [212.5, 212 + 81.5 / 2]


def test_room_is_made_for_a_start_on_a_higher_type_that_is_held():
    policy = cores([5, 1, 1], row((0, 1), (200, 2)), speeds=(1, 1.5, 2))
    outcome = run(policy, [0, 1], [300, 300])
    # the second starts on type 1, since type 2 is held, at 1 ms; the first has its tick after that
    # and leaves type 2 with 1.5 done; the second has its first tick at 2 ms, with 1 done
    assert latency_ms(outcome) == [1 + 298.5 / 2, 200 + (300 - 1 - 199 * 1.5) / 2]


def test_room_for_a_climb_is_made_by_a_chain_from_the_top():
    policy = cores([3, 1, 1, 1], row((0, 0), (10, 1), (1000, 2), (2000, 3)), speeds=(1, 2, 3, 4))
    outcome = run(policy, [0, 0.25, 0.5], [100, 100, 100])
    # 1 is on type 2 from 10 ms. 2 wants that at 10.25 ms; 1 goes to type 3 at 11 ms, and 2 follows
    # at 11.25 ms. 3 wants type 2 from 10.5 ms, and asks both: 1 goes on to type 4 at 12 ms, 2 to
    # type 3 at 12.25 ms, and 3 to type 2 at 12.5 ms.
    assert latency_ms(outcome) == pytest.approx(
        [12 + (100 - 10 - 2 - 3) / 4, 12 + (100 - 11 - 2) / 3, 12 + (100 - 12) / 2]
    )
    assert outcome.rung.tolist() == [3, 2, 1]


def test_the_oldest_of_a_held_type_leaves_a_faster_one_to_an_older_request_that_wants_it():
    slow = cores([2, 1, 1], row((0, 0), (11.3, 2)), speeds=(1, 2, 4))
    early = dataclasses.replace(slow, rows=(row((0, 1)),))
    late = dataclasses.replace(slow, rows=(row((0, 0), (10.9, 1)),))
    outcome = run([slow, early, late], [0, 0.5, 0.5], [100, 100, 100], ladder_of=[0, 1, 2])
    # 3 wants type 2 from 11.4 ms, but 2 stays there at 11.5 ms: 1 wants type 3, and has it at 12
    assert latency_ms(outcome)[0] == 12 + 88 / 4
    # 1 exits at 34 ms; at 34.5 ms 2 moves up, and 3 takes type 2
    assert latency_ms(outcome)[1:] == [34 + (100 - 68) / 4, 34 + (100 - 34) / 2]
