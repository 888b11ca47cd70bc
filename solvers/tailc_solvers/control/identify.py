"""Fit a low-order sampled plant to a step response with one value for each epoch.

    y(k) = sum_i b_i s(k - d - i) + noise

with s the step response of 1 / ((1 - p_1 z^-1) (1 - p_2 z^-1)), at most two real poles 0 <= p < 1.
For given poles, delay d and number of coefficients the best b are a linear least-squares problem
(Golub and Pereyra, SIAM J. Numer. Anal. 10, 1973: separable least squares); poles are searched on a
lattice that is refined around its best point. The fit is of the response itself, so noise does not
bias the poles as in a regression of y(k) on y(k-1).

Order choice: the structure with the least Bayesian information criterion n ln(RSS / n) + m ln n,
where RSS is the sum of squared residuals and m = coefficients + poles + 1 for the delay (Schwarz,
Ann. Stat. 6, 1978). Ties go to fewer poles, then fewer coefficients, then the shorter delay. RSS
has a lower limit at rounding errors, so that an exact response does not get more terms than it
needs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.control.plant import SampledPlant
from tailc_solvers.loops import plain_loops

FEWEST_EPOCHS = 4
MOST_COEFFICIENTS = (8, 4, 2)
"""By number of poles: a window of several epochs needs one for each, more poles fewer."""

SETTLED_SHARE = 0.9
"""Share of a fitted plant's gain that its response must reach within the measured epochs."""

EXACT = 1e-5
"""Residuals below this share of the largest value are rounding."""

_LATTICE, _LARGEST_POLE = 24, 0.998
_FINEST = 1e-7


class UnfitResponseError(ValueError):
    """The step response is not sufficient to identify a plant; the message says why."""


@dataclass(frozen=True)
class IdentificationResult:
    """An identified plant and the error of its fit.

    `residual`: root mean square of the response less the fit, in the response's unit.
    """

    plant: SampledPlant
    residual: float


def identify(response: ArrayLike, size: float) -> IdentificationResult:
    """Fit a plant to its measured step response.

    `response` is the change of the output 1, 2, ... epochs after an input step of `size`, without
    missing epochs; it may be a mean of repetitions. Raises UnfitResponseError for a response that
    is too short, not finite, constant, or that has not settled: a gain that is reached only later
    cannot be known.
    """
    measured = np.asarray(response, dtype=np.float64)
    _check(measured, size)
    y = measured / size
    d, poles, b = _best_structure(y)
    a = tuple(map(float, np.poly(poles))) if poles else (1.0,)
    plant = SampledPlant(b, a, d)
    fitted = plant.step_response(y.size)
    if abs(fitted[-1]) < SETTLED_SHARE * abs(plant.gain):
        raise UnfitResponseError(
            f"the response has not settled: at its end it is at {fitted[-1] * size:.4g} of "
            f"{plant.gain * size:.4g}; measure for longer"
        )
    residual = math.sqrt(float(np.mean((y - fitted) ** 2))) * abs(size)
    return IdentificationResult(plant, residual)


def _check(y: NDArray[np.float64], size: float) -> None:
    if y.ndim != 1 or y.size < FEWEST_EPOCHS:
        raise UnfitResponseError(f"a response of fewer than {FEWEST_EPOCHS} epochs fits anything")
    if not (math.isfinite(size) and size != 0) or not np.isfinite(y).all():
        raise UnfitResponseError("a response and its step must be finite, and the step not 0")
    if not np.any(y):
        raise UnfitResponseError("the response is constant: the step has no effect")


