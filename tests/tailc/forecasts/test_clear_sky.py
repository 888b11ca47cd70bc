"""Ideal production as a clear sky would bring it."""

import sys

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forecasts.best_day import PastDays
from tailc.forecasts.clear_sky import ClearSky, Panels, clear_sky
from tailc.traces.series.series import SeriesQuantity
from tests.tailc.forecasts.making import HOUR, PER_DAY, START, hours_of

GOLDEN = Panels(39.74, -105.17, 1_829)


def sun_of(*days):
    """A clear sky that brings a value throughout each day."""
    return hours_of(np.repeat(np.array(days, float), PER_DAY), SeriesQuantity.IRRADIANCE)


def power_of(*days):
    return hours_of(np.repeat(np.array(days, float), PER_DAY))


def test_panels_make_of_the_sky_what_they_made_on_their_best_day():
    # 3 and 4 W per W/m2 on the days before.
    ideal = ClearSky(PastDays(power_of(30, 20, 0, 0)), sun_of(10, 5, 7, 9))
    issue = np.array([2 * PER_DAY])
    assert ideal.production_at(issue, issue + np.array([0, PER_DAY])).tolist() == [28, 36]
    assert ideal.production_at(issue - PER_DAY, issue).tolist() == [21]


def test_a_day_not_known_or_without_sun_tells_nothing():
    ideal = ClearSky(PastDays(power_of(30, np.nan, 50, 0)), sun_of(10, 5, 0, 9))
    issue = np.array([3 * PER_DAY])
    assert ideal.production_at(issue, issue).tolist() == [27]
    with pytest.raises(TailcError, match="no day of the 30 days before"):
        ideal.production_at(np.array([0]), np.array([0]))


def test_a_clear_sky_is_high_at_noon_and_dark_at_night():
    sky = clear_sky(GOLDEN, START, HOUR, PER_DAY)
    assert sky.quantity is SeriesQuantity.IRRADIANCE
    # Noon in Golden is at 19:04 UTC, and this is nine days after midsummer.
    assert int(np.argmax(sky.value)) in (18, 19)
    assert 950 < sky.value.max() < 1_100
    assert sky.value[4:11].tolist() == [0] * 7


def test_tilted_panels_have_more_of_the_winter_sun():
    winter = START + 180 * 86_400
    tilted = Panels(39.74, -105.17, 1_829, tilt_deg=40)
    flat = clear_sky(GOLDEN, winter, HOUR, PER_DAY).value.sum()
    assert clear_sky(tilted, winter, HOUR, PER_DAY).value.sum() > 1.5 * flat


def test_finer_steps_add_up_to_the_same_sun():
    hours = clear_sky(GOLDEN, START, HOUR, PER_DAY)
    quarters = clear_sky(GOLDEN, START, 900, 4 * PER_DAY)
    assert quarters.value.reshape(-1, 4).mean(axis=1) == pytest.approx(hours.value)


def test_without_pvlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pvlib", None)
    with pytest.raises(TailcError) as found:
        clear_sky(GOLDEN, START, HOUR, PER_DAY)
    (finding,) = found.value.findings
    assert finding.code is Code.MISSING_PART
    assert "tailc[green]" in finding.help


def test_a_sky_that_is_of_another_time_is_refused():
    past = PastDays(power_of(1, 1))
    for sky in (sun_of(1), sun_of(1, 1, 1).part(slice(1, None)), sun_of(1, np.nan), power_of(1, 1)):
        with pytest.raises(ValueError, match="clear sky"):
            ClearSky(past, sky)


@pytest.mark.parametrize("place", [(91, 0, 0), (0, 181, 0), (0, 0, 0, 91), (0, 0, 0, 0, 360)])
def test_panels_are_somewhere_and_look_somewhere(place):
    with pytest.raises(ValueError, match=r"latitude|tilt"):
        Panels(*place)
