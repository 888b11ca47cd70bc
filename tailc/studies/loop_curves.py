"""Curves of a control loop with a tuned controller over time and frequency, for plots."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.control import frequency
from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.margins import Margins, reference, responses

Values = NDArray[np.float64]
_LASTS_SETTLINGS, _LASTS_AT_LEAST = 2.5, 12.0
_PER_DECADE = 60


@dataclass(frozen=True)
class LoopCurves:
    """Responses and margins of one loop for a plot; all times are in the user's unit.

    after_step: output after a unit step of the set point. after_load: output after a unit step of
    the plant's input. omega: radians per unit of time. response: of the open loop.
    """

    name: str
    times: Values
    after_step: Values
    after_load: Values
    omega: Values
    response: NDArray[np.complex128]
    margins: Margins


def curves_of(
    name: str,
    plant: AnyPlant,
    gains: tuple[float, float, float],
    margins: Margins,
    until: float,
    unit: float = 1.0,
) -> LoopCurves:
    """Compute the curves of a stable control loop, up to the time `until`.

    gains: kp, ki and kd of the PID controller. `until` is in the plant's unit of time, and `unit`
    is that unit in the user's unit.
    """
    times, step, _ = responses(plant, *gains, setpoint=1.0, load=0.0, until=until)
    _, load, _ = responses(plant, *gains, setpoint=0.0, load=1.0, until=until)
    grid = frequency.frequencies(plant, reference(plant), _PER_DECADE)
    response = frequency.open_loop(plant, *gains)(grid)
    in_user_units = replace(
        margins,
        delay_margin_epochs=margins.delay_margin_epochs * unit,
        settling_epochs=margins.settling_epochs * unit,
    )
    return LoopCurves(name, times * unit, step, load, grid / unit, response, in_user_units)


def shown_duration(plant: AnyPlant, settling: float) -> float:
    """How long a plot shows a loop with this settling time, in the plant's unit of time."""
    least = _LASTS_AT_LEAST / reference(plant)
    return max(least, _LASTS_SETTLINGS * settling) if math.isfinite(settling) else 20 * least
