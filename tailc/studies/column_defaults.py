"""Take the column options of a trace from a spec that names the trace."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError
from tailc.lint.roles import CounterColumns, Role, TraceOptions
from tailc.pipeline.days.log import job_columns
from tailc.pipeline.reading import throughput_reading
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.trace import trace_path
from tailc.specs.clocked_demand import ClockedDemandSpec
from tailc.specs.common import DemandSpec, SpeedupSpec
from tailc.specs.days import DaysSettings
from tailc.specs.demand_source import DemandColumnSpec, DemandProfileSpec, DemandTimings
from tailc.specs.speedup_source import CurvesByClass, SpeedupColumnsSpec
from tailc.specs.throughput import ThroughputSpec
from tailc.specs.tokens import TokensSpec
from tailc.traces.reading import TimeUnit


@dataclass(frozen=True)
class ColumnDefaults:
    """The column options that a spec implies, and the path of its trace."""

    options: TraceOptions
    trace: str


def column_defaults(path: str) -> ColumnDefaults:
    """Read the column options of the spec at `path`, without its row filter and held-out rule.

    Raises TailcError for an invalid spec.
    """
    opened = open_kind(path)
    return ColumnDefaults(_options(opened), trace_path(opened))


def _options(opened: OpenedSpec) -> TraceOptions:
    match opened.spec.demand:
        case DaysSettings() as days:
            return _of_jobs(days)
        case ThroughputSpec() as measured:
            return TraceOptions(table=throughput_reading(measured))
        case TokensSpec():
            message = f"the trace of kind `{opened.spec.kind}` has tokens, which have no defects"
            message += " that are looked for"
            place = opened.loaded.place("tokens", "trace")
            hint = "run `tailc check --with-trace`, which reads every row of it"
            raise TailcError(Finding(Code.USAGE, message, place, hint))
        case ClockedDemandSpec() as demand:
            return _of_cycles(opened, demand)
        case DemandSpec() as demand:
            return _of_demand(opened, demand)


def _of_jobs(days: DaysSettings) -> TraceOptions:
    return TraceOptions(
        table=job_columns(days.jobs),
        zone=days.jobs.zone,
        leaves_out_zero_runs=days.jobs.skip_zero_runs,
    )


def _of_cycles(opened: OpenedSpec, demand: ClockedDemandSpec) -> TraceOptions:
    return TraceOptions(
        columns=_without_none({Role.WEIGHT: demand.weight}),
        table=CounterColumns(demand.cycles, demand.memory),
        percentile_ppm=_percentile(opened),
    )


def _of_demand(opened: OpenedSpec, demand: DemandSpec) -> TraceOptions:
    source, speedup = demand.source, opened.spec.speedup
    return TraceOptions(
        columns={
            **_of_times(source),
            **_without_none({Role.WEIGHT: source.weight}),
            **_classes(speedup),
        },
        units={Role.DEMAND: TimeUnit(source.unit)},
        speedups=_speedup_columns(speedup),
        percentile_ppm=_percentile(opened),
    )


def _of_times(source: DemandColumnSpec | DemandTimings | DemandProfileSpec) -> dict[Role, str]:
    if not isinstance(source, DemandTimings):
        return {Role.DEMAND: source.column}
    timings = source.timings
    return {
        Role.DEMAND: timings.duration,
        Role.REQUEST: timings.request,
        Role.DEGREE: timings.degree,
    }


def _classes(speedup: SpeedupSpec | None) -> dict[Role, str]:
    if speedup is not None and isinstance(speedup.source, CurvesByClass):
        return {Role.REQUEST_CLASS: speedup.source.classes.column}
    return {}


def _speedup_columns(speedup: SpeedupSpec | None) -> tuple[str, ...]:
    if speedup is not None and isinstance(speedup.source, SpeedupColumnsSpec):
        return speedup.source.columns
    return ()


def _without_none(columns: dict[Role, str | None]) -> dict[Role, str]:
    return {role: name for role, name in columns.items() if name is not None}


def _percentile(opened: OpenedSpec) -> int | None:
    """Percentile of the first SLO."""
    slos = opened.spec.slos
    return slos[0].percentile_ppm if slos else None