def _best_structure(y: NDArray[np.float64]) -> tuple[int, tuple[float, ...], tuple[float, ...]]:
    """(delay, poles, coefficients) of the least criterion."""
    best, found = math.inf, None
    least_rss = y.size * (EXACT * float(np.abs(y).max())) ** 2
    scratch = np.zeros((2 * max(MOST_COEFFICIENTS) + 4, y.size))
    poles = np.zeros(2)
    for n_poles, most in enumerate(MOST_COEFFICIENTS):
        for m in range(1, most + 1):
            for d in range(1, _latest(y.size, m + n_poles) + 1):
                rss = max(float(_fit_poles(y, n_poles, m, d, poles, scratch)), least_rss)
                value = y.size * math.log(rss / y.size) + (m + n_poles + 1) * math.log(y.size)
                if value < best:
                    best, found = value, (d, tuple(map(float, poles[:n_poles])), m)
    if found is None:
        raise UnfitResponseError("the response is too short for any plant")
    d, chosen, m = found
    _fit(y, np.array([*chosen, 0.0, 0.0][:2]), len(chosen), m, d, scratch)
    return d, chosen, tuple(map(float, scratch[-1, :m]))


def _latest(n: int, parameters: int) -> int:
    """The longest candidate delay: a third of the response, and two values more than parameters."""
    return min(n // 3 + 1, n - parameters - 2)


@plain_loops
def _fit_poles(y, n_poles, m, d, poles, scratch):
    """Find the poles of least RSS and write them to `poles`; return the RSS."""
    poles[:] = 0.0
    if n_poles == 0:
        return _fit(y, poles, n_poles, m, d, scratch)
    best, first, second = math.inf, 0.0, 0.0
    for i in range(1, _LATTICE + 1):
        poles[0] = _LARGEST_POLE * i / _LATTICE
        for j in range(1, i + 1 if n_poles == 2 else 2):
            poles[1] = _LARGEST_POLE * j / _LATTICE if n_poles == 2 else 0.0
            rss = _fit(y, poles, n_poles, m, d, scratch)
            if rss < best:
                best, first, second = rss, poles[0], poles[1]
    step = 0.5 * _LARGEST_POLE / _LATTICE
    while step > _FINEST:
        around, beside = first, second
        for i in range(-2, 3):
            for j in range(-2, 3) if n_poles == 2 else range(1):
                poles[0] = min(max(around + i * step, 0.0), _LARGEST_POLE)
                poles[1] = min(max(beside + j * step, 0.0), poles[0]) if n_poles == 2 else 0.0
                rss = _fit(y, poles, n_poles, m, d, scratch)
                if rss < best:
                    best, first, second = rss, poles[0], poles[1]
        if first == around and second == beside:
            step *= 0.5
    poles[0], poles[1] = first, second
    return best


@plain_loops
def _fit(y, poles, n_poles, m, d, scratch):
    """RSS of the best coefficients, by modified Gram-Schmidt; writes them to the last row."""
    n = y.shape[0]
    q = scratch
    base = scratch[2 * m]
    for k in range(n):
        base[k] = 1.0
    for i in range(n_poles):
        for k in range(1, n):
            base[k] += poles[i] * base[k - 1]
    rest = scratch[2 * m + 1]
    for k in range(n):
        rest[k] = y[k]
    answer = scratch[-1]
    for c in range(m):
        for k in range(n):
            at = k + 1 - d - c
            q[c, k] = base[at] if at >= 0 else 0.0
        for i in range(c):
            dot = 0.0
            for k in range(n):
                dot += q[i, k] * q[c, k]
            q[m + c, i] = dot
            for k in range(n):
                q[c, k] -= dot * q[i, k]
        norm = 0.0
        for k in range(n):
            norm += q[c, k] * q[c, k]
        norm = math.sqrt(norm)
        q[m + c, c] = norm
        dot = 0.0
        for k in range(n):
            if norm > 0.0:
                q[c, k] /= norm
            dot += q[c, k] * rest[k]
        for k in range(n):
            rest[k] -= dot * q[c, k]
        answer[c] = dot
    rss = 0.0
    for k in range(n):
        rss += rest[k] * rest[k]
    for c in range(m - 1, -1, -1):
        for later in range(c + 1, m):
            answer[c] -= q[m + later, c] * answer[later]
        answer[c] = answer[c] / q[m + c, c] if q[m + c, c] > 0.0 else 0.0
    return rss
