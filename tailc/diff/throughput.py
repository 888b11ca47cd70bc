"""Compare two controllers of CPU shares on machine models that are fitted to the same rows."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.block_means import MeanError, mean_error
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import PairedErrors, paired_periods, shares_of
from tailc.forms.shares import Shares
from tailc.traces.throughput import ThroughputTrace
from tailc.units import format_us


@dataclass(frozen=True)
class MachineChange:
    """A machine's mean throughput error under two policies, relative to the target in each.

    change: NEW - OLD with a 95 % interval, paired by step, so that common disturbances cancel.
    """

    name: str
    old_ppm: int
    new_ppm: int
    change: MeanError


@dataclass(frozen=True)
class ThroughputChange:
    """Change of all machines with a target in both policies, and what was replayed."""

    held_out_digest: str
    held_out_rows: int
    steps: int
    seed: int
    replicates: int
    machines: tuple[MachineChange, ...]


def throughput_change(
    old: Policy, new: Policy, held_out: ThroughputTrace, options: VerifyOptions
) -> ThroughputChange:
    """Replay two controllers of CPU shares on the machines of a measured trace.

    Raises TailcError if their steps have different lengths, and if a machine with a target has no
    rows.
    """
    forms = (shares_of(old), shares_of(new))
    _check_steps(*forms)
    paired = paired_periods(*forms, held_out)
    return ThroughputChange(
        held_out.digest,
        held_out.rows,
        paired.steps,
        options.seed,
        options.replicates,
        tuple(_change(each, options) for each in paired.machines),
    )


def _change(each: PairedErrors, options: VerifyOptions) -> MachineChange:
    draw = (options.seed, each.number, options.replicates)
    return MachineChange(
        each.name,
        mean_error(each.old, *draw).ppm,
        mean_error(each.new, *draw).ppm,
        mean_error(each.new - each.old, *draw),
    )


def _check_steps(old: Shares, new: Shares) -> None:
    if old.step_us == new.step_us:
        return
    message = (
        f"the policies decide every {format_us(old.step_us)} and every {format_us(new.step_us)}: "
        "their steps cannot be compared one by one"
    )
    raise TailcError(Finding(Code.USAGE, message, help="remove `--trace`, or verify each policy"))
