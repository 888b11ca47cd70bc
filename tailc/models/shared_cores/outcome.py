"""Result of a replay on shared cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Losses:
    """Losses of each request by rules for overload.

    is_degraded: whether only a part of its work was to be done. lost_ns: work that was not done,
    including that of requests that were cut off.
    """

    is_degraded: NDArray[np.bool_]
    lost_ns: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharedCoresOutcome(Outcome):
    """Result of one replay on shared cores.

    rung_ns: threads times time on each rung, of all requests. losses: requests and work lost by
    rules for overload; None without such a rule.
    """

    rung_ns: NDArray[np.float64]
    losses: Losses | None

    @property
    def request_energy(self) -> NDArray[np.float64]:
        """Empty array, because the energy of each request is unknown on shared cores."""
        return np.zeros(0)

    @property
    def utilization(self) -> float | None:
        """Utilization of the busiest pool; None if no pool is limited."""
        limited = [used for used in self.utilization_by_pool if used is not None]
        return max(limited, default=None)

    @property
    def saturation(self) -> float | None:
        """Share of the cores in use (1: nothing is free).

        None if a rule for overload reduces the work, because that keeps the share near 1.
        """
        return self.utilization if self.losses is None else None
