"""Whether a controller that scales a latency bound is stable.

What it measures is the tail of the last `window_requests` latencies, a mean over as many steps as
epochs fit in: a bound that moves shows in full when the window has passed. A bound longer by a
share makes the tail longer by at most about that share, since every request is to be done within
it; slopes of 0.1 to 1.3 were seen on five services. With slope 1 the plant is

    P(z) = (z^-1 + z^-2 + ... + z^-n) / n,      n = window / epoch.
"""

from __future__ import annotations

import numpy as np
from tailc_solvers.control import roots
from tailc_solvers.control.plant import SampledPlant

from tailc.errors import Code, Finding, TailcError
from tailc.forms.controller import Controller
from tailc.pipeline.loop_recheck import check_poles
from tailc.units import counted

# A window of more epochs is taken as one of so many, with as much integrated over all of it.
MOST_EPOCHS = 100


def check_bound_loop(controller: Controller, bound_us: int) -> None:
    """Raise TailcError (UNSTABLE_GAINS) for gains with which the bound would swing ever more.

    Poles are recomputed by python-control; another one is refused, too (LOOP_DIFFERS).
    """
    unit = bound_us / (1 << controller.fraction_bits)
    window = -(-controller.window_requests // controller.epoch_requests)
    for row in controller.gains:
        kp, ki = row.kp * unit, row.ki * unit
        if not is_stable(kp, ki, window):
            message = (
                f"gains kp {kp:.3g} and ki {ki:.3g} are not stable with a "
                f"window of {counted(window, 'epoch')}: the bound would swing ever more"
            )
            hint = "make them smaller, or leave `kp` and `ki` out"
            raise TailcError(Finding(Code.UNSTABLE_GAINS, message, help=hint))
        if kp or ki:
            check_poles(*_loop(kp, ki, window))


def is_stable(kp: float, ki: float, window_epochs: int) -> bool:
    """Whether the loop is, with gains in shares of the bound by share of error.

    Gains of nothing leave the bound where it is, which is stable.
    """
    plant, gains = _loop(kp, ki, window_epochs)
    if ki == 0:
        # Without an integral the velocity form's own root at 1 never moves.
        polynomial = roots.characteristic(plant, kp, 0.0, 0.0, plant.delay)
        moving, _ = np.polydiv(polynomial, (1.0, -1.0))
        return roots.is_schur(moving.astype(np.float64))
    return roots.is_stable(plant, *gains, plant.delay)


def _loop(
    kp: float, ki: float, window_epochs: int
) -> tuple[SampledPlant, tuple[float, float, float]]:
    """The plant and its gains, of a window of no more epochs than are computed with."""
    epochs = min(window_epochs, MOST_EPOCHS)
    return SampledPlant((1 / epochs,) * epochs), (kp, ki * window_epochs / epochs, 0.0)
