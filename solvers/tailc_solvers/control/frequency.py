"""Frequency responses of control loops, and the stability margins computed from them.

With L the open loop and S = 1 / (1 + L), T = L / (1 + L): the gain margin is the factor, the phase
margin the angle, and the delay margin the dead time that makes the loop unstable; Ms = max |S| and
Mt = max |T| (Astrom and Hagglund, Advanced PID Control, ISA 2006, section 4.6). Responses are exact
at every frequency, dead times included; crossings and peaks are refined between the grid's points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.control.loop import FILTER_RATIO
from tailc_solvers.control.plant import Plant, SampledPlant

AnyPlant: TypeAlias = SampledPlant | Plant
Response: TypeAlias = Callable[[ArrayLike], NDArray[np.complex128]]

_HALVINGS = 45
_ZOOMS, _ZOOMED = 4, 33
_EDGE_DEG = 1e-6
_MOST_TURNS = 1000


@dataclass(frozen=True)
class LoopRobustness:
    """Stability margins of a stable loop; inf if no such change makes the loop unstable.

    If the loop has several crossings, the margin is that of the crossing nearest to instability. Of
    gain margins it is the one nearest to 1; a value below 1 means that a lower gain makes the loop
    unstable. The delay margin is in the plant's unit of time, in samples for a sampled plant.
    """

    gain_margin: float
    phase_margin_deg: float
    delay_margin: float
    max_sensitivity: float
    max_complementary: float


def open_loop(plant: AnyPlant, kp: float, ki: float, kd: float) -> Response:
    """The open-loop frequency response L(omega) of a plant with a PID controller of these gains."""

    def response(omega: ArrayLike) -> NDArray[np.complex128]:
        return control_law(plant, kp, ki, kd, omega) * plant.response_at(omega)

    return response


def control_law(
    plant: AnyPlant, kp: float, ki: float, kd: float, omega: ArrayLike
) -> NDArray[np.complex128]:
    """The controller's frequency response: velocity form for a sampled plant, else filtered PID."""
    sigma = differences(plant, omega)
    lead = kd * sigma
    if isinstance(plant, Plant) and kd:
        lead = lead / (1.0 + kd / (kp * FILTER_RATIO) * sigma)
    return kp + ki / sigma + lead


def differences(plant: AnyPlant, omega: ArrayLike) -> NDArray[np.complex128]:
    """Frequency response of the differentiator: s, or 1 - z^-1 for a sampled plant."""
    s = 1j * np.asarray(omega, dtype=np.float64)
    return np.asarray(s if isinstance(plant, Plant) else 1.0 - np.exp(-s), dtype=np.complex128)


def frequencies(
    plant: AnyPlant, reference: float, per_decade: int, per_turn: int = 64
) -> NDArray[np.float64]:
    """A grid of frequencies from far below `reference` to far above, or to pi for a sampled plant.

    It has at least `per_turn` points for each turn that the dead time adds to the phase.
    """
    is_sampled = isinstance(plant, SampledPlant)
    lowest, highest = 1e-4 * reference, math.pi if is_sampled else 1e3 * reference
    dead_time = plant.delay if isinstance(plant, SampledPlant) else plant.dead_time
    count = max(2, round(per_decade * math.log10(highest / lowest)))
    grid = np.geomspace(lowest, highest, count)
    to = min(highest, 30.0 * reference)
    turns = min(_MOST_TURNS, math.ceil(dead_time * to / (2 * math.pi)))
    even = np.linspace(0.0, to, (1 + turns) * per_turn + 1)[1:]
    return np.unique(np.concatenate((grid, even, [highest])))


def reference_frequency(plant: AnyPlant, phase_deg: float) -> float | None:
    """The first frequency at which the plant's phase lag is `phase_deg`; None if there is none.

    For a plant with a negative gain, the sign of the gain does not count as lag.
    """
    grid = _scan(plant)
    below = np.nonzero(_phase(plant, grid) <= math.radians(phase_deg))[0]
    return float(grid[below[0]]) if below.size else None


def phase_crossover(plant: AnyPlant) -> float | None:
    """The first frequency at which the plant lags by 180 degrees; None if there is none.

    The frequency is pi for a sampled plant that reaches this lag only there.
    """
    above = reference_frequency(plant, -180.0 + _EDGE_DEG)
    if above is None:
        return None
    grid = _scan(plant)
    behind = np.nonzero(_phase(plant, grid) < -math.pi)[0]
    if not behind.size or behind[0] == 0:
        return float(grid[-1])
    near = grid[behind[0] - 1 : behind[0] + 1]
    found = _roots_between(lambda w: plant.response_at(w).imag, near, plant.response_at(near).imag)
    return float(found[0]) if found.size else float(near[1])


