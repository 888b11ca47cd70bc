"""How much a change makes of the tail and of what is in use, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.means import mean_and_half
from tailc.pipeline.why.bench import Measured


@dataclass(frozen=True)
class Difference:
    """A mean difference of paired replays, and its 95 % interval after Student, whole numbers."""

    mean: int
    low: int
    high: int

    @property
    def is_less(self) -> bool:
        """Beyond chance."""
        return self.high < 0

    @property
    def is_more(self) -> bool:
        """Beyond chance."""
        return self.low > 0


@dataclass(frozen=True)
class Effect:
    """Means of the tail [us] and of what is in use [millionths], and their change from the base.

    tail, used: None where requests piled up, so that there is no tail to tell.
    """

    tail_us: int | None
    used_ppm: int | None
    tail: Difference | None
    used: Difference | None


def effect(base: Measured, other: Measured) -> Effect:
    """What `other` makes of `base`, on the same draws."""
    if other.is_overloaded:
        return Effect(None, None, None, None)
    return Effect(
        mean(other.tail_us),
        mean(other.used_ppm),
        _difference(base.tail_us, other.tail_us),
        _difference(base.used_ppm, other.used_ppm),
    )


def mean(values: NDArray[np.int64]) -> int:
    """To the nearest whole number."""
    return round(float(values.mean()))


def _difference(base: NDArray[np.int64], other: NDArray[np.int64]) -> Difference:
    middle, half = mean_and_half((other - base).tolist())
    assert half is not None
    return Difference(round(middle), math.floor(middle - half), math.ceil(middle + half))
