"""Axes: where a value stands between two ends, and which values are written beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tailc.percentiles import PPM
from tailc.units import format_ppm, number_text

_STEPS = (1, 2, 2.5, 5, 10)
_MOST_TICKS = 7
# A logarithmic axis of so few decades has more than one tick in each.
_FEW_DECADES = 2.0
_ROOM = 1.08
_DECADE = 10.0


@dataclass(frozen=True)
class Axis:
    """`at` gives a value's place from 0 to 1; beyond the ends it is the end's.

    ticks: values in order, and what is written at each.
    """

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    scale: Callable[[float], float] = float

    def at(self, value: float) -> float:
        """The place of a value."""
        low, high = self.scale(self.low), self.scale(self.high)
        kept = min(max(value, self.low), self.high)
        return (self.scale(kept) - low) / (high - low)


def linear(title: str, low: float, high: float) -> Axis:
    """From `low` to `high` exactly, ticks at round values."""
    high = high if high > low else low + 1.0
    step = _round_step((high - low) / _MOST_TICKS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [round(place * step, 9) for place in range(first, last + 1)]
    return Axis(title, low, high, tuple((value, number_text(value)) for value in values))


def counted(title: str, first: int, last: int) -> Axis:
    """Whole numbers, each with a place of its own: number n fills n - 0.5 to n + 0.5."""
    step = max(1, -(-(last - first + 1) // 16))
    ticks = tuple((float(n), str(n)) for n in range(first, last + 1, step))
    return Axis(title, first - 0.5, last + 0.5, ticks)


def logarithmic(title: str, values: Sequence[float]) -> Axis:
    """Around all values, which are above 0.

    Ticks are at round values where the axis has less than a decade, else at 1, 2 and 5 in each
    decade, or at 1 alone.
    """
    low, high = min(values) / _ROOM, max(values) * _ROOM
    if high / low < _ROOM**4:
        low, high = low / 1.5, high * 1.5
    wide = math.log10(high / low) > _FEW_DECADES * 2
    if high / low < _DECADE:
        return replace(linear(title, low, high), scale=math.log10)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [m * 10.0**e for e in decades for m in ((1,) if wide else (1, 2, 5))]
    ticks = tuple((v, number_text(round(v, 9))) for v in values if low <= v <= high)
    return Axis(title, low, high, ticks, math.log10)


def spectrum(title: str, last_ppm: int) -> Axis:
    """Percentiles [ppm] by 1 / (1 - q), on a logarithmic scale: each further nine is as wide."""
    told = (0, 500_000, 750_000, 900_000, 950_000, 990_000, 995_000, 999_000, 999_900, 999_990)
    ticks = tuple((float(ppm), format_ppm(ppm)) for ppm in told if ppm <= last_ppm)
    return Axis(title, 0.0, float(last_ppm), ticks, _nines)


def _nines(percentile_ppm: float) -> float:
    return math.log10(PPM / (PPM - percentile_ppm))


def _round_step(least: float) -> float:
    """The least round step that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))
