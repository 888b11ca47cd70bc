"""Budgets, interference and ages, found on replays of a small exponential sample."""

import dataclasses

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.sizes import Size
from tailc.forms.ladder.lanes import Lanes, Waking, lane_ladder, plan_at_any_load
from tailc.forms.ladder.table import LoadAxis, Rule
from tailc.models.pools import NEVER_NS
from tailc.pipeline import lane_sample
from tailc.pipeline.borrowing import solve_for_budgets
from tailc.pipeline.lane_evidence import predicted_misses
from tailc.pipeline.lane_search import low_load_age_us
from tailc.problems.borrowing import (
    Borrowing,
    BorrowingSolution,
    Calibration,
    budget_age_us,
    sharing_plan,
)
from tests.tailc.pipeline.borrowing_case import MEAN_MS, MS, alike, problem

PPM = 1_000_000


@pytest.fixture(autouse=True)
def _few_replays(monkeypatch):
    monkeypatch.setattr(lane_sample, "PLAN", Size(20_000, 3))


@pytest.fixture
def few_requests(monkeypatch):
    """Where policies are compared on the same requests, and no closed form is wanted."""
    monkeypatch.setattr(lane_sample, "PLAN", Size(5_000, 3))


def test_the_budget_is_what_requests_alone_leave_of_the_target():
    found = solve_for_budgets(problem(rates_mrps=(40_000,)))
    (point,) = found.points
    assert point.budget_us == 100 * MS - point.alone_us
    # M/M/1 at 0.24: p99 = mean / (1 - 0.24) ln 100
    assert point.alone_us == pytest.approx(1000 * MEAN_MS / 0.76 * np.log(100), rel=0.05)
    assert found.plan == plan_at_any_load(point.budget_us, 1, Rule.WAITED_START_LAST)


def test_47_ms_are_left_of_100_by_requests_that_have_53_alone():
    # Yang et al., USENIX ATC 2016, section 3. So seldom that hardly any waits.
    found = solve_for_budgets(problem(profile=alike(np.full(10, 53.0)), rates_mrps=(10,)))
    (point,) = found.points
    assert (point.alone_us, point.budget_us) == (53 * MS, 47 * MS)


def test_one_budget_for_all_rates_is_that_of_the_highest():
    found = solve_for_budgets(problem())
    budgets_us = {point.budget_us for point in found.points}
    assert budgets_us == {100 * MS - found.points[-1].alone_us}


def test_by_load_each_rate_has_its_own_and_holds_up_to_itself():
    found = solve_for_budgets(problem(is_by_load=True))
    assert found.plan.axis is LoadAxis.RATE
    first, second = (point.budget_us for point in found.points)
    assert found.plan.ages_us == ((0, first), (40_001, second), (100_001, 2))
    assert first is not None
    assert second is not None
    assert first > second


def test_by_load_nobody_shares_above_the_last_rate_as_under_borrow_idle():
    by_load = solve_for_budgets(problem(is_by_load=True))
    idle = solve_for_budgets(problem(borrowing=Borrowing.IDLE))
    above, of_idle = (lane_ladder(found.lanes, found.plan).rows[-1] for found in (by_load, idle))
    assert above.climbs == of_idle.climbs
    assert by_load.plan.last_load == 100_000


@pytest.mark.parametrize("release_us", [0, 2, 719])
def test_above_the_last_rate_a_busy_period_shares_until_batch_work_has_left(release_us):
    asked = problem(is_by_load=True, borrowing=Borrowing.SAFE, release_us=release_us)
    assert solve_for_budgets(asked).plan.ages_us[-1] == (100_001, release_us)


def test_the_budget_of_the_last_rate_holds_above_it_where_that_is_wanted():
    found = solve_for_budgets(problem(is_by_load=True, keeps_last=True))
    assert [rate for rate, _ in found.plan.ages_us] == [0, 40_001]


def test_one_rate_has_one_age_for_every_load():
    found = solve_for_budgets(problem(is_by_load=True, rates_mrps=(40_000,)))
    assert found.plan.axis is LoadAxis.IN_SYSTEM


def test_charged_by_harm_sharing_may_last_as_much_longer_as_it_does_less_harm():
    lanes = Lanes(1, 400_000, 0)
    assert budget_age_us(20 * MS, lanes, charges_harm=True) == 50 * MS
    assert budget_age_us(20 * MS, Lanes(1, 0, 0), charges_harm=True) is None


@pytest.mark.parametrize("charges_harm", [False, True])
def test_a_budget_longer_than_any_request_makes_an_age_that_every_engine_holds(charges_harm):
    # The longest duration that a spec may tell, at the least interference there is.
    age_us = budget_age_us(9_007_199_254 * 1000 * MS, Lanes(1, 1, 0), charges_harm=charges_harm)
    assert age_us is not None
    assert 2 * age_us * 1000 < NEVER_NS
    # 100 days
    assert age_us > 100 * 86_400 * 1000 * MS


