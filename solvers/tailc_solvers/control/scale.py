"""Scale a plant by its own time and gain, so that thresholds mean the same for every plant.

The units are powers of two: they change only exponents, not digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.plant import Plant, SampledPlant


@dataclass(frozen=True)
class PlantScale:
    """Units of gain and time in which a plant is scaled.

    The time of a sampled plant is in samples.
    """

    gain: float
    time: float

    def plant(self, plant: AnyPlant) -> AnyPlant:
        """Convert a plant to the units of gain and time in which it is scaled."""
        if isinstance(plant, SampledPlant):
            return replace(plant, b=tuple(b / self.gain for b in plant.b))
        num, den = (_rescale(c, self.time) for c in (plant.num, plant.den))
        return Plant(tuple(b / self.gain for b in num), tuple(den), plant.dead_time / self.time)

    def gains(self, kp: float, ki: float, kd: float) -> tuple[float, float, float]:
        """Convert parallel gains (kp, ki, kd) to those of the scaled plant's controller."""
        return kp * self.gain, ki * self.gain * self.time, kd * self.gain / self.time

    def back(self, kp: float, ki: float, kd: float) -> tuple[float, float, float]:
        """Convert parallel gains (kp, ki, kd) of the scaled plant back to the plant's own units."""
        return kp / self.gain, ki / self.gain / self.time, kd / self.gain * self.time


def scale_of(plant: AnyPlant) -> PlantScale:
    """Units of gain and time in which a plant's times and its steady-state gain are about 1."""
    if isinstance(plant, SampledPlant):
        return PlantScale(_power(sum(map(abs, plant.b))), 1.0)
    lags = [1 / abs(p) for p in plant.poles.tolist() if p != 0]
    time = _power(plant.dead_time + sum(lags))
    lowest = next(i for i, c in enumerate(reversed(plant.den)) if c)
    gain = max(map(abs, _rescale(plant.num, time)))
    return PlantScale(_power(gain / abs(_rescale(plant.den, time)[-1 - lowest])), time)


def _rescale(coefficients: Iterable[float], time: float) -> list[float]:
    """Coefficients of powers of s, descending, for another unit of time."""
    ascending = list(coefficients)[::-1]
    return [c / time**power for power, c in enumerate(ascending)][::-1]


def _power(value: float) -> float:
    return 2.0 ** round(math.log2(value)) if value > 0 else 1.0
