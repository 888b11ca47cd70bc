"""Stability margins and performance of a tuned loop, from frequency and time responses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.control import frequency, kernels, roots
from tailc_solvers.control.frequency import AnyPlant, LoopRobustness
from tailc_solvers.control.loop import FILTER_RATIO, LoopEquations, continuous_loop, sampled_loop
from tailc_solvers.control.plant import Plant, SampledPlant
from tailc_solvers.control.scale import PlantScale, scale_of

_AT_REST = 1e-6
"""A response ends when its error stays below this share of its peak."""

_LONGEST_STEP = 1 / 60
"""Of a simulation in continuous time, in units of 1 / the reference frequency: relative errors of
integrals are then below 1e-4."""

_STEPS_A_FILTER = 12
"""Simulation steps per time constant of the derivative's filter."""

_LONGEST = 600.0
"""A simulation's end in the same units, where it is not at rest before."""

_MOST_STEPS = 200_000
_PER_DECADE = 200
# A plant with less lag than this everywhere has no reference except where it falls off.
_LAG_DEG = -160.0


class UnstableLoopError(ValueError):
    """The closed loop is unstable, so it has no margins."""


@dataclass(frozen=True)
class Performance:
    """Performance after unit steps of the set point and of a load at the plant's input.

    Overshoot is a fraction of the set point's step. Settling is the time from which the response
    stays within 2 % of it. IAE = integral |e| dt, ITAE = integral t |e| dt, in the plant's unit of
    time. A response that has not settled when the simulation ends has infinite settling.
    """

    overshoot: float
    settling: float
    iae_setpoint: float
    itae_setpoint: float
    iae_load: float
    itae_load: float


@dataclass(frozen=True)
class LoopMargins:
    """Stability margins and performance of a loop in the plant's unit of time (sampled: epochs)."""

    robustness: LoopRobustness
    performance: Performance


@dataclass(frozen=True)
class Margins:
    """Stability margins and performance of a sampled loop, as one flat record.

    gain_margin: a factor; inf if no gain makes the loop unstable, and likewise for the other
    margins. overshoot: fraction of the set point's step. settling_epochs: the first epoch from
    which the response stays within 2 % of the step.
    """

    gain_margin: float
    phase_margin_deg: float
    delay_margin_epochs: float
    max_sensitivity: float
    overshoot: float
    settling_epochs: float


def margins_sampled(plant: SampledPlant, kp: float, ki: float, kd: float) -> Margins:
    """Stability margins of a control loop with a sampled plant.

    Raises UnstableLoopError if the loop is unstable.
    """
    return flat(loop_margins(plant, kp, ki, kd))


def flat(margins: LoopMargins) -> Margins:
    """Convert margins and performance of a sampled plant's loop to one flat record."""
    robust, performed = margins.robustness, margins.performance
    return Margins(
        gain_margin=robust.gain_margin,
        phase_margin_deg=robust.phase_margin_deg,
        delay_margin_epochs=robust.delay_margin,
        max_sensitivity=robust.max_sensitivity,
        overshoot=performed.overshoot,
        settling_epochs=performed.settling,
    )


def loop_margins(plant: AnyPlant, kp: float, ki: float, kd: float) -> LoopMargins:
    """Stability margins and performance of a plant with a controller of these parallel gains.

    Raises UnstableLoopError for an unstable loop, and ValueError if a gain is not finite, if ki is
    0, or, in continuous time, if kd is not 0 and kp is 0 or has the other sign: the derivative's
    filter has the time constant kd / (10 kp).
    """
    check_gains(plant, kp, ki, kd)
    scale = scale_of(plant)
    unit, gains = scale.plant(plant), scale.gains(kp, ki, kd)
    if not is_stable(unit, *gains):
        raise UnstableLoopError(f"the loop with kp {kp:g}, ki {ki:g}, kd {kd:g} is not stable")
    grid = frequency.frequencies(unit, reference(unit), _PER_DECADE)
    robust = frequency.robustness(frequency.open_loop(unit, *gains), grid)
    return _in_units(LoopMargins(robust, performance(unit, *gains)), scale)


def _in_units(found: LoopMargins, scale: PlantScale) -> LoopMargins:
    """Convert to the plant's own units."""
    robust, performed = found.robustness, found.performance
    by_load = scale.gain * scale.time
    return LoopMargins(
        replace(robust, delay_margin=robust.delay_margin * scale.time),
        Performance(
            overshoot=performed.overshoot,
            settling=performed.settling * scale.time,
            iae_setpoint=performed.iae_setpoint * scale.time,
            itae_setpoint=performed.itae_setpoint * scale.time**2,
            iae_load=performed.iae_load * by_load,
            itae_load=performed.itae_load * by_load * scale.time,
        ),
    )


def check_gains(plant: AnyPlant, kp: float, ki: float, kd: float) -> None:
    """Raise ValueError for gains of a controller that no loop with this plant can use."""
    if not all(map(math.isfinite, (kp, ki, kd))):
        raise ValueError("gains must be finite")
    if ki == 0:
        raise ValueError("a loop that does not integrate leaves an error: ki must not be 0")
    if isinstance(plant, Plant) and kd != 0 and kp * kd <= 0:
        raise ValueError("`kd` needs a `kp` of the same sign, for the time constant of its filter")


