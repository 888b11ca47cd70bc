"""Open the trace that a spec names, as the spec describes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tailc.errors import Code, Finding, TailcError
from tailc.ingest.responses import refuse_responses
from tailc.lint.of_demands import execution_findings, profile_findings
from tailc.pipeline.reading import (
    request_reading,
    run_time_reading,
    throughput_reading,
    tokens_reading,
)
from tailc.pipeline.spec import OpenedSpec
from tailc.specs.common import DemandSpec
from tailc.traces.places import locate_findings
from tailc.traces.profile import DemandProfile
from tailc.traces.profile_file import is_profile, read_counted
from tailc.traces.reading import RequestReading, RunTimeReading, ThroughputReading, TokensReading
from tailc.traces.source import Format, open_source
from tailc.traces.split import split_profile
from tailc.traces.trace import Trace, trace_in

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.pipeline.recorded_parts import RecordedParts
    from tailc.specs.clocked_demand import ClockedDemandSpec
    from tailc.traces.counted_times import CountedTimes
    from tailc.traces.throughput import ThroughputTrace
    from tailc.traces.tokens import TokenTrace

# Warnings about speed-ups by degree, which do not apply to speeds by rung.
ABOUT_DEGREES = {
    Code.SPEEDUP_FALLS,
    Code.SPEEDUP_EXCEEDS,
    Code.SPEEDUP_SUPERLINEAR,
    Code.SPEEDUP_NOT_FROM_ONE,
}


def not_about_degrees(warnings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Select the warnings that are not about degrees (numbers of threads per request)."""
    return tuple(warning for warning in warnings if warning.code not in ABOUT_DEGREES)


@dataclass(frozen=True)
class OpenedTrace:
    """A trace of requests, its path (`-` is standard input), and its reading.

    recorded: the arrivals that its spec tunes a table on; None if they are not read yet.
    """

    reading: RequestReading
    trace: Trace
    path: str
    format: Format
    recorded: RecordedParts | None = None


@dataclass(frozen=True)
class OpenedThroughput:
    """A trace of machines' throughput, and how it was read."""

    reading: ThroughputReading
    trace: ThroughputTrace


@dataclass(frozen=True)
class OpenedDays:
    """The days of jobs and energy of a plan, and how the jobs were read."""

    reading: RunTimeReading
    trace: Days


@dataclass(frozen=True)
class OpenedTokens:
    """Opened requests to a language model, and how they are read."""

    reading: TokensReading
    trace: TokenTrace


Measured: TypeAlias = OpenedTrace | OpenedThroughput | OpenedDays | OpenedTokens


def open_measured(opened: OpenedSpec) -> Measured:
    """Open the trace of a spec, of any type of measurement."""
    demand = opened.spec.demand
    if isinstance(demand, DemandSpec):
        return _open_requests(opened, demand)
    from tailc.specs.days import DaysSettings
    from tailc.specs.throughput import ThroughputSpec
    from tailc.specs.tokens import TokensSpec

    match demand:
        case DaysSettings():
            from tailc.pipeline.days.days_of_spec import open_days

            days = open_days(demand, opened.path, opened.loaded.place)
            return OpenedDays(run_time_reading(demand), days)
        case ThroughputSpec():
            from tailc.traces.throughput import read_throughput

            recipe = throughput_reading(demand)
            rows = read_throughput(trace_path(opened), recipe, demand.format)
            return OpenedThroughput(recipe, rows)
        case TokensSpec():
            from tailc.traces.tokens import read_tokens

            columns = tokens_reading(demand)
            tokens = read_tokens(trace_path(opened), columns, demand.format)
            return OpenedTokens(columns, tokens)
        case _:
            return _open_requests(opened, demand)


def open_trace(opened: OpenedSpec) -> OpenedTrace:
    """Open the requests in a spec's trace; TailcError for a kind of policy without requests."""
    from tailc.specs.clocked_demand import ClockedDemandSpec

    demand = opened.spec.demand
    if isinstance(demand, (DemandSpec, ClockedDemandSpec)):
        return _open_requests(opened, demand)
    message = f"the kind `{opened.spec.kind}` is not compiled from requests"
    hint = "give a spec whose `demand` names a trace of requests"
    raise TailcError(Finding(Code.METHOD_UNFIT, message, opened.loaded.place("kind"), hint))


