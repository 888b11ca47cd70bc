import dataclasses

import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import (
    ON_EXIT,
    Admission,
    Climb,
    Guard,
    LoadAxis,
    Outside,
    Row,
    Rule,
)
from tailc.models.shared_cores.arrays import NEVER_NS, ladder_arrays
from tailc.models.shared_cores.model import SharedCores
from tests.tailc.models.shared_cores.servers import MS, at_once, ladder


def test_rows_are_found_by_load_and_the_last_holds_beyond():
    policy = ladder(at_once((0, 1), first=2, last=3), at_once((0, 0), first=4))
    table = ladder_arrays((policy,), 1, 100)
    assert table.row_of_load[0, :5].tolist() == [0, 0, 0, 0, 1]
    assert set(table.row_of_load[0, 4:].tolist()) == {1}


def test_ages_are_rounded_up_to_ticks_of_which_the_first_is_one_quantum():
    table = ladder_arrays((ladder(at_once((0, 0), (12, 1), (15, 3)), rungs=4),), 1, 10)
    assert table.reach_ns[0].tolist() == [0, 12 * MS, 15 * MS, 15 * MS, NEVER_NS]
    assert table.due_after_ns[0].tolist() == [5 * MS, 15 * MS, 15 * MS, 15 * MS, NEVER_NS]


def test_outside_the_guard_every_request_starts_at_once_on_the_first_rung():
    policy = ladder(Row(0, None, ON_EXIT, (Climb(0, 2),)))
    policy = dataclasses.replace(policy, guard=Guard(2, 3, Outside.FIRST_RUNG))
    table = ladder_arrays((policy,), 1, 100)
    assert [bool(table.on_exit[table.row_of_load[0, load]]) for load in range(5)] == [
        *(False, False),
        *(True, True),
        False,
    ]


def test_a_table_by_rate_is_one_row():
    policy = dataclasses.replace(
        ladder(
            at_once((0, 1), last=9_999),
            Row(10_000, None, Admission.after_delay(7000), (Climb(0, 0),)),
        ),
        load_axis=LoadAxis.RATE,
    )
    assert ladder_arrays((policy,), 10_000, 5).delay_ns.tolist() == [7 * MS]
    assert ladder_arrays((policy,), 9_999, 5).delay_ns.tolist() == [0]


def test_a_request_that_rereads_descends_where_another_row_has_a_lower_rung():
    policy = ladder(at_once((0, 0), last=1), at_once((0, 1), first=2))
    assert not ladder_arrays((policy,), 1, 10).may_descend
    policy = dataclasses.replace(policy, rules=(Rule.REREAD_ROW,))
    assert ladder_arrays((policy,), 1, 10).may_descend
    # a row has no lower rung for a later age
    assert not ladder_arrays(
        (dataclasses.replace(policy, rows=policy.rows[1:]),), 1, 10
    ).may_descend


def test_a_request_that_keeps_its_row_cannot_descend():
    policy = dataclasses.replace(
        ladder(at_once((0, 0), last=1), at_once((0, 1), first=2)), rules=()
    )
    assert ladder_arrays((policy,), 1, 10).keeps_row


def test_ladders_on_different_rungs_are_refused():
    with pytest.raises(TailcError, match="different rungs") as raised:
        ladder_arrays((ladder(at_once((0, 0)), rungs=1), ladder(at_once((0, 0)), rungs=2)), 1, 10)
    assert raised.value.findings[0].code is Code.METHOD_UNFIT


def test_each_ladder_has_its_own_rows():
    long = ladder(at_once((0, 1)))
    short = ladder(at_once((0, 1), last=1), at_once((0, 0), first=2))
    table = ladder_arrays((long, short), 1, 10)
    read = table.reach_ns[table.row_of_load[:, 5], 1]
    assert read.tolist() == [0, NEVER_NS]
    assert table.row_of_load.shape[0] == 2


def test_a_cut_off_is_execution_time_in_nanoseconds():
    assert (
        ladder_arrays((ladder(at_once((0, 0))),), 1, 10, cut_off_us=200_000).cut_off_ns == 200 * MS
    )
    assert ladder_arrays((ladder(at_once((0, 0))),), 1, 10).cut_off_ns == NEVER_NS


def test_boosting_needs_a_capacity():
    with pytest.raises(TailcError, match="no stated capacity"):
        ladder_arrays((ladder(at_once((0, 0)), boost=3),), 1, 10)


@pytest.mark.parametrize("outside", Outside)
@pytest.mark.parametrize(("low", "high"), [(1, 4), (3, 3), (2, 9), (5, 30)])
@pytest.mark.parametrize("most", [2, 8, 40])
def test_each_load_has_the_row_that_a_look_up_answers_with(outside, low, high, most):
    rows = (
        at_once((0, 1), first=2, last=2),
        at_once((0, 0), (4, 2), first=3, last=6),
        at_once((0, 1), first=7, last=20),
        at_once((0, 0), first=21),
    )
    guard = Guard(low, high, outside)
    policy = dataclasses.replace(ladder(*rows, rungs=3), guard=guard)
    table = ladder_arrays((policy,), 1, most)
    loads = table.row_of_load.shape[1]
    for load in range(most + 1):
        row = table.row_of_load[0, min(load, loads - 1)]
        for age_ms in (0, 4, 100):
            reached = sum(age_ms * MS >= reach for reach in table.reach_ns[row]) - 1
            assert reached == lookup(policy, load, 0, age_ms * 1000).rung


def test_the_engine_of_a_table_by_load_is_the_same_at_every_rate():
    subject = SharedCores("one", (ladder(at_once((0, 0))),))
    one, other = (subject.engine(rate_mrps, 100).arrays for rate_mrps in (1_000, 2_000))
    assert one is other
    assert subject.engine(1_000, 10).arrays is not one


def test_the_engine_of_a_table_by_rate_is_read_at_its_rate():
    rows = (at_once((0, 0), last=1_500), at_once((0, 1), first=1_501))
    table = dataclasses.replace(ladder(*rows), load_axis=LoadAxis.RATE)
    subject = SharedCores("one", (table,))
    reached = [subject.engine(rate_mrps, 100).arrays.reach_ns[0, 1] for rate_mrps in (1_000, 2_000)]
    assert reached == [NEVER_NS, 0]
