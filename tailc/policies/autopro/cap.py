"""When a machine whose throughput does not follow its share gets a cap."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tailc.forms.shares import MOST_CAP_STEPS, PPM, ShareCap
from tailc.policies.autopro.control_spec import ControlSpec
from tailc.problems.shares import MachineModel

FEWEST_STEPS = 4
# Standard errors by which a change of throughput must differ from that of a machine that follows.
SURELY = 3
# A machine with memory a has had e^-3 of its step response left after this many times 1 / (1 - a).
TIMES_MEMORY = 3


def cap_of(control: ControlSpec, models: Sequence[MachineModel]) -> ShareCap | None:
    """The spec's, with as many steps as the noisiest machine and the slowest one need."""
    if not control.cap:
        return None
    steps = control.cap_steps or max(_steps(control.cap_headroom_ppm, model) for model in models)
    return ShareCap(steps, control.cap_probe_steps, control.cap_headroom_ppm)


def _steps(headroom_ppm: int, model: MachineModel) -> int:
    """Steps after which the means at two shares can be distinguished.

    With f = 1 + headroom, a machine that follows its share does y at one and y / f at the other. It
    counts as following where the second is below y (1 + 1/f) / 2, by half of y - y / f. Means of n
    steps with noise s, relative to each, differ with the standard error y s sqrt((1 + 1/f^2) / n).
    """
    part = PPM / (PPM + headroom_ppm)
    noise = model.error_ppm / PPM
    for_noise = (2 * SURELY * noise / (1 - part)) ** 2 * (1 + part**2)
    for_memory = TIMES_MEMORY / (1 - abs(model.a_ppm) / PPM)
    return min(max(math.ceil(for_noise), math.ceil(for_memory), FEWEST_STEPS), MOST_CAP_STEPS)
