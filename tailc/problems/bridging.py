"""How large a battery has to be so that a wrong forecast is no surprise to racks on a green bus.

Where less green energy comes than was forecast, some racks have to go to the other bus, and until
they have, a battery feeds them: the worst shortfall, for as long as that takes (Haque, Rutgers
2016, appendix A, "Battery size").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Bridge:
    """By how much a forecast was too high, and what carries the worst of it.

    epochs: how many there are; over_epochs: in so many the forecast was too high, by mean_over_mw
    on average of these, rounded down, and by most_over_mw in the worst. energy_mj: of that power
    for the time asked about.
    """

    epochs: int
    over_epochs: int
    mean_over_mw: int
    most_over_mw: int
    energy_mj: int


def bridge_of(
    forecast_mw: NDArray[np.int64], actual_mw: NDArray[np.int64], bridge_s: int
) -> Bridge:
    """What it takes to bridge `bridge_s` of the worst shortfall; int64 (epochs,) each.

    Raises ValueError for other shapes, and for a time below 0.
    """
    if forecast_mw.shape != actual_mw.shape or forecast_mw.ndim != 1 or bridge_s < 0:
        message = (
            "the forecast and the actual power must have one value for each epoch, and `bridge_s` "
            "must be at least 0"
        )
        raise ValueError(message)
    over_mw = np.maximum(forecast_mw - actual_mw, 0)
    count, most_mw = int(np.count_nonzero(over_mw)), int(over_mw.max(initial=0))
    mean_mw = int(over_mw.sum()) // count if count else 0
    return Bridge(len(over_mw), count, mean_mw, most_mw, carried_mj(most_mw, bridge_s))


def carried_mj(power_mw: int, carried_s: int) -> int:
    """What a battery has to hold to give so much power for so long."""
    return power_mw * carried_s
