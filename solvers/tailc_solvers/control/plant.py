"""Linear plants with one input and one output, sampled or in continuous time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Coefficients: TypeAlias = tuple[float, ...]

ON_THE_EDGE = 1e-9
"""Relative: a pole this close to the imaginary axis or the unit circle lies on it. Double
poles are only as exact as the square root of a rounding error; the margins show a tuner whether
they are on the edge."""


@dataclass(frozen=True)
class SampledPlant:
    """A sampled plant: the pulse transfer function z^-delay B(z^-1) / A(z^-1).

    A sample is one control epoch. `b` and `a` are coefficients in ascending powers of z^-1; `a`
    begins with 1. The delay is at least 1: an output set at the end of an epoch affects the
    measurement of the next one at the earliest. Raises ValueError for coefficients that are not
    finite and for a plant that is always 0.
    """

    b: Coefficients
    a: Coefficients = (1.0,)
    delay: int = 1

    def __post_init__(self) -> None:
        _require(all(np.isfinite((*self.b, *self.a))), "coefficients must be finite")
        _require(any(self.b), "the numerator of a plant must not be 0")
        _require(self.a[:1] == (1.0,), "the denominator must begin with 1")
        _require(self.delay >= 1, "`delay` must be at least 1 epoch")

    @property
    def gain(self) -> float:
        """Steady-state gain, output over input; infinite if the plant integrates."""
        return _ratio(sum(self.b), sum(self.a), self.is_integrating)

    @property
    def poles(self) -> NDArray[np.complex128]:
        """Poles of a sampled plant in the z-plane, without the poles at 0 of its delay."""
        return np.roots(self.a).astype(np.complex128)

    @property
    def is_integrating(self) -> bool:
        return abs(sum(self.a)) <= ON_THE_EDGE * sum(map(abs, self.a))

    @property
    def is_stable(self) -> bool:
        """Whether all poles are inside the unit circle; one pole at 1 is allowed."""
        return bool(np.all(np.abs(_without_pole(self.poles, 1.0, self.is_integrating)) < 1.0))

    def response_at(self, omega: ArrayLike) -> NDArray[np.complex128]:
        """Frequency response of a sampled plant at `omega` radians per sample."""
        back = np.exp(-1j * np.asarray(omega, dtype=np.float64))
        delayed = np.exp(-1j * self.delay * np.asarray(omega, dtype=np.float64))
        return delayed * _value(self.b[::-1], back) / _value(self.a[::-1], back)

    def step_response(self, samples: int) -> NDArray[np.float64]:
        """Output of a sampled plant 1, 2, ... samples after a unit step of its input."""
        y = np.zeros(samples + 1)
        for k in range(1, samples + 1):
            y[k] = sum(b for j, b in enumerate(self.b) if k - self.delay - j >= 0)
            y[k] -= sum(a * y[k - i] for i, a in enumerate(self.a) if 0 < i <= k)
        return y[1:]


@dataclass(frozen=True)
class Plant:
    """A continuous plant num(s) / den(s) e^(-s dead_time), in descending powers of s.

    Leading zeros are dropped. Raises ValueError if the numerator has a higher degree than the
    denominator, or an equal one without a dead time: no physical plant responds immediately, and
    its loop would be algebraic. The unit of time is the user's.
    """

    num: Coefficients
    den: Coefficients
    dead_time: float = 0.0

    def __post_init__(self) -> None:
        _require(all(np.isfinite((*self.num, *self.den))), "coefficients must be finite")
        object.__setattr__(self, "num", _trim(self.num))
        object.__setattr__(self, "den", _trim(self.den))
        _require(bool(self.num), "the numerator of a plant must not be 0")
        _require(bool(self.den), "the denominator of a plant must not be 0")
        _require(0 <= self.dead_time < np.inf, "`dead_time` must be finite and not negative")
        _require(
            len(self.num) <= len(self.den),
            "the numerator must not have a higher degree than the denominator",
        )
        answers_at_once = self.dead_time == 0 and len(self.num) == len(self.den)
        _require(not answers_at_once, "a plant without dead time must not respond at once")

    @property
    def gain(self) -> float:
        """Steady-state gain, output over input; infinite if the plant integrates."""
        return _ratio(self.num[-1], self.den[-1], self.is_integrating)

    @property
    def poles(self) -> NDArray[np.complex128]:
        return np.roots(self.den).astype(np.complex128)

    @property
    def zeros(self) -> NDArray[np.complex128]:
        return np.roots(self.num).astype(np.complex128)

    @property
    def is_integrating(self) -> bool:
        return self.den[-1] == 0

    @property
    def is_stable(self) -> bool:
        """Whether all poles of a plant are left of the imaginary axis; one at 0 is allowed."""
        return bool(np.all(_without_pole(self.poles, 0.0, self.is_integrating).real < 0.0))

    def response_at(self, omega: ArrayLike) -> NDArray[np.complex128]:
        """The frequency response at `omega` radians per unit of time; the dead time is exact."""
        s = 1j * np.asarray(omega, dtype=np.float64)
        return np.exp(-s * self.dead_time) * _value(self.num, s) / _value(self.den, s)


def lag(gain: float, time_constants: Sequence[float], dead_time: float = 0.0) -> Plant:
    """The plant gain e^(-s dead_time) / product (1 + s T), a first-order lag per time constant."""
    den = np.ones(1)
    for constant in time_constants:
        den = np.convolve(den, (constant, 1.0))
    return Plant((gain,), tuple(map(float, den)), dead_time)


def _value(coefficients: Coefficients, at: NDArray[Any]) -> NDArray[np.complex128]:
    value = np.zeros(np.shape(at), dtype=np.complex128)
    for c in coefficients:
        value = value * at + c
    return value


def _ratio(above: float, below: float, is_integrating: bool) -> float:
    return np.copysign(np.inf, above) if is_integrating else above / below


def _trim(coefficients: Coefficients) -> Coefficients:
    start = next((i for i, c in enumerate(coefficients) if c != 0), len(coefficients))
    return tuple(map(float, coefficients[start:]))


def _without_pole(poles: NDArray[np.complex128], edge: float, once: bool) -> NDArray[np.complex128]:
    """The poles without the one nearest to `edge`."""
    return np.delete(poles, np.argmin(np.abs(poles - edge))) if once else poles


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
