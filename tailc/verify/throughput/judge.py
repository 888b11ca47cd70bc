"""Judge a CPU-share policy on held-out throughput: errors with intervals, and rulings."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.block_means import MeanError, mean_error, to_ppm
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import (
    RecordedPeriods,
    missing_machines,
    recorded_periods,
    share_rules,
    shares_of,
)
from tailc.experiment.ruling import Ruling
from tailc.forms.shares import MILLI
from tailc.models.cpu_shares.given_shares import GivenShares
from tailc.models.cpu_shares.usage import usage_of
from tailc.percentiles import PPM
from tailc.traces.throughput import ThroughputTrace, unknown_machines
from tailc.verify.throughput.drift import FEWEST_STEPS, drifts
from tailc.verify.throughput.verdict import (
    BaselineError,
    MachineDrift,
    MachineVerdict,
    ShareBaseline,
    ThroughputVerdicts,
)


def verify_throughput(
    policy: Policy,
    held_out: ThroughputTrace,
    options: VerifyOptions | None = None,
    tolerance_ppm: int | None = None,
) -> ThroughputVerdicts:
    """Judge every machine with a target, at the promised or a given tolerance.

    Deterministic in the policy, the rows and the options' seed. Raises TailcError if the policy was
    compiled from these rows, if a machine lacks rows or rows lack a machine, and for names that are
    not baselines.
    """
    options = options or VerifyOptions()
    shares = shares_of(policy)
    names = share_rules().choose(options.baselines)
    check(policy, held_out, options)
    periods = recorded_periods(shares, held_out)
    baselines = {name: periods.replay_baseline(name) for name in names}
    tolerance_ppm = shares.tolerance_ppm if tolerance_ppm is None else tolerance_ppm
    machines = (
        _verdict(periods, at, options, tolerance_ppm, baselines, drift)
        for at, drift in enumerate(drifts(policy, held_out, options))
    )
    return ThroughputVerdicts(
        policy_name=policy.name,
        generation=policy.generation,
        held_out_digest=held_out.digest,
        held_out_rows=held_out.rows,
        is_compile_trace=is_compile_throughput(policy, held_out),
        steps=periods.steps,
        step_us=shares.step_us,
        seed=options.seed,
        replicates=options.replicates,
        tolerance_ppm=tolerance_ppm,
        baselines=tuple(map(_baseline, names)),
        machines=tuple(machines),
        usage=usage_of(periods.outcome),
    )


def is_compile_throughput(policy: Policy, held_out: ThroughputTrace) -> bool:
    """Whether the policy was compiled from exactly the rows that are to judge it."""
    compiled_from = (InputRole.DESIGN, InputRole.WHOLE)
    return any(
        part.role in compiled_from and part.digest == held_out.digest for part in policy.inputs
    )


def _baseline(name: str) -> ShareBaseline:
    rule = share_rules().make_rule(name)
    return ShareBaseline(name, rule.about, rule.shows_share)


def _verdict(
    periods: RecordedPeriods,
    at: int,
    options: VerifyOptions,
    tolerance_ppm: int,
    baselines: Mapping[str, GivenShares],
    drift: MachineDrift | None,
) -> MachineVerdict:
    shares, outcome = periods.shares, periods.outcome
    error = mean_error(periods.errors[at], options.seed, at, options.replicates)
    ruling = _ruling(error, tolerance_ppm, periods.steps)
    more = _more_steps(error, tolerance_ppm, periods.steps)
    return MachineVerdict(
        name=shares.served_machines[at].name,
        target_milli=shares.served_machines[at].target_milli or 0,
        ruling=ruling,
        error=error,
        model=periods.model_errors(at, options.seed, options.replicates),
        share_ppm=to_ppm(float(outcome.share[at].mean())),
        max_milli=round(periods.machines[at].most * shares.host_ppm / PPM * MILLI),
        short_ppm=to_ppm(float(outcome.is_short[at].mean())),
        capped_ppm=to_ppm(float(outcome.is_capped[at].mean())),
        baselines={
            name: BaselineError(to_ppm(baseline.errors[at]), to_ppm(baseline.shares[at]))
            for name, baseline in baselines.items()
        },
        more_steps=more if ruling is Ruling.UNDECIDED else None,
        drift=drift,
    )


def _ruling(error: MeanError, tolerance_ppm: int, steps: int) -> Ruling:
    if steps < FEWEST_STEPS:
        return Ruling.UNDECIDED
    if error.low_ppm > tolerance_ppm:
        return Ruling.FAIL
    return Ruling.PASS if error.high_ppm <= tolerance_ppm else Ruling.UNDECIDED


def _more_steps(error: MeanError, tolerance_ppm: int, steps: int) -> int | None:
    """Number of steps after which the interval, which shrinks with their root, would decide.

    None if the estimate is on the tolerance.
    """
    apart_ppm = abs(error.ppm - tolerance_ppm)
    if apart_ppm == 0:
        return None
    half_ppm = max(error.high_ppm - error.ppm, error.ppm - error.low_ppm)
    wanted = max(math.ceil(steps * (half_ppm / apart_ppm) ** 2), FEWEST_STEPS)
    return max(wanted - steps, 1)


def check(policy: Policy, held_out: ThroughputTrace, options: VerifyOptions) -> None:
    """Raise TailcError for rows of the compile, or if the policy or the rows lack a machine."""
    shares = shares_of(policy)
    findings = list(unknown_machines(held_out, [machine.name for machine in shares.machines]))
    findings += missing_machines(shares, held_out)
    if is_compile_throughput(policy, held_out) and not options.allow_compile_trace:
        message = f"`{options.held_out_name}` is the trace from which the policy was compiled"
        hint = "give rows that were held out, or give `--allow-compile-trace`"
        place = Place(options.held_out_name)
        findings.append(Finding(Code.COMPILE_TRACE, message, place, hint))
    if findings:
        raise TailcError(findings)
