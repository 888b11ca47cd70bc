"""What becomes of throughput under NEW: both policies on the machines behind the same rows."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.block_means import ErrorOf, error_of
from tailc.experiment.options import VerifyOptions
from tailc.forms.shares import Shares
from tailc.models.cpu_shares.plant import settling_steps
from tailc.traces.throughput import ThroughputTrace
from tailc.units import format_us
from tailc.verify.throughput.judge import shares_of, slo_errors
from tailc.verify.throughput.replayed import replayed_on, too_short


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
    replayed = [replayed_on(form, held_out) for form in forms]
    first = max(each.outcome.settling for each in replayed)
    last = min(each.steps for each in replayed)
    if last <= first:
        raise too_short(max(forms, key=settling_steps), held_out, last)
    steps = last - first
    before, after = (
        slo_errors(each.outcome)[:, first - each.outcome.settling :] for each in replayed
    )
    rows = [[machine.name for machine in form.served] for form in forms]
    changes = []
    for number, name in enumerate(rows[0]):
        if name not in rows[1]:
            continue
        was = before[number, :steps]
        becomes = after[rows[1].index(name), :steps]
        draw = (options.seed, number, options.replicates)
        changes.append(
            MachineChange(
                name,
                error_of(was, *draw).ppm,
                error_of(becomes, *draw).ppm,
                error_of(becomes - was, *draw),
            )
        )
    return ThroughputChange(
        held_out.digest,
        held_out.rows,
        steps,
        options.seed,
        options.replicates,
        tuple(changes),
    )


def _check_steps(old: Shares, new: Shares) -> None:
    if old.step_us == new.step_us:
        return
    message = (
        f"the policies decide every {format_us(old.step_us)} and every {format_us(new.step_us)}: "
        "their steps cannot be compared one by one"
    )
    raise TailcError(Finding(Code.USAGE, message, help="leave out --trace, or verify each"))
