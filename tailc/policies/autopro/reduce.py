"""Formulate an autopro spec as a problem of CPU shares: fit a model to each machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.errors import TailcError
from tailc.policies.autopro.control_spec import ControlSpec
from tailc.policies.autopro.spec import AutoProSpec
from tailc.problems.shares import ControllerChoice, MachineTarget, SharesProblem

if TYPE_CHECKING:
    from tailc.traces.throughput import ThroughputTrace


def controller_choice(control: ControlSpec) -> ControllerChoice:
    """Find the parts of the controller that the method `auto` may change: those not in the spec."""
    is_stated = not control.model_fields_set.isdisjoint({"law", "pole_ppm"})
    if control.method == "paper" or (control.method is None and is_stated):
        return ControllerChoice.NONE
    has_law = "law" in control.model_fields_set
    return ControllerChoice.POLE if has_law else ControllerChoice.LAW_AND_POLE


def candidates(spec: AutoProSpec) -> tuple[AutoProSpec, ...]:
    """Return the spec itself: this kind of policy compares no alternatives."""
    return (spec,)


def reduce(spec: AutoProSpec, design: ThroughputTrace) -> SharesProblem:
    """Formulate the problem of CPU shares: the machines of the spec, with the rows of the trace.

    Raises TailcError for machines of the trace that the spec does not have.
    """
    from tailc.traces.throughput import unknown_machines

    machines = (
        *(
            MachineTarget(each.name, each.target.milli, each.target.ppm, ("machines", at, "target"))
            for at, each in enumerate(spec.machines)
        ),
        *(MachineTarget(name) for name in spec.batch),
    )
    strange = unknown_machines(design, [machine.name for machine in machines])
    if strange:
        raise TailcError(strange)
    return SharesProblem(
        trace=design,
        machines=machines,
        step_us=spec.control.step_us,
        host_ppm=spec.host.most_ppm,
        least_ppm=spec.host.least_ppm,
        least_b_ppm=spec.control.least_b_ppm,
        tolerance_ppm=spec.tolerance_ppm,
        window_us=spec.control.window_us,
        estimate_us=spec.control.estimate_us,
        choice=controller_choice(spec.control),
    )
