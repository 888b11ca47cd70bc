"""Gains by tuning rules, for comparison: SIMC, AMIGO, and Ziegler and Nichols.

Each rule gives the gain, integral and derivative time of the ideal form, K (1 + 1 / (Ti s) + Td s).
For a sampled plant they become gains of the velocity form, with half a sample of dead time added
for the controller's hold. A rule that does not apply to a plant returns None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.control import frequency
from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.loop import open_step_response, own_lags, undelayed_step_response
from tailc_solvers.control.plant import Plant, SampledPlant
from tailc_solvers.control.tune import Structure

ParallelGains: TypeAlias = tuple[float, float, float]

_REAL = 1e-3
"""Imaginary over absolute value: a multiple root's roundings are below it."""


@dataclass(frozen=True)
class FirstOrder:
    """A first-order plant, gain e^(-s dead_time) / (1 + s time_constant).

    With an infinite time constant: gain e^(-s dead_time) / s.
    """

    gain: float
    time_constant: float
    dead_time: float


@dataclass(frozen=True)
class IdealController:
    """A PID controller in ideal form: K (1 + 1 / (ti s) + td s).

    k: gain. ti, td: integral and derivative time, in the plant's unit of time.
    """

    k: float
    ti: float
    td: float

    def parallel(self, plant: AnyPlant) -> ParallelGains:
        """Convert the controller to parallel gains (kp, ki, kd); for a sampled plant, per sample.

        For a sampled plant the integral counts the current sample as a rectangle. This takes half a
        sample of integral action from the proportional gain.
        """
        ki = self.k / self.ti
        half = ki / 2 if isinstance(plant, SampledPlant) else 0.0
        return self.k - half, ki, self.k * self.td


def first_order(plant: AnyPlant) -> FirstOrder | None:
    """The first-order plant with dead time for the AMIGO rules, read from the step response.

    The dead time ends where the tangent of the steepest rise crosses zero. The time constant is the
    time from there until the response is at 63.2 % of its final value. For an integrating plant,
    the gain is the steepest rise. None if the response goes in the wrong direction for so long that
    there is no such point, or overshoots before.
    """
    step, y, passed = _rise(plant)
    slopes = np.diff(y) / step
    steepest = int(np.argmax(np.abs(slopes)))
    slope = float(slopes[steepest])
    dead_time = (steepest + 0.5) * step - float(y[steepest] + y[steepest + 1]) / 2 / slope
    held = step / 2 if isinstance(plant, SampledPlant) else 0.0
    held += passed
    if plant.is_integrating:
        return FirstOrder(slope, math.inf, dead_time + held)
    share = y / plant.gain
    reached = int(np.argmax(share >= 1 - math.exp(-1)))
    before = share[reached - 1] if reached else 0.0
    at = reached - 1 + (1 - math.exp(-1) - before) / (share[reached] - before)
    constant = at * step - dead_time
    if constant < 0 or slope * plant.gain < 0:
        return None
    return FirstOrder(plant.gain, constant, max(dead_time, 0.0) + held)


def _rise(plant: AnyPlant) -> tuple[float, NDArray[np.float64], float]:
    """(step, response, omitted dead time), with steps as fine as the lags need."""
    if isinstance(plant, SampledPlant) or own_lags(plant) == 0:
        return *open_step_response(plant), 0.0
    return *undelayed_step_response(plant), plant.dead_time


def simc(plant: AnyPlant, structure: Structure) -> ParallelGains | None:
    """Gains by the SIMC rule, with the closed-loop time constant set to the dead time.

    K = T1 / (gain 2 L) and Ti = min(T1, 8 L); PID also has a derivative of T2 in series. T1, T2 and
    L (time constants and dead time) follow from the half rule if the plant's poles are real and its
    zeros in the right half plane, otherwise from `first_order`.

    Source: Skogestad, J. Process Control 13, 2003; the half rule is in section 2.2.
    """
    lags = _half_rule(plant, 2 if structure == "pid" else 1)
    if lags is None:
        return None
    gain, first, second, dead_time = lags
    if dead_time <= 0:
        return None
    ratio = 1.0 if math.isinf(first) else first
    k = ratio / (gain * 2 * dead_time)
    ti = min(first, 8 * dead_time)
    if ti == 0:  # K and Ti vanish together: an integral controller
        return 0.0, 1 / (gain * 2 * dead_time), 0.0
    return IdealController(k * (1 + second / ti), ti + second, second / (1 + second / ti)).parallel(
        plant
    )


