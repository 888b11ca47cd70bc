"""The readers on measured production, a real grid and real weather; only where TAILC_DATA is."""

import os
from pathlib import Path

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.traces.series.days import day_pairs
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.resample import on_epochs, scaled_to_peak
from tailc.traces.series.series import SeriesQuantity, energy_kwh
from tailc.traces.series.table_series import read_series
from tailc.traces.series.weather import read_nsrdb, read_tmy3
from tailc.traces.zones import instant

DATA = os.environ.get("TAILC_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="TAILC_DATA is not set")

HOUR = 3_600


def measured(*parts):
    return str(Path(DATA or "", *parts))


def production(**others):
    reading = SeriesReading("utc", "ac_power_w", SeriesQuantity.POWER, "W", **others)
    return read_series(measured("pv-measured", "nrel_pvdaq50_compile.parquet"), reading)


def grid(column, quantity, unit):
    reading = SeriesReading("utc_hour", column, quantity, unit, zone="UTC")
    return read_series(measured("grid-hourly", "CISO_compile.parquet"), reading)


def test_the_gaps_of_a_measured_production_are_counted():
    series = production(fill_up_to_s=HOUR, skip_longer_gaps=True)
    assert (series.steps, series.step_s) == (51_332, 900)
    assert int((~series.known).sum()) == 2_040
    assert series.value[series.known].mean() == pytest.approx(622, abs=1)
    with pytest.raises(TailcError, match=r"gap of 15 min .* and in 36 other gaps; none is filled"):
        production()


def test_a_production_with_offsets_in_its_stamps_and_small_negative_nights():
    reading = SeriesReading("measured_on", "ac_power", SeriesQuantity.POWER, "W")
    series = read_series(measured("pv-measured", "serf_east_15min_ac_power.csv"), reading)
    assert series.start_unix_s == instant("2016-07-01T00:00-07:00")
    assert series.value.max() == pytest.approx(5_426, abs=1)
    (warning,) = series.warnings
    assert warning.code is Code.NIGHT_CLAMPED
    assert "down to -6.3533 W" in warning.message


def test_local_and_utc_times_of_a_grid_are_the_same_series():
    path = measured("grid-hourly", "CISO_2019_clean.to-2021-06.csv")
    local = SeriesReading(
        "Local time", "solar", SeriesQuantity.POWER, "MW", zone="America/Los_Angeles"
    )
    in_utc = SeriesReading(
        "UTC time",
        "solar",
        SeriesQuantity.POWER,
        "MW",
        zone="UTC",
        time_pattern="%m/%d/%Y %H:%M:%S",
    )
    of_local, of_utc = read_series(path, local), read_series(path, in_utc)
    assert of_local.start_unix_s == of_utc.start_unix_s
    assert np.array_equal(of_local.value, of_utc.value)
    assert [each.code for each in of_local.warnings] == [Code.CLOCK_CHANGE]


def test_a_grid_has_sun_wind_and_carbon():
    assert grid("solar_mw", SeriesQuantity.POWER, "MW").value.mean() / 1e6 == pytest.approx(
        3_229, abs=1
    )
    assert grid("wind_mw", SeriesQuantity.POWER, "MW").is_whole
    carbon = grid("carbon_g_per_kwh", SeriesQuantity.CARBON, "g/kWh")
    assert carbon.value.mean() == pytest.approx(200, abs=1)


def test_times_of_a_grid_with_no_zone_are_refused():
    reading = SeriesReading("utc_hour", "solar_mw", SeriesQuantity.POWER, "MW")
    with pytest.raises(TailcError, match="has no time zone"):
        read_series(measured("grid-hourly", "CISO_compile.parquet"), reading)


def test_days_of_a_measured_production_are_high_medium_and_low():
    series = scaled_to_peak(production(skip_longer_gaps=True), 176_200)
    pairs = day_pairs(series, 7 * HOUR)
    high, medium, low = (energy_kwh(each) for each in (pairs.high, pairs.medium, pairs.low))
    assert high > medium > low > 0
    assert energy_kwh(on_epochs(pairs.high, HOUR)) == pytest.approx(high)


def test_a_raw_typical_year():
    weather = read_tmy3(measured("weather-files", "703165TY.csv"), 2011)
    assert weather.ghi.steps == 8_760
    assert weather.ghi.is_whole
    assert weather.cloud_cover.is_whole
    # The sun of a site at 55 degrees north is highest near local noon, 13:42 by its clock.
    by_hour = weather.ghi.value.reshape(-1, 24).mean(axis=0)
    assert int(np.argmax(by_hour)) == 13


def test_a_raw_year_of_half_hours():
    weather = read_nsrdb(measured("weather-files", "nsrdb_psm4_401182_2023.csv"))
    assert (weather.ghi.steps, weather.ghi.step_s) == (17_520, 1_800)
    assert weather.ghi.value.max() == 1_061
    assert 0.4 < weather.cloud_cover.known.mean() < 0.5
