"""What a budget of sharing promises a request, against the same requests always alone.

A request is late by so much more than alone. Sharing for a time T makes it late by interference
times T, and those that wait behind it too; what adds up, and what does not, is proved on the page
on elfen.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.forms.ladder.lanes import Lanes, SharingPlan, lane_ladder, plan_at_any_load
from tailc.models.smt.model import Smt
from tailc.models.workload import Workload
from tailc.problems.borrowing import Borrowing, budget_age_us, sharing_plan
from tests.reference import lane_states

US, MS = 1_000, 1_000_000
PPM = 1_000_000
# Exits are whole nanoseconds, rounded up.
ROUNDING_NS = 1


def latency_ns(
    lanes: Lanes, plan: SharingPlan, arrival_ns: list[int], work_ns: list[int]
) -> np.ndarray:
    ladder = lane_ladder(lanes, plan)
    speeds = np.array([[rung.speed_ppm / PPM for rung in ladder.rungs]])
    count = len(work_ns)
    load = Workload(np.array(work_ns), np.ones(count, np.int64), np.zeros(count, np.int32), speeds)
    engine = Smt("x", (ladder,)).engine(1, 10_000)
    return engine.replay(load, np.arange(count), np.array(arrival_ns), 0).latency_ns


def late_ns(borrowing: Borrowing, age_us: int | None, lanes: Lanes, arrival_ns, work_ns) -> int:
    """By how much the request that loses most is later than alone."""
    plan = sharing_plan(borrowing, ((0, age_us),), lanes)
    with_batch = latency_ns(lanes, plan, arrival_ns, work_ns)
    alone = latency_ns(lanes, plan_at_any_load(0, lanes.cores), arrival_ns, work_ns)
    return int((with_batch - alone).max())


@st.composite
def requests(draw):
    """Some of them at whole milliseconds, where instants coincide."""
    unit = draw(st.sampled_from([1, MS]))
    count = draw(st.integers(1, 40))
    gaps = draw(st.lists(st.integers(0, 12 * MS // unit), min_size=count, max_size=count))
    work = draw(st.lists(st.integers(1, 20 * MS // unit), min_size=count, max_size=count))
    return (np.cumsum(gaps) * unit).tolist(), [each * unit for each in work]


BUDGETS_US = st.integers(2, 40_000)
INTERFERENCE_PPM = st.integers(0, PPM - 1)


@given(requests(), BUDGETS_US, INTERFERENCE_PPM, st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_a_fixed_budget_delays_no_request_by_more_than_its_share_on_any_cores(
    asked, budget_us, interference_ppm, cores
):
    lanes = Lanes(cores, interference_ppm, 0)
    most_ns = budget_us * US * interference_ppm // PPM + len(asked[0]) * ROUNDING_NS
    assert late_ns(Borrowing.FIXED, budget_us, lanes, *asked) <= most_ns


@given(requests(), BUDGETS_US, INTERFERENCE_PPM)
@settings(max_examples=150, deadline=None)
def test_a_safe_budget_delays_no_request_by_more_than_its_share_on_one_core(
    asked, budget_us, interference_ppm
):
    lanes = Lanes(1, interference_ppm, 0)
    most_ns = budget_us * US * interference_ppm // PPM + len(asked[0]) * ROUNDING_NS
    assert late_ns(Borrowing.SAFE, budget_us, lanes, *asked) <= most_ns


@given(requests(), BUDGETS_US, INTERFERENCE_PPM, st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_a_safe_budget_delays_no_request_by_more_than_itself_on_several_cores(
    asked, budget_us, interference_ppm, cores
):
    lanes = Lanes(cores, interference_ppm, 0)
    most_ns = budget_us * US + len(asked[0]) * ROUNDING_NS
    assert late_ns(Borrowing.SAFE, budget_us, lanes, *asked) <= most_ns


@given(requests(), BUDGETS_US, INTERFERENCE_PPM, st.sampled_from([Borrowing.FIXED, Borrowing.SAFE]))
@settings(max_examples=100, deadline=None)
def test_charged_by_harm_a_budget_is_what_a_request_loses_at_most(
    asked, budget_us, interference_ppm, borrowing
):
    lanes = Lanes(1, interference_ppm, 0)
    age_us = budget_age_us(budget_us, lanes, charges_harm=True)
    most_ns = budget_us * US + len(asked[0]) * ROUNDING_NS
    assert late_ns(borrowing, age_us, lanes, *asked) <= most_ns


@pytest.mark.parametrize("borrowing", [Borrowing.REFRESH, Borrowing.DYNAMIC])
def test_budgets_renewed_at_hand_overs_add_up(borrowing):
    lanes = Lanes(1, 500_000, 0)
    # Each loses 10 ms by sharing for 20, and 1 ms of the loss before it is made good.
    arrival_ns, work_ns = [0, 21 * MS, 42 * MS], [20 * MS] * 3
    assert late_ns(borrowing, 20_000, lanes, arrival_ns, work_ns) == (10 + 9 + 9) * MS
    for bounded in (Borrowing.FIXED, Borrowing.SAFE):
        assert late_ns(bounded, 20_000, lanes, arrival_ns, work_ns) <= 10 * MS


@given(
    requests(), BUDGETS_US, INTERFERENCE_PPM, st.sampled_from([Borrowing.FIXED, Borrowing.REFRESH])
)
@settings(max_examples=200, deadline=None)
def test_batch_work_leaves_its_lane_when_the_paper_s_state_machine_does(
    asked, budget_us, interference_ppm, borrowing
):
    # The paper does not tell of requests at the same instant.
    arrival_ns = [at + number for number, at in enumerate(asked[0])]
    lanes = Lanes(1, interference_ppm, 0)
    wanted = lane_states.latencies_ns(
        arrival_ns,
        asked[1],
        budget_ns=budget_us * US,
        shared=Fraction(PPM - interference_ppm, PPM),
        refreshes=borrowing is Borrowing.REFRESH,
    )
    plan = sharing_plan(borrowing, ((0, budget_us),), lanes)
    assert latency_ns(lanes, plan, arrival_ns, asked[1]).tolist() == wanted
