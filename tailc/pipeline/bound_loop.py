"""Check that a feedback controller that scales a latency bound is stable.

The controller measures the tail of the last `window_requests` latencies, approximated as a mean
over the epochs of the window: a change of the bound has its full effect once the window has passed.
Scaling the bound scales the tail by at most about the same factor, since every request must finish
within the bound; slopes of 0.1 to 1.3 were measured on five services. With slope 1 the plant is

    P(z) = (z^-1 + z^-2 + ... + z^-n) / n,      n = window / epoch.
"""

from __future__ import annotations

import numpy as np
from tailc_solvers.control import roots
from tailc_solvers.control.plant import SampledPlant

from tailc.errors import Code, Finding, TailcError
from tailc.forms.controller import Controller
from tailc.pipeline.loop_recheck import check_poles
from tailc.units import plural

# A longer window is approximated by this number of epochs, with the same integral over the window.
MOST_EPOCHS = 100


def check_bound_loop(controller: Controller, bound_us: int) -> None:
    """Raise TailcError (UNSTABLE_GAINS) for gains with which the latency bound diverges.

    python-control recomputes the poles; TailcError (LOOP_DIFFERS) if its largest pole differs.
    """
    unit = bound_us / (1 << controller.fraction_bits)
    window = -(-controller.window_requests // controller.epoch_requests)
    for row in controller.gains:
        kp, ki = row.kp * unit, row.ki * unit
        if not is_stable(kp, ki, window):
            message = (
                f"the loop with gains kp {kp:.3g} and ki {ki:.3g} is not stable with a window of "
                f"{plural(window, 'epoch')}: the bound would oscillate more and more"
            )
            hint = "lower `kp` and `ki`, or remove them, so that the defaults apply"
            raise TailcError(Finding(Code.UNSTABLE_GAINS, message, help=hint))
        if kp or ki:
            check_poles(*_loop(kp, ki, window))


def is_stable(kp: float, ki: float, window_epochs: int) -> bool:
    """Whether the feedback loop of the latency bound is stable.

    kp, ki: relative change of the bound per relative error of the tail. With zero gains the bound
    is constant, which counts as stable.
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
    """The plant and its gains, with the window limited to `MOST_EPOCHS` epochs."""
    epochs = min(window_epochs, MOST_EPOCHS)
    return SampledPlant((1 / epochs,) * epochs), (kp, ki * window_epochs / epochs, 0.0)
