"""The judge of a policy: its own emitted form, replayed on requests it was not compiled from."""

from __future__ import annotations

from collections.abc import Callable

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.forms.ladder.table import Ladder
from tailc.replay.baselines.sequential import sequential
from tailc.replay.lowered import lower
from tailc.replay.workload import workload
from tailc.specs.slo import Slo
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.verify.estimate import Sample, Setting, sample
from tailc.verify.interval import interval, more_requests, ruling, simulation_us, windows_met_ppm
from tailc.verify.load import load, most_in_system, never_keeps_up
from tailc.verify.options import VerifyOptions
from tailc.verify.verdict import Point, Ruling, Verdict, Verdicts

BASELINE = "SEQ"


def verify(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions | None = None
) -> Verdicts:
    """A verdict for every SLO and arrival rate, beside the same server without the policy.

    Deterministic in the policy, the held-out requests and the options' seed. Raises TailcError when
    there is nothing to verify (no SLO, no rate), when the held-out trace is what the policy was
    compiled from, or when it lacks a degree that the policy uses.
    """
    options = options or VerifyOptions()
    _check(policy, held_out, options)
    form = policy.forms[0]
    tick = _progress(policy, options)
    points: dict[tuple[int, int], Point] = {}
    for rate_mrps in _rates(policy, options):
        setting = _setting(form, held_out, rate_mrps, options)
        ours = _sample(form, policy, setting, options, tick)
        theirs = _sample(sequential(form), policy, setting, options, tick)
        for number, slo in enumerate(policy.slos):
            points[number, rate_mrps] = Point(
                slo,
                rate_mrps,
                _verdict(ours, number, slo, held_out.total_weight),
                _verdict(theirs, number, slo, held_out.total_weight),
            )
    return Verdicts(
        policy_name=policy.name,
        generation=policy.generation,
        baseline_name=BASELINE,
        held_out_digest=held_out.digest,
        held_out_requests=held_out.total_weight,
        is_compile_trace=_is_compile_trace(policy, held_out),
        seed=options.seed,
        requests_per_replay=options.requests_for(held_out.total_weight),
        replicates=options.replicates,
        points=tuple(points[key] for key in sorted(points)),
    )


def _verdict(found: Sample, number: int, slo: Slo, held_out: int) -> Verdict:
    limits = interval(found, number, slo.percentile_ppm, held_out)
    busy = load(found.repeats)
    says = ruling(limits, slo.latency_us, is_overloaded=busy.is_overloaded)
    if never_keeps_up(found.repeats):
        says = Ruling.FAIL
    asks = says is Ruling.UNDECIDED and not busy.is_overloaded
    return Verdict(
        estimate_us=limits.estimate_us,
        low_us=limits.low_us,
        high_us=limits.high_us,
        simulation_us=simulation_us(found, slo.percentile_ppm),
        ruling=says,
        more_requests=more_requests(limits, slo.latency_us, slo.percentile_ppm, held_out)
        if asks
        else None,
        windows_met_ppm=windows_met_ppm(found.repeats, slo),
        load=busy,
    )


def _sample(
    form: Ladder,
    policy: Policy,
    setting: Setting,
    options: VerifyOptions,
    tick: Callable[[], None],
) -> Sample:
    return sample(
        setting,
        lower(form, setting.rate_mrps, setting.most_in_system),
        [slo.percentile_ppm for slo in policy.slos],
        options.repeats,
        options.replicates,
        thread_count(options.threads),
        tick,
    )


def _setting(
    form: Ladder, held_out: DemandProfile, rate_mrps: int, options: VerifyOptions
) -> Setting:
    capacities = [unit.capacity_ppm for unit in form.cost_units if unit.capacity_ppm is not None]
    return Setting(
        workload(held_out, len(form.rungs)),
        rate_mrps,
        options.requests_for(held_out.total_weight),
        most_in_system(max(capacities, default=None)),
        options.seed,
    )


def _rates(policy: Policy, options: VerifyOptions) -> tuple[int, ...]:
    rates = policy.rates_mrps if options.rates_mrps is None else options.rates_mrps
    return tuple(sorted(set(rates)))


def _progress(policy: Policy, options: VerifyOptions) -> Callable[[], None]:
    total = 2 * len(_rates(policy, options)) * (options.repeats + options.replicates)
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if options.progress is not None:
            options.progress(done, total)

    return tick


def _check(policy: Policy, held_out: DemandProfile, options: VerifyOptions) -> None:
    """Raise every reason at once why this policy cannot be judged on these requests."""
    findings = [
        *_nothing_to_verify(policy, options),
        *_unfit_forms(policy),
        *_unfit_trace(policy, held_out, options),
    ]
    if findings:
        raise TailcError(findings)


def _nothing_to_verify(policy: Policy, options: VerifyOptions) -> list[Finding]:
    findings = []
    if not policy.slos:
        findings.append(
            Finding(Code.BAD_ARTIFACT, f"policy `{policy.name}` states no SLO to verify")
        )
    if not _rates(policy, options):
        findings.append(
            Finding(
                Code.USAGE,
                f"policy `{policy.name}` was compiled for no arrival rate, and none is given",
                help="name rates to verify at, or state `rates` in the spec and compile again",
            )
        )
    return findings


def _unfit_forms(policy: Policy) -> list[Finding]:
    form, *others = policy.forms
    if others:
        return [
            Finding(
                Code.METHOD_UNFIT,
                f"policy `{policy.name}` has {len(others) + 1} forms, and a replay runs one",
                help="verify a policy that has one ladder for all requests",
            )
        ]
    covered = form.request_class
    return [
        Finding(
            Code.METHOD_UNFIT,
            f"an SLO is for request class `{slo.request_class}`, which no form is for",
            help="state the SLO for all requests" if covered is None else f"known: `{covered}`",
        )
        for slo in policy.slos
        if slo.request_class not in (None, covered)
    ]


def _unfit_trace(policy: Policy, held_out: DemandProfile, options: VerifyOptions) -> list[Finding]:
    findings = []
    place = Place(options.held_out_name)
    if _is_compile_trace(policy, held_out) and not options.allow_compile_trace:
        findings.append(
            Finding(
                Code.COMPILE_TRACE,
                f"`{options.held_out_name}` is the trace that policy `{policy.name}` was "
                "compiled from",
                place,
                help="verify on requests that were held out; `--allow-compile-trace` "
                "(`allow_compile_trace=True`) replays these all the same",
            )
        )
    rungs = len(policy.forms[0].rungs)
    if held_out.degrees < rungs:
        findings.append(
            Finding(
                Code.BAD_TIMINGS,
                f"the trace has speed-ups up to degree `{held_out.degrees}`, and the policy runs "
                f"requests at degree `{rungs}`",
                place,
                help=f"measure the requests at degrees 1 to {rungs}",
            )
        )
    return findings


def _is_compile_trace(policy: Policy, held_out: DemandProfile) -> bool:
    compiled_from = (InputRole.DESIGN, InputRole.WHOLE)
    return any(
        source.role in compiled_from and source.digest == held_out.digest
        for source in policy.inputs
    )
