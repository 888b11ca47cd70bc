"""Reports of a tuned controller: tails by rate and output; plant, gains, margins by interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.percentiles import PPM
from tailc.report.document import finite_or_null
from tailc.report.table import align_columns
from tailc.units import format_mrps, plural

if TYPE_CHECKING:
    from tailc.pipeline.controller import TunedController
    from tailc.pipeline.loops import RateInterval
    from tailc.pipeline.plants import TailGrid

US_PER_MS = 1_000
MOST_MS = 10_000


def control_result(tuned: TunedController) -> dict[str, object]:
    """Build the JSON data of a tuned controller: tails by rate and output, and its intervals.

    Each interval of rates has a plant, gains and margins; infinite values are null. Plants map
    output to tail latency [ms] with one sample per epoch: `b` and `a` are in ascending powers of
    the delay operator. Gains are output per ms.
    """
    surface = tuned.surface
    return {
        "surface": {
            "rates_mrps": list(surface.rates_mrps),
            "outputs_ppm": list(surface.outputs_ppm),
            "tails_us": [list(row) for row in surface.tails_us],
        },
        "intervals": [_interval(tuned, interval) for interval in tuned.intervals],
    }


def control_text(tuned: TunedController) -> str:
    """Format the tails by rate and output as a table, then one line per interval of rates."""
    return f"{surface_text(tuned.surface)}\n\n{_intervals(tuned)}"


def surface_text(surface: TailGrid) -> str:
    """Format a table of tail latency: by arrival rate, and by every second controller output."""
    shown = range(0, len(surface.outputs_ppm), 2)
    title = ["tail at output", *(f"{surface.outputs_ppm[at] / PPM:g}" for at in shown)]
    rows = [
        [format_mrps(rate), *(_tail(tails[at]) for at in shown)]
        for rate, tails in zip(surface.rates_mrps, surface.tails_us, strict=True)
    ]
    return align_columns([tuple(title), *map(tuple, rows)])


def _tail(tail_us: int | None) -> str:
    return "overload" if tail_us is None else _ms(tail_us)


def _ms(value_us: float) -> str:
    """Format a time with four digits in ms, or in s from 10 s on."""
    if value_us >= MOST_MS * US_PER_MS:
        return f"{value_us / US_PER_MS / US_PER_MS:.4g} s"
    return f"{value_us / US_PER_MS:.4g} ms"


def _intervals(tuned: TunedController) -> str:
    title = ("rates", "output", "plant from output to tail", "margins", "overshoot", "settles in")
    return align_columns([title, *(_row(each) for each in tuned.intervals)])


def _row(each: RateInterval) -> tuple[str, ...]:
    plant, margins = each.plant, each.margins
    poles = ", ".join(f"{abs(pole):.2f}" for pole in plant.plant.poles) or "none"
    return (
        f"{format_mrps(each.gains.first_rate_mrps)} to {format_mrps(each.last_rate_mrps)}",
        f"{each.operation.output_ppm / PPM:.3f} for {_ms(each.operation.tail_us)}",
        f"{_ms(plant.plant.gain * US_PER_MS)}, delay {plant.plant.delay}, poles {poles}, "
        f"residual {plant.residual_ms:.2g} ms",
        f"gain {margins.gain_margin:.3g}, phase {margins.phase_margin_deg:.3g} deg, "
        f"delay {margins.delay_margin_epochs:.3g}, Ms {margins.max_sensitivity:.3g}",
        f"{margins.overshoot:.1%}",
        plural(margins.settling_epochs, "epoch"),
    )


def _interval(tuned: TunedController, each: RateInterval) -> dict[str, object]:
    plant, margins, (kp, ki, kd) = each.plant, each.margins, tuned.gains_of(each)
    return {
        "first_rate_mrps": each.gains.first_rate_mrps,
        "last_rate_mrps": each.last_rate_mrps,
        "rate_mrps": each.operation.rate_mrps,
        "output_ppm": each.operation.output_ppm,
        "tail_us": each.operation.tail_us,
        "step_ppm": each.operation.step_ppm,
        "response_us": [round(change) for change in each.operation.response_us],
        "plant": {
            "b": list(plant.plant.b),
            "a": list(plant.plant.a),
            "delay_epochs": plant.plant.delay,
            "gain_ms": finite_or_null(plant.plant.gain),
            "residual_ms": plant.residual_ms,
        },
        "gains": {"kp": kp, "ki": ki, "kd": kd},
        "margins": {
            "gain": finite_or_null(margins.gain_margin),
            "phase_deg": finite_or_null(margins.phase_margin_deg),
            "delay_epochs": finite_or_null(margins.delay_margin_epochs),
            "max_sensitivity": finite_or_null(margins.max_sensitivity),
            "overshoot": margins.overshoot,
            "settling_epochs": finite_or_null(margins.settling_epochs),
        },
    }
