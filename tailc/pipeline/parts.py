"""Split a trace into its design part and held-out part, and record both for the artifact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from tailc.artifact.envelope import Input, InputRole
from tailc.errors import Finding
from tailc.pipeline.remarks import suspect_unit
from tailc.pipeline.solve import handler_of
from tailc.pipeline.spec import OpenedSpec
from tailc.pipeline.trace import (
    OpenedDays,
    OpenedThroughput,
    OpenedTokens,
    OpenedTrace,
    open_measured,
    split_requests,
    split_rows,
    split_trace,
)
from tailc.traces.profile import DemandProfile
from tailc.traces.summary import summary

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.traces.throughput import ThroughputTrace
    from tailc.traces.tokens import TokenTrace

# The types of design data; a new kind of measurement is a new type here.
Design: TypeAlias = "DemandProfile | ThroughputTrace | Days | TokenTrace"
D = TypeVar("D", DemandProfile, "ThroughputTrace", "Days", "TokenTrace")


@dataclass(frozen=True)
class TraceParts(Generic[D]):
    """The design part of a trace, a record of all parts for the artifact, and warnings.

    design: the requests or rows that a policy is compiled from. inputs: the record.
    """

    design: D
    inputs: tuple[Input, ...]
    warnings: tuple[Finding, ...] = ()


_OtherParts: TypeAlias = "TraceParts[ThroughputTrace] | TraceParts[Days] | TraceParts[TokenTrace]"
AnyTraceParts: TypeAlias = "TraceParts[DemandProfile] | _OtherParts"


def trace_parts(
    opened: OpenedSpec, read: OpenedTrace | OpenedThroughput | OpenedDays | OpenedTokens
) -> AnyTraceParts:
    """Split a spec's trace; without a held-out part the whole trace is the design part."""
    match read:
        case OpenedTrace():
            return parts_of_requests(opened, read)
        case OpenedThroughput():
            return parts_of_rows(opened, read)
        case OpenedTokens():
            return parts_of_tokens(opened, read)
        case OpenedDays():
            return parts_of_days(read)


def parts_of_requests(opened: OpenedSpec, read: OpenedTrace) -> TraceParts[DemandProfile]:
    """Split a trace of requests into its design part and its held-out part, if the spec has one."""
    whole = read.trace.profile
    place = opened.loaded.place("demand", "unit")
    if read.reading.rows.split is None:
        design, inputs = whole, (_input(InputRole.DESIGN, whole),)
    else:
        design, held_out = split_trace(opened, read)
        parts = {InputRole.WHOLE: whole, InputRole.DESIGN: design, InputRole.HELD_OUT: held_out}
        inputs = tuple(_input(role, part) for role, part in parts.items())
    return TraceParts(design, inputs, suspect_unit(design, opened.spec.slos, place))


def parts_of_rows(opened: OpenedSpec, read: OpenedThroughput) -> TraceParts[ThroughputTrace]:
    """Split a trace of throughput into its design part and held-out part, by whole rows."""
    if read.reading.rows.split is None:
        return TraceParts(read.trace, (_rows_input(InputRole.DESIGN, read.trace),))
    design, held_out = split_rows(opened, read)
    parts = {InputRole.WHOLE: read.trace, InputRole.DESIGN: design, InputRole.HELD_OUT: held_out}
    return TraceParts(design, tuple(_rows_input(role, part) for role, part in parts.items()))


def parts_of_tokens(opened: OpenedSpec, read: OpenedTokens) -> TraceParts[TokenTrace]:
    """Split requests to a language model into design part and held-out part, if there is one."""
    if read.reading.rows.split is None:
        return TraceParts(read.trace, (_tokens_input(InputRole.DESIGN, read.trace),))
    design, held_out = split_requests(opened, read)
    parts = {InputRole.WHOLE: read.trace, InputRole.DESIGN: design, InputRole.HELD_OUT: held_out}
    return TraceParts(design, tuple(_tokens_input(role, part) for role, part in parts.items()))


def parts_of_days(read: OpenedDays) -> TraceParts[Days]:
    """Use all days as the design part; the held-out part is later days."""
    return TraceParts(read.trace, _days_inputs(read.trace))


def warnings_of_measured(opened: OpenedSpec) -> tuple[Finding, ...]:
    """Warn about a spec's trace; raise TailcError for a trace that a compile refuses."""
    match read := open_measured(opened):
        case OpenedTrace():
            return (*read.trace.warnings, *_warnings_of_requests(opened, read))
        case OpenedThroughput():
            return (*read.trace.warnings, *parts_of_rows(opened, read).warnings)
        case OpenedTokens():
            return (*read.trace.warnings, *parts_of_tokens(opened, read).warnings)
        case OpenedDays():
            opened.kind.reduce(opened.spec, read.trace)
            return read.trace.warnings


def _warnings_of_requests(opened: OpenedSpec, read: OpenedTrace) -> tuple[Finding, ...]:
    parts, spec = parts_of_requests(opened, read), opened.spec
    problem = opened.kind.reduce(next(iter(opened.kind.candidates(spec))), parts.design)
    checked = handler_of(problem).check_slos(problem, spec, opened.loaded)
    return (*parts.warnings, *checked, *_warnings_of_arrivals(opened, read))


def _warnings_of_arrivals(opened: OpenedSpec, read: OpenedTrace) -> tuple[Finding, ...]:
    """Warnings about the recorded arrivals that a table is tuned on, if there are any."""
    aim = opened.kind.tuning.aim(opened.spec)
    if aim is None or aim.recorded is None:
        return ()
    from tailc.pipeline.tuning_arrivals import recorded_parts

    return recorded_parts(aim.recorded, read).warnings


def _days_inputs(days: Days) -> tuple[Input, ...]:
    """Records of the jobs (as requests) and of the energy (as steps)."""
    steps = days.energy.power.steps
    jobs = Input(InputRole.DESIGN, days.jobs_digest, days.jobs.jobs, days.jobs.jobs)
    return (jobs, Input(InputRole.SUPPLY, days.energy.digest, steps, 0))


def _rows_input(role: InputRole, part: ThroughputTrace) -> Input:
    return Input(role, part.digest, part.rows, part.rows)


def _tokens_input(role: InputRole, part: TokenTrace) -> Input:
    return Input(role, part.digest, part.requests, part.requests)


def _input(role: InputRole, part: DemandProfile) -> Input:
    demand = summary(part) if role is InputRole.DESIGN else None
    return Input(role, part.digest, part.rows, part.total_weight, demand)
