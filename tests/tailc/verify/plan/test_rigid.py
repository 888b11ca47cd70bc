import pytest

from tailc.experiment.ruling import Ruling
from tailc.models.datacentre.quantities import JobQuantity
from tests.tailc.verify.plan.judging import verdict
from tests.tailc.verify.plan.rigid_case import days, plan


def test_the_books_are_those_of_the_windows():
    # Each window: a job of one slot on two servers, a half of it promised green; 2 W carry a rack.
    found = verdict(plan(), days([2.0, 2.0, 0.0, 0.0], [0, 1_800], expected=2))
    assert (found.spans.windows, found.jobs) == (2, 2)
    paid = 72_500 + 60_000
    # In the second the sun does not come: the slot is missed, and energy bought.
    brown_kwh = 2 * 600 / 3_600_000
    assert found.policy.means[JobQuantity.BROWN].value == pytest.approx(brown_kwh / 2)
    profit = (2 * paid - 125_000 - brown_kwh * 105_500) / 2 / 1e6
    assert found.policy.means[JobQuantity.PROFIT].value == pytest.approx(profit)
    assert found.policy.means[JobQuantity.VIOLATIONS].value == 0.5
    assert found.policy.means[JobQuantity.ADMITTED].value == 1
    assert found.policy.means[JobQuantity.CO2].value == pytest.approx(brown_kwh * 0.2 / 2)


def test_a_job_whose_promise_would_be_broken_is_not_worth_its_penalty():
    found = verdict(plan(), days([0.0] * 2, [0]))
    assert found.policy.means[JobQuantity.ADMITTED].value == 0


def test_prices_beyond_what_jobs_pay_admit_none():
    found = verdict(plan(70_000, 70_000), days([2.0] * 4, [0, 1_800]))
    assert found.policy.means[JobQuantity.ADMITTED].value == 0
    first_fit, smart_green = found.baselines
    assert (first_fit.name, smart_green.name) == ("first-fit", "smart-green")
    admitted = [one.means[JobQuantity.ADMITTED].value for one in (first_fit, smart_green)]
    assert admitted == [1, 1]
    # First fit places the job on the brown rack, which the free green one lets be green too.
    profit = first_fit.means[JobQuantity.PROFIT].value
    assert first_fit.gains[JobQuantity.PROFIT].value == pytest.approx(-profit)


def test_promises_are_ruled_on_by_the_whole_interval():
    kept = days([2.0] * 40, [1_800 * day for day in range(20)])
    broken = days([0.0] * 40, [1_800 * day for day in range(20)], expected=2)
    assert verdict(plan(violations_ppm=200_000), kept).ruling is Ruling.PASS
    # None of 20 is broken, but 3 might have been.
    assert verdict(plan(violations_ppm=100_000), kept).ruling is Ruling.UNDECIDED
    assert verdict(plan(), broken).ruling is Ruling.FAIL
    assert verdict(plan(), kept[:1]).ruling is Ruling.UNDECIDED


def test_without_windows_nothing_is_judged():
    with pytest.raises(ValueError, match="one window"):
        verdict(plan(), ())


def test_where_nobody_is_admitted_nothing_is_known_of_promises():
    kept = days([2.0] * 40, [1_800 * day for day in range(20)])
    found = verdict(plan(70_000, 70_000), kept)
    assert (found.ruling, found.more_windows) == (Ruling.UNDECIDED, None)
    assert found.broken_share.low is None


def test_a_promise_of_none_fails_at_the_first_that_is_broken():
    power = [2.0, 2.0] * 19 + [0.0, 0.0]
    mixed = days(power, [1_800 * day for day in range(20)], expected=2)
    found = verdict(plan(violations_ppm=0), mixed)
    assert found.broken_share.value == pytest.approx(0.05)
    assert found.ruling is Ruling.FAIL


def test_more_windows_are_asked_for_by_the_root_of_their_number():
    # Of 20 jobs, one a window, 5 are broken: 0.25 with a deviation of sqrt(0.25 * 0.75 / 19).
    power = ([2.0, 2.0] * 3 + [0.0, 0.0]) * 5
    mixed = days(power, [1_800 * day for day in range(20)], expected=2)
    found = verdict(plan(violations_ppm=300_000), mixed)
    half = 2.093 * (0.25 * 0.75 / 19) ** 0.5
    wanted = 20 * (half / 0.05) ** 2
    assert found.ruling is Ruling.UNDECIDED
    assert found.more_windows == pytest.approx(wanted - 20, abs=2)


def test_baselines_that_are_named_are_replayed():
    windows = days([2.0] * 4, [0, 1_800])
    assert verdict(plan(), windows, baselines=()).baselines == ()
    (only,) = verdict(plan(), windows, baselines=("smart-green",)).baselines
    assert only.means == verdict(plan(), windows).baselines[1].means
    (first,) = verdict(plan(), windows, baselines=("first", "first-fit")).baselines
    assert first.name == "first-fit"
