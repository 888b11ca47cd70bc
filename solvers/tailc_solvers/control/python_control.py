"""Convert plants and loops to python-control, and compare margins with it.

python-control has dead time only in samples. In continuous time it is approximated in objects and
step responses (Pade), and exact if only a frequency response is needed.
"""

# Types of python-control's functions are inferred, not declared: some may be None, or anything.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportGeneralTypeIssues=false
# pyright: reportOptionalCall=false, reportOptionalMemberAccess=false, reportReturnType=false

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import control
import numpy as np
from numpy.typing import NDArray

from tailc_solvers.control import frequency, roots
from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.loop import FILTER_RATIO
from tailc_solvers.control.margins import LoopMargins, reference, responses
from tailc_solvers.control.plant import Plant, SampledPlant
from tailc_solvers.control.scale import PlantScale, scale_of

Gains = tuple[float, float, float]
Values = NDArray[np.float64]

_PADE_ORDERS = 3, 10
"""Lowest and highest Padé order; higher ones lose all digits if the dead time is short."""

_PADE_BY_ANGLE = 8
"""Padé orders per radian of dead time at the highest frequency of a controller."""


MARGIN_TOLERANCE = 0.005
"""Relative; of a gain margin, of its distance from instability, and in degrees a hundred times as
much of a phase margin."""

POLE_TOLERANCE = 1e-5
"""Tolerance of the largest pole of a sampled loop; rounding moves double poles that far."""

STEP_TOLERANCE = 0.002
"""Tolerated root mean square difference of two step responses, as a share of the step."""

STEP_TOLERANCE_DEAD_TIME = 0.05
"""The same tolerance if a dead time is approximated."""

# Of grids for the largest sensitivity, and for crossings, which are found between the points.
_PER_DECADE, _PER_DECADE_CROSSINGS = 2_000, 200
# Crossings at lower frequencies are of an integrator at 0.
_LEAST_FREQUENCY = 1e-8
# Of the open loop's size from 1 where it crosses it.
_CROSSES = 1e-3
_SETTLINGS, _LEAST_SAMPLES = 1.5, 30
# Of a sampled loop and of a simulation in continuous time.
_MOST_POINTS = 3_000


