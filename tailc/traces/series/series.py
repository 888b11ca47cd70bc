"""One quantity on a regular grid of time in UTC."""

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


class Quantity(enum.Enum):
    """What a series tells: its name, its unit, and the range of its values."""

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
    """Means over steps that follow one another; float64 (steps,) in the quantity's unit.

    Step k is from start_unix_s + k step_s to before start_unix_s + (k + 1) step_s, in Unix seconds.
    known: bool (steps,), whether the value is one; where it is not, the value is 0. Prices may be
    negative, nothing else. source: how messages call where it is from.
    """

    quantity: Quantity
    start_unix_s: int
    step_s: int
    value: Floats
    known: Mask
    source: str
    warnings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if self.value.ndim != 1 or self.value.shape != self.known.shape or not len(self.value):
            raise ValueError("a series has a value a step, and one step at least")
        if self.value.dtype != np.float64 or self.known.dtype != np.bool_:
            raise ValueError("values are float64, and known or not")
        if self.step_s < 1:
            raise ValueError("a step takes a second at least")
        if not np.isfinite(self.value).all() or self.value[~self.known].any():
            raise ValueError("values are finite, and 0 where they are not known")
        if self.value.min() < self.quantity.least or self.value.max() > self.quantity.most:
            raise ValueError(f"a value is outside of what a {self.quantity.noun} can be")

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.value)

    @property
    def end_unix_s(self) -> int:
        """When the last step ends."""
        return self.start_unix_s + self.steps * self.step_s

    @property
    def step_unix_s(self) -> NDArray[np.int64]:
        """When each step starts [Unix s]."""
        return self.start_unix_s + self.step_s * np.arange(self.steps, dtype=np.int64)

    @property
    def is_whole(self) -> bool:
        """Whether every value is known."""
        return bool(self.known.all())

    def part(self, steps: slice) -> TimeSeries:
        """Steps that follow one another, cut out; at least one."""
        first, past, stride = steps.indices(self.steps)
        if stride != 1:
            raise ValueError("a part has every step from its first to its last")
        return replace(
            self,
            start_unix_s=self.start_unix_s + first * self.step_s,
            value=self.value[first:past],
            known=self.known[first:past],
        )


def of_values(
    quantity: Quantity, start_unix_s: int, step_s: int, value: Floats, source: str
) -> TimeSeries:
    """A series of the values; those that are NaN are not known."""
    known = ~np.isnan(value)
    return TimeSeries(quantity, start_unix_s, step_s, np.where(known, value, 0.0), known, source)


def energy_kwh(series: TimeSeries) -> float:
    """What a power adds up to over its known steps [kWh]."""
    assert series.quantity is Quantity.POWER
    return float(series.value.sum()) * series.step_s / SECONDS_PER_HOUR / 1_000
