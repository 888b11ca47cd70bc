"""The picture of a forecast and what came."""

import numpy as np
import pytest

from tailc.forecasts.best_day import BestDay, PastDays
from tailc.forecasts.scenarios import scenarios
from tailc.forecasts.solar import solar_forecasts
from tailc.report.forecast_plot import ForecastPlot, picture
from tests.tailc.forecasts.making import (
    PER_DAY,
    clouds_of,
    hours_of,
    seeded_cover,
    sun_under,
)

DAYS = 8
INDEX = 4 * PER_DAY


@pytest.fixture(scope="module")
def plot():
    actual = sun_under(seeded_cover(3, DAYS))
    issue = np.arange(PER_DAY, (DAYS - 1) * PER_DAY)
    clouds = clouds_of(seeded_cover(4, DAYS))
    made = solar_forecasts(actual, clouds, BestDay(PastDays(actual)), issue, PER_DAY)
    return ForecastPlot(actual, made, INDEX, scenarios(actual, made, INDEX, 2, seed=1))


def test_a_picture_says_when_and_what(plot):
    drawn = picture(plot, "svg").decode()
    # The fifth day after the first of the series at midnight.
    for text in ("hours after 2012-07-05T00:00Z", "power [kW]", "what came", "forecast at hour 0"):
        assert text in drawn
    assert "with errors of past days" in drawn


def test_the_same_picture_has_the_same_bytes(plot):
    assert picture(plot, "svg") == picture(plot, "svg")
    assert picture(plot, "png").startswith(b"\x89PNG")


def test_a_picture_goes_without_scenarios_and_past_what_is_known(plot):
    lost = np.where(np.arange(plot.actual.steps) > plot.issue + 3, np.nan, plot.actual.value)
    drawn = picture(ForecastPlot(hours_of(lost), plot.forecasts, INDEX), "svg").decode()
    assert "with errors of past days" not in drawn
    short = plot.actual.part(slice(0, plot.issue + 3))
    assert picture(ForecastPlot(short, plot.forecasts, INDEX), "svg")


def test_what_is_on_no_common_grid_is_not_drawn(plot):
    with pytest.raises(ValueError, match="on one grid"):
        ForecastPlot(plot.actual.part(slice(1, None)), plot.forecasts, INDEX)
    with pytest.raises(ValueError, match="no such forecast"):
        ForecastPlot(plot.actual, plot.forecasts, len(plot.forecasts.issue))