@dataclass(frozen=True)
class MarginComparison:
    """One property of a control loop as computed by tailc (`ours`) and python-control (`theirs`).

    tolerance: difference at which both still agree.
    """

    name: str
    ours: float
    theirs: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether the two values are equal within the tolerance, or both infinite."""
        return self.ours == self.theirs or abs(self.ours - self.theirs) <= self.tolerance


def to_control(plant: AnyPlant, sample_time: float = 1.0) -> control.TransferFunction:
    """Convert a plant to a transfer function of python-control: in z if sampled, else in s.

    sample_time: of the transfer function in z. In s the dead time is a Pade approximation.
    """
    if isinstance(plant, SampledPlant):
        num = (*(0.0,) * plant.delay, *plant.b)
        return _in_z(num, plant.a, sample_time)
    rational = control.tf(plant.num, plant.den)
    return rational * _late(plant) if plant.dead_time else rational


def from_control(system: control.lti.LTI, dead_time: float = 0.0) -> AnyPlant:
    """Convert a system of python-control with one input and one output to a plant.

    One sample of a sampled system becomes one control epoch, and its poles at 0 become the delay.
    Raises ValueError for more inputs or outputs, a dead time in z, and a system that no plant
    represents.
    """
    num, den = _coefficients(system)
    if not system.isdtime(strict=True):
        return Plant(num, den, dead_time)
    if dead_time:
        raise ValueError("a sampled system must have its dead time as poles at 0")
    delay = len(den) - len(num)
    while len(den) > 1 and den[-1] == 0:
        den = den[:-1]
        if len(num) > 1 and num[-1] == 0:
            num = num[:-1]
    return SampledPlant(tuple(c / den[0] for c in num), tuple(c / den[0] for c in den), delay)


def law_to_control(
    plant: AnyPlant, gains: Gains, sample_time: float = 1.0
) -> control.TransferFunction:
    """Convert parallel gains to the controller's transfer function, as in the plant's loop.

    In z it is the velocity form; in s its derivative has a filter with time constant kd / (10 kp).
    """
    kp, ki, kd = gains
    if isinstance(plant, SampledPlant):
        return _in_z((kp + ki + kd, -(kp + 2 * kd), kd), (1.0, -1.0), sample_time)
    filter_time = kd / (kp * FILTER_RATIO) if kd else 0.0
    num = (kp * filter_time + kd, kp + ki * filter_time, ki)
    return control.tf(np.trim_zeros(num, "f"), np.trim_zeros((filter_time, 1.0, 0.0), "f"))


def gains_from_control(law: control.lti.LTI) -> Gains:
    """kp, ki and kd of a PI or PID controller that has the form of `law_to_control`.

    Raises ValueError for any other controller.
    """
    num, den = _coefficients(law)
    is_sampled = law.isdtime(strict=True)
    found = _velocity_gains(num, den) if is_sampled else _parallel_gains(num, den)
    plant = SampledPlant((1.0,)) if is_sampled else Plant((1.0,), (1.0, 1.0))
    again = _coefficients(law_to_control(plant, found))
    if not all(_is_same(*pair) for pair in zip(again, (num, den), strict=True)):
        raise ValueError("the system must be a PI or PID controller with a filter of kd / (10 kp)")
    return found


def loop_to_control(
    plant: AnyPlant, gains: Gains, sample_time: float = 1.0
) -> control.TransferFunction:
    """The open loop of a plant with a PID controller, as an object of python-control.

    `control.feedback` closes it. gains: in parallel form.
    """
    return to_control(plant, sample_time) * law_to_control(plant, gains, sample_time)


def figures(plant: AnyPlant, gains: Gains, found: LoopMargins) -> tuple[MarginComparison, ...]:
    """Compare the margins of a stable loop with those computed by python-control.

    The plant is first scaled to the controller's units, in which python-control is most accurate.
    """
    scale = _scale_of(plant)
    unit, own = scale.plant(plant), scale.gains(*gains)
    settling = found.performance.settling / scale.time
    return (
        *_margins(unit, own, found, found.robustness.delay_margin / scale.time),
        largest_pole(unit, own) if isinstance(unit, SampledPlant) else _on_the_right(unit, own),
        _step(unit, own, settling),
    )


def _late(plant: Plant) -> control.TransferFunction:
    """The dead time, approximated."""
    fewest, most = _PADE_ORDERS
    order = math.ceil(_PADE_BY_ANGLE * plant.dead_time * reference(plant))
    return control.tf(*control.pade(plant.dead_time, max(fewest, min(most, order))))


def _scale_of(plant: AnyPlant) -> PlantScale:
    """Units of time and gain of the highest frequency at which a controller works."""
    if isinstance(plant, SampledPlant):
        return scale_of(plant)
    highest = reference(plant)
    return PlantScale(float(np.abs(plant.response_at(highest))), 1 / highest)


def largest_pole(plant: SampledPlant, gains: Gains) -> MarginComparison:
    """Compare the modulus of the closed loop's largest pole in tailc and in python-control.

    The loop is stable if it is below 1.
    """
    ours = roots.spectral_radius(roots.characteristic(plant, *gains, plant.delay))
    theirs = float(np.max(np.abs(_close_loop(plant, gains).poles())))
    return MarginComparison("largest pole", ours, theirs, POLE_TOLERANCE)


def _in_z(num: tuple[float, ...], den: tuple[float, ...], step: float) -> control.TransferFunction:
    """A transfer function from coefficients in ascending powers of z^-1."""
    size = max(len(num), len(den))
    padded = [np.pad(part, (0, size - len(part))) for part in (num, den)]
    return control.tf(*padded, step)


def _coefficients(system: control.lti.LTI) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if system.ninputs != 1 or system.noutputs != 1:
        raise ValueError("a plant must have one input and one output")
    fraction = control.tf(system)
    parts = (fraction.num[0][0], fraction.den[0][0])
    num, den = (tuple(map(float, np.trim_zeros(part, "f"))) for part in parts)
    return num, den


def _velocity_gains(num: tuple[float, ...], den: tuple[float, ...]) -> Gains:
    """Gains of (c0 z^2 + c1 z + c2) / (z^2 - z), or (c0 z + c1) / (z - 1)."""
    first, second, third = (*(c / den[0] for c in num), 0.0, 0.0, 0.0)[:3]
    kp = -second - 2 * third
    return kp, first - kp - third, third


def _parallel_gains(num: tuple[float, ...], den: tuple[float, ...]) -> Gains:
    """Gains of kp + ki / s + kd s / (1 + T s)."""
    if len(den) not in (2, 3) or len(num) > len(den) or den[-2] == 0:
        raise ValueError("a PI or PID controller must have one integrator, and at most one filter")
    filter_time = den[0] / den[1] if len(den) == 3 else 0.0
    second, first, last = (c / den[-2] for c in (0.0,) * (3 - len(num)) + num)
    kp = first - last * filter_time
    if filter_time and not kp:
        raise ValueError("the filter of a PI or PID controller must be kd / (10 kp)")
    return kp, last, second - kp * filter_time


def _is_same(ours: tuple[float, ...], theirs: tuple[float, ...]) -> bool:
    one, other = (np.asarray(part) / part[0] if part[0] else part for part in (ours, theirs))
    return len(ours) == len(theirs) and bool(np.allclose(one, other, rtol=1e-9, atol=1e-12))


def _margins(
    plant: AnyPlant, gains: Gains, found: LoopMargins, delay_margin: float
) -> tuple[MarginComparison, ...]:
    grid = frequency.frequencies(plant, reference(plant), _PER_DECADE)
    sensitivity = float(np.max(1 / np.abs(1 + _response(plant, gains, grid))))
    gain, phase, delay = _stability_margins(plant, gains)
    ours = found.robustness
    near = _nearness(ours.gain_margin), _nearness(gain)
    return (
        MarginComparison("gain margin", *near, MARGIN_TOLERANCE),
        MarginComparison("phase margin", ours.phase_margin_deg, phase, 100 * MARGIN_TOLERANCE),
        MarginComparison("delay margin", delay_margin, delay, MARGIN_TOLERANCE * delay),
        MarginComparison(
            "maximum sensitivity", ours.max_sensitivity, sensitivity, MARGIN_TOLERANCE * sensitivity
        ),
    )


def _nearness(gain_margin: float) -> float:
    """1 on the edge of instability, 0 for an infinite or missing margin."""
    return min(gain_margin, 1 / gain_margin) if 0 < gain_margin < math.inf else 0.0


def _response(plant: AnyPlant, gains: Gains, grid: Values) -> NDArray[np.complex128]:
    """The open-loop response, by python-control except for a dead time in continuous time."""
    law = law_to_control(plant, gains)
    if isinstance(plant, SampledPlant):
        at = np.exp(1j * grid)
        return np.asarray(to_control(plant)(at) * law(at), dtype=np.complex128)
    at = 1j * grid
    late = np.exp(-at * plant.dead_time)
    return np.asarray(control.tf(plant.num, plant.den)(at) * law(at) * late, dtype=np.complex128)


def _stability_margins(plant: AnyPlant, gains: Gains) -> tuple[float, float, float]:
    """The margins nearest to instability: gain, phase [degrees] and delay."""
    found = None
    if isinstance(plant, SampledPlant) or not plant.dead_time:
        found = _margins_by_polynomials(loop_to_control(plant, gains))
    if found is None:
        grid = frequency.frequencies(plant, reference(plant), _PER_DECADE_CROSSINGS)
        curve = control.frd(_response(plant, gains, grid), grid, smooth=True)
        found = control.stability_margins(curve, returnall=True, epsw=_LEAST_FREQUENCY)
    factors = [*found[0], *_at_pi(plant, gains)]
    gain = min(factors, key=lambda factor: abs(math.log(factor)), default=math.inf)
    # It also names peaks that come near to 1 and do not reach it.
    size = np.abs(_response(plant, gains, np.asarray(found[4], dtype=np.float64)))
    phases, at = (np.asarray(found[i])[np.abs(size - 1) < _CROSSES] for i in (1, 4))
    phase = min(np.abs(phases), default=math.inf)
    delay = min(np.radians(phases % 360) / at, default=math.inf)
    return float(gain), float(phase), float(delay)


def _margins_by_polynomials(loop: control.lti.LTI) -> tuple[Values, ...] | None:
    """All margins of a loop without dead time; None if its polynomials lose digits.

    python-control then warns and uses its own grid, which may miss crossings.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        found = control.stability_margins(loop, returnall=True, epsw=_LEAST_FREQUENCY)
    return None if any("inaccuracy" in str(one.message) for one in caught) else found


