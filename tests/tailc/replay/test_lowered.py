import dataclasses

import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.table import (
    ON_EXIT,
    Admission,
    Climb,
    CostUnit,
    Guard,
    LoadAxis,
    Outside,
    Row,
    Rung,
)
from tailc.replay.lowered import NEVER_NS, lower
from tests.tailc.replay.servers import MS, at_once, ladder


def test_rows_are_found_by_load_and_the_last_holds_beyond():
    policy = ladder(at_once((0, 1), first=2, last=3), at_once((0, 0), first=4))
    table = lower(policy, 1, 100)
    assert table.row_of_load[:5].tolist() == [0, 0, 0, 0, 1]
    assert set(table.row_of_load[4:].tolist()) == {1}


def test_ages_are_rounded_up_to_ticks_of_which_the_first_is_one_quantum():
    table = lower(ladder(at_once((0, 0), (12, 1), (15, 3)), rungs=4), 1, 10)
    assert table.reach_ns[0].tolist() == [0, 12 * MS, 15 * MS, 15 * MS, NEVER_NS]
    assert table.due_after_ns[0].tolist() == [5 * MS, 15 * MS, 15 * MS, 15 * MS, NEVER_NS]


def test_outside_the_guard_every_request_starts_at_once_on_the_first_rung():
    policy = ladder(Row(0, None, ON_EXIT, (Climb(0, 2),)))
    policy = dataclasses.replace(policy, guard=Guard(2, 3, Outside.FIRST_RUNG))
    table = lower(policy, 1, 100)
    assert [bool(table.on_exit[table.row_of_load[load]]) for load in range(5)] == [
        *(False, False),
        *(True, True),
        False,
    ]


def test_a_table_by_rate_is_one_row():
    policy = dataclasses.replace(
        ladder(
            at_once((0, 1), last=9_999), Row(10_000, None, Admission.after(7000), (Climb(0, 0),))
        ),
        load_axis=LoadAxis.RATE,
    )
    assert lower(policy, 10_000, 5).delay_ns.tolist() == [7 * MS]
    assert lower(policy, 9_999, 5).delay_ns.tolist() == [0]


def test_a_ladder_that_may_descend_is_refused():
    policy = dataclasses.replace(
        ladder(at_once((0, 0), last=1), at_once((0, 1), first=2)), rules=()
    )
    with pytest.raises(TailcError, match="without the rule `never-descend`"):
        lower(policy, 1, 10)


def test_two_limited_cost_units_are_refused():
    policy = dataclasses.replace(
        ladder(at_once((0, 0)), rungs=1),
        cost_units=(CostUnit("threads", 1_000_000), CostUnit("watts", 5)),
        rungs=(Rung("d1", 1_000_000, (1_000_000, 1)),),
    )
    with pytest.raises(TailcError, match="`threads`, `watts`") as raised:
        lower(policy, 1, 10)
    assert raised.value.findings[0].code is Code.METHOD_UNFIT


def test_boosting_needs_a_capacity():
    with pytest.raises(TailcError, match="no stated capacity"):
        lower(ladder(at_once((0, 0)), boost=3), 1, 10)
