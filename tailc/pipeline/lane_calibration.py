"""The lanes of a problem, with calibrated interference if the spec requests it."""

from __future__ import annotations

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.lanes import Lanes
from tailc.percentiles import PPM
from tailc.pipeline.lane_sample import PlanSample
from tailc.problems.borrowing import BorrowingProblem, Calibration
from tailc.units import format_mrps

# Resolution of the calibrated interference: a hundredth of a percent.
_STEP_PPM = 100
# Where a spec describes requests alone.
_ALONE = ("lanes", "calibrate", "alone")


def lanes_for(problem: BorrowingProblem, replays: PlanSample) -> Lanes:
    """The cores of the problem, and the slowdown of each lane.

    Raises TailcError (INFEASIBLE) if requests alone overload the server of the calibration.
    """
    interference = problem.interference
    interference_ppm = (
        _calibrated_ppm(problem, interference, replays)
        if isinstance(interference, Calibration)
        else interference
    )
    slowdown_ppm = problem.batch_slowdown_ppm
    return Lanes(
        problem.cores,
        interference_ppm,
        interference_ppm if slowdown_ppm is None else slowdown_ppm,
    )


def _calibrated_ppm(problem: BorrowingProblem, wanted: Calibration, replays: PlanSample) -> int:
    """The largest interference at which shared requests have no longer tail than requests alone."""

    def lanes(steps: int) -> Lanes:
        return Lanes(problem.cores, steps * _STEP_PPM, 0)

    alone = replays.alone(lanes(0), wanted.alone_mrps)
    if alone.is_overloaded:
        message = f"interference cannot be calibrated at {format_mrps(wanted.alone_mrps)}: "
        message += "requests alone overload the server"
        hint = "lower `lanes.calibrate.alone`"
        raise TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=_ALONE))
    low, high = 0, PPM // _STEP_PPM
    while high - low > 1:
        middle = (low + high) // 2
        tail_us = replays.shared(lanes(middle), wanted.shared_mrps).tail_us
        low, high = (middle, high) if tail_us <= alone.tail_us else (low, middle)
    return low * _STEP_PPM
