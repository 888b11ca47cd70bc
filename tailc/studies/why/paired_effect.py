"""How much a change makes of the tail and of what is in use, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc.means import mean_and_half

if TYPE_CHECKING:
    from tailc.studies.why.measurement import Measured


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
class MeasuredEffect:
    """Means of the tail [us] and of what is in use [millionths], and their change from the base."""

    tail_us: int
    used_ppm: int
    tail: Difference
    used: Difference

    @property
    def is_better(self) -> bool:
        """Whether the tail is less beyond chance."""
        return self.tail.is_less

    @property
    def is_worse(self) -> bool:
        """Whether the tail is more beyond chance."""
        return self.tail.is_more


@dataclass(frozen=True)
class Overloaded:
    """Requests pile up, so there is no tail to tell."""

    is_better = False
    is_worse = True


Effect: TypeAlias = MeasuredEffect | Overloaded


def effect(base: Measured, other: Measured) -> Effect:
    """What `other` makes of `base`, on the same draws."""
    return Overloaded() if other.is_overloaded else measured_effect(base, other)


def measured_effect(base: Measured, other: Measured) -> MeasuredEffect:
    """The same where no requests pile up."""
    return MeasuredEffect(
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
