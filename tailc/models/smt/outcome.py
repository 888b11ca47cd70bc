"""What happened to requests on hardware threads of cores, and to the batch work beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.outcome import PoweredOutcome, free_cores_power


@dataclass(frozen=True, eq=False)
class Resting:
    """When cores had no request, and batch work beside them was not awake yet.

    idle_ns: by request, how long its core had been free when it started. waking: (phases, 2), the
    time that batch work took to wake up beside free cores, and beside requests.
    """

    idle_ns: NDArray[np.int64]
    waking: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SmtOutcome(PoweredOutcome):
    """What requests draw is batch work that is given up for them."""

    resting: Resting

    @property
    def saturation(self) -> float:
        """The utilization of all cores."""
        return self.utilization

    @property
    def mean_idle_power(self) -> float:
        """Of each free core."""
        return free_cores_power(self)

    @property
    def mean_waking(self) -> tuple[float, float]:
        """Cores beside which batch work woke up, while arrivals were measured: free, and not."""
        free, held = self.resting.waking.T
        return self.mean_over_time(free), self.mean_over_time(held)

    @property
    def idle_periods_ns(self) -> NDArray[np.int64]:
        """How long cores were free, each time before a measured request came to one."""
        idle_ns = self.resting.idle_ns[self.measured]
        return idle_ns[idle_ns > 0]
