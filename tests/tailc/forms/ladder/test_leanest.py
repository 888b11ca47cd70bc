"""The rung that does most work for what it takes, and tables that end with it."""

import dataclasses

import pytest

from tailc.forms.ladder.leanest import leanest_alone, leanest_beyond, leanest_from, leanest_rung
from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Row,
    Rung,
)

PPM = 1_000_000
TO_TWO = (Climb(0, 0), Climb(10, 1))
ROWS = (Row(1, 2, AT_ONCE, TO_TWO), Row(3, None, ON_EXIT, TO_TWO))


def ladder(speeds=(1.0, 1.6), rows=ROWS, cores=4, last=2):
    rungs = tuple(
        Rung(f"{threads} threads", round(speed * PPM), (threads * PPM,))
        for threads, speed in enumerate(speeds, start=1)
    )
    units = (CostUnit("threads", cores * PPM),)
    return Ladder(LoadAxis.IN_SYSTEM, None, units, rungs, (), 1, rows, Guard(1, last))


@pytest.mark.parametrize(
    ("speeds", "leanest"),
    [((1, 1.6, 2.1), 0), ((1, 2.2, 2.4), 1), ((1, 2, 3), 0), ((1,), 0)],
)
def test_the_leanest_rung_does_most_work_for_a_thread_and_of_equals_is_the_first(speeds, leanest):
    rows = (Row(1, None, AT_ONCE, (Climb(0, 0),)),)
    assert leanest_rung(ladder(speeds, rows)) == leanest


def test_no_rung_is_the_leanest_where_there_are_several_supplies_or_none():
    one = ladder()
    units = (CostUnit("big", PPM), CostUnit("little", PPM))
    rungs = (Rung("a", PPM, (PPM, 0)), Rung("b", PPM, (0, PPM)))
    several = dataclasses.replace(one, cost_units=units, rungs=rungs)
    unlimited = dataclasses.replace(one, cost_units=(CostUnit("threads"),))
    for each in (several, unlimited):
        assert leanest_rung(each) is None
        assert leanest_alone(each) is None
        assert leanest_beyond(each) is each


@pytest.mark.parametrize(("speeds", "rung"), [((1, 1.6), 0), ((1, 2.2), 1), ((1, 2), 0)])
def test_alone_the_leanest_rung_has_one_row_for_all_loads(speeds, rung):
    assert leanest_alone(ladder(speeds)).rows == (Row(1, None, AT_ONCE, (Climb(0, rung),)),)


def test_beyond_the_last_row_and_the_cores_all_start_at_once_on_the_leanest_rung():
    assert leanest_beyond(ladder()).rows == (
        ROWS[0],
        Row(3, 4, ON_EXIT, TO_TWO),
        Row(5, None, AT_ONCE, (Climb(0, 0),)),
    )
    assert leanest_beyond(ladder()).guard == Guard(1, 5)


def test_where_more_loads_are_searched_than_there_are_cores_all_of_them_keep_their_rows():
    rows = leanest_beyond(ladder(last=9)).rows
    assert rows[1:] == (Row(3, 9, ON_EXIT, TO_TWO), Row(10, None, AT_ONCE, (Climb(0, 0),)))


def test_the_row_before_the_leanest_gives_way_where_it_begins_no_earlier():
    rows = leanest_from(ladder(), 0, 3).rows
    assert rows == (ROWS[0], Row(3, None, AT_ONCE, (Climb(0, 0),)))
