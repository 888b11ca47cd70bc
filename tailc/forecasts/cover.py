"""Cloud cover from a forecast of irradiance, for weather services that tell no cover."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.forecasts.best_day import DAYS_OF_MONTH
from tailc.traces.series.series import SECONDS_PER_DAY, Quantity, TimeSeries
from tailc.traces.series.weather import LEAST_CLEAR_W_M2, cloud_index


def cover_of_irradiance(forecast: TimeSeries, history_days: int = DAYS_OF_MONTH) -> TimeSeries:
    """1 - I(t) / the most that was forecast for that hour of the day on the days before.

    Only steps before t are looked at, so it could have been known then. Not known where the most is
    below 50 W/m2, as at night, or on the first day.
    """
    if forecast.quantity is not Quantity.IRRADIANCE:
        raise ValueError("cloud cover is made of an irradiance")
    per_day, rest = divmod(SECONDS_PER_DAY, forecast.step_s)
    if rest or history_days < 1:
        raise ValueError("days are of whole steps, and a history has one at least")
    most = np.zeros(forecast.steps)
    for days in range(1, history_days + 1):
        back = min(days * per_day, forecast.steps)
        most[back:] = np.maximum(most[back:], forecast.value[: forecast.steps - back])
    known = forecast.known & (most >= LEAST_CLEAR_W_M2)
    value = np.where(known, cloud_index(forecast.value, most), 0.0)
    return replace(forecast, quantity=Quantity.CLOUD_COVER, value=value, known=known)
