"""Effect of a change on the tail and on resource use, with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc.means import mean_and_half

if TYPE_CHECKING:
    from tailc.studies.why.measurement import TableMeasurement


@dataclass(frozen=True)
class PairedDifference:
    """Mean difference of paired replications, with its 95 % Student interval, in whole numbers."""

    mean: int
    low: int
    high: int

    @property
    def is_less(self) -> bool:
        """Whether the difference is significantly negative."""
        return self.high < 0

    @property
    def is_more(self) -> bool:
        """Whether the difference is significantly positive."""
        return self.low > 0


@dataclass(frozen=True)
class MeasuredEffect:
    """Effect of a changed table: mean percentile [us] and mean resource use [1e-6].

    tail, used: differences from the unchanged table.
    """

    tail_us: int
    used_ppm: int
    tail: PairedDifference
    used: PairedDifference

    @property
    def is_better(self) -> bool:
        """Whether the changed table's tail is significantly shorter."""
        return self.tail.is_less

    @property
    def is_worse(self) -> bool:
        """Whether the changed table's tail is significantly longer."""
        return self.tail.is_more


@dataclass(frozen=True)
class OverloadEffect:
    """The effect of a change that overloads the server, so that there is no tail."""

    is_better = False
    is_worse = True


Effect: TypeAlias = MeasuredEffect | OverloadEffect


def effect(base: TableMeasurement, other: TableMeasurement) -> Effect:
    """Compute the effect of a changed table `other` against `base`, paired by replication.

    The effect is `OverloadEffect` if the changed table overloads the server.
    """
    return OverloadEffect() if other.is_overloaded else measured_effect(base, other)


def measured_effect(base: TableMeasurement, other: TableMeasurement) -> MeasuredEffect:
    """Compute the effect of a changed table, which is not overloaded, against the table `base`."""
    return MeasuredEffect(
        rounded_mean(other.tail_us),
        rounded_mean(other.used_ppm),
        _difference(base.tail_us, other.tail_us),
        _difference(base.used_ppm, other.used_ppm),
    )


def rounded_mean(values: NDArray[np.int64]) -> int:
    """The mean of integers, rounded to an integer."""
    return round(float(values.mean()))


def _difference(base: NDArray[np.int64], other: NDArray[np.int64]) -> PairedDifference:
    middle, half = mean_and_half((other - base).tolist())
    assert half is not None
    return PairedDifference(round(middle), math.floor(middle - half), math.ceil(middle + half))
