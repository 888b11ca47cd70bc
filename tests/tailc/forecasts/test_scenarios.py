"""Ways a day may turn out: whole paths of past errors, drawn by seed."""

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forecasts.best_day import BestDay, PastDays
from tailc.forecasts.forecasts import Forecasts
from tailc.forecasts.scenarios import scenarios
from tailc.forecasts.solar import solar_forecasts
from tests.tailc.forecasts.making import (
    CLEAR_W,
    HOUR,
    PER_DAY,
    START,
    clouds_of,
    hours_of,
    seeded_cover,
    sun_under,
)

DAYS = 12


@pytest.fixture(scope="module")
def made():
    actual = sun_under(seeded_cover(3, DAYS))
    clouds = clouds_of(seeded_cover(4, DAYS))
    issue = np.arange(PER_DAY, (DAYS - 1) * PER_DAY)
    return actual, solar_forecasts(actual, clouds, BestDay(PastDays(actual)), issue, PER_DAY)


def at_noon_of(day):
    return (day - 1) * PER_DAY + 12


def test_a_scenario_is_the_forecast_plus_the_errors_of_one_past_day():
    actual = hours_of([1, 2] * PER_DAY)
    value = np.array([[1.0, 5.0], [3.0, 4.0]])
    forecasts = Forecasts(np.array([0, PER_DAY]), value, START, HOUR, "made")
    # A day before, 1 and 5 were forecast, and 1 and 2 came: errors of 0 and -3.
    assert scenarios(actual, forecasts, 1, 1, seed=0).tolist() == [[3.0, 1.0]]


def test_no_scenario_is_negative_or_has_sun_at_night(made):
    actual, forecasts = made
    drawn = scenarios(actual, forecasts, at_noon_of(9), 5, seed=1)
    assert drawn.shape == (5, PER_DAY)
    hours = (12 + np.arange(PER_DAY)) % PER_DAY
    assert (drawn >= 0).all()
    assert not drawn[:, CLEAR_W[hours] == 0].any()


def test_days_longer_ago_than_the_history_are_not_drawn(made):
    actual, forecasts = made
    assert len(scenarios(actual, forecasts, at_noon_of(9), 3, seed=1, history_days=3)) == 3
    with pytest.raises(TailcError, match="3 past days"):
        scenarios(actual, forecasts, at_noon_of(9), 4, seed=1, history_days=3)


def test_scenarios_are_the_same_for_a_seed_and_others_for_another(made):
    actual, forecasts = made
    first = scenarios(actual, forecasts, at_noon_of(9), 4, seed=1)
    assert np.array_equal(first, scenarios(actual, forecasts, at_noon_of(9), 4, seed=1))
    assert not np.array_equal(first, scenarios(actual, forecasts, at_noon_of(9), 4, seed=2))
    assert len(np.unique(first, axis=0)) == 4


@pytest.mark.parametrize("seed", range(3))
def test_no_future_production_changes_a_scenario(made, seed):
    actual, forecasts = made
    index = at_noon_of(9)
    step = int(forecasts.issue[index])
    changed = hours_of(np.where(np.arange(actual.steps) >= step, 77.0, actual.value))
    # All eight days before are drawn, so one that does not count would be among them.
    found = scenarios(actual, forecasts, index, 8, seed)
    assert np.array_equal(found, scenarios(changed, forecasts, index, 8, seed))


def test_days_that_have_not_ended_or_are_not_known_are_not_drawn(made):
    actual, forecasts = made
    with pytest.raises(TailcError) as found:
        scenarios(actual, forecasts, at_noon_of(4), 4, seed=1)
    (finding,) = found.value.findings
    assert finding.code is Code.SHORT_HISTORY
    assert "have a forecast and a known production, but" in finding.message
    lost = hours_of(np.where(np.arange(actual.steps) == 2 * PER_DAY, np.nan, actual.value))
    with pytest.raises(TailcError, match="2 past days"):
        scenarios(lost, forecasts, at_noon_of(4), 3, seed=1)
