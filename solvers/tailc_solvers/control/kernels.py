"""Loops over time steps and frequencies of one control loop; see loop.py for the equations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.control.loop import LoopEquations
from tailc_solvers.loops import inner_loops, plain_loops

DIVERGED = 1e6
"""An error this many times a unit step's is taken for growth without end."""

SETTLED_SHARE = 0.02
"""The band around the final value, a share of the step, that a settled response stays in."""


class SimulationRecord(NamedTuple):
    """Memory for the simulation of a control loop, which `respond` fills.

    error, output: the control error and the controller's output at each step [steps]. states:
    scratch space for the plant's state [3, states].
    """

    error: NDArray[np.float64]
    output: NDArray[np.float64]
    states: NDArray[np.float64]


class IntegralLimits(NamedTuple):
    """Limits at which the simulation of a control loop stops early, as it will exceed them.

    total: the integral of the error e over all time, which is known in advance. iae, itae: limits
    of the integrals of |e| and of t |e|. While the simulation runs, |total - integral of e until
    now| is a lower bound on the rest of the integral of |e|.
    """

    total: float
    iae: float
    itae: float


UNBOUNDED = IntegralLimits(0.0, math.inf, math.inf)


class ControlLaw(NamedTuple):
    """Coefficients of a PID controller in a simulation with a fixed time step.

    kp, ki, kd: parallel gains. keep, rate: filter of the derivative, D(k) = keep D(k-1) + rate
    (e(k) - e(k-1)), with e the control error. first: the rate on the first step, where the error
    jumps.
    """

    kp: float
    ki: float
    kd: float
    keep: float
    rate: float
    first: float


def new_record(loop: LoopEquations, steps: int) -> SimulationRecord:
    """Allocate buffers for the simulation of a control loop, for at most `steps` steps."""
    return SimulationRecord(np.zeros(steps), np.zeros(steps), np.zeros((3, loop.before.size)))


@plain_loops
def law_of(loop, kp, ki, kd):
    """Coefficients of the PID controller with parallel gains kp, ki, kd, for a simulation by steps.

    A controller in continuous time with a derivative (kd not 0) needs kp > 0.
    """
    if loop.filter_ratio == 0.0 or kd == 0.0:
        return ControlLaw(kp, ki, kd, 0.0, 1.0, 1.0)
    filter_time = kd / (kp * loop.filter_ratio)
    keep = math.exp(-loop.step / filter_time)
    return ControlLaw(kp, ki, kd, keep, (1.0 - keep) / loop.step, 1.0 / filter_time)


@plain_loops
def respond(loop, law, setpoint, load, tolerance, most, record):
    """Simulate a control loop after steps of its set point and of a load at the plant's input.

    Both steps are at time 0, of the sizes `setpoint` and `load`. Returns the number of simulated
    steps and writes the error and the controller's output of each step to `record`. Stops early
    once the error has stayed within `tolerance` of its peak for long enough. Returns -1 if the loop
    diverges, or if its integrals are going to exceed the limits `most`.
    """
    n = loop.before.shape[0]
    x, fresh = record.states[0], record.states[1]
    x[:] = 0.0
    steps = record.error.shape[0]
    patience = 3 * loop.delay + 2 * n + 30
    integral, derivative, error, peak, quiet = 0.0, 0.0, 0.0, 0.0, 0
    so_far, absolute, moment = 0.0, 0.0, 0.0
    total, most_absolute, most_moment = _in_steps(most, loop.step)
    for k in range(steps):
        direct = _advance(loop, record.output, load, k, x, fresh)
        free = 0.0
        for i in range(n):
            free += loop.out[i] * x[i]
        if loop.delay > 0 and k >= loop.delay:
            free += loop.through * (record.output[k - loop.delay] + load)
        now = loop.i_now if k > 0 else loop.i_first
        rate = law.rate if k > 0 else law.first
        kept = integral + (loop.i_before * error if k > 0 else 0.0)
        held = law.keep * derivative - rate * error
        free_output = law.ki * kept + law.kd * held
        own = law.kp + law.ki * now + law.kd * rate
        before = error
        error = (setpoint - free - direct * (free_output + load)) / (1.0 + direct * own)
        integral = kept + now * error
        derivative = law.keep * derivative + rate * (error - before)
        record.error[k] = error
        record.output[k] = free_output + own * error
        if loop.delay == 0 and k > 0:
            for i in range(n):
                x[i] += loop.after[i] * (record.output[k] + load)
        peak = max(peak, abs(error))
        counted = _counted_error(loop, k, error)
        so_far += counted
        absolute += abs(counted)
        moment += k * abs(counted)
        left = abs(total - so_far)
        if not (absolute + left <= most_absolute and moment + k * left <= most_moment):
            return -1
        if not abs(error) < DIVERGED * (1.0 + abs(load)):
            return -1
        quiet = quiet + 1 if abs(error) <= tolerance * peak and peak > 0.0 else 0
        if quiet > patience:
            return k + 1
    return steps


