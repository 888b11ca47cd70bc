"""Result of a replay on hardware threads, with the batch work next to requests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.outcome import PoweredOutcome, free_cores_power


@dataclass(frozen=True, eq=False)
class Resting:
    """Idle periods of SMT cores in a replay, and the time that batch work took to wake.

    idle_ns: by request, how long its core had been free when it started. waking: (phases, 2), the
    time that batch work took to wake next to free cores, and next to requests.
    """

    idle_ns: NDArray[np.int64]
    waking: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SmtOutcome(PoweredOutcome):
    """Result of one replay; the cost of a request is the batch work that was given up for it."""

    resting: Resting

    @property
    def saturation(self) -> float:
        """Utilization of all SMT cores by requests (1: no core is free)."""
        return self.utilization

    @property
    def mean_idle_power(self) -> float:
        """Mean batch work given up on free cores, because batch work has to wake up there."""
        return free_cores_power(self)

    @property
    def mean_waking(self) -> tuple[float, float]:
        """Mean number of cores on which batch work wakes up, over the measured time.

        Returns the numbers of cores without and with a request.
        """
        free, held = self.resting.waking.T
        return self.mean_over_time(free), self.mean_over_time(held)

    @property
    def idle_periods_ns(self) -> NDArray[np.int64]:
        """How long a core was free each time before a measured request started on it [ns]."""
        idle_ns = self.resting.idle_ns[self.measured]
        return idle_ns[idle_ns > 0]