def test_under_a_fixed_budget_without_end_those_that_waited_are_alone_all_the_same():
    endless, long = (
        solve_for_budgets(problem(budget_us=us, rates_mrps=(100_000,)))
        for us in (9_007_199_254 * 1000 * MS, 86_400 * 1000 * MS)
    )
    assert endless.points[0].batch_ppm == long.points[0].batch_ppm


@pytest.mark.parametrize("charges_harm", [False, True])
def test_headroom_that_ends_before_batch_work_has_left_is_refused(charges_harm):
    asked = problem(release_us=50 * MS, is_by_load=True, charges_harm=charges_harm)
    alone = {point.rate_mrps: point.alone_us for point in solve_for_budgets(problem()).points}
    left_us = 100 * MS - alone[100_000]
    assert left_us < 50 * MS < left_us / 0.4
    if charges_harm:
        solve_for_budgets(asked)
        return
    with pytest.raises(TailcError) as caught:
        solve_for_budgets(asked)
    (finding,) = caught.value.findings
    assert finding.code is Code.INFEASIBLE
    assert finding.message == (
        f"at 100/s the budget lets requests share a core for {left_us / 1_000:g} ms, but batch "
        "work takes 50 ms to leave"
    )
    assert finding.help == "lower rates, relax the latency, or set `policy: borrow-idle`"


def test_a_given_budget_of_harm_that_ends_before_batch_work_has_left_is_refused_at_its_line():
    asked = problem(budget_us=1 * MS, release_us=5 * MS, charges_harm=True)
    with pytest.raises(TailcError) as caught:
        solve_for_budgets(asked)
    (finding,) = caught.value.findings
    assert (finding.code, finding.about) == (Code.CONFLICT, ("budget",))
    assert "lets requests share a core for 2.5 ms, but" in finding.message


def test_borrow_idle_only_shares_until_batch_work_has_left():
    found = solve_for_budgets(problem(borrowing=Borrowing.IDLE))
    assert found.plan == plan_at_any_load(2, 1, Rule.WAITED_START_LAST)
    for point in found.points:
        assert point.budget_us is None
        assert point.tail_us == pytest.approx(point.alone_us, rel=0.03)


def test_batch_work_that_takes_time_to_wake_up_is_less_by_that_after_each_busy_period():
    asked = problem(borrowing=Borrowing.IDLE, rates_mrps=(100_000,))
    waking = Waking(batch_ns=2_000_000)
    awake, waking_up = (
        solve_for_budgets(dataclasses.replace(asked, waking=told))
        for told in (asked.waking, waking)
    )
    (before,), (after,) = awake.points, waking_up.points
    # Idle periods of Poisson arrivals: exp(-L x) of idle time is left.
    assert after.batch_ppm == pytest.approx(before.batch_ppm * np.exp(-0.1 * 2), rel=0.02)
    assert (after.tail_us, after.alone_us) == (before.tail_us, before.alone_us)
    (told,) = (row.evidence for row in waking_up.rows)
    assert told is not None
    # By request: what batch work at 100 requests a second has less than all.
    assert told.objective_us == pytest.approx((PPM - after.batch_ppm) / 100, rel=0.02)


def test_a_core_that_sleeps_without_batch_work_is_slower_alone_than_with_borrow_idle():
    asked = problem(borrowing=Borrowing.IDLE, rates_mrps=(20_000,))
    asleep = dataclasses.replace(asked, waking=Waking(core_ns=3_000_000))
    (point,) = solve_for_budgets(asleep).points
    (kept_awake,) = solve_for_budgets(asked).points
    assert point.tail_us == kept_awake.tail_us
    assert point.alone_us > kept_awake.alone_us + 1_000


def test_tails_alone_and_under_the_policy_are_of_the_same_requests_at_the_same_times():
    # Until batch work has left a request that has not waited loses 0.4 of 2 us, and no other more.
    for point in solve_for_budgets(problem(borrowing=Borrowing.IDLE)).points:
        assert point.tail_us is not None
        assert 0 <= point.tail_us - point.alone_us <= 1


def test_what_was_searched_is_told_of_other_requests_than_it_was_searched_on(few_requests):
    found = solve_for_budgets(problem(borrowing=Borrowing.OPTIMISED, rates_mrps=(100_000,)))
    idle = solve_for_budgets(problem(borrowing=Borrowing.IDLE, rates_mrps=(100_000,)))
    assert found.points[0].alone_us != idle.points[0].alone_us


def test_a_calibrated_interference_makes_both_tails_equal():
    asked = problem(interference=Calibration(100_000, 40_000), borrowing=Borrowing.IDLE)
    found = solve_for_budgets(asked)
    # M/M/1: (1 - s) / mean - 40/s = 1 / mean - 100/s, whatever the percentile.
    wanted_ppm = 60 * MEAN_MS / 1000 * PPM
    assert found.lanes.interference_ppm == pytest.approx(wanted_ppm, rel=0.05)


def test_a_rate_at_which_requests_alone_miss_the_target_is_refused():
    with pytest.raises(TailcError) as caught:
        solve_for_budgets(problem(target_us=50 * MS))
    (finding,) = caught.value.findings
    assert finding.code is Code.INFEASIBLE
    assert "cannot be met at 100/s: requests alone have" in finding.message
    assert finding.help is not None
    assert "relax the latency to more than" in finding.help


