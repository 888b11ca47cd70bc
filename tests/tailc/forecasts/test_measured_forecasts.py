"""Forecasts of measured production; only where TAILC_DATA says it is."""

import functools
import os
from pathlib import Path

import numpy as np
import pytest

from bench.solar_forecasts import best_day, california, golden, rows_of
from tailc.forecasts.scenarios import scenarios
from tailc.forecasts.solar import SolarRule

DATA = os.environ.get("TAILC_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="TAILC_DATA is not set")

# Of one hour ahead, in Goiri et al., EuroSys 2012, as Haque 2016 cites it.
PUBLISHED = 0.11


@functools.cache
def measured(site_of):
    return site_of(Path(DATA), "compile")


@functools.cache
def rows(site_of):
    return dict(rows_of(measured(site_of)))


@pytest.fixture(params=[golden, california])
def site(request):
    return measured(request.param)


@pytest.fixture(params=[golden, california])
def found(request):
    return rows(request.param)


def an_hour_ahead(found, start):
    return min(each.absolute_share[0] for name, each in found.items() if name.startswith(start))


def test_the_published_method_beats_persistence_an_hour_ahead(found):
    published = an_hour_ahead(found, "better (")
    assert published < 0.7 * an_hour_ahead(found, "persistence")


def test_the_published_error_lies_between_one_roof_and_a_whole_state():
    of_roof = an_hour_ahead(rows(golden), "better (")
    of_state = an_hour_ahead(rows(california), "better (")
    assert of_state < PUBLISHED < of_roof


def test_the_last_hour_helps_the_weather_forecast_an_hour_ahead(found):
    assert an_hour_ahead(found, "better (") < an_hour_ahead(found, "weather (")


def test_caution_trades_over_for_under_prediction(found):
    bias = [
        next(each.bias_share[0] for name, each in found.items() if name.startswith(start))
        for start in ("better (", "better, B x 0.9", "better, B x 0.8", "better, B x 0.7")
    ]
    assert bias == sorted(bias, reverse=True)
    assert bias[0] - bias[3] == pytest.approx(0.3, abs=0.01)


def test_scenarios_of_measured_days_hold_what_came_about_as_often_as_they_should(site):
    made = best_day(site, next(iter(site.clouds)), SolarRule())
    at_noon = np.flatnonzero((made.issue - site.past.first) % 24 == 12)[60:160]
    inside = []
    for index in at_noon:
        step = int(made.issue[index])
        ways = scenarios(site.actual, made, int(index), 19, seed=1)
        came, known = site.actual.value[step : step + 48], site.actual.known[step : step + 48]
        counts = known & (came > 0)
        inside.extend((ways.min(axis=0) <= came)[counts] & (came <= ways.max(axis=0))[counts])
    # Were days alike, 18 of 20 would fall between the least and the most of 19 others.
    assert 0.8 < np.mean(inside) < 0.95
