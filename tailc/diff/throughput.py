"""What becomes of throughput under NEW: both policies on the machines behind the same rows."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.block_means import ErrorOf, error_of
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import PairedErrors, paired_periods, shares_of
from tailc.forms.shares import Shares
from tailc.traces.throughput import ThroughputTrace
from tailc.units import format_us


@dataclass(frozen=True)
class MachineChange:
    """A machine's mean absolute error under both, relative to the target that each has for it.

    change: NEW - OLD with a 95 % interval, taken step by step, so that what disturbs both cancels.
    """

    name: str
    old_ppm: int
    new_ppm: int
    change: ErrorOf


@dataclass(frozen=True)
class ThroughputChange:
    """The machines that have a target in both, and what they were replayed on."""

    held_out_digest: str
    held_out_rows: int
    steps: int
    seed: int
    replicates: int
    machines: tuple[MachineChange, ...]


def throughput_change(
    old: Policy, new: Policy, held_out: ThroughputTrace, options: VerifyOptions
) -> ThroughputChange:
    """Replay both on the machines of the rows.

    Raises TailcError where their steps differ, for then no step of one is a step of the other, and
    where a machine with a target has no rows.
    """
    forms = (shares_of(old), shares_of(new))
    _check_steps(*forms)
    found = paired_periods(*forms, held_out)
    return ThroughputChange(
        held_out.digest,
        held_out.rows,
        found.steps,
        options.seed,
        options.replicates,
        tuple(_change(each, options) for each in found.machines),
    )


def _change(each: PairedErrors, options: VerifyOptions) -> MachineChange:
    draw = (options.seed, each.number, options.replicates)
    return MachineChange(
        each.name,
        error_of(each.old, *draw).ppm,
        error_of(each.new, *draw).ppm,
        error_of(each.new - each.old, *draw),
    )


def _check_steps(old: Shares, new: Shares) -> None:
    if old.step_us == new.step_us:
        return
    message = (
        f"the policies decide every {format_us(old.step_us)} and every {format_us(new.step_us)}: "
        "their steps cannot be compared one by one"
    )
    raise TailcError(Finding(Code.USAGE, message, help="leave out --trace, or verify each"))
