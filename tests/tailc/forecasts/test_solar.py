"""The published forecast by hand, and that it never looks ahead."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forecasts.best_day import BestDay, PastDays
from tailc.forecasts.solar import Cover, SolarRule, nearest_known, solar_forecasts
from tailc.traces.series.resample import on_epochs
from tailc.traces.series.series import energy_kwh
from tests.tailc.forecasts.making import (
    CLEAR_W,
    PER_DAY,
    clouds_of,
    hours_of,
    seeded_cover,
    sun_under,
)

DAYS = 5
NOON = 3 * PER_DAY + 12


def forecast(actual, clouds, issue=NOON, steps=6, **rule):
    issues = np.atleast_1d(np.array(issue))
    made = solar_forecasts(
        actual, clouds, BestDay(PastDays(actual)), issues, steps, SolarRule(**rule)
    )
    return made.value[0]


def under(cover_that_came, cover_forecast=0.0):
    """Production under a cover, after a clear day, and another cover as the forecast."""
    cover = np.full(DAYS * PER_DAY, cover_that_came)
    cover[:PER_DAY] = 0
    return sun_under(cover), clouds_of(np.full(DAYS * PER_DAY, cover_forecast))


def test_weather_takes_its_cover_off_the_best_day():
    value = forecast(*under(0.2, 0.25), cover=Cover.WEATHER)
    assert value.tolist() == pytest.approx((0.75 * CLEAR_W[12:18]).tolist())


def test_the_last_hour_tells_the_cover_of_all_hours_to_come():
    value = forecast(*under(0.4, 0.25), cover=Cover.LAST_HOUR)
    assert value.tolist() == pytest.approx((0.6 * CLEAR_W[12:18]).tolist())


@pytest.mark.parametrize(("came", "told", "used"), [(0.4, 0.25, 0.6), (0.25, 0.25, 0.75)])
def test_what_was_nearer_for_the_hour_before_is_used(came, told, used):
    value = forecast(*under(came, told), cover=Cover.BETTER)
    assert value.tolist() == pytest.approx((used * CLEAR_W[12:18]).tolist())


def test_a_cover_that_jumps_makes_the_weather_forecast_the_better_one():
    cover = np.zeros(DAYS * PER_DAY)
    # The hour before the last was clear, the last was as the weather service said.
    cover[NOON - 1 :] = 0.5
    value = forecast(sun_under(cover), clouds_of(np.where(cover > 0, 0.45, 0.3)))
    assert value[0] == pytest.approx(0.55 * CLEAR_W[12])


def test_at_night_the_weather_forecast_is_kept():
    actual, clouds = under(0.4, 0.25)
    before_sunrise = 3 * PER_DAY + 6
    for cover in Cover:
        value = forecast(actual, clouds, before_sunrise, cover=cover)
        assert value.tolist() == pytest.approx((0.75 * CLEAR_W[6:12]).tolist())


def test_a_cover_stays_within_0_and_1():
    cover = np.zeros(DAYS * PER_DAY)
    actual = sun_under(cover)
    more = hours_of(np.where(np.arange(actual.steps) == NOON - 1, 5_000, actual.value))
    value = forecast(more, clouds_of(cover + 0.5), cover=Cover.LAST_HOUR)
    assert value.tolist() == CLEAR_W[12:18].tolist()


def test_an_hour_that_is_not_known_keeps_the_weather_forecast():
    actual, clouds = under(0.4, 0.25)
    for lost in (NOON - 1, NOON - 2):
        value = np.where(np.arange(actual.steps) == lost, np.nan, actual.value)
        found = forecast(hours_of(value), clouds)
        assert found.tolist() == pytest.approx((0.75 * CLEAR_W[12:18]).tolist())


@pytest.mark.parametrize("cover", Cover)
@pytest.mark.parametrize("factor", [0.9, 0.8, 0.7])
def test_caution_scales_a_forecast_whichever_cover_it_uses(cover, factor):
    actual, clouds = under(0.4, 0.25)
    plain = forecast(actual, clouds, cover=cover)
    careful = forecast(actual, clouds, cover=cover, conservatism=factor)
    assert careful == pytest.approx(factor * plain)


@given(
    st.integers(0, 1_000),
    st.integers(2 * PER_DAY, 4 * PER_DAY),
    st.sampled_from(list(Cover)),
    st.floats(0, 3_000),
    st.integers(0, 40),
)
def test_no_future_production_changes_a_forecast(seed, issue, cover, other_w, later):
    cover_that_came = seeded_cover(seed, DAYS + 2)
    actual = sun_under(cover_that_came)
    clouds = clouds_of(seeded_cover(seed + 1, DAYS + 2))
    step = min(issue + later, actual.steps - 1)
    changed = hours_of(np.where(np.arange(actual.steps) >= step, other_w, actual.value))
    lost = hours_of(np.where(np.arange(actual.steps) >= step, np.nan, actual.value))
    found = forecast(actual, clouds, issue, 48, cover=cover)
    assert np.array_equal(found, forecast(changed, clouds, issue, 48, cover=cover))
    assert np.array_equal(found, forecast(lost, clouds, issue, 48, cover=cover))


def test_one_forecast_is_as_it_is_among_many():
    actual = sun_under(seeded_cover(1, DAYS + 2))
    clouds = clouds_of(seeded_cover(2, DAYS + 2))
    issues = np.arange(2 * PER_DAY, 5 * PER_DAY)
    many = solar_forecasts(actual, clouds, BestDay(PastDays(actual)), issues, 48)
    for index in (0, 30, 71):
        alone = forecast(actual, clouds, issues[index], 48)
        assert np.array_equal(many.value[index], alone)


def test_a_forecast_on_epochs_keeps_its_energy():
    actual, clouds = under(0.4, 0.25)
    made = solar_forecasts(actual, clouds, BestDay(PastDays(actual)), np.array([NOON]), 6)
    series = made.series(0)
    assert series.start_unix_s == actual.start_unix_s + NOON * 3_600
    epochs = on_epochs(series, 900)
    assert epochs.steps == 24
    assert energy_kwh(epochs) == pytest.approx(energy_kwh(series))


def test_hours_that_the_weather_service_leaves_out_are_as_the_nearest():
    clouds = clouds_of([np.nan, 0.1, np.nan, np.nan, np.nan, 0.5, np.nan])
    assert nearest_known(clouds).tolist() == [0.1, 0.1, 0.1, 0.1, 0.5, 0.5, 0.5]


def test_what_cannot_be_forecast_is_no_forecast():
    actual, clouds = under(0.4, 0.25)
    for issue in (1, DAYS * PER_DAY - 5):
        with pytest.raises(ValueError, match="two steps before"):
            forecast(actual, clouds, issue)
    with pytest.raises(ValueError, match="a cloud cover"):
        forecast(actual, actual)
    with pytest.raises(ValueError, match="start and steps"):
        forecast(actual, clouds.part(slice(1, None)))
    with pytest.raises(ValueError, match="no cloud cover"):
        forecast(actual, clouds_of(np.full(actual.steps, np.nan)))
    with pytest.raises(ValueError, match="at most 1"):
        SolarRule(conservatism=1.1)