def _at_pi(plant: AnyPlant, gains: Gains) -> tuple[float, ...]:
    """The gain margin of a sampled loop at pi, where python-control does not look."""
    if isinstance(plant, Plant):
        return ()
    last = float(loop_to_control(plant, gains)(-1).real)
    return (-1 / last,) if last < 0 else ()


def _close_loop(plant: AnyPlant, gains: Gains) -> control.lti.LTI:
    if isinstance(plant, SampledPlant):
        return control.feedback(loop_to_control(plant, gains), 1)
    # Products of states lose fewer digits than those of polynomials.
    loop = control.ss(control.tf(plant.num, plant.den)) * control.ss(law_to_control(plant, gains))
    late = control.ss(_late(plant)) if plant.dead_time else 1
    return control.feedback(loop * late, 1)


def _on_the_right(plant: AnyPlant, gains: Gains) -> MarginComparison:
    """Number of poles of a stable loop that are not left of the imaginary axis, which is 0."""
    theirs = float(np.sum(_close_loop(plant, gains).poles().real >= 0))
    return MarginComparison("number of unstable poles", 0.0, theirs, 0.0)


def _step(plant: AnyPlant, gains: Gains, settling: float) -> MarginComparison:
    """The root mean square of the difference of the responses, compared with 0."""
    least = _LEAST_SAMPLES / reference(plant)
    until = max(least, _SETTLINGS * settling) if math.isfinite(settling) else 2 * least
    times, outputs, _ = responses(plant, *gains, setpoint=1.0, load=0.0, until=until)
    times, outputs = times[:_MOST_POINTS], outputs[:_MOST_POINTS]
    theirs = control.forced_response(_close_loop(plant, gains), times, np.ones(times.size)).outputs
    is_approximated = isinstance(plant, Plant) and plant.dead_time > 0
    tolerance = STEP_TOLERANCE_DEAD_TIME if is_approximated else STEP_TOLERANCE
    difference = math.sqrt(float(np.mean((outputs - np.asarray(theirs)) ** 2)))
    return MarginComparison("step response", 0.0, difference, tolerance)
