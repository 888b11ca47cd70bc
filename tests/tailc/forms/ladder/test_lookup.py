import pytest

from tailc.forms.ladder.lookup import LookupAnswer, Start, lookup, row_at
from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Admission,
    Climb,
    Guard,
    Outside,
    Row,
    Rule,
)
from tests.tailc.forms.ladder.table_case import ladder

ROWS = (
    Row(1, 2, AT_ONCE, (Climb(0, 1),)),
    Row(3, 3, Admission.after_delay(10_000), (Climb(0, 0), Climb(5_000, 1))),
    Row(4, None, ON_EXIT, (Climb(0, 0), Climb(9_000, 1))),
)
TABLE = ladder(rows=ROWS)


def test_the_row_of_the_load_answers_and_the_last_one_holds_beyond():
    assert lookup(TABLE, 2, 0, 0) == LookupAnswer(Start.NOW, 0, 1)
    assert lookup(TABLE, 3, 0, 0).rung == 0
    assert lookup(TABLE, 400, 0, 8_999) == LookupAnswer(Start.ON_EXIT, 0, 0)


def test_a_load_below_the_first_row_gets_the_first_row():
    assert lookup(TABLE, 0, 0, 0) == lookup(TABLE, 1, 0, 0)


def test_a_delay_counts_down_to_the_microsecond():
    assert lookup(TABLE, 3, 9_999, 0) == LookupAnswer(Start.WAIT, 1, 0)
    assert lookup(TABLE, 3, 10_000, 0) == LookupAnswer(Start.NOW, 0, 0)


def test_a_climb_takes_effect_at_its_very_age():
    assert lookup(TABLE, 3, 10_000, 4_999).rung == 0
    assert lookup(TABLE, 3, 10_000, 5_000).rung == 1


def test_waiting_ages_a_request_only_under_the_arrival_clock():
    from_arrival = ladder(rows=ROWS, rules=(Rule.AGE_FROM_ARRIVAL,))
    assert lookup(TABLE, 4, 9_000, 0).rung == 0
    assert lookup(from_arrival, 4, 9_000, 0).rung == 1


def test_outside_the_guard_the_nearest_row_or_the_first_rung_holds():
    clamped = ladder(rows=ROWS, guard=Guard(2, 3))
    cautious = ladder(rows=ROWS, guard=Guard(2, 3, Outside.FIRST_RUNG))
    assert lookup(clamped, 9, 0, 0).start is Start.ON_EXIT
    assert lookup(cautious, 9, 0, 20_000) == LookupAnswer(Start.NOW, 0, 0)
    assert lookup(cautious, 1, 0, 0) == LookupAnswer(Start.NOW, 0, 0)
    assert lookup(cautious, 3, 10_000, 5_000).rung == 1


@pytest.mark.parametrize("arguments", [(-1, 0, 0), (1, -1, 0), (1, 0, -1)])
def test_negative_arguments_are_refused(arguments):
    with pytest.raises(ValueError, match="negative"):
        lookup(TABLE, *arguments)


@pytest.mark.parametrize("load", [0, 1, 2, 7, 500, 998, 999, 5_000])
def test_of_a_thousand_rows_the_last_that_begins_at_the_load_or_below_it_answers(load):
    rows = (
        *(Row(n, n, AT_ONCE, (Climb(0, n % 2),)) for n in range(1, 999)),
        Row(999, None, ON_EXIT, (Climb(0, 0),)),
    )
    below = [row for row in rows if row.first_load <= load]
    assert row_at(ladder(rows=rows), load) is (below[-1] if below else rows[0])
