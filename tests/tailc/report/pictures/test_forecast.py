"""Pictures of a forecast and the measured power."""

import numpy as np
import pytest

from tailc.forecasts.best_day import BestDay, PastDays
from tailc.forecasts.scenarios import scenarios
from tailc.forecasts.solar import solar_forecasts
from tailc.report.pictures.forecast import ForecastPlot, forecast_figures
from tests.tailc.forecasts.making import (
    PER_DAY,
    clouds_of,
    hours_of,
    seeded_cover,
    sun_under,
)
from tests.tailc.report.pictures.drawings import SVG, heights, line_points, root_of, texts

DAYS = 8
INDEX = 4 * PER_DAY


@pytest.fixture(scope="module")
def plot():
    actual = sun_under(seeded_cover(3, DAYS))
    issue = np.arange(PER_DAY, (DAYS - 1) * PER_DAY)
    clouds = clouds_of(seeded_cover(4, DAYS))
    made = solar_forecasts(actual, clouds, BestDay(PastDays(actual)), issue, PER_DAY)
    return ForecastPlot(actual, made, INDEX, scenarios(actual, made, INDEX, 2, seed=1))


def test_pictures_say_when_and_what(plot):
    ahead, next_step = forecast_figures(plot)
    # The fifth day after the first of the series at midnight.
    for figure in (ahead, next_step):
        assert texts(figure, "axis") == ["hours after 2012-07-05T00:00Z", "power [kW]"]
        assert texts(figure, "tick")[:4] == ["-12", "0", "12", "24"]
    names = ["forecast at hour 0", "measured", "with errors of past days"]
    assert texts(ahead, "legend") == names
    assert texts(next_step, "legend") == ["forecast a step ahead", "measured", "error"]


def test_lines_are_the_power_of_each_hour(plot):
    ahead, next_step = forecast_figures(plot)
    (line,) = line_points(ahead, "t0")
    forecast_kw = plot.forecasts.value[INDEX] / 1_000
    seen = heights(ahead, [y for _, y in line])
    np.testing.assert_allclose(seen, np.repeat(forecast_kw, 2), atol=2e-3)
    (measured,) = line_points(ahead, "ink")
    came_kw = plot.actual.value[plot.issue - 12 : plot.issue + PER_DAY] / 1_000
    seen = heights(ahead, [y for _, y in measured])
    np.testing.assert_allclose(seen, np.repeat(came_kw, 2), atol=2e-3)
    (steps,) = line_points(next_step, "t0")
    ahead_kw = plot.forecasts.value[INDEX : INDEX + PER_DAY, 0] / 1_000
    seen = heights(next_step, [y for _, y in steps])
    np.testing.assert_allclose(seen, np.repeat(ahead_kw, 2), atol=2e-3)
    assert len(line_points(ahead, "faint")) == 2


def test_pictures_go_without_scenarios_and_past_what_is_known(plot):
    lost = np.where(np.arange(plot.actual.steps) > plot.issue + 3, np.nan, plot.actual.value)
    lost[plot.issue] = np.nan
    ahead, next_step = forecast_figures(ForecastPlot(hours_of(lost), plot.forecasts, INDEX))
    assert "with errors of past days" not in texts(ahead, "legend")
    # Twelve hours, and three after the gap of one.
    assert [len(line) for line in line_points(ahead, "ink")] == [24, 6]
    bands = [one for one in root_of(next_step).iter(f"{SVG}path") if "band" in one.attrib["class"]]
    assert len(bands) == 1
    short = plot.actual.part(slice(0, plot.issue + 3))
    ahead, _ = forecast_figures(ForecastPlot(short, plot.forecasts, INDEX))
    assert [len(line) for line in line_points(ahead, "ink")] == [30]


def test_what_is_on_no_common_grid_is_not_drawn(plot):
    with pytest.raises(ValueError, match="same start and steps"):
        ForecastPlot(plot.actual.part(slice(1, None)), plot.forecasts, INDEX)
    with pytest.raises(ValueError, match="number of a forecast"):
        ForecastPlot(plot.actual, plot.forecasts, len(plot.forecasts.issue))