def _scan(plant: AnyPlant) -> NDArray[np.float64]:
    if isinstance(plant, SampledPlant):
        return np.unique(
            np.concatenate((np.geomspace(1e-6, math.pi, 600), np.linspace(0, math.pi, 2001)[1:]))
        )
    scales = np.abs(np.concatenate((plant.poles, plant.zeros)))
    scales = scales[scales > 0]
    if plant.dead_time:
        scales = np.append(scales, 1.0 / plant.dead_time)
    low, high = (scales.min(), scales.max()) if scales.size else (1.0, 1.0)
    return np.geomspace(1e-3 * low, 1e4 * high, 200 * round(7 + math.log10(high / low)))


def _phase(plant: AnyPlant, omega: NDArray[np.float64]) -> NDArray[np.float64]:
    """The unwrapped phase [rad]; the angle of 1 - j omega / root increases from 0 continuously."""
    if isinstance(plant, SampledPlant):
        # The delay is left out before unwrapping: it turns faster than any grid.
        rest = SampledPlant(plant.b, plant.a, 1).response_at(omega) * np.exp(1j * omega)
        angle = np.unwrap(np.angle(rest * np.copysign(1.0, plant.gain)))
        return angle - omega * plant.delay
    zeros, poles = plant.zeros, plant.poles
    lead = sum(np.angle(1 - 1j * omega / root) for root in zeros[zeros != 0])
    lags = sum(np.angle(1 - 1j * omega / root) for root in poles[poles != 0])
    at_zero = np.count_nonzero(zeros == 0) - np.count_nonzero(poles == 0)
    return lead - lags + at_zero * math.pi / 2 - omega * plant.dead_time


def robustness(loop: Response, grid: NDArray[np.float64]) -> LoopRobustness:
    """Stability margins of a stable loop, from its frequency response on a grid."""
    on_grid = loop(grid)
    gain_margin = _gain_margin(loop, grid, on_grid)
    crossings = _roots_between(lambda w: np.abs(loop(w)) - 1.0, grid, np.abs(on_grid) - 1.0)
    angles = np.angle(-loop(crossings))
    delays = angles % (2 * math.pi) / crossings
    return LoopRobustness(
        gain_margin=gain_margin,
        phase_margin_deg=float(np.degrees(np.abs(angles)).min(initial=math.inf)),
        delay_margin=float(delays.min(initial=math.inf)),
        max_sensitivity=_peak(lambda w: 1 / np.abs(1 + loop(w)), grid),
        max_complementary=_peak(lambda w: np.abs(loop(w) / (1 + loop(w))), grid),
    )


def _gain_margin(
    loop: Response, grid: NDArray[np.float64], on_grid: NDArray[np.complex128]
) -> float:
    """The factor nearest to 1 at which the loop passes through -1."""
    crossings = _roots_between(lambda w: loop(w).imag, grid, on_grid.imag)
    values = list(map(float, loop(crossings).real))
    last = on_grid[-1]
    if abs(last.imag) < 1e-9 * abs(last.real):  # at pi a sampled loop is real
        values.append(float(last.real))
    factors = [-1 / value for value in values if value < 0]
    return min(factors, key=lambda factor: abs(math.log(factor)), default=math.inf)


def _roots_between(
    value: Callable[[ArrayLike], NDArray[np.float64]],
    grid: NDArray[np.float64],
    on_grid: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Places where the value changes sign between neighbours of the grid, by bisection."""
    at = np.nonzero(np.sign(on_grid[:-1]) * np.sign(on_grid[1:]) < 0)[0]
    low, high, sign = grid[at], grid[at + 1], np.sign(on_grid[at])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_before = np.sign(value(middle)) == sign
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    return (low + high) / 2


def _peak(value: Callable[[ArrayLike], NDArray[np.float64]], grid: NDArray[np.float64]) -> float:
    """The largest value on the grid, refined between its neighbours by finer grids."""
    on_grid = value(grid)
    for _ in range(_ZOOMS):
        top = int(np.argmax(on_grid))
        grid = np.linspace(grid[max(top - 1, 0)], grid[min(top + 1, grid.size - 1)], _ZOOMED)
        on_grid = value(grid)
    return float(on_grid.max())