def reference(plant: AnyPlant) -> float:
    """A rough upper limit of the crossover frequency of any loop with this plant.

    In radians per unit of time. 1 if the plant has no such limit.
    """
    for lag_deg in (_LAG_DEG, -135.0, -89.0, -45.0):
        found = frequency.reference_frequency(plant, lag_deg)
        if found is not None:
            return found
    return 1.0


def is_stable(plant: AnyPlant, kp: float, ki: float, kd: float) -> bool:
    """Whether the closed loop is stable: by its roots, or by Nyquist's criterion with dead time."""
    if isinstance(plant, SampledPlant):
        return roots.is_stable(plant, kp, ki, kd, plant.delay)
    return _encirclements(plant, kp, ki, kd) == 0


def _encirclements(plant: Plant, kp: float, ki: float, kd: float) -> int:
    """Number of closed-loop poles on the right, from the turns of 1 + L; -1 if it passes 0.

    Every pole of the open loop must be on the left, except those at 0, which a small half circle
    leaves outside.
    """
    if not plant.is_stable:
        return -1
    direct = plant.num[0] / plant.den[0] if len(plant.num) == len(plant.den) else 0.0
    if abs(direct) * abs(kp + (FILTER_RATIO * kp if kd else 0.0)) >= 1.0:
        return -1
    grid = frequency.frequencies(plant, reference(plant), 2 * _PER_DECADE)
    difference = 1 + frequency.open_loop(plant, kp, ki, kd)(grid)
    # Where the half circle crosses the real axis, L is real with the sign of its leading term. From
    # there to the lowest frequency it turns by a quarter for every pole at 0.
    leading = plant.num[-1] / next(c for c in reversed(plant.den) if c) * ki
    begun = 0.0 if leading > 0 else math.pi
    expected = begun - (1 + plant.is_integrating) * math.pi / 2
    start = expected + math.remainder(float(np.angle(difference[0])) - expected, 2 * math.pi)
    turned = float(np.sum(np.angle(difference[1:] / difference[:-1])))
    return round(-(start + turned - begun) / math.pi)


def performance(plant: AnyPlant, kp: float, ki: float, kd: float) -> Performance:
    """Simulate the step responses of a stable control loop and compute its performance."""
    loop, steps = loop_to_simulate(plant, kp, kd)
    record = kernels.new_record(loop, steps)
    law = kernels.law_of(loop, kp, ki, kd)
    held = 0.0 if plant.is_integrating else 1.0 / plant.gain
    made = abs(kernels.respond(loop, law, 1.0, 0.0, _AT_REST, kernels.UNBOUNDED, record))
    iae, itae = kernels.integrals(loop, record, made, held / ki)
    overshoot = kernels.overshoot_of(record, made)
    settled = kernels.settled_after(record, made)
    settling = math.inf if settled == made else settled * loop.step
    made = abs(kernels.respond(loop, law, 0.0, 1.0, _AT_REST, kernels.UNBOUNDED, record))
    iae_load, itae_load = kernels.integrals(loop, record, made, -1.0 / ki)
    return Performance(overshoot, settling, iae, itae, iae_load, itae_load)


def responses(
    plant: AnyPlant, kp: float, ki: float, kd: float, *, setpoint: float, load: float, until: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Simulate a control loop after steps of the set point and of a load.

    Returns times, plant outputs and controller outputs. setpoint, load: sizes of the steps. until:
    end of the simulation, in the plant's unit of time.
    """
    scale = scale_of(plant)
    own_kp, own_ki, own_kd = scale.gains(kp, ki, kd)
    loop, _ = loop_to_simulate(scale.plant(plant), own_kp, own_kd)
    steps = min(_MOST_STEPS, math.ceil(until / scale.time / loop.step) + 1)
    record = kernels.new_record(loop, steps)
    law = kernels.law_of(loop, own_kp, own_ki, own_kd)
    # The output keeps its unit, and the plant's input is in units of the output.
    kernels.respond(loop, law, setpoint, load * scale.gain, 0.0, kernels.UNBOUNDED, record)
    times = loop.step * scale.time * np.arange(record.error.size, dtype=np.float64)
    return times, setpoint - record.error, record.output / scale.gain


def loop_to_simulate(plant: AnyPlant, kp: float, kd: float) -> tuple[LoopEquations, int]:
    """The difference equations of a control loop, and the largest number of steps to simulate."""
    scale = 1.0 / reference(plant)
    if isinstance(plant, SampledPlant):
        return sampled_loop(plant), min(_MOST_STEPS, math.ceil(_LONGEST * scale) + 10 * plant.delay)
    filter_time = kd / (kp * FILTER_RATIO) if kd else math.inf
    loop = continuous_loop(plant, min(_LONGEST_STEP * scale, filter_time / _STEPS_A_FILTER))
    return loop, min(_MOST_STEPS, math.ceil(_LONGEST * scale / loop.step))
