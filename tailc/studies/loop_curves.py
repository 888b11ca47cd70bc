"""What a tuned loop does over time and at every frequency, as pictures draw it."""

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
class Curves:
    """One loop's responses and margins for a picture, times in the user's unit.

    `after_step` is the output after a unit step of the set point, `after_load` after one of the
    plant's input. `omega` is radians a unit of time; `response` the open loop's. Times of `margins`
    are in the user's unit, as all are.
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
) -> Curves:
    """Of a stable loop with these gains, up to `until`; times come in the plant's unit of time.

    `unit` is that unit in the user's.
    """
    times, step, _ = responses(plant, *gains, setpoint=1.0, load=0.0, until=until)
    _, load, _ = responses(plant, *gains, setpoint=0.0, load=1.0, until=until)
    grid = frequency.frequencies(plant, reference(plant), _PER_DECADE)
    response = frequency.open_loop(plant, *gains)(grid)
    told = replace(
        margins,
        delay_margin_epochs=margins.delay_margin_epochs * unit,
        settling_epochs=margins.settling_epochs * unit,
    )
    return Curves(name, times * unit, step, load, grid / unit, response, told)


def lasting(plant: AnyPlant, settling: float) -> float:
    """For how long a loop is shown that settles in so much; both in the plant's unit of time."""
    least = _LASTS_AT_LEAST / reference(plant)
    return max(least, _LASTS_SETTLINGS * settling) if math.isfinite(settling) else 20 * least
