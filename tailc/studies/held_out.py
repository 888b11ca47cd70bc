"""Read held-out requests in the same way as a policy's design trace."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.demand_drift import Drift
from tailc.experiment.drift import drift_findings
from tailc.forms.ladder.units import degrees
from tailc.ingest.responses import refuse_responses
from tailc.lint.of_demands import profile_findings
from tailc.models.arrivals import RecordedArrivals
from tailc.pipeline.recorded_arrivals import recorded_arrivals
from tailc.pipeline.remarks import other_measure, suspect_unit
from tailc.pipeline.trace import not_about_degrees
from tailc.traces.arrivals import ArrivalColumn
from tailc.traces.demand_log import as_drawn, reading_of_log
from tailc.traces.parquet_profile import reading_stated_in
from tailc.traces.places import locate_findings
from tailc.traces.profile import DemandProfile
from tailc.traces.profile_file import reading_of_profile
from tailc.traces.reading import DemandReading, RequestReading, SplitRule
from tailc.traces.source import Format, Source, open_source
from tailc.traces.split import held_out_mask
from tailc.traces.trace import Trace, trace_by_row, trace_in


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out requests, their recorded arrivals if a column was requested, and warnings."""

    profile: DemandProfile
    warnings: tuple[Finding, ...]
    recorded: RecordedArrivals | None = None


def read_held_out(
    policy: Policy,
    source: str,
    format: Format = "auto",  # noqa: A002
    arrivals: ArrivalColumn | None = None,
) -> HeldOut:
    """Read the trace at `source` with the columns and units of the policy's design trace.

    `-` is standard input. A part written by `tailc split`, a profile and the log of a runtime state
    their own columns and units. If `source` is the whole trace that the policy was compiled from,
    and the policy records a split, the held-out part is returned; any other trace need not have the
    column of the split. arrivals: column of arrival times to read with each request. Raises
    TailcError for a policy of shares, a plan or token budgets, which have no demands of requests.
    """
    if not policy.ladders and policy.tail_table is None:
        raise _without_requests(policy)
    compiled = request_reading_of(policy)
    with open_source(source) as opened:
        logged = reading_of_log(opened, compiled)
        own = logged or _own_reading(opened, compiled)
        # No trace states the serial parts.
        own = own and replace(own, serial=compiled.serial)
        if own is None:
            refuse_responses(opened, compiled.measured)
        read = trace_in if arrivals is None else trace_by_row
        trace = read(opened, compiled.whole() if own is None else own, format)
        remarks = profile_findings(trace.requests, own or compiled, opened.name)
        trace = replace(trace, warnings=(*trace.warnings, *locate_findings(remarks, opened)))
        trace = trace if logged is None else as_drawn(trace)
        if own is not None:
            remarks = other_measure(policy, own, Place(opened.name))
            trace = replace(trace, warnings=(*trace.warnings, *remarks))
        rule = compiled.rows.split
        chosen = None
        if own is None and rule and trace.profile.digest == _digest_of(policy, InputRole.WHOLE):
            trace, chosen = _held_out_part(
                policy, rule, opened.name, read(opened, compiled, format)
            )
        if arrivals is None:
            return HeldOut(trace.profile, trace.warnings)
        if own is not None:
            raise _timeless(opened, arrivals)
        recorded, remarks = recorded_arrivals(opened, trace, compiled, arrivals, chosen, format)
        return HeldOut(trace.profile, (*trace.warnings, *remarks), recorded)


def request_reading_of(policy: Policy) -> RequestReading:
    """Return how the policy's design requests were read from a file.

    Raises TailcError if the policy was compiled from other data than requests.
    """
    reading = policy.reading
    if isinstance(reading, RequestReading):
        return reading
    message = (
        f"policy `{policy.name}` is for requests, but states a trace of "
        f"`{reading.measured.measure.value}`"
    )
    raise TailcError(Finding(Code.BAD_ARTIFACT, message, help="compile it again"))


def _own_reading(opened: Source, compiled: RequestReading) -> DemandReading | None:
    """The reading that a profile or a part of a split trace states itself."""
    return reading_of_profile(opened, compiled) or reading_stated_in(opened)


def trace_warnings(
    policy: Policy, held_out: HeldOut, source: str, drift: Drift | None
) -> tuple[Finding, ...]:
    """Warn about the trace at `source` before a verdict on `policy`."""
    of_rungs = all(degrees(ladder) is None for ladder in policy.ladders)
    return (
        *(not_about_degrees(held_out.warnings) if of_rungs else held_out.warnings),
        *suspect_unit(held_out.profile, policy.slos),
        *drift_findings(drift, Place(source)),
    )


def _held_out_part(
    policy: Policy, rule: SplitRule, name: str, whole: Trace
) -> tuple[Trace, NDArray[np.bool_]]:
    """The part that the compile held out, and the mask of its requests in the whole trace."""
    chosen = held_out_mask(whole, rule)
    if chosen.any():
        part = replace(whole, requests=whole.requests.select(chosen), split_key=None)
        if part.profile.digest == _digest_of(policy, InputRole.HELD_OUT):
            return part, chosen
    message = "has the rows of the compile trace in another order, so its held-out part is unknown"
    hint = (
        "give the same file that `tailc compile` read, or the held-out part that `tailc split` "
        "wrote"
    )
    raise TailcError(Finding(Code.COMPILE_TRACE, f"`{name}` {message}", Place(name), hint))


def _without_requests(policy: Policy) -> TailcError:
    of = "jobs" if policy.shares is None else "throughput"
    if policy.budget_table is not None:
        of = "token budgets"
    message = f"policy `{policy.name}` is a policy of {of}, so there are no demands to replay"
    return TailcError(Finding(Code.USAGE, message, help="use `tailc verify`, which replays it"))


def _timeless(opened: Source, arrivals: ArrivalColumn) -> TailcError:
    return opened.fault(
        Code.MISSING_COLUMN,
        f"`{opened.name}` is a profile, or was written by `tailc split` or by a runtime: "
        "it has no arrival times",
        field=arrivals.name,
        advice="give the whole trace: if the policy has a split, the held-out part is used",
    )


def _digest_of(policy: Policy, role: InputRole) -> str | None:
    return next((part.digest for part in policy.inputs if part.role is role), None)
