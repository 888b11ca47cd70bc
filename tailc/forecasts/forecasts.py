"""Forecasts of a series that were made at several times, each for several steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.traces.series.series import SeriesQuantity, TimeSeries

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Forecasts of a power series, made at several times.

    issue: int64 (issues,), the step at whose start each forecast was made. value: float64 (issues,
    steps) [W], of the steps from that one on; at least 0. start_unix_s: start of the series.
    """

    issue: Ints
    value: Floats
    start_unix_s: int
    step_s: int
    source: str

    def __post_init__(self) -> None:
        if self.value.ndim != 2 or self.value.shape[0] != len(self.issue):
            raise ValueError("a forecast needs a value for each of its steps")
        if not np.isfinite(self.value).all() or (self.value < 0).any():
            raise ValueError("a forecast of power must be finite and not negative")

    @property
    def steps(self) -> int:
        """Number of steps of each forecast."""
        return self.value.shape[1]

    @property
    def target(self) -> Ints:
        """Step of the series that each value is a forecast of; int64 (issues, steps)."""
        return targets(self.issue, self.steps)

    def series(self, index: int) -> TimeSeries:
        """The forecast number `index` as a time series."""
        value = self.value[index]
        start_unix_s = self.start_unix_s + int(self.issue[index]) * self.step_s
        known = np.ones(len(value), dtype=np.bool_)
        return TimeSeries(
            SeriesQuantity.POWER, start_unix_s, self.step_s, value, known, self.source
        )


def targets(issue: Ints, steps: int) -> Ints:
    """The steps that forecasts cover if they are made at the start of the steps `issue`.

    steps: number of steps of each forecast. Returns int64 (issues, steps).
    """
    return issue[:, np.newaxis] + np.arange(steps, dtype=np.int64)
