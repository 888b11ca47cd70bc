"""What happened to requests that have a core of some type or clock to themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.outcome import PoweredOutcome, free_cores_power


@dataclass(frozen=True, eq=False)
class CoreTypesOutcome(PoweredOutcome):
    """On cores of one type or of several.

    off: (phases,), what cores did not draw because they were off for a time, as `energy.drawn`.
    """

    off: NDArray[np.float64]

    @property
    def saturation(self) -> float:
        """The utilization of all cores."""
        return self.utilization

    @property
    def mean_idle_power(self) -> float:
        """Of each free core that is on, as its type draws."""
        return free_cores_power(self) - self.mean_over_time(self.off)
