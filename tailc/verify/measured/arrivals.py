"""Compare measured arrivals with those of the replay: their rate and index of dispersion.

The index of dispersion is the variance of the number of arrivals in a window, over its mean; it is
estimated for several lengths of windows. From n independent windows it has a relative standard
error of about sqrt(2 / n). The mean rate of N arrivals has one of sqrt(I / N), with the index I of
the longest windows. In bursty arrivals, successive short windows depend on each other, so n then
counts periods in which bursts are forgotten. Arrivals differ if a deviation exceeds four standard
errors (there are up to 26 lengths of windows) and is large enough to matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.arrivals import Poisson
from tailc.models.dispersion import index_of_dispersion, window_lengths_us
from tailc.models.modulated_arrivals import ModulatedArrivals
from tailc.models.outcome import NS_PER_US

_US_PER_S = 1e6
_MRPS = 1e3
_STANDARD_ERRORS = 4.0
# Smaller deviations do not matter: a factor of the index, and a share of the rate.
_LEAST_FACTOR = 1.5
_LEAST_SHARE = 0.05


@dataclass(frozen=True)
class ArrivalComparison:
    """Rate and index of dispersion of measured arrivals, and of those of the replay.

    window_us: length of the windows in which the index deviates by the most standard errors.
    """

    rate_mrps: int
    predicted_rate_mrps: int
    window_us: int
    index: float
    predicted_index: float
    has_other_rate: bool
    has_other_index: bool

    @property
    def is_flagged(self) -> bool:
        """Whether measured arrivals differ from those of the replay, beyond noise."""
        return self.has_other_rate or self.has_other_index


@dataclass(frozen=True)
class _Deviation:
    """Measured and predicted index over windows of one length."""

    window_us: int
    measured: float
    predicted: float
    windows: float

    @property
    def standard_errors(self) -> float:
        return abs(self.measured / self.predicted - 1) * math.sqrt(self.windows / 2)

    @property
    def is_significant(self) -> bool:
        factor = self.measured / self.predicted
        is_large = not 1 / _LEAST_FACTOR < factor < _LEAST_FACTOR
        return is_large and self.standard_errors > _STANDARD_ERRORS


def compare_arrivals(
    times_ns: NDArray[np.int64], process: Poisson | ModulatedArrivals
) -> ArrivalComparison:
    """Compare measured arrival times [ns], ascending, with an arrival process: rate and dispersion.

    The times must cover the windows of `window_lengths_us`.
    """
    lengths_us = window_lengths_us(times_ns)
    deviations = [_deviation(times_ns, length_us, process) for length_us in lengths_us]
    largest = max(deviations, key=lambda each: (each.is_significant, each.standard_errors))
    gaps, span_us = len(times_ns) - 1, int(times_ns[-1] - times_ns[0]) / NS_PER_US
    rate_mrps = gaps * _US_PER_S * _MRPS / span_us
    off = abs(rate_mrps / process.rate_mrps - 1)
    error = math.sqrt(max(deviations[-1].measured, deviations[-1].predicted) / gaps)
    return ArrivalComparison(
        round(rate_mrps),
        process.rate_mrps,
        largest.window_us,
        largest.measured,
        largest.predicted,
        off > max(_LEAST_SHARE, _STANDARD_ERRORS * error),
        largest.is_significant,
    )


def _deviation(
    times_ns: NDArray[np.int64], window_us: int, process: Poisson | ModulatedArrivals
) -> _Deviation:
    span_s = int(times_ns[-1] - times_ns[0]) / NS_PER_US / _US_PER_S
    window_s = window_us / _US_PER_S
    index, windows = 1.0, span_s / window_s
    if isinstance(process, ModulatedArrivals):
        index = process.burstiness.idc(window_s)
        windows = min(windows, span_s * process.burstiness.switching_rps)
    return _Deviation(window_us, index_of_dispersion(times_ns, window_us), index, windows)
