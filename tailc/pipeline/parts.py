"""What a policy is compiled from: the design part of a trace, and what is recorded of each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from tailc.artifact.envelope import Input, InputRole
from tailc.errors import Finding
from tailc.forecasts.days import Days
from tailc.pipeline.promises import untold
from tailc.pipeline.remarks import suspect_unit
from tailc.pipeline.spec import OpenedSpec
from tailc.pipeline.trace import (
    OpenedDays,
    OpenedThroughput,
    OpenedTrace,
    open_measured,
    split_rows,
    split_trace,
)
from tailc.traces.profile import DemandProfile
from tailc.traces.summary import summary
from tailc.traces.throughput import ThroughputTrace

# What kinds reduce to a problem; another thing to measure is another type here.
Design: TypeAlias = DemandProfile | ThroughputTrace | Days
D = TypeVar("D", DemandProfile, ThroughputTrace, Days)


@dataclass(frozen=True)
class Parts(Generic[D]):
    """The part that is designed on, what the artifact records of all, and what is odd about it."""

    design: D
    inputs: tuple[Input, ...]
    warnings: tuple[Finding, ...] = ()


AnyParts: TypeAlias = Parts[DemandProfile] | Parts[ThroughputTrace] | Parts[Days]


def parts_of(opened: OpenedSpec, read: OpenedTrace | OpenedThroughput | OpenedDays) -> AnyParts:
    """The parts of a spec's trace; where the spec holds nothing out, it is all designed on."""
    match read:
        case OpenedTrace():
            return parts_of_requests(opened, read)
        case OpenedThroughput():
            return parts_of_rows(opened, read)
        case OpenedDays():
            return parts_of_days(read)


def parts_of_requests(opened: OpenedSpec, read: OpenedTrace) -> Parts[DemandProfile]:
    """The parts of a trace of requests."""
    whole = read.trace.profile
    place = opened.loaded.place("demand", "unit")
    if read.reading.rows.split is None:
        design, inputs = whole, (_input(InputRole.DESIGN, whole),)
    else:
        design, held_out = split_trace(opened, read)
        parts = {InputRole.WHOLE: whole, InputRole.DESIGN: design, InputRole.HELD_OUT: held_out}
        inputs = tuple(_input(role, part) for role, part in parts.items())
    return Parts(design, inputs, suspect_unit(design, opened.spec.slos, place))


def parts_of_rows(opened: OpenedSpec, read: OpenedThroughput) -> Parts[ThroughputTrace]:
    """Rows of throughput count as they are: there are no requests that they stand for."""
    if read.reading.rows.split is None:
        return Parts(read.trace, (_rows_input(InputRole.DESIGN, read.trace),))
    design, held_out = split_rows(opened, read)
    parts = {InputRole.WHOLE: read.trace, InputRole.DESIGN: design, InputRole.HELD_OUT: held_out}
    return Parts(design, tuple(_rows_input(role, part) for role, part in parts.items()))


def parts_of_days(read: OpenedDays) -> Parts[Days]:
    """All days are designed on; those that follow the plan are held out."""
    return Parts(read.trace, _days_inputs(read.trace))


def warnings_of_measured(opened: OpenedSpec) -> tuple[Finding, ...]:
    """What is odd about a spec's trace; raises TailcError for what a compile would refuse in it."""
    match read := open_measured(opened):
        case OpenedTrace():
            return (*read.trace.warnings, *_warnings_of_requests(opened, read))
        case OpenedThroughput():
            return (*read.trace.warnings, *parts_of_rows(opened, read).warnings)
        case OpenedDays():
            opened.kind.reduce(opened.spec, read.trace)
            return read.trace.warnings


def _warnings_of_requests(opened: OpenedSpec, read: OpenedTrace) -> tuple[Finding, ...]:
    parts, spec = parts_of_requests(opened, read), opened.spec
    small = untold(spec.slos, spec.end_to_ends, parts.design, opened.loaded)
    return (*parts.warnings, *small)


def _days_inputs(days: Days) -> tuple[Input, ...]:
    """The jobs as requests, and the energy as steps; what follows the plan is held out."""
    steps = days.energy.power.steps
    jobs = Input(InputRole.DESIGN, days.jobs_digest, days.jobs.jobs, days.jobs.jobs)
    return (jobs, Input(InputRole.SUPPLY, days.energy.digest, steps, 0))


def _rows_input(role: InputRole, part: ThroughputTrace) -> Input:
    return Input(role, part.digest, part.rows, part.rows)


def _input(role: InputRole, part: DemandProfile) -> Input:
    demand = summary(part) if role is InputRole.DESIGN else None
    return Input(role, part.digest, part.rows, part.total_weight, demand)
