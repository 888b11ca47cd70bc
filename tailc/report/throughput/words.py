"""How numbers of a throughput verdict, and what follows from them, are said."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.experiment.block_means import ErrorOf
from tailc.percentiles import PPM
from tailc.units import format_mrps, format_ppm, format_us
from tailc.verify.throughput.verdict import MachineVerdict, ThroughputVerdicts

NONE = "-"
"""What stands for a number that there is none of."""


def percent(ppm: int) -> str:
    """Such as `3.2 %`."""
    return f"{ppm * 100 / PPM:.1f} %"


def error(of: ErrorOf) -> str:
    """Such as `3.2 %`."""
    return percent(of.ppm)


def limits(of: ErrorOf) -> str:
    """Such as `2.9 .. 3.6 %`."""
    return f"{of.low_ppm * 100 / PPM:.1f} .. {percent(of.high_ppm)}"


def plain(of: ErrorOf | None) -> tuple[str, str]:
    """Such as `0.03` and `-0.01 .. 0.07`; dashes where there is none."""
    if of is None:
        return NONE, NONE
    # Plus zero: a small negative number is 0.00.
    rounded = (round(ppm / PPM, 2) + 0.0 for ppm in (of.ppm, of.low_ppm, of.high_ppm))
    middle, low, high = (f"{number:.2f}" for number in rounded)
    return middle, f"{low} .. {high}"


def heading(verdicts: ThroughputVerdicts) -> str:
    """What was replayed, and what is promised."""
    return (
        f"generation {verdicts.generation}, {verdicts.steps:,} steps of "
        f"{format_us(verdicts.step_us)} from {verdicts.held_out_rows:,} held-out rows, "
        f"tolerance {format_ppm(verdicts.tolerance_ppm)}"
    )


def host(verdicts: ThroughputVerdicts) -> str:
    """How much of the host was granted."""
    return (
        f"granted: {percent(verdicts.usage.utilization_ppm)} of the host in the mean, of which "
        f"batch work {percent(verdicts.usage.batch_ppm)}"
    )


def said(verdicts: ThroughputVerdicts, machine: MachineVerdict) -> str:
    """One machine's verdict in a sentence."""
    parts = [
        f"{format_mrps(machine.target_milli)} within {format_ppm(verdicts.tolerance_ppm)}, "
        f"mean error {error(machine.error)}, 95 % interval {limits(machine.error)}"
        + _best_static(machine),
        *sentences(machine),
    ]
    return "; ".join(parts)


def _best_static(machine: MachineVerdict) -> str:
    """What CI is told of the baselines, where it was among those replayed."""
    found = machine.beside.get("static")
    return "" if found is None else f", best static share {percent(found.error_ppm)}"


def sentences(machine: MachineVerdict) -> Iterator[str]:
    """What is left to say of a machine."""
    if not machine.is_attainable:
        most = format_mrps(machine.max_milli)
        yield f"the whole host would do {most} in the mean: the target is out of reach"
    if machine.short_ppm:
        yield f"short of share, and flagged as such, in {percent(machine.short_ppm)} of the steps"
    if machine.capped_ppm:
        capped = percent(machine.capped_ppm)
        yield f"under a cap in {capped} of the steps, since throughput did not follow the share"
    if machine.more_steps is not None:
        yield f"about {machine.more_steps:,} more steps would decide"


def remarks(verdicts: ThroughputVerdicts) -> list[str]:
    """What is left to say of all, and of each machine."""
    told = []
    if verdicts.is_compile_trace:
        told.append("judged on the rows that the policy was compiled from")
    for machine in verdicts.machines:
        told += [f"{machine.name}: {sentence}" for sentence in sentences(machine)]
    return told
