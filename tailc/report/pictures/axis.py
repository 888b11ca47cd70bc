"""Axes: the position of a value between two ends, and the labelled ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tailc.percentiles import PPM
from tailc.units import format_ppm, number_text

_STEPS = (1, 2, 2.5, 5, 10)
_MOST_TICKS = 7
# Below this number of decades, a logarithmic axis has several ticks per decade.
_FEW_DECADES = 2.0
_ROOM = 1.08
_DECADE = 10.0


@dataclass(frozen=True)
class Axis:
    """An axis of a picture.

    scale: monotone function that maps values to distances along the axis.
    ticks: values in ascending order, each with its label. has_grid: whether the picture has a line
    at each tick.
    """

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    scale: Callable[[float], float] = float
    has_grid: bool = True

    def fraction(self, value: float) -> float:
        """Position of a value from 0 to 1; values beyond an end are at that end."""
        low, high = self.scale(self.low), self.scale(self.high)
        inside = min(max(value, self.low), self.high)
        return (self.scale(inside) - low) / (high - low)


def linear(title: str, low: float, high: float) -> Axis:
    """Make a linear axis from `low` to `high`, with ticks at round values."""
    high = high if high > low else low + 1.0
    step = _round_step((high - low) / _MOST_TICKS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [round(place * step, 9) for place in range(first, last + 1)]
    return Axis(title, low, high, tuple((value, number_text(value)) for value in values))


def count_axis(title: str, first: int, last: int) -> Axis:
    """Make an axis of integers; number n covers n - 0.5 to n + 0.5."""
    step = max(1, -(-(last - first + 1) // 16))
    ticks = tuple((float(n), str(n)) for n in range(first, last + 1, step))
    return Axis(title, first - 0.5, last + 0.5, ticks)


def named(title: str, names: Sequence[str], most: int) -> Axis:
    """Make an axis of names; number n, counted from 0, covers n - 0.5 to n + 0.5.

    most: number of names that have a label, evenly spaced.
    """
    step = -(-len(names) // most)
    ticks = tuple((float(n), names[n]) for n in range(0, len(names), step))
    return Axis(title, -0.5, len(names) - 0.5, ticks, has_grid=False)


def logarithmic(title: str, values: Sequence[float]) -> Axis:
    """Make a logarithmic axis around positive values.

    Ticks are at round values if the axis is shorter than a decade, else at 1, 2 and 5 of each
    decade, or at 1 only if the axis is long.
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
    """Make an axis of percentiles [ppm] on the scale log(1 / (1 - q)): nines are equally wide."""
    percentiles_ppm = (
        0,
        500_000,
        750_000,
        900_000,
        950_000,
        990_000,
        995_000,
        999_000,
        999_900,
        999_990,
    )
    ticks = tuple((float(ppm), format_ppm(ppm)) for ppm in percentiles_ppm if ppm <= last_ppm)
    return Axis(title, 0.0, float(last_ppm), ticks, _nines)


def _nines(percentile_ppm: float) -> float:
    return math.log10(PPM / (PPM - percentile_ppm))


def _round_step(least: float) -> float:
    """Smallest round step that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))
