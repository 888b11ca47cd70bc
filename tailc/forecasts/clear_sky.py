"""Ideal production of solar panels, computed for a clear sky.

Unlike `BestDay` it accounts for the length of days and the orientation of the panels. Their
production per irradiance is measured: the largest ratio of energy to irradiance of a day in the
past month.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tailc.errors import Code, Finding, TailcError
from tailc.forecasts.best_day import PastDays
from tailc.forecasts.forecasts import Floats, Ints
from tailc.traces.series.series import SeriesQuantity, TimeSeries, of_values

# The sun moves a little more than a degree in this time.
_SAMPLE_S = 300


@dataclass(frozen=True)
class Panels:
    """Location and orientation of solar panels.

    Latitude is north, longitude east, tilt from horizontal, azimuth from north through east
    [degrees].
    """

    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    tilt_deg: float = 0.0
    azimuth_deg: float = 180.0

    def __post_init__(self) -> None:
        if not (abs(self.latitude_deg) <= 90 and abs(self.longitude_deg) <= 180):
            raise ValueError("a latitude must be -90 to 90 degrees, a longitude -180 to 180")
        if not (0 <= self.tilt_deg <= 90 and 0 <= self.azimuth_deg < 360):
            raise ValueError("a tilt must be 0 to 90 degrees, an azimuth 0 to below 360")


def clear_sky(panels: Panels, start_unix_s: int, step_s: int, steps: int) -> TimeSeries:
    """Irradiance on the panels under a clear sky (Ineichen and Perez 2002), with pvlib.

    A step is the mean over samples every five minutes, or its middle if it is shorter. Raises
    TailcError (MISSING_PART) if pvlib is not installed.
    """
    try:
        import pandas as pd
        from pvlib import irradiance, location
    except ImportError as error:
        message = f"a clear sky needs `pvlib`, which cannot be imported: {error}"
        help_ = "pip install tailc[green]"
        raise TailcError(Finding(Code.MISSING_PART, message, help=help_)) from None
    per_step = max(step_s // _SAMPLE_S, 1)
    offset_s = step_s * (np.arange(steps * per_step) + 0.5) / per_step
    times = pd.DatetimeIndex(pd.to_datetime(start_unix_s + offset_s, unit="s", utc=True))
    site = location.Location(panels.latitude_deg, panels.longitude_deg, "UTC", panels.altitude_m)
    # pvlib asks pandas by names that pandas 3 calls old.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        sun = site.get_solarposition(times)
        sky = site.get_clearsky(times, solar_position=sun)
        zenith, azimuth = sun["apparent_zenith"], sun["azimuth"]
        on_panels = irradiance.get_total_irradiance(
            panels.tilt_deg, panels.azimuth_deg, zenith, azimuth, sky["dni"], sky["ghi"], sky["dhi"]
        )["poa_global"]
    value = np.maximum(np.nan_to_num(on_panels.to_numpy()), 0.0)
    mean = value.reshape(steps, per_step).mean(axis=1)
    return of_values(SeriesQuantity.IRRADIANCE, start_unix_s, step_s, mean, "clear sky")


@dataclass(frozen=True, eq=False)
class ClearSky:
    """Ideal production of solar panels by the irradiance of a clear sky.

    past: production of earlier days, which gives the panels' production per irradiance. irradiance:
    has the start and steps of the production, and covers the last step to forecast.
    """

    past: PastDays
    irradiance: TimeSeries

    def __post_init__(self) -> None:
        sun, actual = self.irradiance, self.past.actual
        if sun.quantity is not SeriesQuantity.IRRADIANCE or not sun.is_whole:
            raise ValueError("a clear sky must be an irradiance without gaps")
        if (sun.start_unix_s, sun.step_s) != (actual.start_unix_s, actual.step_s):
            raise ValueError("production and clear sky must have the same start and steps")
        if sun.steps < actual.steps:
            raise ValueError("a clear sky must end with the production or later")

    def production_at(self, issue: Ints, target: Ints) -> Floats:
        """Ideal production in the steps `target`, as known at the start of the steps `issue` [W].

        See `BestDay.production_at`.
        """
        day = self.past.day_of(issue)
        days, inverse = np.unique(day, return_inverse=True)
        ratio = np.array([self._ratio(int(each)) for each in days])
        return ratio[inverse].reshape(day.shape) * self.irradiance.value[target]

    def _ratio(self, day: int) -> float:
        """Largest production per irradiance of an earlier day."""
        history = self.past.history(day)
        energy, sun = self.past.energy[history], self._sun[history]
        usable = (energy >= 0) & (sun > 0)
        if not usable.any():
            raise self.past.none_known(day)
        return float((energy[usable] / sun[usable]).max())

    @cached_property
    def _sun(self) -> Floats:
        """Sum of the irradiance of each whole day of the production."""
        past = self.past
        days = len(past.energy)
        within = slice(past.first, past.first + days * past.per_day)
        return self.irradiance.value[within].reshape(days, past.per_day).sum(axis=1)
