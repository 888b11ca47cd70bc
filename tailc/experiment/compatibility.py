"""Check whether a policy can be replayed on given requests; find every reason against it."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.forms.ladder.table import Rule
from tailc.forms.ladder.units import degrees
from tailc.models.core_queues.reference_clock import reference_khz
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import memory_column


def check(policy: Policy, held_out: DemandProfile, options: VerifyOptions) -> None:
    """Raise TailcError with every reason why a verdict is impossible."""
    findings = [
        *_check_slos_and_rates(policy, options),
        *find_reasons_against(policy, held_out, options),
    ]
    if findings:
        raise TailcError(findings)


def find_reasons_against(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions
) -> list[Finding]:
    """Every reason why the policy cannot be replayed on these requests; empty if it can."""
    return [
        *_check_classes(policy, held_out, options),
        *_check_trace(policy, held_out, options),
        *_check_clocks(policy, held_out, options),
    ]


def is_compile_trace(policy: Policy, held_out: DemandProfile) -> bool:
    """Whether the policy was compiled from exactly these requests."""
    compiled_from = (InputRole.DESIGN, InputRole.WHOLE)
    return any(
        source.role in compiled_from and source.digest == held_out.digest
        for source in policy.inputs
    )


def _check_slos_and_rates(policy: Policy, options: VerifyOptions) -> Iterator[Finding]:
    if not policy.slos:
        yield Finding(Code.BAD_ARTIFACT, f"policy `{policy.name}` states no SLO to verify")
    on_cores = any(Rule.CORE_PER_REQUEST in ladder.rules for ladder in policy.ladders)
    on_cores |= policy.tail_table is not None
    if options.other_power_ppm and not on_cores:
        yield Finding(
            Code.USAGE,
            f"--other-power adds to the power of cores, and policy `{policy.name}` states none",
            help="leave `--other-power` (`other_power_ppm`) out",
        )
    arrivals = policy.rates_mrps if options.arrivals is None else options.arrivals
    if not arrivals:
        yield Finding(
            Code.USAGE,
            f"policy `{policy.name}` was compiled for no arrival rate, and none is given",
            help="name rates to verify at, or state `rates` in the spec and compile again",
        )


def _check_classes(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions
) -> Iterator[Finding]:
    place = Place(options.held_out_name)
    told_apart = {form.request_class for form in policy.ladders}
    told_apart |= {slo.request_class for slo in policy.slos}
    names = sorted(name for name in told_apart if name is not None)
    if names and not held_out.curve_names:
        named = ", ".join(f"`{name}`" for name in names)
        yield Finding(
            Code.METHOD_UNFIT,
            f"policy `{policy.name}` tells classes {named} apart, and the trace has no classes",
            place,
            help="read the trace with a class column, and a speed-up curve for each class",
        )
        return
    yield from _classes_without_a_ladder(policy, held_out, place)
    yield from _classes_without_requests(policy, held_out, place)


def _classes_without_a_ladder(
    policy: Policy, held_out: DemandProfile, place: Place
) -> Iterator[Finding]:
    covered = {form.request_class for form in policy.ladders}
    if None in covered or not covered:
        return
    for name in held_out.curve_names:
        if name not in covered:
            yield Finding(
                Code.METHOD_UNFIT,
                f"policy `{policy.name}` has no form for requests of class `{name}`",
                place,
                help=f"known: {', '.join(f'`{known}`' for known in sorted(filter(None, covered)))}",
            )


def _classes_without_requests(
    policy: Policy, held_out: DemandProfile, place: Place
) -> Iterator[Finding]:
    for slo in policy.slos:
        if slo.request_class is not None and slo.request_class not in held_out.curve_names:
            yield Finding(
                Code.METHOD_UNFIT,
                f"an SLO is for request class `{slo.request_class}`, of which the trace has none",
                place,
                help=f"known: {', '.join(f'`{known}`' for known in held_out.curve_names)}",
            )


def _check_trace(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions
) -> Iterator[Finding]:
    place = Place(options.held_out_name)
    if is_compile_trace(policy, held_out) and not options.allow_compile_trace:
        yield Finding(
            Code.COMPILE_TRACE,
            f"`{options.held_out_name}` is the trace that policy `{policy.name}` was compiled from",
            place,
            help="verify on requests that were held out; `--allow-compile-trace` "
            "(`allow_compile_trace=True`) replays these all the same",
        )
    yield from _check_speeds(policy, held_out, place)
    most = max((d for form in policy.ladders for d in degrees(form) or ()), default=0)
    if held_out.degrees < most:
        yield Finding(
            Code.BAD_TIMINGS,
            f"the trace has speed-ups up to degree `{held_out.degrees}`, and the policy runs "
            f"requests at degree `{most}`",
            place,
            help=f"measure the requests at degrees 1 to {most}",
        )


def _check_speeds(policy: Policy, held_out: DemandProfile, place: Place) -> Iterator[Finding]:
    """Check that requests on whole cores have the speeds of the rungs, or their own for each."""
    if not policy.ladders:
        return
    ladder = policy.ladders[0]
    if Rule.CORE_PER_REQUEST in ladder.rules and held_out.degrees not in (1, len(ladder.rungs)):
        yield Finding(
            Code.BAD_TIMINGS,
            f"the trace has speeds on `{held_out.degrees}` types of core, and the policy runs "
            f"requests on `{len(ladder.rungs)}`",
            place,
            help="measure the requests on each type that the policy has, or on none",
        )


def _check_clocks(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions
) -> Iterator[Finding]:
    """Check that requests of a tail table have cycles, memory time if it was compiled with any.

    Requests must also be whole, not points of a spectrum.
    """
    if policy.tail_table is None:
        return
    place = Place(options.held_out_name)
    if reference_khz(policy) is None:
        yield Finding(
            Code.BAD_ARTIFACT,
            f"policy `{policy.name}` does not tell the clock that its demands were measured at",
            help="state `reference_khz` in its tail table",
        )
    memory = memory_column(policy.reading)
    if memory is not None and held_out.memory_ms is None:
        yield Finding(
            Code.MISSING_COLUMN,
            f"policy `{policy.name}` was compiled with memory time, and the trace has none",
            place,
            help=f"give a trace with the column `{memory}`",
        )
    if options.cut_off_us is not None:
        yield Finding(
            Code.USAGE,
            f"requests of policy `{policy.name}` run to their end: its tail table knows no cut-off",
            help="leave `--cut-off` (`cut_off_us`) out",
        )
