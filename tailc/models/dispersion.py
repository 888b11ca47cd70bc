"""Fit bursty arrivals to recorded times by the index of dispersion of their counts.

Variables: the index I over long times, and the rate r at which bursts are forgotten. Objective: the
sum over window lengths t of ((measured - 1 - (I - 1) g(r t)) / (e max(measured, 1)))^2, with g from
`modulated.share_reached` and e^2 = 2/n + 5 %^2: a variance over n windows has a relative variance
of 2/n if counts are normal, and a real service does not have exactly two rates. Constraints: I >=
1, and 1/r at most the longest window, because slower bursts show in no window. For a given r the
best I is a quotient; r is searched on a grid and then between the neighbours of the best grid
point. The index does not determine the busy share (the share of the time at the higher rate). It
comes from `skewness` if that is accurate enough, otherwise a usual share is assumed; in both cases
it is at most the largest share with this index.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

from tailc.models.arrivals import RecordedArrivals
from tailc.models.modulated_arrivals import BUSY_PPM, Burstiness, ModulatedArrivals, share_reached
from tailc.models.outcome import NS_PER_US
from tailc.models.skewness import BusyShare, busy_share
from tailc.percentiles import PPM

_MS_US, _S_US, _MIN_US, _H_US = 1_000, 1_000_000, 60_000_000, 3_600_000_000
WINDOWS_US = (
    *(_MS_US * each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *(_S_US * each for each in (1, 2, 5, 10, 20, 30)),
    *(_MIN_US * each for each in (1, 2, 5, 10, 20, 30)),
    *(_H_US * each for each in (1, 2, 6, 12, 24)),
)
# The relative standard error of an index over fewer windows is a quarter or more.
FEWEST_WINDOWS = 30
# The fit has two parameters.
FEWEST_LENGTHS = 3
_PLACES = 400
_NARROWINGS = 60
# In shortest windows: bursts that end sooner show the same in all windows.
_SHORTEST_PART = 4
# Relative error of the model itself, in addition to chance.
_NEVER_NEARER = 0.05
# More digits than a recording can determine.
_DIGITS = 3
_US_PER_S = 1e6


@dataclass(frozen=True)
class WindowIndex:
    """Measured and fitted index of dispersion of the arrival counts in windows of one length.

    windows: number of windows of that length.
    """

    window_us: int
    windows: int
    measured: float
    fitted: float


@dataclass(frozen=True)
class BurstyFit:
    """Bursty arrivals fitted to recorded ones, with the quality of the fit.

    process: arrivals that switch between two rates. busy: share of the time at the higher rate,
    from the skewness of counts; None if unknown. windows: measured and fitted index of dispersion
    by window length. deviation: root mean square error over the windows, relative to the measured
    index, or to 1 if that is greater. is_rising: whether the index still rises at the longest
    window, and so may rise beyond it.
    """

    process: ModulatedArrivals
    busy: BusyShare | None
    windows: tuple[WindowIndex, ...]
    deviation: float
    is_rising: bool


def index_of_dispersion(times_ns: NDArray[np.int64], window_us: int) -> float:
    """Variance over mean of the number of arrivals in windows of `window_us` microseconds.

    The windows are consecutive from the first arrival on. Only whole windows count; there must be
    at least one.
    """
    since_ns = times_ns - times_ns[0]
    window_ns = window_us * NS_PER_US
    windows = int(since_ns[-1]) // window_ns
    counts = np.bincount(since_ns // window_ns, minlength=windows)[:windows]
    return float(counts.var() / counts.mean())


def window_lengths_us(times_ns: NDArray[np.int64]) -> tuple[int, ...]:
    """Lengths of windows [us] for which the index of dispersion of these times can be estimated.

    They are those of `WINDOWS_US` with at least one arrival on average and at least 30 windows.
    """
    span_ns = int(times_ns[-1] - times_ns[0])
    gap_ns = span_ns / (len(times_ns) - 1)
    return tuple(
        window_us
        for window_us in WINDOWS_US
        if gap_ns <= window_us * NS_PER_US <= span_ns / FEWEST_WINDOWS
    )


def fit_bursty(times_ns: NDArray[np.int64]) -> BurstyFit:
    """Fit arrivals that switch between two rates to the index of dispersion of these times.

    The times ascend and must allow `FEWEST_LENGTHS` lengths of windows. Numbers are rounded to
    three digits.
    """
    lengths_us = window_lengths_us(times_ns)
    assert len(lengths_us) >= FEWEST_LENGTHS
    measured = _measure(times_ns, lengths_us)
    rate_mrps = max(RecordedArrivals(times_ns - times_ns[0], None, "").rate_mrps, 1)
    switching_rps, is_rising = measured.best_switching_rps()
    busy = busy_share(times_ns, switching_rps)
    usual_ppm = busy.busy_ppm if busy is not None and busy.is_known else BUSY_PPM
    process = _process(rate_mrps, measured.excess(switching_rps), switching_rps, usual_ppm)
    fitted = np.array([process.burstiness.idc(each) for each in measured.window_s])
    span_us = int(times_ns[-1] - times_ns[0]) // NS_PER_US
    off = (fitted - measured.index) / np.maximum(measured.index, 1.0)
    rows = zip(lengths_us, measured.index, fitted, strict=True)
    return BurstyFit(
        process,
        busy,
        tuple(WindowIndex(w, span_us // w, float(index), float(fit)) for w, index, fit in rows),
        math.sqrt(float((off**2).mean())),
        is_rising,
    )


@dataclass(frozen=True, eq=False)
class _MeasuredIndex:
    """Index by window length, and its weight: the reciprocal of its standard error."""

    window_s: NDArray[np.float64]
    index: NDArray[np.float64]
    weight: NDArray[np.float64]

    def best_switching_rps(self) -> tuple[float, bool]:
        """The best r, and whether it is the lowest candidate."""
        slowest, fastest = 1 / self.window_s[-1], _SHORTEST_PART / self.window_s[0]
        places = np.geomspace(slowest, fastest, _PLACES)
        best = int(np.argmin([self.loss(float(r)) for r in places]))
        low, high = places[max(best - 1, 0)], places[min(best + 1, _PLACES - 1)]
        for _ in range(_NARROWINGS):
            third = (high / low) ** (1 / 3)
            if self.loss(low * third) <= self.loss(high / third):
                high /= third
            else:
                low *= third
        return float(low), best == 0

    def loss(self, r: float) -> float:
        fitted = 1 + self.excess(r) * self._probability_reached(r)
        return float((((fitted - self.index) * self.weight) ** 2).sum())

    def excess(self, r: float) -> float:
        """The best I - 1 at this r."""
        reached = self._probability_reached(r) * self.weight
        return max(float(reached @ ((self.index - 1) * self.weight) / (reached @ reached)), 0.0)

    def _probability_reached(self, r: float) -> NDArray[np.float64]:
        return np.array([share_reached(r * each) for each in self.window_s])


def _measure(times_ns: NDArray[np.int64], lengths_us: tuple[int, ...]) -> _MeasuredIndex:
    index = np.array([index_of_dispersion(times_ns, each) for each in lengths_us])
    windows = int(times_ns[-1] - times_ns[0]) // NS_PER_US // np.array(lengths_us)
    error = np.sqrt(2 / windows + _NEVER_NEARER**2)
    weight = 1 / (error * np.maximum(index, 1.0))
    return _MeasuredIndex(np.array(lengths_us) / _US_PER_S, index, weight)


def _process(
    rate_mrps: int, excess: float, switching_rps: float, usual_ppm: int
) -> ModulatedArrivals:
    """A process of rounded numbers that exists: the spell rounds up and the share down."""
    idc_ppm = PPM + _round(excess * PPM, ROUND_FLOOR)
    busy_ppm = max(_round(usual_ppm, ROUND_FLOOR), 1)
    if idc_ppm > PPM:
        # Upper limit of b / (1 - b), because V b / (1 - b) is at most the square of the mean rate.
        odds = 2 * rate_mrps / 1e3 * PPM / ((idc_ppm - PPM) * switching_rps)
        busy_ppm = min(busy_ppm, max(_round(odds / (1 + odds) * PPM, ROUND_FLOOR), 1))
    spell_us = _US_PER_S / (switching_rps * (1 - busy_ppm / PPM))
    return ModulatedArrivals(
        rate_mrps, Burstiness(idc_ppm, _round(spell_us, ROUND_CEILING), busy_ppm)
    )


def _round(value: float, direction: str) -> int:
    """Round to `_DIGITS` digits, or to a whole number."""
    exact = Decimal(value)
    step = Decimal(1).scaleb(max(exact.adjusted() - _DIGITS + 1, 0)) if value else Decimal(1)
    return int((exact / step).to_integral_value(direction) * step)
