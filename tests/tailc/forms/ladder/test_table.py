import pytest

from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Admission,
    AdmissionKind,
    Boost,
    Climb,
    CostUnit,
    Guard,
    Row,
    Rule,
    Rung,
    collapse,
)
from tests.tailc.forms.ladder.table_case import START_LOW, ladder


def test_a_well_formed_ladder_can_be_made():
    assert ladder().rows[0].climbs == START_LOW


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rows": ()}, "needs a row"),
        ({"rungs": ()}, "needs a rung"),
        ({"quantum_us": 0}, "quantum"),
        ({"rows": (Row(1, 4, AT_ONCE, START_LOW),)}, "every larger load"),
        (
            {"rows": (Row(1, 3, AT_ONCE, START_LOW), Row(5, None, AT_ONCE, START_LOW))},
            "without gap",
        ),
        (
            {"rows": (Row(1, 3, AT_ONCE, START_LOW), Row(3, None, AT_ONCE, START_LOW))},
            "without gap",
        ),
        ({"rows": (Row(1, None, AT_ONCE, (Climb(0, 2),)),)}, "not there"),
        ({"rows": (Row(1, None, AT_ONCE, (Climb(0, -1), Climb(3, 0))),)}, "not there"),
        ({"cost_units": ()}, "every cost unit"),
        ({"rules": (Rule.REREAD_ROW, Rule.NEVER_DESCEND)}, "sorted"),
        ({"boost": Boost(0, 4_000_000)}, "go together"),
        ({"rules": (Rule.BOOST_LAST_RUNG,)}, "go together"),
        ({"rules": (Rule.BOOST_LAST_RUNG,), "boost": Boost(1, 1)}, "no cost unit"),
        ({"rules": (Rule.GIVE_UP,)}, "go together"),
        ({"sharing": Sharing(give_up_us=5)}, "go together"),
        ({"sharing": Sharing()}, "needs a rule"),
        ({"rules": (Rule.START_BELOW,), "sharing": Sharing(1, 1)}, "no cost unit"),
        (
            {
                "rules": (Rule.START_BELOW,),
                "sharing": Sharing(0, 1),
                "rows": (Row(1, None, ON_EXIT, START_LOW),),
            },
            "no row makes",
        ),
    ],
)
def test_a_broken_ladder_cannot_be_made(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        ladder(**changes)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Row(1, None, AT_ONCE, ()), "start on"),
        (lambda: Row(1, None, AT_ONCE, (Climb(5, 0),)), "age 0"),
        (lambda: Row(1, None, AT_ONCE, (Climb(0, 0), Climb(0, 1))), "ages must ascend"),
        (lambda: Row(1, None, AT_ONCE, (Climb(0, 1), Climb(5, 0))), "rungs must ascend"),
        (lambda: Row(3, 2, AT_ONCE, START_LOW), "loads must ascend"),
        (lambda: Row(-1, 2, AT_ONCE, START_LOW), "negative"),
        (lambda: Admission(AdmissionKind.DELAY, 0), "length"),
        (lambda: Admission(AdmissionKind.ON_EXIT, 5), "length"),
        (lambda: Rung("r", 0, ()), "speed"),
        (lambda: Rung("", 1, ()), "name"),
        (lambda: Rung("r", 1, (-1,)), "less than 0"),
        (lambda: CostUnit("threads", 0), "capacity"),
        (lambda: Guard(5, 4), "range"),
        (lambda: Boost(0, 0), "limit"),
        (lambda: Sharing(start_unit=0), "go together"),
        (lambda: Sharing(-1, 5), "from 0"),
        (lambda: Sharing(0, 0), "nothing in use"),
        (lambda: Sharing(give_up_us=0), "at least 1"),
    ],
)
def test_a_broken_part_cannot_be_made(make, complaint):
    with pytest.raises(ValueError, match=complaint):
        make()


def test_no_delay_is_admission_at_once():
    assert Admission.after_delay(0) == AT_ONCE
    assert Admission.after_delay(7) == Admission(AdmissionKind.DELAY, 7)


def test_equal_neighbours_collapse_to_a_range_and_the_last_row_holds_beyond():
    high = (Climb(0, 1),)
    rows = [
        Row(1, 1, AT_ONCE, high),
        Row(2, 2, AT_ONCE, high),
        Row(3, 3, AT_ONCE, START_LOW),
        Row(4, 4, ON_EXIT, START_LOW),
    ]
    assert collapse(rows) == (
        Row(1, 2, AT_ONCE, high),
        Row(3, 3, AT_ONCE, START_LOW),
        Row(4, None, ON_EXIT, START_LOW),
    )
