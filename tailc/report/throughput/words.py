"""Text for the numbers and remarks of a throughput verdict."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.experiment.block_means import MeanError
from tailc.models.columns import percent
from tailc.percentiles import PPM
from tailc.units import format_mrps, format_ppm, format_us
from tailc.verify.throughput.verdict import MachineVerdict, ThroughputVerdicts

NONE = "-"
"""Printed if there is no number."""


def error(mean_error: MeanError) -> str:
    """Format a relative throughput error as a percentage, such as `3.2 %`."""
    return percent(mean_error.ppm)


def limits(mean_error: MeanError) -> str:
    """Format the interval of an error, such as `2.9 .. 3.6 %`."""
    return f"{mean_error.low_ppm * 100 / PPM:.1f} .. {percent(mean_error.high_ppm)}"


def plain(mean_error: MeanError | None) -> tuple[str, str]:
    """Format an error and its interval without unit, such as `0.03` and `-0.01 .. 0.07`.

    Dashes if there is no error.
    """
    if mean_error is None:
        return NONE, NONE
    # Adding zero turns -0.0 into 0.0.
    rounded = (
        round(ppm / PPM, 2) + 0.0
        for ppm in (mean_error.ppm, mean_error.low_ppm, mean_error.high_ppm)
    )
    middle, low, high = (f"{number:.2f}" for number in rounded)
    return middle, f"{low} .. {high}"


def heading(verdicts: ThroughputVerdicts) -> str:
    """Format the heading of a throughput verdict: what was replayed, and the SLO."""
    return (
        f"generation {verdicts.generation}, {verdicts.steps:,} steps of "
        f"{format_us(verdicts.step_us)} from {verdicts.held_out_rows:,} held-out rows, "
        f"tolerance {format_ppm(verdicts.tolerance_ppm)}"
    )


def host(verdicts: ThroughputVerdicts) -> str:
    """Format the share of the host that machines got."""
    return (
        f"granted: {percent(verdicts.usage.utilization_ppm)} of the host on average, of which "
        f"batch work {percent(verdicts.usage.batch_ppm)}"
    )


def verdict_sentence(verdicts: ThroughputVerdicts, machine: MachineVerdict) -> str:
    """Format the verdict on a machine with a throughput target as a sentence."""
    parts = [
        f"{format_mrps(machine.target_milli)} within {format_ppm(verdicts.tolerance_ppm)}, "
        f"mean error {error(machine.error)}, 95 % interval {limits(machine.error)}"
        + _best_static(machine),
        *sentences(machine),
    ]
    return "; ".join(parts)


def _best_static(machine: MachineVerdict) -> str:
    """State the error of the best static shares, if they were replayed."""
    best = machine.baselines.get("static")
    return "" if best is None else f", best static share {percent(best.error_ppm)}"


def sentences(machine: MachineVerdict) -> Iterator[str]:
    """Yield remarks on the verdict on a machine with a throughput target."""
    if not machine.is_attainable:
        most = format_mrps(machine.max_milli)
        yield f"the whole host would do {most} on average: the target is out of reach"
    if machine.short_ppm:
        yield f"short of share, and flagged as such, in {percent(machine.short_ppm)} of the steps"
    if machine.capped_ppm:
        capped = percent(machine.capped_ppm)
        yield f"under a cap in {capped} of the steps, since throughput did not follow the share"
    if machine.more_steps is not None:
        yield f"about {machine.more_steps:,} more steps would decide"


def remarks(verdicts: ThroughputVerdicts) -> list[str]:
    """Remarks on a throughput verdict, about all machines and about each of them."""
    lines = []
    if verdicts.is_compile_trace:
        lines.append("replayed on the rows that the policy was compiled from")
    for machine in verdicts.machines:
        lines += [f"{machine.name}: {sentence}" for sentence in sentences(machine)]
    return lines
