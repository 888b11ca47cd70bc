"""From a ladder of cores and a target to a controller: plant, gains, margins, fixed point.

For each interval of rates the step response of the measured tail is replayed at the rate in its
middle, around the output that meets the target there; a plant of low order is identified from it,
the measuring window included, and gains are tuned for it (after Haque et al., MICRO 2017, section
4.2, who use a tuner that is not published). Gains are rounded to the controller's fixed point and
judged anew: no loop leaves that is not stable for every delay near the plant's.
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
from tailc.pipeline.loops import Interval, Loop, judged, operated, tuned_loop
from tailc.pipeline.plants import Surface, operation, tails
from tailc.pipeline.refusals import dropped_text
from tailc.problems.control import ControlProblem, Gains
from tailc.progress import Progress, silent
from tailc.specs.slo import promise
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps, format_us

US_PER_MS = 1_000


@dataclass(frozen=True, eq=False)
class Tuned:
    """A controller, and what it was made from: tails by rate and output, and each interval's loop.

    Margins and overshoots are those of the gains in fixed point.
    """

    controller: Controller
    surface: Surface
    intervals: tuple[Interval, ...]

    def gains_of(self, interval: Interval) -> tuple[float, float, float]:
        """kp, ki and kd of an interval, in output by ms of error at each epoch."""
        return _back(interval.gains, self.controller.fraction_bits).parts


def tune(
    problem: ControlProblem,
    ladder: Ladder,
    design: DemandProfile,
    threads: int,
    progress: Progress = silent,
) -> Tuned | None:
    """The controller that scales the ladder's ages; None where no age can be scaled.

    Raises TailcError for a target that some rate cannot meet (INFEASIBLE), gains of the user's that
    are not stable (UNSTABLE_GAINS), and a plant that no gains control (NO_TUNING).
    """
    surface = tails(problem, ladder, design, threads, progress)
    _check_attainable(problem, surface)
    first_climb_us = next((climb.age_us for climb in ladder.rows[0].climbs if climb.age_us), None)
    if first_climb_us is None:
        return None
    loops = _loops(problem, surface, ladder, design, threads, progress, first_climb_us)
    return _in_fixed_point(problem, surface, loops)


def _loops(
    problem: ControlProblem,
    surface: Surface,
    ladder: Ladder,
    design: DemandProfile,
    threads: int,
    progress: Progress,
    first_climb_us: int,
) -> list[Loop]:
    """One for each interval, at the rate in its middle."""
    load = workload(design, ladder)
    rates = problem.middle_rates_mrps
    loops = []
    with ThreadPoolExecutor(threads) as workers:
        for number, rate in enumerate(rates):
            progress("replaying step responses", number / len(rates))
            found, plant = operated(
                lambda windows, rate=rate: operation(
                    problem, surface, load, ladder, rate, windows, workers
                )
            )
            loops.append(tuned_loop(problem, found, plant, _own(problem, number, first_climb_us)))
    return loops


def _own(problem: ControlProblem, number: int, first_climb_us: int) -> Gains | None:
    """The user's gains as output by ms: theirs move the first threshold, in ms by ms."""
    if problem.gains is None:
        return None
    own, whole_ms = problem.gains[number], first_climb_us / US_PER_MS
    return Gains(own.kp / whole_ms, own.ki / whole_ms, own.kd / whole_ms)


def _check_attainable(problem: ControlProblem, surface: Surface) -> None:
    """Refuse rates at which even the least output misses the target, and say what they can do."""
    least = [(rate, surface.least_us(rate)) for rate in problem.rates_mrps]
    missed = [(rate, us) for rate, us in least if us is None or us > problem.target_us]
    if not missed:
        return
    target = promise(problem.percentile_ppm, problem.target_us)
    told = ", ".join(f"{_attainable(us)} at {format_mrps(rate)}" for rate, us in missed)
    message = (
        f"`{target}` cannot be met at {len(missed)} of {len(least)} rates; the tightest "
        f"attainable, with all climbs at once, is {told}{dropped_text(problem.dropped)}"
    )
    met = [rate for rate in problem.rates_mrps if rate < missed[0][0]]
    ways = [f"lower the rates to {format_mrps(met[-1])}"] if met else ["lower the rates"]
    if all(us is not None for _, us in missed):
        ways.append(f"relax the latency to {format_us(max(us for _, us in missed if us))}")
    hint = ", ".join([*ways, "or add cores"])
    raise TailcError(Finding(Code.INFEASIBLE, message, problem.rates_at, hint))


def _attainable(tail_us: int | None) -> str:
    return "none (overloaded)" if tail_us is None else format_us(tail_us)


def _in_fixed_point(problem: ControlProblem, surface: Surface, loops: Sequence[Loop]) -> Tuned:
    """The gains as whole numbers of the finest fraction that holds them, judged once more."""
    bits = _fraction_bits(loops)
    rows = [
        GainRow(first, *(_fixed(gain, bits) for gain in loop.gains.parts))
        for first, loop in zip(problem.first_rates_mrps, loops, strict=True)
    ]
    ends = (*problem.first_rates_mrps[1:], max(problem.rates_mrps))
    intervals = tuple(
        Interval(
            row, end, loop.operation, loop.plant, judged(problem, number, loop, _back(row, bits))
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
    return Tuned(controller, surface, intervals)


def _first_ppm(intervals: Sequence[Interval]) -> int:
    """The output that the highest rates need: until something is measured, rather too fast."""
    return min(interval.operation.output_ppm for interval in intervals)


def _fraction_bits(loops: Sequence[Loop]) -> int:
    """The most bits at which every gain, in output by us, is within its limits.

    Exponents are read off, not taken as logarithms: like gains have like bits on every machine.
    """
    largest = max(abs(gain) for loop in loops for gain in loop.gains.parts) / US_PER_MS
    room = math.frexp(LARGEST_GAIN / largest)[1] - 1 if largest else MOST_FRACTION_BITS
    return max(FEWEST_FRACTION_BITS, min(MOST_FRACTION_BITS, room))


def _fixed(gain: float, bits: int) -> int:
    """The tuner's gains come in five significant digits, so the last bits of what it computes with
    do not reach here; what is left are divisions, which every machine rounds alike.
    """
    whole = round(gain / US_PER_MS * 2**bits)
    return max(-LARGEST_GAIN, min(LARGEST_GAIN, whole))


def _back(row: GainRow, bits: int) -> Gains:
    """What the whole numbers are, in output by ms."""
    return Gains(*(gain / 2**bits * US_PER_MS for gain in (row.kp, row.ki, row.kd)))
