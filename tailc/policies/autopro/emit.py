"""Convert fitted models to a policy of CPU shares."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tailc.forms.shares import MOST_CAP_STEPS, PPM, Machine, ShareCap, ShareLaw, Shares
from tailc.policies.autopro.control_spec import ControlSpec
from tailc.policies.autopro.spec import AutoProSpec
from tailc.problems.shares import MachineModel, SharesProblem, SharesSolution


def emit(spec: AutoProSpec, problem: SharesProblem, solution: SharesSolution) -> Shares:
    """Build the CPU-shares policy: machines with their models, batch machines, and settings."""
    control = spec.control
    served = (
        Machine(model.name, model.target_milli, model.a_ppm, model.b_milli)
        for model in solution.models
    )
    # The form has a model for every machine; the model of batch work is a placeholder.
    batch = (Machine(each.name, None, 0, 1) for each in problem.machines if not each.has_target)
    return Shares(
        law=ShareLaw(control.law),
        pole_ppm=control.pole_ppm,
        window_us=control.window_us,
        estimate_us=control.estimate_us,
        step_us=control.step_us,
        enforce_us=control.enforce_us,
        forgetting_ppm=control.forgetting_ppm,
        first_covariance=control.first_covariance,
        least_b_ppm=control.least_b_ppm,
        least_ppm=problem.least_ppm,
        host_ppm=problem.host_ppm,
        shortage_steps=control.shortage_steps,
        tolerance_ppm=spec.tolerance_ppm,
        machines=(*served, *batch),
        cap=cap_of(control, solution.models),
    )


FEWEST_STEPS = 4
# Standard errors by which a change of throughput must differ from that of a machine that follows.
SURELY = 3
# After 3 / (1 - a) steps, a machine with memory a is within e^-3 of the end of its step response.
TIMES_MEMORY = 3


def cap_of(control: ControlSpec, models: Sequence[MachineModel]) -> ShareCap | None:
    """Make the rule that caps machines whose throughput does not follow their share, or None.

    Without `cap_steps` in the spec, each comparison of throughput takes as many steps as the
    noisiest or slowest machine needs. None: the spec turns the rule off.
    """
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