@inner_loops
def _advance(loop, output, load, k, x, fresh):
    """Advance x to step k by the known input; return the weight of output[k] in y(k)."""
    n = x.shape[0]
    first = k - 1 - loop.delay
    if k > 0:
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += loop.phi[i, j] * x[j]
            if first >= 0:
                total += loop.before[i] * (output[first] + load)
                if loop.delay > 0:
                    total += loop.after[i] * (output[first + 1] + load)
            fresh[i] = total
        for i in range(n):
            x[i] = fresh[i]
    if loop.delay > 0:
        return 0.0
    direct = loop.through
    if k > 0:
        for i in range(n):
            direct += loop.out[i] * loop.after[i]
    return direct


@inner_loops
def _in_steps(most, step):
    """`most` in units of sums over steps."""
    return most.total / step, most.iae / step, most.itae / step**2


@inner_loops
def _counted_error(loop, k, error):
    """The share of an error that sums count: half of the first in continuous time."""
    return 0.5 * error if k == 0 and loop.filter_ratio > 0.0 else error


@plain_loops
def integrals(loop, record, steps, total):
    """Integrals of |e| (IAE) and of t |e| (ITAE) of a simulated loop's error e, over all time.

    `total` is the integral of e over all time. Integrals are sums of samples, or in continuous time
    the trapezoidal rule. The part of `total` that the record lacks is added at its last time, so
    that a response that was cut off early has no advantage.
    """
    sum_abs, sum_time, sum_error = 0.0, 0.0, 0.0
    for k in range(steps):
        e = _counted_error(loop, k, record.error[k])
        sum_abs += abs(e)
        sum_time += k * abs(e)
        sum_error += e
    h = loop.step
    left = abs(total - h * sum_error)
    return h * sum_abs + left, h * h * sum_time + h * steps * left


@plain_loops
def overshoot_of(record, steps):
    """Overshoot of a control loop after a set-point step, as a fraction of the step."""
    most = 0.0
    for k in range(steps):
        most = max(most, -record.error[k])
    return most


@plain_loops
def settled_after(record, steps):
    """The first step from which the error of a set-point response stays negligible, by its number.

    Negligible means at most SETTLED_SHARE of the set-point step. 0 if it is negligible from the
    start.
    """
    for k in range(steps - 1, -1, -1):
        if abs(record.error[k]) > SETTLED_SHARE:
            return k + 1
    return 0


@inner_loops
def factors_within(sigma, plant, shape, floor, is_double):
    """The gains k for which the loop k C0 P is stable and |1 + k C0 P| >= floor at every frequency.

    Returned as (low, least, most), which means 0 < k <= low or least < k <= most. P is the plant,
    and `shape` is (ti, td, filter ratio) of the controller C0 = 1 + 1 / (ti sigma) + td sigma / (1
    + td sigma / ratio); a ratio of 0 means no filter. With L0 = C0 P, the squared distance to -1 at
    one frequency is 1 + 2 k Re L0 + k^2 |L0|^2; between the roots of this quadratic, k is too
    close.

    If the open loop integrates once, the loop is stable for a small k, and no k in either range
    lets the curve cross -1. The second range is for a lag far above ti, whose phase comes close to
    -180 degrees and rises again before it falls below. Such a dip bounds k from below as well. If
    the open loop integrates twice (`is_double`) the phase first rises from -180 degrees:
    frequencies below its peak bound k from below, and low is 0. (0, 0, 0) if the phase begins below
    -180 degrees: no k is stable.
    """
    middle = -1
    if is_double:
        middle = _phase_peak(sigma, plant, shape)
        if middle < 0:
            return 0.0, 0.0, 0.0
    low, least, most = math.inf, 0.0, math.inf
    # Bounds of a dip that was passed, from below and from above.
    dip_least, dip_most = 0.0, math.inf
    is_beyond = is_double
    excess = 1.0 - floor * floor
    for i in range(sigma.shape[0]):
        response = _shape_output(sigma[i], shape) * plant[i]
        is_near = False
        if response.real < 0.0:
            is_beyond = is_beyond or response.imag >= 0.0
            square = response.real * response.real + response.imag * response.imag
            inner = response.real * response.real - square * excess
            is_near = inner >= 0.0
            if is_near:
                above = (-response.real + math.sqrt(inner)) / square
                below = (-response.real - math.sqrt(inner)) / square
                if i < middle:
                    least = max(least, above)
                elif is_beyond:
                    most = min(most, below)
                else:
                    dip_least, dip_most = max(dip_least, above), min(dip_most, below)
        if not is_near and not is_beyond:
            low, least = min(low, dip_most), max(least, dip_least)
            dip_least, dip_most = 0.0, math.inf
    most = min(most, dip_most)
    low = 0.0 if is_double else min(low, most)
    if least >= most and not is_double:
        return low, 0.0, low
    return low, least, most


@inner_loops
def _phase_peak(sigma, plant, shape):
    """Index of the phase's peak before it falls below -180 degrees; -1 if it begins there."""
    highest, peak = -1.0, -1
    for i in range(sigma.shape[0]):
        response = _shape_output(sigma[i], shape) * plant[i]
        if response.imag >= 0.0:
            return peak
        cosine = response.real / abs(response)
        if cosine > highest:
            highest, peak = cosine, i
    return peak


@inner_loops
def _shape_output(s, shape):
    ti, td, ratio = shape
    lead = td * s
    if ratio > 0.0:
        lead = lead / (1.0 + lead / ratio)
    return 1.0 + 1.0 / (ti * s) + lead
