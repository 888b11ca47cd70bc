"""What holds in a cell: the same as a look-up, and the ticks at which it happens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import AT_ONCE, Climb, Guard, Outside, Rule
from tailc.studies.why.decision import decision
from tests.tailc.tuning.case import MS, ladder

# Ticks are every 5 ms.
TABLE = ladder((8 * MS, 20 * MS), (21 * MS, 40 * MS))


def test_the_row_is_that_of_the_load_and_the_last_one_holds_beyond():
    assert [decision(TABLE, load, 0).row.first_load for load in (1, 2, 9)] == [1, 2, 2]
    assert [decision(TABLE, load, 0).is_outside for load in (1, 2, 3)] == [False, False, True]


def test_outside_a_guard_of_the_first_rung_no_row_of_the_table_holds():
    table = replace(TABLE, guard=Guard(1, 2, Outside.FIRST_RUNG))
    at = decision(table, 3, 90 * MS)
    assert (at.row.admission, at.row.climbs) == (AT_ONCE, (Climb(0, 0),))
    assert at.rung == lookup(table, 3, 0, 90 * MS).rung == 0


@pytest.mark.parametrize("age_ms", [0, 8, 10, 19, 20, 500])
def test_at_a_tick_the_rung_is_that_of_the_look_up(age_ms):
    tick_us = age_ms * MS // (5 * MS) * 5 * MS
    assert decision(TABLE, 1, age_ms * MS).rung == lookup(TABLE, 1, 0, tick_us).rung


def test_a_climb_happens_at_the_first_tick_at_or_after_its_age():
    at = decision(TABLE, 1, 9 * MS)
    assert (at.rung, at.climb, at.upcoming) == (0, Climb(8 * MS, 1), Climb(20 * MS, 2))
    assert at.happens_us(at.climb) == (10 * MS, 10 * MS)
    assert at.happens_us(Climb(20 * MS, 2)) == (20 * MS, 20 * MS)
    assert decision(TABLE, 1, 10 * MS).rung == 1


def test_of_ages_from_arrival_a_climb_happens_within_a_quantum():
    rules = tuple(sorted((*TABLE.rules, Rule.AGE_FROM_ARRIVAL), key=lambda rule: rule.value))
    at = decision(replace(TABLE, rules=rules), 1, 9 * MS)
    assert at.happens_us(at.climb) == (8 * MS, 13 * MS)
    assert at.rung == 1
