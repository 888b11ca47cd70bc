"""Rows that give more to a request than the row before, though more are in the system."""

import pytest

from tailc.forms.ladder.jumps import jumps
from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Row


def row(load, wait_us, *climbs):
    return Row(load, load, Admission.after_delay(wait_us), tuple(Climb(*climb) for climb in climbs))


@pytest.mark.parametrize(
    ("rows", "loads"),
    [
        ([row(1, 0, (0, 1)), row(2, 0, (0, 0), (10, 1)), row(3, 5, (0, 0), (10, 1))], ()),
        # A climb that comes earlier, a higher rung at the start, a shorter wait.
        ([row(1, 0, (0, 0), (10, 1)), row(2, 0, (0, 0), (9, 1))], (2,)),
        ([row(1, 0, (0, 0), (10, 2)), row(2, 9, (0, 1))], (2,)),
        ([row(1, 9, (0, 1)), row(2, 8, (0, 0))], (2,)),
        # Two threads come earlier, three do not.
        ([row(1, 0, (0, 0), (10, 2)), row(2, 0, (0, 0), (5, 1), (10, 2))], (2,)),
        ([row(1, 0, (0, 0), (10, 2)), row(2, 0, (0, 0), (10, 1), (20, 2))], ()),
        # None waits less than one that waits for an exit.
        (
            [row(1, 5, (0, 1)), Row(2, 2, ON_EXIT, (Climb(0, 0),)), row(3, 6, (0, 0))],
            (),
        ),
    ],
)
def test_a_row_jumps_where_it_gives_more_than_the_one_before(rows, loads):
    assert jumps(rows) == loads
