"""Recompute every control loop with python-control, and refuse it if results differ.

The compile stops if a margin, pole or response differs by more than its tolerance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.margins import LoopMargins
from tailc_solvers.control.plant import SampledPlant

from tailc.errors import Code, Finding, TailcError

if TYPE_CHECKING:
    from tailc_solvers.control.python_control import Gains, MarginComparison


def check_loop(plant: AnyPlant, gains: Gains, margins: LoopMargins) -> None:
    """Raise TailcError (LOOP_DIFFERS) if python-control computes other margins or poles."""
    from tailc_solvers.control.python_control import figures

    _refuse_differences(figures(plant, gains, margins))


def check_poles(plant: SampledPlant, gains: Gains) -> None:
    """Raise TailcError (LOOP_DIFFERS) if python-control computes another largest pole."""
    from tailc_solvers.control.python_control import largest_pole

    _refuse_differences([largest_pole(plant, gains)])


def _refuse_differences(figures: Iterable[MarginComparison]) -> None:
    findings = [_finding(figure) for figure in figures if not figure.agrees]
    if findings:
        raise TailcError(findings)


def _finding(figure: MarginComparison) -> Finding:
    message = (
        f"the {figure.name} of a loop is {figure.ours:.6g}, but python-control computes "
        f"{figure.theirs:.6g}; the tolerance is {figure.tolerance:.3g}"
    )
    hint = (
        "report this with the plant and the gains; until it is solved, choose other limits or "
        "another plant"
    )
    return Finding(Code.LOOP_DIFFERS, message, help=hint)
