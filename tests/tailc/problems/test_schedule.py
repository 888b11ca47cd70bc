import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import Climb
from tailc.problems.schedule import Schedule

# Table 2 of Haque et al., ASPLOS 2015, as durations (v_0, v_1, v_2, v_3) in ms: the differences
# of its times, worked out by hand.
PUBLISHED = {
    ((0, 4),): (0, 0, 0, 0),
    ((0, 3), (75, 4)): (0, 0, 0, 75),
    ((0, 2), (25, 3), (150, 4)): (0, 0, 25, 125),
    ((0, 1), (25, 2), (100, 3), (175, 4)): (0, 25, 75, 75),
    ((10, 1), (110, 2), (210, 3), (235, 4)): (10, 100, 100, 25),
    ((90, 1), (315, 2), (390, 3), (440, 4)): (90, 225, 75, 50),
}


@pytest.mark.parametrize(("pairs", "durations"), PUBLISHED.items())
def test_published_rows_convert_both_ways(pairs, durations):
    wait_us, *stays = (1_000 * v for v in durations)
    start_ms = pairs[0][0]
    climbs = tuple(Climb(1_000 * (t - start_ms), degree - 1) for t, degree in pairs)
    schedule = Schedule(wait_us, tuple(stays))
    assert schedule.climbs() == climbs
    assert Schedule.from_climbs(wait_us, climbs, rungs=4) == schedule


def test_the_worked_example_skips_the_second_degree():
    schedule = Schedule.from_climbs(0, (Climb(0, 0), Climb(50_000, 2)), rungs=3)
    assert schedule == Schedule(0, (50_000, 0))


def test_a_rung_that_is_never_left_ends_the_climb():
    assert Schedule(0, (100, None, 0)).climbs() == (Climb(0, 0), Climb(100, 1))


@pytest.mark.parametrize("broken", [(-1, (0,)), (0, (-1,)), (0, (None, 5)), (0, (None, None))])
def test_a_broken_schedule_cannot_be_made(broken):
    with pytest.raises(ValueError, match=r"must not be negative|without an end"):
        Schedule(*broken)


@st.composite
def schedules(draw):
    rungs = draw(st.integers(1, 6))
    stays = draw(st.lists(st.integers(0, 10**9), min_size=rungs - 1, max_size=rungs - 1))
    left = draw(st.integers(0, rungs - 1))
    if left < rungs - 1:
        stays[left:] = [None] + [0] * (rungs - 2 - left)
    return Schedule(draw(st.integers(0, 10**9)), tuple(stays)), rungs


@given(schedules())
def test_the_two_forms_of_a_schedule_are_each_others_inverse(case):
    schedule, rungs = case
    assert Schedule.from_climbs(schedule.wait_us, schedule.climbs(), rungs) == schedule


def test_the_gap_is_the_objective_above_its_bound_and_absent_without_one():
    known = RowEvidence(3, 100, 97, 100, 90, None, 40, 60, 1)
    unknown = RowEvidence(3, 100, None, 100, 90, None, 40, 60, 1)
    assert known.gap_us == 3
    assert unknown.gap_us is None
