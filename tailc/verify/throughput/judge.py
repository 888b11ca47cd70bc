"""Judge a form of shares on held-out throughput: errors with intervals, rulings."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.block_means import ErrorOf, error_of, in_ppm
from tailc.experiment.options import VerifyOptions
from tailc.experiment.ruling import Ruling
from tailc.forms.shares import MILLI, Shares
from tailc.models.cpu_shares.plant import Outcome, replay
from tailc.models.cpu_shares.static_shares import best_static, equal_parts
from tailc.percentiles import PPM
from tailc.traces.throughput import ThroughputTrace, unknown_machines
from tailc.verify.throughput.drift import FEWEST_STEPS, drifts
from tailc.verify.throughput.recorded import RecordedMachine, plant_of
from tailc.verify.throughput.replayed import Replayed, missing_machines, replayed_on
from tailc.verify.throughput.verdict import MachineDrift, MachineVerdict, ThroughputVerdicts

Floats = NDArray[np.float64]


def verify_throughput(
    policy: Policy,
    held_out: ThroughputTrace,
    options: VerifyOptions | None = None,
    tolerance_ppm: int | None = None,
) -> ThroughputVerdicts:
    """A verdict for every machine with a target, at the tolerance that is promised or given.

    Deterministic in the policy, the rows and the options' seed. Raises TailcError where the rows
    are those that the policy was compiled from, lack a machine, or are of one that it lacks.
    """
    options = options or VerifyOptions()
    shares = shares_of(policy)
    check(policy, held_out, options)
    replayed = replayed_on(shares, held_out)
    tolerance_ppm = shares.tolerance_ppm if tolerance_ppm is None else tolerance_ppm
    outcome, found = replayed.outcome, drifts(policy, held_out, options)
    return ThroughputVerdicts(
        policy_name=policy.name,
        generation=policy.generation,
        held_out_digest=held_out.digest,
        held_out_rows=held_out.rows,
        is_compile_trace=is_compile_throughput(policy, held_out),
        steps=replayed.steps,
        step_us=shares.step_us,
        seed=options.seed,
        replicates=options.replicates,
        tolerance_ppm=tolerance_ppm,
        machines=_verdicts(shares, replayed, options, tolerance_ppm, found),
        utilization_ppm=in_ppm(outcome.utilization),
        batch_ppm=in_ppm(float(outcome.batch_share.mean())),
    )


def shares_of(policy: Policy) -> Shares:
    """The policy's form of shares; TailcError where it has none."""
    if policy.shares is None:
        message = f"policy `{policy.name}` is of requests, and not of throughput"
        hint = "leave out --trace, or give two policies of throughput"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    return policy.shares


def is_compile_throughput(policy: Policy, held_out: ThroughputTrace) -> bool:
    """Whether the policy was compiled from these very rows."""
    compiled_from = (InputRole.DESIGN, InputRole.WHOLE)
    return any(
        part.role in compiled_from and part.digest == held_out.digest for part in policy.inputs
    )


def slo_errors(outcome: Outcome) -> Floats:
    """|throughput / target - 1| of every machine at every step after the first full window."""
    measured = outcome.throughput[:, outcome.settling :]
    return np.abs(measured / outcome.target[:, None] - 1)


def _verdicts(
    shares: Shares,
    replayed: Replayed,
    options: VerifyOptions,
    tolerance_ppm: int,
    found: tuple[MachineDrift | None, ...],
) -> tuple[MachineVerdict, ...]:
    plant = plant_of(replayed.machines)
    static = best_static(shares, plant)
    fair = replay(shares, plant, equal_parts(shares, plant)).slo_error
    errors = slo_errors(replayed.outcome)
    draw = (options.seed, options.replicates)
    verdicts = []
    for at, machine in enumerate(shares.served):
        error = error_of(errors[at], draw[0], at, draw[1])
        ruling = _ruling(error, tolerance_ppm, replayed.steps)
        online, offline = _model_errors(shares, replayed.machines[at], at, options)
        outcome = replayed.outcome
        verdicts.append(
            MachineVerdict(
                name=machine.name,
                target_milli=machine.target_milli or 0,
                ruling=ruling,
                error=error,
                online=online,
                offline=offline,
                share_ppm=in_ppm(float(outcome.share[at].mean())),
                most_milli=round(replayed.machines[at].most * shares.host_ppm / PPM * MILLI),
                short_ppm=in_ppm(float(outcome.is_short[at].mean())),
                static_ppm=in_ppm(static.errors[at]),
                static_share_ppm=in_ppm(static.shares[at]),
                fair_ppm=in_ppm(float(fair[at])),
                more_steps=_more_steps(error, tolerance_ppm, replayed.steps)
                if ruling is Ruling.UNDECIDED
                else None,
                drift=found[at],
            )
        )
    return tuple(verdicts)


def _model_errors(
    shares: Shares, machine: RecordedMachine, at: int, options: VerifyOptions
) -> tuple[ErrorOf | None, ErrorOf | None]:
    """Of the estimated and the compiled model, under the very shares that were measured."""
    alone = replace(shares, machines=(shares.served[at],), host_ppm=PPM)
    plant = plant_of([machine])
    outcome = replay(alone, plant, machine.share[None, :])
    found = []
    for number, said in enumerate((outcome.online[0], outcome.offline[0]), start=1):
        counted = np.isfinite(said) & (outcome.throughput[0] > 0)
        errors = np.abs(said[counted] / outcome.throughput[0][counted] - 1)
        draw = number * len(shares.served) + at
        found.append(
            error_of(errors, options.seed, draw, options.replicates) if len(errors) else None
        )
    return found[0], found[1]


def _ruling(error: ErrorOf, tolerance_ppm: int, steps: int) -> Ruling:
    if steps < FEWEST_STEPS:
        return Ruling.UNDECIDED
    if error.low_ppm > tolerance_ppm:
        return Ruling.FAIL
    return Ruling.PASS if error.high_ppm <= tolerance_ppm else Ruling.UNDECIDED


def _more_steps(error: ErrorOf, tolerance_ppm: int, steps: int) -> int | None:
    """Steps until the interval, which shrinks with their root, leaves the tolerance out; None where
    the estimate is on the tolerance.
    """
    apart_ppm = abs(error.ppm - tolerance_ppm)
    if apart_ppm == 0:
        return None
    half_ppm = max(error.high_ppm - error.ppm, error.ppm - error.low_ppm)
    wanted = max(math.ceil(steps * (half_ppm / apart_ppm) ** 2), FEWEST_STEPS)
    return max(wanted - steps, 1)


def check(policy: Policy, held_out: ThroughputTrace, options: VerifyOptions) -> None:
    """Raise TailcError for rows of the compile, and for machines that one of both does not have."""
    shares = shares_of(policy)
    findings = list(unknown_machines(held_out, [machine.name for machine in shares.machines]))
    findings += missing_machines(shares, held_out)
    if is_compile_throughput(policy, held_out) and not options.allow_compile_trace:
        message = f"`{options.held_out_name}` is what the policy was compiled from"
        hint = "give rows that were measured apart, or allow it by `--allow-compile-trace`"
        place = Place(options.held_out_name)
        findings.append(Finding(Code.COMPILE_TRACE, message, place, hint))
    if findings:
        raise TailcError(findings)
