"""Size a battery that bridges forecast errors of racks on a green bus.

If less green energy arrives than forecast, some racks must switch to the other bus, and until then
a battery supplies them: the worst shortfall for the duration of the switch (Haque, Rutgers 2016,
appendix A, "Battery size").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Bridge:
    """Result of comparing forecasts with actual power: the battery for the largest shortfall.

    epochs: number of epochs; over_epochs: those with a forecast that was too high, by mean_over_mw
    on average, rounded down, and by most_over_mw in the worst. energy_mj: most_over_mw for the
    bridged time.
    """

    epochs: int
    over_epochs: int
    mean_over_mw: int
    most_over_mw: int
    energy_mj: int


def bridge_of(
    forecast_mw: NDArray[np.int64], actual_mw: NDArray[np.int64], bridge_s: int
) -> Bridge:
    """Compute the energy of a battery that supplies the largest shortfall for `bridge_s` seconds.

    A shortfall is actual power below the forecast. forecast_mw, actual_mw: int64 (epochs,). Raises
    ValueError for other shapes, and for a negative time.
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
    return Bridge(len(over_mw), count, mean_mw, most_mw, battery_energy_mj(most_mw, bridge_s))


def battery_energy_mj(power_mw: int, carried_s: int) -> int:
    """Energy that a battery needs to supply a constant power for a time [mJ]."""
    return power_mw * carried_s
