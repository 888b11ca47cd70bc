"""Estimate cloud cover from a forecast of irradiance, if the weather service gives no cover."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.forecasts.best_day import DAYS_OF_MONTH
from tailc.traces.series.series import SECONDS_PER_DAY, SeriesQuantity, TimeSeries
from tailc.traces.series.weather import LEAST_CLEAR_W_M2, cloud_index


def cover_of_irradiance(forecast: TimeSeries, history_days: int = DAYS_OF_MONTH) -> TimeSeries:
    """Estimate cloud cover, 0 to 1, from a forecast of irradiance.

    It is 1 - forecast / the largest forecast for the same hour on earlier days. Uses only steps
    before each step. Unknown where the largest forecast is below 50 W/m2, as at night, and on the
    first day.
    """
    if forecast.quantity is not SeriesQuantity.IRRADIANCE:
        raise ValueError("cloud cover needs an irradiance")
    per_day, rest = divmod(SECONDS_PER_DAY, forecast.step_s)
    if rest or history_days < 1:
        raise ValueError(
            "a day must be a whole number of steps long, and a history at least one day"
        )
    most = np.zeros(forecast.steps)
    for days in range(1, history_days + 1):
        back = min(days * per_day, forecast.steps)
        most[back:] = np.maximum(most[back:], forecast.value[: forecast.steps - back])
    known = forecast.known & (most >= LEAST_CLEAR_W_M2)
    value = np.where(known, cloud_index(forecast.value, most), 0.0)
    return replace(forecast, quantity=SeriesQuantity.CLOUD_COVER, value=value, known=known)
