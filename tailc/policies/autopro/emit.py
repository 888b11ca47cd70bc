"""Fitted models as a form of shares."""

from __future__ import annotations

from tailc.forms.shares import Machine, ShareLaw, Shares
from tailc.policies.autopro.cap import cap_of
from tailc.policies.autopro.spec import AutoProSpec
from tailc.problems.shares import SharesProblem, SharesSolution


def emit(spec: AutoProSpec, problem: SharesProblem, solution: SharesSolution) -> Shares:
    """The machines with their models, batch work after them, and the spec's settings."""
    control = spec.control
    served = (
        Machine(model.name, model.target_milli, model.a_ppm, model.b_milli)
        for model in solution.models
    )
    # A model stands there for every machine; that of batch work says nothing and is not read.
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
