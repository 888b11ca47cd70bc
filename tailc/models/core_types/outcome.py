"""Result of a replay on cores of some type or frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.outcome import PoweredOutcome, free_cores_power


@dataclass(frozen=True, eq=False)
class CoreTypesOutcome(PoweredOutcome):
    """Result of one replay on cores of one or several types.

    off: (phases,), energy that cores saved because they were off, in the unit of `energy.drawn`.
    """

    off: NDArray[np.float64]

    @property
    def saturation(self) -> float:
        """Share of core time with a running request, over all cores (1: no core is free)."""
        return self.utilization

    @property
    def mean_idle_power(self) -> float:
        """Mean power of the free cores that are on, in units of power."""
        return free_cores_power(self) - self.mean_over_time(self.off)
