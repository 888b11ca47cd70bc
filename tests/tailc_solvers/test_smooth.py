"""The smoothest of tables by hand; whole tables are in tests/tailc/pipeline/test_smooth.py."""

import numpy as np
import pytest
from tailc_solvers.intervals.near import Candidates
from tailc_solvers.ladder.smooth import jumps, smoothest

INF = np.inf
ROOM = 10


def candidates(*schedules, spare=0.0):
    """Of one load: (wait, stay on the first rung, stay on the second) each."""
    return Candidates(np.array(schedules, float), np.full(len(schedules), spare))


def chosen(*loads, room=ROOM):
    return [tuple(v.tolist()) for v in smoothest(loads, room)]


def test_a_table_in_order_stays_as_it_is():
    loads = candidates((0, 1, 1), (0, 0, 0)), candidates((0, 1, 2), (5, 5, 5))
    assert chosen(*loads) == [(0, 1, 1), (0, 1, 2)]


def test_the_least_sum_of_places_is_taken_of_those_in_order():
    # The best of the second load has its first climb too early for the best of the first.
    first = candidates((0, 3, 1), (0, 3, 0), (0, 1, 1))
    second = candidates((0, 2, 2), (1, 3, 1))
    assert chosen(first, second) == [(0, 3, 1), (1, 3, 1)]


def test_where_all_jump_the_best_is_taken_and_the_rest_is_in_order():
    loads = (
        candidates((0, 4, 0)),
        candidates((0, 2, 0), (0, 3, 0)),
        candidates((0, 1, 0), (0, 3, 0)),
    )
    assert chosen(*loads) == [(0, 4, 0), (0, 2, 0), (0, 3, 0)]


def test_a_request_waits_longer_than_it_needs_where_an_earlier_load_does_and_it_may():
    first, second = candidates((3, 1, 1)), (0, 1, 1)
    assert chosen(first, candidates(second, spare=3.0)) == [(3, 1, 1), (3, 1, 1)]
    assert chosen(first, candidates(second, spare=2.9)) == [(3, 1, 1), second]
    assert chosen(first, candidates(second, spare=3.0), room=1) == [(3, 1, 1), second]


def test_never_comes_after_every_age():
    loads = candidates((0, INF, 0)), candidates((0, 9, 9), (0, INF, 0))
    assert chosen(*loads) == [(0, INF, 0), (0, INF, 0)]


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ([(0, 1, 1)], 0),
        ([(0, 1, 2), (0, 2, 1), (0, 2, 1)], 0),
        ([(0, 2, 1), (0, 1, 2)], 1),
        ([(2, 1, 1), (1, 1, 1), (0, 1, 1)], 2),
        ([(0, 1, INF), (0, INF, 0), (0, 9, 9)], 1),
    ],
)
def test_neighbours_that_are_not_in_order_are_counted(table, wanted):
    assert jumps(np.array(table, float)) == wanted
