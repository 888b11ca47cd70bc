"""What happened to requests whose threads share the cores of a server."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Losses:
    """What rules for overload took, by request.

    is_degraded: only a part of its work was to be done. lost_ns: work that was not done, of those
    that were cut off too.
    """

    is_degraded: NDArray[np.bool_]
    lost_ns: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharedCoresOutcome(Outcome):
    """rung_ns: threads times time on each rung, of all requests. losses: None without a rule for
    overload.
    """

    rung_ns: NDArray[np.float64]
    losses: Losses | None

    @property
    def drawn(self) -> NDArray[np.float64]:
        """Threads that share cores draw together."""
        return np.zeros(0)

    @property
    def utilization(self) -> float | None:
        """Of the pool that is used most; None where no pool is limited."""
        limited = [used for used in self.utilization_by_pool if used is not None]
        return max(limited, default=None)

    @property
    def saturation(self) -> float | None:
        """The utilization; a rule that takes work off a server leaves it busy, and says nothing."""
        return self.utilization if self.losses is None else None
