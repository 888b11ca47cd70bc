from dataclasses import replace

import numpy as np
import pytest

from tailc.forecasts.days import Days
from tailc.pipeline.days.days_of_spec import open_days
from tailc.pipeline.later_jobs.past_windows import past_windows
from tailc.pipeline.spec import open_kind
from tailc.specs.days import DaysSettings
from tests.tailc.policies.greenpar.case import write


@pytest.fixture(scope="module")
def days(tmp_path_factory) -> Days:
    """A half day from the third day of the kit's eight on; epochs of half an hour."""
    case = write(tmp_path_factory.mktemp("past"))
    opened = open_kind(str(case.spec))
    demand = opened.spec.demand
    assert isinstance(demand, DaysSettings)
    return open_days(demand, str(case.spec), opened.loaded.place)


def with_other_future(days: Days) -> Days:
    """The same days with ten times the power from the start of the plan on."""
    power = days.energy.power.value.copy()
    power[days.first :] *= 10
    energy = replace(days.energy, power=replace(days.energy.power, value=power))
    return replace(days, energy=energy)


def test_jobs_of_each_day_are_combined_with_the_energy_of_each_day_that_has_a_forecast(days):
    windows = past_windows(days, 10, 1.1)
    # Two days before; the first has no day before it to forecast from.
    assert len({one.start_unix_s for one in windows}) == 1
    assert [one.jobs.jobs for one in windows] == [5, 6]
    assert windows[0].start_unix_s == days.start_unix_s - 86_400
    assert windows[0].jobs.run_s.tolist() != windows[1].jobs.run_s.tolist()


def test_windows_know_nothing_of_the_energy_after_the_start(days):
    before, after = past_windows(days, 10, 1.1), past_windows(with_other_future(days), 10, 1.1)
    assert len(before) == len(after) > 0
    for one, other in zip(before, after, strict=True):
        assert np.array_equal(one.supply.green_mw, other.supply.green_mw)
        for epoch in range(0, one.supply.epochs, 7):
            ahead = one.supply.epochs - epoch
            forecasts = [each.expected.ahead(epoch, ahead).green_mw for each in (one, other)]
            assert np.array_equal(forecasts[0], forecasts[1])


def test_a_window_of_malleable_jobs_goes_on_until_its_jobs_are_done(days):
    (window, *_), (short, *_) = past_windows(days, 10, 1.1), past_windows(days, 10, None)
    longest = -(-window.jobs.run_s.max() * 1.1 // days.epoch_s)
    assert short.supply.epochs == days.epochs
    assert window.supply.epochs == days.epochs + min(longest, days.epochs)


def test_forecasts_are_those_that_were_made_then(days):
    window = past_windows(days, 10, None)[0]
    expected = window.expected.ahead(0, days.epochs).green_mw
    yesterday = days.first - 2 * 86_400 // days.epoch_s
    actual = days.energy.actual_supply(slice(yesterday, yesterday + days.epochs))[0]
    assert np.array_equal(expected, actual)


def test_without_earlier_days_there_are_no_windows(days):
    assert past_windows(replace(days, first=0), 10, 1.1) == ()


def test_wide_jobs_are_left_out_and_numbers_may_repeat(days):
    jobs = replace(days.jobs, number=np.ones_like(days.jobs.number))
    windows = past_windows(replace(days, jobs=jobs), 2, 1.1)
    assert windows
    for one in windows:
        assert one.jobs.width.max() <= 2
        assert len(set(one.jobs.number.tolist())) == one.jobs.jobs


def test_windows_with_unknown_energy_are_left_out(days):
    power = days.energy.power
    known = np.arange(power.steps) >= days.first
    unknown = replace(power, known=known, value=np.where(known, power.value, 0.0))
    made = replace(days, energy=replace(days.energy, power=unknown))
    assert past_windows(made, 10, 1.1) == ()
