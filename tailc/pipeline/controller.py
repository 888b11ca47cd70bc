"""Tune a feedback controller that scales the climb ages of a ladder, for a latency target.

For each interval of rates, the step response of the measured tail is replayed at the middle rate,
around the controller output that meets the target there. A low-order plant, including the measuring
window, is identified from the response, and gains are tuned for it (after Haque et al., MICRO 2017,
section 4.2, whose tuner is not published). Gains are rounded to the controller's fixed point and
checked again: every loop must be stable for every delay near the plant's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError
from tailc.forms.controller import (
    FEWEST_FRACTION_BITS,
    LARGEST_GAIN,
    MOST_FRACTION_BITS,
    Actuator,
    Controller,
    GainRow,
)
from tailc.forms.ladder.table import Ladder
from tailc.models.workload import workload
from tailc.percentiles import PPM
from tailc.pipeline.loops import (
    IntervalLoop,
    RateInterval,
    checked_margins,
    operating_point,
    tuned_loop,
)
from tailc.pipeline.plants import TailGrid, measure_operation, measure_surface
from tailc.pipeline.refusals import dropped_text
from tailc.problems.control import ControlProblem, LoopGains
from tailc.progress import Progress, silent
from tailc.specs.slo import promise
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps, format_us

US_PER_MS = 1_000


@dataclass(frozen=True, eq=False)
class TunedController:
    """A tuned feedback controller, the percentiles that it was tuned from, and its loops.

    surface: percentiles by rate and controller output. intervals: one control loop for each
    interval of rates, with margins and overshoots for the gains in fixed point.
    """

    controller: Controller
    surface: TailGrid
    intervals: tuple[RateInterval, ...]

    def gains_of(self, interval: RateInterval) -> tuple[float, float, float]:
        """kp, ki and kd of an interval of rates, in controller output per ms of error and epoch."""
        return _from_fixed_point(interval.gains, self.controller.fraction_bits).parts


def tune(
    problem: ControlProblem,
    ladder: Ladder,
    design: DemandProfile,
    threads: int,
    progress: Progress = silent,
) -> TunedController | None:
    """Tune a controller that scales the ladder's ages; None if no age can be scaled.

    Raises TailcError for a target that some rate cannot meet (INFEASIBLE), unstable gains in the
    spec (UNSTABLE_GAINS), and a plant that no gains control (NO_TUNING).
    """
    surface = measure_surface(problem, ladder, design, threads, progress)
    _check_attainable(problem, surface)
    first_climb_us = next((climb.age_us for climb in ladder.rows[0].climbs if climb.age_us), None)
    if first_climb_us is None:
        return None
    loops = _loops(problem, surface, ladder, design, threads, progress, first_climb_us)
    return _in_fixed_point(problem, surface, loops)


def _loops(
    problem: ControlProblem,
    surface: TailGrid,
    ladder: Ladder,
    design: DemandProfile,
    threads: int,
    progress: Progress,
    first_climb_us: int,
) -> list[IntervalLoop]:
    """One loop for each interval, at its middle rate."""
    load = workload(design, ladder)
    rates = problem.middle_rates_mrps
    loops = []
    with ThreadPoolExecutor(threads) as workers:
        for number, rate in enumerate(rates):
            progress("replaying step responses", number / len(rates))
            point, plant = operating_point(
                lambda windows, rate=rate: measure_operation(
                    problem, surface, load, ladder, rate, windows, workers
                )
            )
            loops.append(
                tuned_loop(problem, point, plant, _spec_gains(problem, number, first_climb_us))
            )
    return loops


def _spec_gains(problem: ControlProblem, number: int, first_climb_us: int) -> LoopGains | None:
    """Gains of the spec in output per ms.

    The spec has them in ms of the first age per ms of error.
    """
    if problem.gains is None:
        return None
    own, whole_ms = problem.gains[number], first_climb_us / US_PER_MS
    return LoopGains(own.kp / whole_ms, own.ki / whole_ms, own.kd / whole_ms)


def _check_attainable(problem: ControlProblem, surface: TailGrid) -> None:
    """Raise TailcError for rates at which even the smallest output misses the target."""
    least = [(rate, surface.least_us(rate)) for rate in problem.rates_mrps]
    missed = [(rate, us) for rate, us in least if us is None or us > problem.target_us]
    if not missed:
        return
    target = promise(problem.percentile_ppm, problem.target_us)
    texts = ", ".join(f"{_attainable(us)} at {format_mrps(rate)}" for rate, us in missed)
    message = (
        f"`{target}` cannot be met at {len(missed)} of {len(least)} rates; the shortest possible "
        f"latency, with all climbs at once, is {texts}{dropped_text(problem.dropped)}"
    )
    met = [rate for rate in problem.rates_mrps if rate < missed[0][0]]
    ways = [f"lower the rates to {format_mrps(met[-1])}"] if met else ["lower the rates"]
    if all(us is not None for _, us in missed):
        ways.append(f"relax the latency to {format_us(max(us for _, us in missed if us))}")
    hint = ", ".join([*ways, "or add cores"])
    raise TailcError(Finding(Code.INFEASIBLE, message, problem.rates_at, hint))


def _attainable(tail_us: int | None) -> str:
    return "none (overloaded)" if tail_us is None else format_us(tail_us)


def _in_fixed_point(
    problem: ControlProblem, surface: TailGrid, loops: Sequence[IntervalLoop]
) -> TunedController:
    """Round the gains to the finest fixed point that holds them, and check the loops again."""
    bits = _fraction_bits(loops)
    rows = [
        GainRow(first, *(_to_fixed_point(gain, bits) for gain in loop.gains.parts))
        for first, loop in zip(problem.first_rates_mrps, loops, strict=True)
    ]
    ends = (*problem.first_rates_mrps[1:], max(problem.rates_mrps))
    intervals = tuple(
        RateInterval(
            row,
            end,
            loop.operation,
            loop.plant,
            checked_margins(problem, number, loop, _from_fixed_point(row, bits)),
        )
        for number, (row, end, loop) in enumerate(zip(rows, ends, loops, strict=True))
    )
    controller = Controller(
        acts_on=Actuator.CLIMB_AGES,
        percentile_ppm=problem.percentile_ppm,
        target_us=problem.target_us,
        epoch_requests=problem.epoch_requests,
        window_requests=problem.window_requests,
        first_ppm=_first_ppm(intervals),
        least_ppm=0,
        most_ppm=PPM,
        fraction_bits=bits,
        gains=tuple(rows),
    )
    return TunedController(controller, surface, intervals)


def _first_ppm(intervals: Sequence[RateInterval]) -> int:
    """Initial output of the controller, that of the highest rates: it errs on the fast side."""
    return min(interval.operation.output_ppm for interval in intervals)


def _fraction_bits(loops: Sequence[IntervalLoop]) -> int:
    """The most fraction bits with which every gain, in output per us, is within its limits.

    The exponent is read from the float, not computed as a logarithm, so all machines agree.
    """
    largest = max(abs(gain) for loop in loops for gain in loop.gains.parts) / US_PER_MS
    room = math.frexp(LARGEST_GAIN / largest)[1] - 1 if largest else MOST_FRACTION_BITS
    return max(FEWEST_FRACTION_BITS, min(MOST_FRACTION_BITS, room))


def _to_fixed_point(gain: float, bits: int) -> int:
    """Gain as a fixed-point whole number.

    The tuner rounds gains to five significant digits, which hides differences in the last bits.
    Only divisions follow, and every machine rounds them in the same way.
    """
    whole = round(gain / US_PER_MS * 2**bits)
    return max(-LARGEST_GAIN, min(LARGEST_GAIN, whole))


def _from_fixed_point(row: GainRow, bits: int) -> LoopGains:
    """Gains in output per ms of a row in fixed point."""
    return LoopGains(*(gain / 2**bits * US_PER_MS for gain in (row.kp, row.ki, row.kd)))
