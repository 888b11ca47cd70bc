"""Identify a plant for each interval of rates, and tune a controller's gains for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tailc_solvers.control.identify import UnfitResponseError, identify
from tailc_solvers.control.margins import Margins, flat, loop_margins
from tailc_solvers.control.plant import SampledPlant
from tailc_solvers.control.roots import stable_for_delays
from tailc_solvers.control.tune import NoTuningError, tune_sampled

from tailc.errors import Code, Finding, TailcError
from tailc.forms.controller import GainRow
from tailc.percentiles import PPM
from tailc.pipeline.loop_recheck import check_loop
from tailc.pipeline.plants import Operation
from tailc.problems.control import ControlProblem, LoopGains
from tailc.units import format_mrps, plural

US_PER_MS = 1_000
# Lengths of a step response in windows; the next is tried if one is too short.
RESPONSE_WINDOWS = (4, 8, 16)


@dataclass(frozen=True, eq=False)
class IdentifiedPlant:
    """A plant from controller output to tail [ms], sampled once per epoch; fitted to measurements.

    residual_ms: root mean square of the measured step response minus the plant's.
    """

    plant: SampledPlant
    residual_ms: float


@dataclass(frozen=True, eq=False)
class IntervalLoop:
    """The control loop of one interval of rates before rounding: operating point, plant and gains.

    gains: in controller output per ms.
    """

    operation: Operation
    plant: IdentifiedPlant
    gains: LoopGains


@dataclass(frozen=True, eq=False)
class RateInterval:
    """The final control loop for the rates from `gains.first_rate_mrps` to `last_rate_mrps`."""

    gains: GainRow
    last_rate_mrps: int
    operation: Operation
    plant: IdentifiedPlant
    margins: Margins


def operating_point(
    measure: Callable[[int], Operation],
) -> tuple[Operation, IdentifiedPlant]:
    """Measure an operating point's step response, and identify its plant.

    measure: replays a step response over a number of windows. A response that has not settled, or
    is too noisy, is measured over more windows. Raises TailcError (NO_TUNING) if no plant fits the
    longest.
    """
    *shorter, longest = RESPONSE_WINDOWS
    for windows in shorter:
        result = measure(windows)
        try:
            return result, _identify(result)
        except UnfitResponseError:
            continue
    result = measure(longest)
    try:
        return result, _identify(result)
    except UnfitResponseError as refusal:
        raise _no_tuning_error(result, refusal) from None


def tuned_loop(
    problem: ControlProblem, operation: Operation, plant: IdentifiedPlant, own: LoopGains | None
) -> IntervalLoop:
    """Make the control loop of a plant with the user's gains `own`, or else with tuned gains.

    Raises TailcError (NO_TUNING) for a plant that no gains control within the limits.
    """
    if own is not None:
        return IntervalLoop(operation, plant, own)
    try:
        result = tune_sampled(
            plant.plant,
            structure=problem.structure.value,
            max_sensitivity=problem.max_sensitivity,
        )
    except NoTuningError as refusal:
        raise _no_tuning_error(operation, refusal) from None
    return IntervalLoop(operation, plant, LoopGains(result.kp, result.ki, result.kd))


def _no_tuning_error(operation: Operation, refusal: ValueError) -> TailcError:
    message = f"no controller can be tuned at {format_mrps(operation.rate_mrps)}: {refusal}"
    hint = "lower the highest rate, or set `control: off`"
    return TailcError(Finding(Code.NO_TUNING, message, help=hint))


def checked_margins(
    problem: ControlProblem, number: int, loop: IntervalLoop, gains: LoopGains
) -> Margins:
    """Compute the stability margins of a loop with gains in fixed point, and check them.

    number: of the interval of rates. Raises TailcError if the loop is not stable for every delay
    near the plant's, or if python-control computes other margins.
    """
    plant = loop.plant.plant
    if gains.ki != 0 and stable_for_delays(plant, *gains.parts):
        result = loop_margins(plant, *gains.parts)
        check_loop(plant, gains.parts, result)
        return flat(result)
    rate = format_mrps(loop.operation.rate_mrps)
    why = "the integral gain is 0" if gains.ki == 0 else "the loop would not be stable"
    if problem.gains is None:
        message = f"the gains for {rate} cannot be rounded to the precision of the artifact: {why}"
        raise TailcError(Finding(Code.NO_TUNING, message, help="set `control: off`"))
    own = problem.gains[number]
    message = (
        f"gains kp {own.kp:g}, ki {own.ki:g}, kd {own.kd:g} cannot be used at {rate}: {why}. There "
        f"the full range of the output changes the tail by {plant.gain:.4g} ms, with a delay of "
        f"about {plural(plant.delay, 'epoch')}"
    )
    hint = "remove `gains`, so that tailc tunes them, or lower them"
    place = problem.gains_at[number] if problem.gains_at else None
    raise TailcError(Finding(Code.UNSTABLE_GAINS, message, place, hint))


def _identify(operation: Operation) -> IdentifiedPlant:
    response_ms = [change / US_PER_MS for change in operation.response_us]
    result = identify(response_ms, operation.step_ppm / PPM)
    return IdentifiedPlant(result.plant, result.residual)
