"""A time series of one quantity, such as power, on a regular grid in UTC."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Finding

SECONDS_PER_HOUR = 3_600
SECONDS_PER_DAY = 86_400

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class SeriesQuantity(enum.Enum):
    """The quantity of a series: its name, unit, and range of values."""

    POWER = ("power", "W", 0.0, np.inf)
    PRICE = ("price", "$/kWh", -np.inf, np.inf)
    CARBON = ("carbon intensity", "g/kWh", 0.0, np.inf)
    CLOUD_COVER = ("cloud cover", "", 0.0, 1.0)
    IRRADIANCE = ("irradiance", "W/m2", 0.0, np.inf)

    def __init__(self, noun: str, unit: str, least: float, most: float) -> None:
        self.noun = noun
        self.unit = unit
        self.least = least
        self.most = most


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """A time series: means over consecutive steps, float64 (steps,), in the quantity's unit.

    Step k lasts from start_unix_s + k step_s to before start_unix_s + (k + 1) step_s, in Unix
    seconds. known: bool (steps,); unknown values are 0. Only prices can be negative. source: name
    of the series in messages.
    """

    quantity: SeriesQuantity
    start_unix_s: int
    step_s: int
    value: Floats
    known: Mask
    source: str
    warnings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if self.value.ndim != 1 or self.value.shape != self.known.shape or not len(self.value):
            raise ValueError("a series needs at least one step, and a value for each")
        if self.value.dtype != np.float64 or self.known.dtype != np.bool_:
            raise ValueError("values must be float64, and `known` must be bool")
        if self.step_s < 1:
            raise ValueError("a step must last at least one second")
        if not np.isfinite(self.value).all() or self.value[~self.known].any():
            raise ValueError("values must be finite, and 0 where unknown")
        if self.value.min() < self.quantity.least or self.value.max() > self.quantity.most:
            raise ValueError(f"a value is outside the range of {self.quantity.noun}")

    @property
    def steps(self) -> int:
        """Number of steps of the series."""
        return len(self.value)

    @property
    def end_unix_s(self) -> int:
        """End of the series' last step [Unix s]."""
        return self.start_unix_s + self.steps * self.step_s

    @property
    def step_unix_s(self) -> NDArray[np.int64]:
        """Start of each step of the series [Unix s]; int64 (steps,)."""
        return self.start_unix_s + self.step_s * np.arange(self.steps, dtype=np.int64)

    @property
    def is_whole(self) -> bool:
        """Whether every value of the series is known."""
        return bool(self.known.all())

    def part(self, steps: slice) -> TimeSeries:
        """Select some consecutive steps of the series, at least one."""
        first, past, stride = steps.indices(self.steps)
        if stride != 1:
            raise ValueError("a part of a time series must have consecutive steps")
        return replace(
            self,
            start_unix_s=self.start_unix_s + first * self.step_s,
            value=self.value[first:past],
            known=self.known[first:past],
        )


def of_values(
    quantity: SeriesQuantity, start_unix_s: int, step_s: int, value: Floats, source: str
) -> TimeSeries:
    """Make a time series of these values; NaN means unknown."""
    known = ~np.isnan(value)
    return TimeSeries(quantity, start_unix_s, step_s, np.where(known, value, 0.0), known, source)


def energy_kwh(series: TimeSeries) -> float:
    """Energy of a power series over its known steps [kWh]."""
    assert series.quantity is SeriesQuantity.POWER
    return float(series.value.sum()) * series.step_s / SECONDS_PER_HOUR / 1_000