def _open_requests(opened: OpenedSpec, demand: DemandSpec | ClockedDemandSpec) -> OpenedTrace:
    spec, path = opened.spec, trace_path(opened)
    recipe = request_reading(demand, spec.speedup, spec.max_degree, spec.serial)
    with open_source(path) as source:
        if is_profile(source):
            recipe = _profile_reading(opened, recipe, read_counted(source))
        refuse_responses(source, recipe.measured)
        trace = trace_in(source, recipe, demand.format)
        odd_demands = locate_findings(profile_findings(trace.requests, recipe, source.name), source)
        odd_demands += execution_findings(source, recipe, demand.format)
    trace = replace(trace, warnings=(*trace.warnings, *odd_demands))
    if not opened.kind.speeds_by_degree:
        trace = replace(trace, warnings=not_about_degrees(trace.warnings))
    elif recipe.curves:  # the curves are in the spec, so the warnings point there
        place = opened.loaded.place("speedup")
        odd = ABOUT_DEGREES
        warnings = [replace(w, place=place) if w.code in odd else w for w in trace.warnings]
        trace = replace(trace, warnings=tuple(warnings))
    return OpenedTrace(recipe, trace, path, demand.format)


def trace_path(opened: OpenedSpec) -> str:
    """Path of a spec's trace, relative to the spec's folder; `-` is standard input."""
    return resolve_path(opened.path, opened.spec.demand.trace)


def _profile_reading(
    opened: OpenedSpec, recipe: RequestReading, counted: CountedTimes
) -> RequestReading:
    """The reading of a profile with its origin noted.

    TailcError if its measure is not the spec's.
    """
    measured = recipe.measured
    if counted.measure is not measured.measure:
        message = (
            f"the profile measures `{counted.measure.value}`, but the spec states "
            f"`{measured.measure.value}`"
        )
        hint = f"write `measure: {counted.measure.value}`"
        if counted.measure.value.startswith("response-"):
            hint += ", and state in `response_time_because` why it can be used as demand"
        place = opened.loaded.place("demand", "measure")
        raise TailcError(Finding(Code.CONFLICT, message, place, hint))
    origins = [origin.sentence for origin in counted.origins]
    note = "; ".join(filter(None, [measured.note, *origins]))
    return replace(recipe, measured=replace(measured, note=note))


def split_trace(opened: OpenedSpec, read: OpenedTrace) -> tuple[DemandProfile, DemandProfile]:
    """Split requests into design and held-out part; the spec must have a rule for the split."""
    rule = read.reading.rows.split
    assert rule is not None
    try:
        return split_profile(read.trace, rule)
    except TailcError as error:
        place = opened.loaded.place("demand", "held_out")
        raise TailcError([replace(f, place=place) for f in error.findings]) from None


def split_rows(
    opened: OpenedSpec, read: OpenedThroughput
) -> tuple[ThroughputTrace, ThroughputTrace]:
    """Split throughput into design and held-out part; the spec must have a rule for the split."""
    from tailc.traces.throughput import split_throughput

    try:
        return split_throughput(read.trace)
    except TailcError as error:
        place = opened.loaded.place("throughput", "held_out")
        raise TailcError([replace(f, place=place) for f in error.findings]) from None


def split_requests(opened: OpenedSpec, read: OpenedTokens) -> tuple[TokenTrace, TokenTrace]:
    """Split requests to a language model into the design part and the held-out part.

    The spec must have a rule for the split.
    """
    from tailc.traces.tokens import split_tokens

    try:
        return split_tokens(read.trace)
    except TailcError as error:
        place = opened.loaded.place("tokens", "held_out")
        raise TailcError([replace(f, place=place) for f in error.findings]) from None


def resolve_path(spec_path: str, trace: str) -> str:
    """Path of a trace that a spec names; `-` is standard input."""
    if trace == "-" or spec_path == "-":
        return trace
    return str(Path(spec_path).parent / trace)
