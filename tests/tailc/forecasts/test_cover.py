"""Cloud cover of a forecast irradiance, by what was forecast before."""

import numpy as np
import pytest

from tailc.forecasts.cover import cover_of_irradiance
from tailc.traces.series.series import SeriesQuantity
from tests.tailc.forecasts.making import PER_DAY, hours_of


def irradiance(*days):
    return hours_of(np.repeat(np.array(days, float), PER_DAY), SeriesQuantity.IRRADIANCE)


def daily(series):
    return series.value[::PER_DAY].tolist(), series.known[::PER_DAY].tolist()


def test_the_cover_is_what_lacks_to_the_most_of_the_days_before():
    cover = cover_of_irradiance(irradiance(400, 300, 500, 100), history_days=2)
    assert daily(cover) == ([0, 0.25, 0, 0.8], [False, True, True, True])


def test_days_longer_ago_than_the_history_do_not_count():
    cover = cover_of_irradiance(irradiance(800, 400, 200, 100), history_days=1)
    assert daily(cover)[0] == [0, 0.5, 0.5, 0.5]


def test_where_the_sun_is_low_nothing_is_known():
    assert daily(cover_of_irradiance(irradiance(49, 20, 50)))[1] == [False, False, False]


def test_only_an_irradiance_tells_clouds():
    with pytest.raises(ValueError, match="an irradiance"):
        cover_of_irradiance(hours_of([1, 2]))