def test_all_rates_at_which_requests_alone_miss_the_target_are_told_with_the_way_out():
    with pytest.raises(TailcError) as caught:
        solve_for_budgets(problem(target_us=30 * MS, rates_mrps=(10_000, 60_000, 100_000)))
    (finding,) = caught.value.findings
    assert " at 60/s: requests alone have " in finding.message
    assert " at 100/s: requests alone have " in finding.message
    # The tail of the highest of them, of which there are two numbers: here, and there.
    needed = finding.message.split()[-2]
    assert finding.help == f"relax the latency to more than {needed} ms, or lower rates to 10/s"


def test_an_overload_has_no_latency_to_relax_to():
    with pytest.raises(TailcError) as caught:
        solve_for_budgets(problem(rates_mrps=(40_000, 170_000)))
    assert caught.value.findings[0].help == "lower rates to 40/s"


def test_a_rate_of_the_calibration_that_overloads_the_server_is_told_as_such():
    asked = problem(interference=Calibration(170_000, 40_000))
    with pytest.raises(TailcError) as caught:
        solve_for_budgets(asked)
    (finding,) = caught.value.findings
    assert finding.message.startswith("interference cannot be calibrated at 170/s")
    assert finding.help == "lower `lanes.calibrate.alone`"
    assert finding.about == ("lanes", "calibrate", "alone")


def test_a_budget_that_misses_the_target_on_the_design_sample_is_told():
    asked = problem(borrowing=Borrowing.REFRESH, budget_us=300 * MS, interference=600_000)
    told = predicted_misses(asked, solve_for_budgets(asked))
    assert [finding.code for finding in told] == [Code.PREDICTED_MISS]
    assert told[0].message.startswith("at 100/s `refresh` has ")
    assert told[0].help is not None
    assert "`fixed` or `safe`" in told[0].help
    fits = problem()
    assert predicted_misses(fits, solve_for_budgets(fits)) == ()


@pytest.mark.parametrize("borrowing", [Borrowing.IDLE, Borrowing.FIXED, Borrowing.OPTIMISED])
def test_a_rate_that_overloads_the_server_is_refused(borrowing):
    with pytest.raises(TailcError, match="requests alone overload the server"):
        solve_for_budgets(problem(borrowing=borrowing, rates_mrps=(170_000,)))


def test_borrow_idle_is_compiled_where_requests_alone_miss_the_target_too():
    asked = problem(borrowing=Borrowing.IDLE, target_us=50 * MS)
    told = predicted_misses(asked, solve_for_budgets(asked))
    assert [finding.message.split()[1] for finding in told] == ["100/s"]
    # There is no budget to make smaller.
    assert told[0].help == "lower the rate, or relax the latency"


def test_a_policy_whose_delays_do_not_add_up_needs_a_smaller_budget():
    asked = problem(borrowing=Borrowing.SAFE, budget_us=300 * MS, interference=600_000)
    told = predicted_misses(asked, solve_for_budgets(asked))
    assert {finding.help for finding in told} == {"lower the budget"}


def test_at_low_load_the_age_is_that_of_the_closed_form():
    asked = problem(target_us=40 * MS)
    demand_us = asked.profile.demand_at(990) * 1000
    lanes = Lanes(1, 400_000, 400_000)
    age_us = low_load_age_us(asked, lanes)
    # Until t at 0.6 of the speed, then alone: 0.6 t + (40 ms - t) = w.
    assert age_us == pytest.approx((40 * MS - demand_us) / 0.4, abs=2)


def test_where_both_lanes_together_do_less_than_one_nothing_is_shared(few_requests):
    asked = problem(interference=700_000, batch_slowdown_ppm=500_000, borrowing=Borrowing.OPTIMISED)
    found = solve_for_budgets(asked)
    assert found.plan.longest_us is not None
    assert found.plan.longest_us <= asked.release_us


def test_no_policy_with_one_age_leaves_more_batch_work_than_the_optimised_one(few_requests):
    asked = problem(borrowing=Borrowing.OPTIMISED)
    found = solve_for_budgets(asked)
    assert _meets(found, asked.target_us)
    for borrowing in (Borrowing.FIXED, Borrowing.REFRESH, Borrowing.SAFE):
        for age_ms in (5, 20, 40, 80):
            plan = sharing_plan(borrowing, ((0, age_ms * MS),), found.lanes)
            given = dataclasses.replace(asked, borrowing=borrowing, budget_us=age_ms * MS)
            other = solve_for_budgets(given)
            assert other.plan == plan
            if _meets(other, asked.target_us):
                assert _total(found) >= _total(other)


def _meets(found: BorrowingSolution, target_us: int) -> bool:
    return all(p.tail_us is not None and p.tail_us <= target_us for p in found.points)


def _total(found: BorrowingSolution) -> int:
    return sum(point.batch_ppm for point in found.points)
