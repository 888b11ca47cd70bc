"""Tune PI and PID controllers for a plant: the best by a criterion within robustness limits.

The problem and the search are those of search.py; the criterion is exp(1/2 w ln ITAE + (1 - w) ln
IAE), in the plant's unit of time and input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.control import frequency, roots
from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.loop import LoopEquations, continuous_loop, sampled_loop
from tailc_solvers.control.margins import (
    LoopMargins,
    Margins,
    UnstableLoopError,
    flat,
    loop_margins,
)
from tailc_solvers.control.plant import Plant, SampledPlant
from tailc_solvers.control.scale import PlantScale, scale_of
from tailc_solvers.control.search import (
    FINEST,
    LONGEST_TI,
    SHORTEST_TI,
    LoopProblem,
    gains_at,
    new_scratch,
    search,
)

Structure: TypeAlias = Literal["pi", "pid"]
Criterion: TypeAlias = Literal["balanced", "setpoint", "load"]

WEIGHTS: dict[Criterion, float] = {"balanced": 0.5, "setpoint": 1.0, "load": 0.0}
"""Weight of the set point's ITAE in each criterion; the remaining weight is the load's IAE."""

LATE_SENSITIVITY = 4.0
"""Limit of Ms of a sampled loop with its longest delay; it keeps a stability margin."""

_LAG_DEG: dict[Structure, float] = {"pi": -160.0, "pid": -205.0}
"""The plant's lag at the fastest crossover that a controller of the structure can reach: a PID
controller leads by some 65 degrees where its filter lets it."""

_STEPS_A_UNIT = 12
_LONGEST, _MOST_STEPS = 250, 20_000
_PER_DECADE, _PER_TURN = 40, 16
_FINE = 8
_DIGITS = 5
_NEARLY, _SHRINK, _MOST_SHRINKS = 0.9998, 0.999, 12
"""Shares of the largest gain that are tried, since rounding to `_DIGITS` can raise Ms."""

_NO_DERIVATIVE = -40.0
_LOG_TI = np.arange(-4.0, LONGEST_TI + 1.0)
_LIKELY_LOG_TI = 3.0
_LOG_SHAPES = (-5.0, -3.5, -2.0, -1.0)
_LOG_SHARES = (0.0, -0.25, -0.5, -1.0)
_ROUGH = 1 / 4


def _lattice(*axes: ArrayLike) -> NDArray[np.float64]:
    """All combinations of log2 of ti, of td / ti and of the share [points, 3]."""
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _likely_first(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sort the points by share, then by ti: good early points shorten later simulations."""
    away = np.abs(points[:, 0] - _LIKELY_LOG_TI)
    return points[np.lexsort((away, -points[:, 2]))]


_PI_STARTS = _likely_first(_lattice((SHORTEST_TI, *_LOG_TI), _NO_DERIVATIVE, _LOG_SHARES))
_ROUGH_STARTS = _PI_STARTS[_PI_STARTS[:, 2] == 0.0]
_PID_STARTS = _likely_first(_lattice(_LOG_TI[2:-1], _LOG_SHAPES[1:], (0.0, -0.5)))


def _steps(*axes: ArrayLike) -> NDArray[np.float64]:
    """Directions, without multiples of each other."""
    found = _lattice(*axes)
    return found[np.gcd.reduce(found.astype(int), axis=1) == 1]


_FAR, _NEAR = (-2, -1, 0, 1, 2), (-1, 0, 1)
_PI_STEPS = _steps(_FAR, 0, _FAR)
_PID_STEPS = _steps(_NEAR, _NEAR, _NEAR)


class NoTuningError(ValueError):
    """No gains of the requested structure meet the limits; the message says why."""


class LimitsError(NoTuningError):
    """The plant can be tuned, but no gains were found that meet the limits."""


@dataclass(frozen=True)
class LoopLimits:
    """Limits that a tuned loop must meet; inf if there is no limit.

    `overshoot` is a share of the set point's step. `itae_setpoint` and `iae_load` are in the
    plant's unit of time; with them a tuning can be required to be no worse than another one.
    `delay_spread` is for sampled plants: the loop must be stable for every delay of
    roots.delays_within, and have Ms <= LATE_SENSITIVITY with the longest. None requires only the
    delay itself.
    """

    max_sensitivity: float = 1.6
    overshoot: float = math.inf
    itae_setpoint: float = math.inf
    iae_load: float = math.inf
    delay_spread: float | None = None

    def __post_init__(self) -> None:
        if not 1.0 < self.max_sensitivity < math.inf:
            raise ValueError("`max_sensitivity` must be above 1 and finite")
        if not self.overshoot >= 0.0:
            raise ValueError("`overshoot` must not be negative")


@dataclass(frozen=True)
class TunedGains:
    """Tuned parallel gains (velocity form for a sampled plant), with the value of the criterion."""

    kp: float
    ki: float
    kd: float
    criterion: float


