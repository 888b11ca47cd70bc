"""Edits of one row: what they are on rows written by hand, and that they touch no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.forms.ladder.lookup import row_at
from tailc.forms.ladder.table import AT_ONCE, ON_EXIT, Climb, Guard, Outside, Row
from tailc.studies.why.decision import decision
from tailc.studies.why.perturbations import RowEdit, edited_tables, step_us, with_row_of
from tests.tailc.tuning.case import MS, ladder

AT_10_30 = (Climb(0, 0), Climb(10 * MS, 1), Climb(30 * MS, 2))


def of_climbs(*climbs, admission=AT_ONCE):
    """Two rows, the second of which has these climbs."""
    base = ladder((10 * MS, 20 * MS), (10 * MS, 20 * MS + 1))
    rows = (base.rows[0], Row(2, None, admission, climbs))
    return replace(base, rows=rows)


def climbs_by_edit(table, age_ms):
    return {
        one.edit: one.table.rows[1].climbs for one in edited_tables(decision(table, 2, age_ms * MS))
    }


def test_the_next_climb_moves_by_a_quantum_and_the_rung_of_now_by_one():
    assert climbs_by_edit(of_climbs(*AT_10_30), 15) == {
        RowEdit.EARLIER: (Climb(0, 0), Climb(10 * MS, 1), Climb(25 * MS, 2)),
        RowEdit.LATER: (Climb(0, 0), Climb(10 * MS, 1), Climb(35 * MS, 2)),
        RowEdit.LOWER: (Climb(0, 0), Climb(30 * MS, 2)),
        RowEdit.HIGHER: (Climb(0, 0), Climb(10 * MS, 2)),
    }


def test_after_the_last_climb_it_is_the_one_that_moves():
    assert climbs_by_edit(of_climbs(*AT_10_30), 90) == {
        RowEdit.EARLIER: (Climb(0, 0), Climb(10 * MS, 1), Climb(25 * MS, 2)),
        RowEdit.LATER: (Climb(0, 0), Climb(10 * MS, 1), Climb(35 * MS, 2)),
        RowEdit.LOWER: (Climb(0, 0), Climb(10 * MS, 1)),
    }


def test_who_starts_high_may_start_a_rung_below():
    assert climbs_by_edit(of_climbs(Climb(0, 2)), 0) == {
        RowEdit.LATER: (Climb(0, 1), Climb(5 * MS, 2)),
        RowEdit.LOWER: (Climb(0, 1),),
    }


def test_a_climb_that_another_overtakes_is_none():
    close = (Climb(0, 0), Climb(10 * MS, 1), Climb(12 * MS, 2))
    found = climbs_by_edit(of_climbs(*close), 5)
    assert found[RowEdit.LATER] == (Climb(0, 0), Climb(12 * MS, 2))
    assert climbs_by_edit(of_climbs(*close), 11)[RowEdit.EARLIER] == (Climb(0, 0), Climb(7 * MS, 2))


def test_a_row_that_waits_is_tried_without():
    (*_, last) = edited_tables(decision(of_climbs(*AT_10_30, admission=ON_EXIT), 2, 0))
    assert (last.edit, last.climb) == (RowEdit.NO_WAIT, None)
    assert last.table.rows[1].admission == AT_ONCE


def test_other_rows_stay():
    table = of_climbs(*AT_10_30)
    for one in edited_tables(decision(table, 2, 15 * MS)):
        assert one.table.rows[0] == table.rows[0]
        assert replace(one.table, rows=table.rows) == table


def test_beyond_a_guard_of_the_first_rung_there_is_nothing_to_edit():
    table = replace(of_climbs(*AT_10_30), guard=Guard(1, 2, Outside.FIRST_RUNG))
    assert edited_tables(decision(table, 3, 0)) == ()


@pytest.mark.parametrize(("quantum_us", "step"), [(5 * MS, 5 * MS), (300, 1_200), (1, MS)])
def test_a_step_is_whole_quanta_of_a_millisecond_or_more(quantum_us, step):
    assert step_us(replace(of_climbs(*AT_10_30), quantum_us=quantum_us)) == step


def test_a_row_of_another_table_stands_for_the_same_loads_alone():
    ours = ladder((1 * MS, 2 * MS), (3 * MS, 4 * MS), (3 * MS, 4 * MS), (5 * MS, 6 * MS))
    theirs = ladder(*((load * 10 * MS, load * 20 * MS) for load in range(1, 6)))
    mixed = with_row_of(ours, row_at(ours, 2), theirs)
    from_theirs = {2, 3}
    for load in range(1, 8):
        source = theirs if load in from_theirs else ours
        assert row_at(mixed, load).climbs == row_at(source, load).climbs
    last = with_row_of(ours, row_at(ours, 4), theirs)
    assert [row_at(last, n).climbs == row_at(theirs, n).climbs for n in (3, 4, 5, 9)] == [
        False,
        True,
        True,
        True,
    ]
