"""Result of a replay of machines with CPU shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CpuSharesOutcome:
    """Result of one replay: throughput and shares of all machines in all steps.

    Attributes:
        throughput: work per second at the end of each step, float64 (machines, steps).
        share: share of the host during each step, float64 (machines, steps).
        online, offline: prediction of the throughput one step before, by the estimated and by the
            first model; NaN if impossible.
        is_short: whether the target was out of reach, bool (machines, steps).
        is_capped: whether the machine had a cap because its throughput did not follow its share.
        ran_out: whether no request waited at some time of the last window, bool (machines, steps).
        batch_share: share of all batch machines together, float64 (steps,).
        target: work per second, float64 (machines,).
        settling: number of steps until the first full window.
    """

    throughput: Floats
    share: Floats
    online: Floats
    offline: Floats
    is_short: NDArray[np.bool_]
    is_capped: NDArray[np.bool_]
    ran_out: NDArray[np.bool_]
    batch_share: Floats
    target: Floats
    settling: int

    @property
    def utilization(self) -> float:
        """Mean share of the host that is granted to all machines together."""
        return float(np.mean(self.share.sum(axis=0) + self.batch_share))

    @property
    def slo_errors(self) -> Floats:
        """Relative deviation of throughput from the target in each step, |throughput / target - 1|.

        (machines, steps after the first full window). 0 where a machine was below its target
        because it had no more work.
        """
        error = self.throughput / self.target[:, None] - 1
        error = np.where(self.ran_out, np.maximum(error, 0), error)
        return np.abs(error[:, self.settling :])

    @property
    def slo_error(self) -> Floats:
        """Mean relative deviation of each machine's throughput from its target, (machines,).

        Source: Bartolini, 2015, eq. 2.6.
        """
        return self.slo_errors.mean(axis=1)

    def model_error(self, predicted: Floats) -> Floats:
        """Mean absolute error of a model's predictions relative to the measurements, (machines,).

        Steps without any work are left out; NaN if there are no other steps.
        """
        counted = np.isfinite(predicted) & (self.throughput > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.where(counted, np.abs(predicted / self.throughput - 1), 0.0)
            return errors.sum(axis=1) / counted.sum(axis=1)