@dataclass(frozen=True)
class Tuning:
    """Tuned PID gains for a sampled plant (velocity form), with the margins of their loop.

    criterion: the minimised criterion at these gains.
    """

    kp: float
    ki: float
    kd: float
    margins: Margins
    criterion: float


def tune_sampled(
    plant: SampledPlant,
    *,
    structure: Structure = "pi",
    max_sensitivity: float = 1.6,
    max_overshoot: float = 0.02,
    delay_spread: float = roots.DELAY_SPREAD,
    criterion: Criterion = "balanced",
) -> Tuning:
    """Tune u(k) = u(k-1) + kp (e - e1) + ki e + kd (e - 2 e1 + e2) for a sampled plant.

    e, e1 and e2 are the errors of this epoch and of the two before it. The gains have five
    significant digits and the plant's sign. The loop is stable for every whole delay within the
    spread, and for at least one epoch more or less. Raises NoTuningError if no gains meet the
    limits.
    """
    limits = LoopLimits(max_sensitivity, max_overshoot, delay_spread=delay_spread)
    gains, found = tune(plant, structure, limits, criterion)
    return Tuning(gains.kp, gains.ki, gains.kd, flat(found), gains.criterion)


def tune(
    plant: AnyPlant,
    structure: Structure,
    limits: LoopLimits,
    criterion: Criterion = "balanced",
    start: tuple[float, float, float] | None = None,
) -> tuple[TunedGains, LoopMargins]:
    """The best parallel gains for a plant, with the margins of their loop.

    `start` are additional initial gains: if they meet the limits, the answer is no worse. Raises
    NoTuningError for a plant that is unstable, has no gain at rest, or can be controlled
    arbitrarily fast, and if no gains meet the limits.
    """
    check_plant(plant)
    sign = math.copysign(1.0, plant.gain)
    scale = scale_of(plant)
    unit, unit_limits = scale.plant(plant), _in_units(limits, scale)
    problem, steps = _problem(unit, sign, structure, unit_limits, WEIGHTS[criterion])
    scratch = new_scratch(problem.loop, steps)
    own = [] if start is None else _points(problem, [sign * g for g in scale.gains(*start)])
    if structure == "pi":
        search(problem, np.array([*own, *_PI_STARTS]), _PI_STEPS, FINEST, scratch)
    else:
        search(problem, _ROUGH_STARTS, _PI_STEPS, _ROUGH, scratch)
        from_pi = [(scratch.best[0], shape, scratch.best[2]) for shape in _LOG_SHAPES]
        scratch.answer[:] = math.inf
        search(problem, np.array([*own, *from_pi, *_PID_STARTS]), _PID_STEPS, FINEST, scratch)
    found = None
    if np.isfinite(scratch.answer).all():
        fine = _on_grid(problem, unit, sign, unit_limits, _fine_grid(unit, problem))
        gains = [_NEARLY * sign * gain for gain in scale.back(*gains_at(fine, scratch.best))]
        found = _reduce_to_limits(plant, gains, limits, WEIGHTS[criterion])
    begun = None if start is None else _with_margins(plant, start, limits, WEIGHTS[criterion])
    if begun is not None and (found is None or begun[0].criterion < found[0].criterion):
        found = begun
    if found is None:
        raise LimitsError(f"no {structure.upper()} gains were found that meet the limits")
    return found


def _in_units(limits: LoopLimits, scale: PlantScale) -> LoopLimits:
    return replace(
        limits,
        itae_setpoint=limits.itae_setpoint / scale.time**2,
        iae_load=limits.iae_load / (scale.gain * scale.time),
    )


def check_plant(plant: AnyPlant) -> None:
    """Raise NoTuningError for an unstable plant, or one whose output no input can hold constant."""
    if not plant.is_stable:
        raise NoTuningError(
            "the plant is unstable, or has two integrators: it must be stable, with at most one "
            "integrator"
        )
    if plant.gain == 0:
        raise NoTuningError(
            "the plant has a zero at frequency 0, so no constant input holds its output"
        )


def _problem(
    plant: AnyPlant, sign: float, structure: Structure, limits: LoopLimits, weight: float
) -> tuple[LoopProblem, int]:
    reference = frequency.reference_frequency(plant, _LAG_DEG[structure])
    if reference is None and isinstance(plant, Plant):
        raise NoTuningError(
            f"the speed of a {structure.upper()} controller with this plant has no limit: "
            "give the dead time, or the sample time"
        )
    reference = _rounded_power(reference or 1.0)
    loop = _loop(plant, reference)
    of_time = (limits.itae_setpoint, limits.iae_load)
    nowhere = np.empty(0, dtype=np.complex128)
    problem = LoopProblem(
        loop=loop._replace(out=sign * loop.out, through=sign * loop.through),
        sigma=nowhere,
        plant=nowhere,
        late=nowhere,
        floor=1 / limits.max_sensitivity,
        late_floor=1 / LATE_SENSITIVITY,
        is_double=plant.is_integrating,
        time=1 / reference,
        held=0.0 if plant.is_integrating else 1 / abs(plant.gain),
        weight=weight,
        limits=np.array([limits.overshoot, *_TIGHTER * np.array(of_time)]),
    )
    grid = frequency.frequencies(plant, reference, _PER_DECADE, _PER_TURN)
    longest = _LONGEST / (reference * loop.step) + 10 * loop.delay
    steps = min(_MOST_STEPS, math.ceil(longest))
    return _on_grid(problem, plant, sign, limits, grid), steps


