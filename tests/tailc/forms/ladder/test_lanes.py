"""Plans for lanes, and the tables that they make."""

import pytest

from tailc.forms.ladder.lanes import (
    BATCH,
    Lanes,
    batch_left_ppm,
    is_on_lanes,
    lane_ladder,
    lanes_of,
    plan_at_any_load,
    plan_by_rate,
    plan_while_none_waits,
)
from tailc.forms.ladder.table import Climb, LoadAxis, Rule
from tailc.percentiles import PPM
from tailc.problems.borrowing import Borrowing, sharing_plan
from tests.tailc.forms.ladder.core_ladder_case import cores

LANES = Lanes(7, 340_000, 120_000)
SHARED_THEN_ALONE = (Climb(0, 0), Climb(5_000, 1))


def climbs(plan) -> list[tuple[int, int | None, tuple[Climb, ...]]]:
    return [(r.first_load, r.last_load, r.climbs) for r in lane_ladder(LANES, plan).rows]


def test_a_request_holds_one_core_and_takes_batch_work_from_it():
    ladder = lane_ladder(LANES, plan_at_any_load(5_000, 7))
    shared, alone = ladder.rungs
    assert [unit.name for unit in ladder.cost_units] == ["cores", BATCH]
    assert (shared.speed_ppm, shared.cost_ppm) == (660_000, (1_000_000, 120_000))
    assert (alone.speed_ppm, alone.cost_ppm) == (1_000_000, (1_000_000, 1_000_000))
    assert ladder.power is not None
    assert ladder.power.idle_ppm == (0, 0)


def test_the_lanes_can_be_told_from_the_ladder_again():
    assert lanes_of(lane_ladder(LANES, plan_at_any_load(5, 7))) == LANES
    assert not is_on_lanes(cores())


def test_an_age_of_nothing_is_alone_from_the_start_and_none_is_never():
    assert climbs(plan_at_any_load(5_000, 7)) == [(1, None, SHARED_THEN_ALONE)]
    assert climbs(plan_at_any_load(0, 7)) == [(1, None, (Climb(0, 1),))]
    assert climbs(plan_at_any_load(None, 7)) == [(1, None, (Climb(0, 0),))]


def test_a_request_that_leaves_somebody_waiting_is_alone():
    assert climbs(plan_while_none_waits(5_000, 7)) == [
        (1, 7, SHARED_THEN_ALONE),
        (8, None, (Climb(0, 1),)),
    ]


def test_between_two_rates_the_age_of_the_higher_one_holds():
    plan = plan_by_rate(((40_000, 9_000), (80_000, 5_000)), Rule.WAITED_START_LAST)
    assert plan.axis is LoadAxis.RATE
    assert climbs(plan) == [
        (0, 40_000, (Climb(0, 0), Climb(9_000, 1))),
        (40_001, None, SHARED_THEN_ALONE),
    ]


def test_a_safe_budget_ends_a_look_earlier():
    assert sharing_plan(Borrowing.SAFE, ((0, 5_000),), LANES).ages_us == ((1, 4_999),)
    assert sharing_plan(Borrowing.SAFE, ((0, 0),), LANES).ages_us == ((1, 0),)


def test_refresh_has_the_least_budget_of_all_rates():
    plan = sharing_plan(Borrowing.REFRESH, ((1, 9_000), (2, 5_000)), LANES)
    assert plan == plan_while_none_waits(5_000, 7)


@pytest.mark.parametrize(("cores", "left_ppm"), [(1, 760_000), (2, 880_000)])
def test_what_requests_give_up_is_missing_of_the_batch_work_of_all_cores(cores, left_ppm):
    """3 ms of each of 80 requests are 240 ms of every second."""
    assert batch_left_ppm(cores, 3_000 * PPM, 80_000) == left_ppm
