"""Measure by replay how the tail depends on the rate and on the controller's output.

The controller's output scales the climb ages of a ladder. The surface of tails by rate and output
shows whether a target is attainable, and which output meets it (Haque et al., MICRO 2017, section
4.2, figure 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.response import step_response, tail_surface
from tailc.experiment.sizes import STEP_REPEATS, SURFACE, Seed
from tailc.forms.ladder.table import Ladder
from tailc.models.workload import Workload, workload
from tailc.percentiles import PPM
from tailc.problems.control import ControlProblem
from tailc.progress import Progress
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps, format_us

# Sampling of the surface by output; a step response has a step of two parts.
PARTS = 8
OUTPUTS_PPM = tuple(PPM * part // PARTS for part in range(PARTS + 1))
# A step response is usable if the tail changes by this share of the target or more.
LEAST_CHANGE = 0.02
# Least number of epochs that a window counts as; fewer do not identify a plant.
FEWEST_EPOCHS = 3


@dataclass(frozen=True)
class TailGrid:
    """Latency percentiles by arrival rate and controller output [us].

    `tails_us[i][j]` is at `rates_mrps[i]` and `outputs_ppm[j]`; None if the server is overloaded.
    """

    rates_mrps: tuple[int, ...]
    outputs_ppm: tuple[int, ...]
    tails_us: tuple[tuple[int | None, ...], ...]

    def tails_at(self, rate_mrps: int) -> tuple[int | None, ...]:
        """Latency percentiles by controller output at one of the rates [us]."""
        return self.tails_us[self.rates_mrps.index(rate_mrps)]

    def least_us(self, rate_mrps: int) -> int | None:
        """The smallest percentile over all controller outputs at one of the rates [us].

        None if the server is overloaded under every output.
        """
        return min((tail for tail in self.tails_at(rate_mrps) if tail is not None), default=None)


@dataclass(frozen=True)
class Operation:
    """Operating point of a controller: the output that meets the target at a rate.

    rate_mrps: the middle of an interval of rates. tail_us: percentile there. response_us: change of
    the measured percentile 1, 2, ... epochs after a downward step of `step_ppm` of the output [us].
    """

    rate_mrps: int
    output_ppm: int
    tail_us: int
    step_ppm: int
    response_us: tuple[float, ...]


def measure_surface(
    problem: ControlProblem,
    ladder: Ladder,
    design: DemandProfile,
    threads: int,
    progress: Progress,
) -> TailGrid:
    """Replay the ladder at several controller outputs, to measure the percentile for each.

    Rates are those of the spec, and the middles of intervals of rates.
    """
    progress("replaying for the tail by load", 0.0)
    rates = tuple(sorted({*problem.rates_mrps, *problem.middle_rates_mrps} - {0}))
    with ThreadPoolExecutor(threads) as workers:
        replayed = tail_surface(
            workload(design, ladder),
            ladder,
            rates,
            OUTPUTS_PPM,
            percentile_ppm=problem.percentile_ppm,
            requests=SURFACE.requests,
            repeats=SURFACE.repeats,
            seed=Seed.DESIGN,
            workers=workers,
        )
    rows = zip(replayed.tail_us.tolist(), replayed.is_overloaded.tolist(), strict=True)
    return TailGrid(
        rates,
        OUTPUTS_PPM,
        tuple(
            tuple(None if over else round(tail) for tail, over in zip(row, overs, strict=True))
            for row, overs in rows
        ),
    )


def measure_operation(
    problem: ControlProblem,
    surface: TailGrid,
    load: Workload,
    ladder: Ladder,
    rate_mrps: int,
    windows: int,
    workers: Executor,
) -> Operation:
    """Measure the operating point at a rate, and its step response over `windows` windows."""
    output_ppm, tail_us = _meeting_output(problem, surface, rate_mrps)
    first_ppm, last_ppm = _step_around(problem, surface, rate_mrps, output_ppm)
    measured = step_response(
        load,
        ladder,
        rate_mrps,
        first_ppm,
        last_ppm,
        epochs=windows * max(-(-problem.window_requests // problem.epoch_requests), FEWEST_EPOCHS),
        epoch_requests=problem.epoch_requests,
        window_requests=problem.window_requests,
        percentile_ppm=problem.percentile_ppm,
        repeats=STEP_REPEATS,
        seed=Seed.DESIGN,
        workers=workers,
    ).tolist()
    change = tuple(tail - measured[0] for tail in measured[1:])
    return Operation(rate_mrps, output_ppm, tail_us, last_ppm - first_ppm, change)


def _meeting_output(problem: ControlProblem, surface: TailGrid, rate_mrps: int) -> tuple[int, int]:
    """The largest output that meets the target, interpolated linearly, and its tail.

    If none does, the smallest output. The rates of the spec are checked before.
    """
    tails_us = surface.tails_at(rate_mrps)
    target = problem.target_us
    pairs = zip(surface.outputs_ppm, tails_us, strict=True)
    met = [(output, tail) for output, tail in pairs if tail is not None and tail <= target]
    if not met:
        return surface.outputs_ppm[0], tails_us[0] or target
    output, tail = met[-1]
    at = surface.outputs_ppm.index(output)
    if at + 1 == len(tails_us):
        return output, tail
    beyond = tails_us[at + 1]
    if beyond is None:
        return output, tail
    width = surface.outputs_ppm[at + 1] - output
    return output + width * (target - tail) // (beyond - tail), target


def _step_around(
    problem: ControlProblem, surface: TailGrid, rate_mrps: int, output_ppm: int
) -> tuple[int, int]:
    """Start and end of a step down, as near to the output as a step that changes the tail can be.

    A tail of old and new latencies falls later than it rises, so the fall is identified.
    """
    tails_us = surface.tails_at(rate_mrps)
    steps = [
        (abs(surface.outputs_ppm[at] + surface.outputs_ppm[at + 2] - 2 * output_ppm), at)
        for at in range(PARTS - 1)
        if _moves(tails_us[at], tails_us[at + 2], problem.target_us)
    ]
    if not steps:
        message = (
            f"thresholds have no effect on the tail at {format_mrps(rate_mrps)}, so it cannot be "
            f"controlled: it is {_range(tails_us)} at all outputs of the controller"
        )
        hint = "set `control: off`, or choose other rates"
        raise TailcError(Finding(Code.NO_TUNING, message, help=hint))
    at = min(steps)[1]
    return surface.outputs_ppm[at + 2], surface.outputs_ppm[at]


def _range(tails_us: Sequence[int | None]) -> str:
    """The range of tails at a rate as text."""
    known = [tail for tail in tails_us if tail is not None]
    if not known:
        return "overloaded"
    low, high = format_us(min(known)), format_us(max(known))
    overloaded = " or overloaded" if len(known) < len(tails_us) else ""
    return f"{low}{overloaded}" if low == high else f"{low} to {high}{overloaded}"


def _moves(low_us: int | None, high_us: int | None, target_us: int) -> bool:
    if low_us is None or high_us is None:
        return False
    return high_us - low_us >= LEAST_CHANGE * target_us
