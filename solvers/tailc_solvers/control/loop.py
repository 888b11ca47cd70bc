"""A feedback loop as difference equations for the kernels.

The plant is x(k+1) = phi x(k) + before v(k) + after v(k+1), y(k) = out x(k) + through v(k), with
its input v delayed by whole steps. A sampled plant has this form directly (after = 0). A plant in
continuous time is stepped exactly for inputs that are linear between the steps, and the step
divides the dead time; jumps of the input at time 0 stay jumps. The remaining error is that of a
linear controller output within a step, of second order in the step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.control.plant import Plant, SampledPlant

FILTER_RATIO = 10.0
"""Derivative time over the filter's time constant, in continuous time: the usual choice (Astrom and
Hagglund, Advanced PID Control, ISA 2006, section 3.3). A sampled controller needs no filter."""

_TAYLOR_TERMS = 18
"""With a norm of at most 1/2 the first term left out is below a rounding."""


class LoopEquations(NamedTuple):
    """A control loop as difference equations: the plant in state space, and the controller.

    phi, before, after, out, through: the plant, as in the module's equations. delay: dead time in
    steps. step: length of a step. In each step, i_before e(k-1) + i_now e(k) is added to the
    integral of the error e, in the first step i_first e(0). filter_ratio: of the derivative's
    filter; 0 means a sampled controller, whose derivative is the difference of two errors.
    """

    phi: NDArray[np.float64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    out: NDArray[np.float64]
    through: float
    delay: int
    step: float
    i_before: float
    i_now: float
    i_first: float
    filter_ratio: float


def sampled_loop(plant: SampledPlant) -> LoopEquations:
    """Difference equations of a sampled plant with a velocity-form controller.

    A step is one sample.
    """
    n = max(len(plant.a), len(plant.b)) - 1
    a, b = np.zeros(n + 1), np.zeros(n + 1)
    a[: len(plant.a)], b[: len(plant.b)] = plant.a, plant.b
    phi = np.eye(n, k=1)
    out = np.zeros(n)
    if n:
        phi[:, 0], out[0] = -a[1:], 1.0
    before = b[1:] - a[1:] * b[0]
    return LoopEquations(
        phi, before, np.zeros(n), out, float(b[0]), plant.delay, 1.0, 0.0, 1.0, 1.0, 0.0
    )


def continuous_loop(plant: Plant, longest_step: float) -> LoopEquations:
    """Difference equations of a continuous plant with its controller, for a simulation by steps.

    longest_step: limit of the length of a step, in the plant's unit of time.
    """
    delay = math.ceil(plant.dead_time / longest_step)
    step = plant.dead_time / delay if delay else longest_step
    return _loop_of_step(plant, step, delay)


def _loop_of_step(plant: Plant, step: float, delay: int) -> LoopEquations:
    a, b, c, through = _state_space(plant)
    phi, before, after = _linear_hold(a, b, step)
    half = step / 2
    return LoopEquations(phi, before, after, c, through, delay, step, half, half, 0.0, FILTER_RATIO)


def _state_space(
    plant: Plant,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """The controllable companion form (A, b, c) and the direct feedthrough."""
    n = len(plant.den) - 1
    den = np.array(plant.den) / plant.den[0]
    num = np.zeros(n + 1)
    num[n + 1 - len(plant.num) :] = np.array(plant.num) / plant.den[0]
    a = np.eye(n, k=-1)
    a[:1] = -den[1:]
    b = np.zeros(n)
    b[:1] = 1.0
    return a, b, num[1:] - num[0] * den[1:], float(num[0])


def _linear_hold(
    a: NDArray[np.float64], b: NDArray[np.float64], step: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """x(t + step) = phi x + before v(t) + after v(t + step) for v linear in between.

    From the exponential of [[A h, b h, 0], [0, 0, 1], [0, 0, 0]] (Franklin, Powell and Workman,
    Digital Control of Dynamic Systems, 3rd edition, section 6.3.2).
    """
    n = b.size
    block = np.zeros((n + 2, n + 2))
    block[:n, :n], block[:n, n], block[n, n + 1] = a * step, b * step, 1.0
    power = _exponential(block)
    after = power[:n, n + 1]
    return power[:n, :n].copy(), power[:n, n] - after, after.copy()


def _exponential(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix exponential by Taylor's series, scaled and squared."""
    norm = np.abs(matrix).sum(axis=1).max()
    halvings = max(0, math.ceil(math.log2(norm)) + 1) if norm > 0 else 0
    scaled = matrix / 2.0**halvings
    total = term = np.eye(len(matrix))
    for i in range(1, _TAYLOR_TERMS + 1):
        term = _product(term, scaled) / i
        total = total + term
    for _ in range(halvings):
        total = _product(total, total)
    return total


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix product, summed in the same order on every machine."""
    return (left[:, :, None] * right[None, :, :]).sum(axis=1)


def open_step_response(plant: Plant | SampledPlant) -> tuple[float, NDArray[np.float64]]:
    """Simulate the step response of a plant without a controller.

    Returns the time step, and the outputs from time 0 on until the response settles or rises
    steadily.
    """
    if isinstance(plant, SampledPlant):
        slowest = max((abs(p) for p in plant.poles if abs(p) < _AT_ONE), default=0.0)
        lasting = math.ceil(_REST / max(1.0 - slowest, 1e-6)) + len(plant.b) + plant.delay + 2
        return 1.0, np.concatenate(([0.0], plant.step_response(min(lasting, _MOST_STEPS))))
    own = own_lags(plant)
    if own == 0:  # dead time alone, or an integrator with it
        return _answer_at_once(plant)
    step, y = _without_delay(plant, plant.dead_time + own)
    return step, _delay(y, plant.dead_time, step)


def undelayed_step_response(plant: Plant) -> tuple[float, NDArray[np.float64]]:
    """Simulate the step response of a plant with time lags, with its dead time removed.

    Returns the time step, and the outputs from time 0 on.
    """
    return _without_delay(plant, own_lags(plant))


def own_lags(plant: Plant) -> float:
    """Time that the plant's step response takes to settle, without its dead time.

    In the plant's unit of time; 0 without time lags.
    """
    return _REST * sum(1 / -p.real for p in plant.poles if p.real < 0)


def _without_delay(plant: Plant, lasting: float) -> tuple[float, NDArray[np.float64]]:
    step = lasting / _MOST_STEPS
    return step, _steps_of(_loop_of_step(plant, step, 0), _MOST_STEPS)


_REST = 12.0
"""Time constants after which an exponential is taken to be at rest: 6e-6."""
_MOST_STEPS = 3000
_AT_ONE = 1 - 1e-9


def _steps_of(loop: LoopEquations, count: int) -> NDArray[np.float64]:
    """Values at steps 0, 1, ... after a step of the input."""
    y = np.zeros(count)
    x = np.zeros(loop.before.size)
    for k in range(count):
        y[k] = (loop.out * x).sum() + loop.through
        x = (loop.phi * x).sum(axis=1) + loop.before + loop.after
    return y


def _delay(y: NDArray[np.float64], dead_time: float, step: float) -> NDArray[np.float64]:
    at = np.arange(y.size) - dead_time / step
    return np.interp(at, np.arange(y.size), y, left=0.0)


def _answer_at_once(plant: Plant) -> tuple[float, NDArray[np.float64]]:
    step = 2 * (plant.dead_time or 1.0) / _MOST_STEPS
    at = np.arange(_MOST_STEPS) * step - plant.dead_time
    rise = np.maximum(at, 0.0) if plant.is_integrating else (at >= 0).astype(np.float64)
    return step, rise * plant.num[-1] / plant.den[0]
