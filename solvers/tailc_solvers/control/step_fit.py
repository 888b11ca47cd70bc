"""Fit a plant in continuous time to a step response that is measured at any times.

    y(t) = gain g(t - L) + noise,   g the step response of no lag, one, or two

For a given dead time and lags, the gain is a linear least-squares problem. Dead time and lags are
searched first on a lattice with at most MOST_ROWS rows of the response, then from its best point
with all rows, by steps that are halved. The number of lags is the one of the least Bayesian
information criterion (Schwarz, Ann. Stat. 6, 1978), n ln(RSS / n) + m ln n with m = 2 + lags, RSS
no lower than rounding leaves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.control.identify import EXACT, SETTLED_SHARE, UnfitResponseError
from tailc_solvers.control.plant import Plant, lag
from tailc_solvers.loops import inner_loops, plain_loops

FEWEST_ROWS = 8
MOST_ROWS = 400
MOST_LAGS = 2

_DEAD_TIMES, _LAGS, _LAGS_A_DOUBLING = 40, 24, 2
_RATIOS = np.array([1.0, 0.5, 0.25, 0.1])
_FINEST = 1e-7
_MOST_MOVES, _GAINED = 400, 1e-6


@dataclass(frozen=True)
class StepFit:
    """A plant that was fitted to a step response, with the root mean square of its residuals.

    The residuals are in the unit of the response.
    """

    plant: Plant
    residual: float


def fit_step(times: ArrayLike, response: ArrayLike, size: float) -> StepFit:
    """Fit a plant whose output at `times` after an input step of `size` at 0 is `response`.

    Times ascend from 0. Raises UnfitResponseError for a response of too few values, not finite,
    constant, or that has not settled.
    """
    t, y = np.asarray(times, dtype=np.float64), np.asarray(response, dtype=np.float64)
    _check(t, y, size)
    span = float(t[-1])
    least_rss = y.size * (EXACT * float(np.abs(y).max())) ** 2
    best, chosen, count = math.inf, np.zeros(3), 0
    for lags in range(MOST_LAGS + 1):
        point = np.zeros(3)
        _search(t, y, span, lags, math.ceil(t.size / MOST_ROWS), _RATIOS, point)
        rss = max(float(_fit(t, y, lags, 1, *map(float, point))[0]), least_rss)
        value = y.size * math.log(rss / y.size) + (2 + lags) * math.log(y.size)
        if value < best:
            best, chosen, count = value, point, lags
    dead_time, *constants = map(float, chosen)
    rss, gain = _fit(t, y, count, 1, dead_time, *constants)
    left = abs(float(_shape(count, span - dead_time, *constants)))
    if left < SETTLED_SHARE:
        raise UnfitResponseError(
            f"the response has not settled: at its end it is at {100 * left:.0f} % of where the "
            f"fitted plant takes it; measure for longer"
        )
    plant = lag(float(gain) / size, constants[:count], dead_time)
    return StepFit(plant, math.sqrt(max(float(rss), 0.0) / y.size))


def _check(t: NDArray[np.float64], y: NDArray[np.float64], size: float) -> None:
    if t.shape != y.shape or t.ndim != 1 or t.size < FEWEST_ROWS:
        raise UnfitResponseError(f"a response of fewer than {FEWEST_ROWS} values fits anything")
    if not (math.isfinite(size) and size != 0) or not np.isfinite((t, y)).all():
        raise UnfitResponseError("a response and its step must be finite, and the step not 0")
    if t[0] < 0 or not np.all(np.diff(t) > 0):
        raise UnfitResponseError("times must ascend from 0 on")
    if not np.any(y):
        raise UnfitResponseError("the response is constant: the step has no effect")


@plain_loops
def _shape(lags, t, first, second):
    """The step response of a plant with zero, one or two lags and gain 1."""
    if t < 0.0:
        return 0.0
    if lags == 0:
        return 1.0
    if lags == 1:
        return 1.0 - math.exp(-t / first)
    if abs(first - second) < 1e-6 * first:
        return 1.0 - (1.0 + t / first) * math.exp(-t / first)
    rest = first * math.exp(-t / first) - second * math.exp(-t / second)
    return 1.0 - rest / (first - second)


@plain_loops
def _fit(t, y, lags, stride, dead_time, first, second):
    """(RSS, gain) of the best gain, on every `stride`-th row."""
    of_g, of_both, of_y = 0.0, 0.0, 0.0
    for k in range(0, t.shape[0], stride):
        g = _shape(lags, t[k] - dead_time, first, second)
        of_g += g * g
        of_both += g * y[k]
    gain = of_both / of_g if of_g > 0.0 else 0.0
    for k in range(0, t.shape[0], stride):
        left = y[k] - gain * _shape(lags, t[k] - dead_time, first, second)
        of_y += left * left
    return of_y, gain


@plain_loops
def _search(t, y, span, lags, stride, ratios, point):
    """Write the best (dead time, T1, T2) to `point`."""
    best = math.inf
    for i in range(_DEAD_TIMES):
        dead_time = 0.5 * span * i / _DEAD_TIMES
        for j in range(_LAGS if lags > 0 else 1):
            first = span * 2.0 ** (-j / _LAGS_A_DOUBLING)
            for r in range(ratios.shape[0] if lags == 2 else 1):
                second = ratios[r] * first
                rss, _ = _fit(t, y, lags, stride, dead_time, first, second)
                if rss < best:
                    best = rss
                    point[0], point[1], point[2] = dead_time, first, second
    _refine(t, y, span, lags, point)


@inner_loops
def _refine(t, y, span, lags, point):
    every = np.int64(1)
    best, _ = _fit(t, y, lags, every, point[0], point[1], point[2])
    step = 0.25
    for _ in range(_MOST_MOVES):
        if step < _FINEST:
            break
        is_better = False
        at, first, second = point[0], point[1], point[2]
        for i in range(-1, 2):
            for j in range(-1, 2):
                for r in range(-1, 2):
                    if (lags < 1 and j != 0) or (lags < 2 and r != 0):
                        continue
                    dead_time = min(max(at + i * step * 0.05 * span, 0.0), 0.5 * span)
                    one = min(max(first * 2.0 ** (j * step), 1e-6 * span), 10.0 * span)
                    two = min(max(second * 2.0 ** (r * step), 1e-6 * span), one)
                    rss, _ = _fit(t, y, lags, every, dead_time, one, two)
                    if rss < best * (1.0 - _GAINED):
                        best, is_better = rss, True
                        point[0], point[1], point[2] = dead_time, one, two
        if not is_better:
            step *= 0.5