def _fine_grid(plant: AnyPlant, problem: LoopProblem) -> NDArray[np.float64]:
    return frequency.frequencies(plant, 1 / problem.time, _FINE * _PER_DECADE)


def _on_grid(
    problem: LoopProblem,
    plant: AnyPlant,
    sign: float,
    limits: LoopLimits,
    grid: NDArray[np.float64],
) -> LoopProblem:
    """The problem with its responses at these frequencies."""
    response = sign * plant.response_at(grid)
    late = response[:0]
    if isinstance(plant, SampledPlant) and limits.delay_spread is not None:
        more = roots.delays_within(plant.delay, limits.delay_spread)[-1] - plant.delay
        late = response * np.exp(-1j * grid * more)
    return problem._replace(sigma=frequency.differences(plant, grid), plant=response, late=late)


def _loop(plant: AnyPlant, reference: float) -> LoopEquations:
    if isinstance(plant, SampledPlant):
        return sampled_loop(plant)
    return continuous_loop(plant, 1 / (_STEPS_A_UNIT * reference))


def _rounded_power(value: float) -> float:
    """The nearest power of the fourth root of 2, so that rounding does not change the lattice."""
    return 2.0 ** (round(4 * math.log2(value)) / 4)


def _points(problem: LoopProblem, gains: list[float]) -> list[NDArray[np.float64]]:
    """The point of the search at gains, its share at most 1; empty if the search has no such."""
    kp, ki, kd = gains
    if min(kp, ki) <= 0:
        return []
    shape = math.log2(kd * ki / kp**2) if kd > 0 else _NO_DERIVATIVE
    point = np.array([math.log2(kp / ki / problem.time), shape, 0.0])
    largest = gains_at(problem, point)[0]
    if not math.isfinite(largest):
        return []
    point[2] = min(0.0, math.log2(kp / largest))
    return [point]


def _reduce_to_limits(
    plant: AnyPlant, gains: list[float], limits: LoopLimits, weight: float
) -> tuple[TunedGains, LoopMargins] | None:
    """Round the gains and reduce them until the limits hold exactly; None if they do not.

    The search checks the limits only on a grid of frequencies, before the gains are rounded.
    """
    for shrinks in range(_MOST_SHRINKS):
        kp, ki, kd = (_in_digits(_SHRINK**shrinks * gain) for gain in gains)
        found = _with_margins(plant, (kp, ki, kd), limits, weight)
        if found is not None:
            return found
    return None


def _with_margins(
    plant: AnyPlant, gains: tuple[float, float, float], limits: LoopLimits, weight: float
) -> tuple[TunedGains, LoopMargins] | None:
    """The gains with the margins of their loop, if they meet the limits."""
    try:
        found = loop_margins(plant, *gains)
    except UnstableLoopError:
        return None
    if not _keeps(plant, gains, found, limits):
        return None
    return TunedGains(*gains, _criterion(found, weight)), found


def _keeps(
    plant: AnyPlant, gains: tuple[float, float, float], found: LoopMargins, limits: LoopLimits
) -> bool:
    performed = found.performance
    return (
        _bears_delays(plant, gains, limits.delay_spread)
        and found.robustness.max_sensitivity <= limits.max_sensitivity
        and performed.overshoot <= limits.overshoot + _ROUNDING
        and performed.itae_setpoint <= limits.itae_setpoint
        and performed.iae_load <= limits.iae_load
    )


_TIGHTER = 0.997
"""Factor of limits on integrals in the search, since its steps are longer than the final ones."""

_ROUNDING = 1e-3
"""Absolute, on a share: what four digits, and steps of different length, come to."""


def _bears_delays(plant: AnyPlant, gains: tuple[float, float, float], spread: float | None) -> bool:
    if spread is None or not isinstance(plant, SampledPlant):
        return True
    return roots.stable_for_delays(plant, *gains, spread=spread)


def value_of(found: LoopMargins, criterion: Criterion) -> float:
    """Value of the named tuning criterion for a loop with these margins; less is better."""
    return _criterion(found, WEIGHTS[criterion])


def _criterion(found: LoopMargins, weight: float) -> float:
    performed = found.performance
    return math.exp(
        0.5 * weight * math.log(performed.itae_setpoint)
        + (1 - weight) * math.log(performed.iae_load)
    )


def _in_digits(value: float) -> float:
    return float(f"{value:.{_DIGITS - 1}e}") + 0.0
