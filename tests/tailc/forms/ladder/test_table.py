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
        ({"rows": ()}, "`rows` must not be empty"),
        ({"rungs": ()}, "`rungs` must not be empty"),
        ({"quantum_us": 0}, "quantum"),
        ({"rows": (Row(1, 4, AT_ONCE, START_LOW),)}, "the last row must have no `last_load`"),
        (
            {"rows": (Row(1, 3, AT_ONCE, START_LOW), Row(5, None, AT_ONCE, START_LOW))},
            "`first_load` of a row must be 1 above `last_load` of the row before",
        ),
        (
            {"rows": (Row(1, 3, AT_ONCE, START_LOW), Row(3, None, AT_ONCE, START_LOW))},
            "`first_load` of a row must be 1 above `last_load` of the row before",
        ),
        (
            {"rows": (Row(1, None, AT_ONCE, (Climb(0, 2),)),)},
            "`rung` of a climb must be the number of a rung, counted from 0",
        ),
        (
            {"rows": (Row(1, None, AT_ONCE, (Climb(0, -1), Climb(3, 0))),)},
            "`rung` of a climb must be the number of a rung, counted from 0",
        ),
        ({"cost_units": ()}, "`cost_ppm` of a rung must have an entry for each cost unit"),
        (
            {"rules": (Rule.REREAD_ROW, Rule.NEVER_DESCEND)},
            "`rules` must be in ascending order without duplicates",
        ),
        ({"boost": Boost(0, 4_000_000)}, "`boost` must be present with rule `boost-last-rung`"),
        ({"rules": (Rule.BOOST_LAST_RUNG,)}, "`boost` must be present with rule `boost-last-rung`"),
        (
            {"rules": (Rule.BOOST_LAST_RUNG,), "boost": Boost(1, 1)},
            "`boost.unit` must be the number",
        ),
        ({"rules": (Rule.GIVE_UP,)}, "`give_up_us` must be present with rule `give-up`"),
        ({"sharing": Sharing(give_up_us=5)}, "`give_up_us` must be present with rule `give-up`"),
        (
            {"sharing": Sharing()},
            "`sharing` must be absent without rule `start-below` or `give-up`",
        ),
        (
            {"rules": (Rule.START_BELOW,), "sharing": Sharing(1, 1)},
            "`start_unit` must be the number",
        ),
        (
            {
                "rules": (Rule.START_BELOW,),
                "sharing": Sharing(0, 1),
                "rows": (Row(1, None, ON_EXIT, START_LOW),),
            },
            "`admission` of every row must be `at-once` with rule `start-below`",
        ),
    ],
)
def test_a_broken_ladder_cannot_be_made(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        ladder(**changes)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Row(1, None, AT_ONCE, ()), "`climbs` of a row must not be empty"),
        (
            lambda: Row(1, None, AT_ONCE, (Climb(5, 0),)),
            "`age_us` of the first climb of a row must be 0",
        ),
        (
            lambda: Row(1, None, AT_ONCE, (Climb(0, 0), Climb(0, 1))),
            "`age_us` must increase from climb to climb",
        ),
        (
            lambda: Row(1, None, AT_ONCE, (Climb(0, 1), Climb(5, 0))),
            "`rung` must increase from climb to climb",
        ),
        (
            lambda: Row(3, 2, AT_ONCE, START_LOW),
            "`last_load` of a row must be at least its `first_load`",
        ),
        (lambda: Row(-1, 2, AT_ONCE, START_LOW), "negative"),
        (
            lambda: Admission(AdmissionKind.DELAY, 0),
            "`delay_us` must be at least 1 for admission `delay`, and otherwise 0",
        ),
        (
            lambda: Admission(AdmissionKind.ON_EXIT, 5),
            "`delay_us` must be at least 1 for admission `delay`, and otherwise 0",
        ),
        (lambda: Rung("r", 0, ()), "speed"),
        (lambda: Rung("", 1, ()), "name"),
        (lambda: Rung("r", 1, (-1,)), "`cost_ppm` of rung `r` must not be negative"),
        (lambda: CostUnit("threads", 0), "capacity"),
        (lambda: Guard(5, 4), "`guard` must have 0 <= `min_load` <= `max_load`"),
        (
            lambda: Boost(0, 0),
            "`unit` of a boost must not be negative, and `below_ppm` must be at least 1",
        ),
        (lambda: Sharing(start_unit=0), "must both be present or both be absent"),
        (lambda: Sharing(-1, 5), "`start_unit` must not be negative"),
        (lambda: Sharing(0, 0), "`start_below_ppm` must be at least 1"),
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