def amigo(plant: AnyPlant, structure: Structure) -> ParallelGains | None:
    """Gains by the AMIGO rules (Astrom, Hagglund, J. Process Control 14, 2004, eqs. 7 and 20)."""
    model = first_order(plant)
    if model is None or model.dead_time <= 0:
        return None
    g, t, d = model.gain, model.time_constant, model.dead_time
    if structure == "pi":
        if math.isinf(t):
            return IdealController(0.35 / (g * d), 13.4 * d, 0.0).parallel(plant)
        k = 0.15 / g + (0.35 - d * t / (d + t) ** 2) * t / (g * d)
        ti = 0.35 * d + 13 * d * t**2 / (t**2 + 12 * d * t + 7 * d**2)
        return IdealController(k, ti, 0.0).parallel(plant)
    if math.isinf(t):
        return IdealController(0.45 / (g * d), 8 * d, 0.5 * d).parallel(plant)
    k = (0.2 + 0.45 * t / d) / g
    return IdealController(
        k, (0.4 * d + 0.8 * t) / (d + 0.1 * t) * d, 0.5 * d * t / (0.3 * d + t)
    ).parallel(plant)


def ziegler_nichols(plant: AnyPlant, structure: Structure) -> ParallelGains | None:
    """Gains by the ultimate-sensitivity rule (Ziegler and Nichols, Trans. ASME 64, 1942, 759-768).

    With Ku the proportional gain at which the loop oscillates and Tu its period: PI 0.45 Ku,
    Tu / 1.2; PID 0.6 Ku, Tu / 2, Tu / 8.
    """
    omega = frequency.phase_crossover(plant)
    if omega is None:
        return None
    ultimate = math.copysign(1 / abs(complex(plant.response_at(omega))), plant.gain)
    period = 2 * math.pi / omega
    if structure == "pi":
        return IdealController(0.45 * ultimate, period / 1.2, 0.0).parallel(plant)
    return IdealController(0.6 * ultimate, period / 2, period / 8).parallel(plant)


RULES = {"SIMC": simc, "AMIGO": amigo, "Ziegler-Nichols": ziegler_nichols}


def _half_rule(plant: AnyPlant, order: int) -> tuple[float, float, float, float] | None:
    """(gain, T1, T2, dead time); T2 is 0 for order 1, T1 infinite for a plant that integrates.

    The largest neglected lag is divided between the dead time and the smallest retained lag. The
    other lags, and the time constants of zeros on the right, add to the dead time.
    """
    if isinstance(plant, SampledPlant) or not _has_lags_only(plant):
        model = first_order(plant)
        if model is None:
            return None
        return model.gain, model.time_constant, 0.0, model.dead_time
    lags = sorted((-1 / plant.poles.real[plant.poles != 0]).tolist(), reverse=True)
    gain = plant.gain
    if plant.is_integrating:
        lags = [math.inf, *lags]
        gain = plant.num[-1] / plant.den[-2]
    kept = [*lags, 0.0, 0.0, 0.0][: order + 1]
    half = kept[order] / 2
    dead_time = plant.dead_time + half + sum(lags[order + 1 :]) + _inverse_response(plant)
    kept[order - 1] += half
    return gain, kept[0], kept[1] if order > 1 else 0.0, dead_time


def _has_lags_only(plant: Plant) -> bool:
    poles, zeros = plant.poles, plant.zeros
    return bool(
        np.all(np.abs(poles.imag) <= _REAL * np.abs(poles))
        and np.all((zeros.real > 0) & (np.abs(zeros.imag) <= _REAL * np.abs(zeros)))
    )


def _inverse_response(plant: Plant) -> float:
    zeros: NDArray[np.complex128] = plant.zeros
    return float(np.sum(1 / zeros.real)) if zeros.size else 0.0
