"""Check whether a policy can be replayed on given requests, and report every reason against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.forms.ladder.table import Rule
from tailc.forms.ladder.units import degrees
from tailc.models.core_queues.reference_clock import reference_khz
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import memory_column


def check(policy: Policy, held_out: DemandProfile, options: VerifyOptions) -> None:
    """Raise TailcError with every reason why the policy cannot be verified on these requests."""
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
    """Whether the policy was compiled from exactly the requests of `held_out`."""
    compiled_from = (InputRole.DESIGN, InputRole.WHOLE)
    return any(
        source.role in compiled_from and source.digest == held_out.digest
        for source in policy.inputs
    )


def _check_slos_and_rates(policy: Policy, options: VerifyOptions) -> Iterator[Finding]:
    if not policy.slos:
        yield Finding(Code.BAD_ARTIFACT, f"policy `{policy.name}` has no SLO to verify")
    on_cores = any(Rule.CORE_PER_REQUEST in ladder.rules for ladder in policy.ladders)
    on_cores |= policy.tail_table is not None
    if options.other_power_ppm and not on_cores:
        yield Finding(
            Code.USAGE,
            f"`--other-power` adds to the power of cores, but policy `{policy.name}` states no "
            "power of cores",
            help="remove `--other-power` (`other_power_ppm`)",
        )
    arrivals = policy.rates_mrps if options.arrivals is None else options.arrivals
    if not arrivals:
        yield Finding(
            Code.USAGE,
            f"policy `{policy.name}` has no arrival rates, and none is given",
            help="give arrival rates, or add `rates` to the spec and compile again",
        )


def _check_classes(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions
) -> Iterator[Finding]:
    place = Place(options.held_out_name)
    classes = {form.request_class for form in policy.ladders}
    classes |= {slo.request_class for slo in policy.slos}
    names = sorted(name for name in classes if name is not None)
    if names and not held_out.curve_names:
        named = ", ".join(f"`{name}`" for name in names)
        yield Finding(
            Code.METHOD_UNFIT,
            f"policy `{policy.name}` has tables for the classes {named}, but the trace has no "
            "classes",
            place,
            help="give a trace with a column of classes, and a speed-up curve for each class",
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
                f"policy `{policy.name}` has no table for requests of class `{name}`",
                place,
                help=f"compile a policy with a table for `{name}`, or leave out its requests; this "
                f"policy has tables for {_listed(sorted(filter(None, covered)))}",
            )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _classes_without_requests(
    policy: Policy, held_out: DemandProfile, place: Place
) -> Iterator[Finding]:
    for slo in policy.slos:
        if slo.request_class is not None and slo.request_class not in held_out.curve_names:
            yield Finding(
                Code.METHOD_UNFIT,
                f"an SLO is for request class `{slo.request_class}`, but the trace has no "
                "requests of it",
                place,
                help="give a trace with requests of it: this trace has requests of "
                f"{_listed(held_out.curve_names)}",
            )


def _check_trace(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions
) -> Iterator[Finding]:
    place = Place(options.held_out_name)
    if is_compile_trace(policy, held_out) and not options.allow_compile_trace:
        yield Finding(
            Code.COMPILE_TRACE,
            f"`{options.held_out_name}` is the trace from which policy `{policy.name}` was "
            "compiled",
            place,
            help="verify on requests that were held out; `--allow-compile-trace` "
            "(`allow_compile_trace=True`) replays these requests anyway",
        )
    yield from _check_speeds(policy, held_out, place)
    most = max((d for form in policy.ladders for d in degrees(form) or ()), default=0)
    if held_out.degrees < most:
        yield Finding(
            Code.BAD_TIMINGS,
            f"the trace has speed-ups up to degree `{held_out.degrees}`, but the policy runs "
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
            f"the trace has speeds on `{held_out.degrees}` types of core, but the policy runs "
            f"requests on `{len(ladder.rungs)}`",
            place,
            help="give speeds on each type of the policy, or on none",
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
            f"policy `{policy.name}` does not state the frequency at which its demands were "
            "measured",
            help="compile it again with a newer version of tailc, which states `reference_khz`",
        )
    memory = memory_column(policy.reading)
    if memory is not None and held_out.memory_ms is None:
        yield Finding(
            Code.MISSING_COLUMN,
            f"policy `{policy.name}` was compiled with memory time, but the trace has none",
            place,
            help=f"give a trace with the column `{memory}`",
        )
    if options.cut_off_us is not None:
        yield Finding(
            Code.USAGE,
            f"a policy with a tail table, such as `{policy.name}`, has no cut-off of requests",
            help="remove `--cut-off` (`cut_off_us`)",
        )
