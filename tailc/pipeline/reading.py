"""Convert a spec's description of a trace to a reading of the trace's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.percentiles import PPM
from tailc.specs import demand_source, speedup_source
from tailc.specs.common import DemandSpec, HeldOutSpec, SpeedupSpec
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    ClassCurves,
    CommonCurve,
    Curve,
    CyclesAndMemory,
    DemandColumn,
    DemandReading,
    RequestReading,
    Rows,
    RunTimeReading,
    SpeedupColumns,
    Speedups,
    SplitBy,
    SplitRule,
    ThroughputColumns,
    ThroughputReading,
    TimeUnit,
    Timings,
    TimingsReading,
    TokenColumns,
    TokensReading,
    ValueMeaning,
)
from tailc.traces.serial import Serial

if TYPE_CHECKING:
    from tailc.specs.clocked_demand import ClockedDemandSpec
    from tailc.specs.days import DaysSettings
    from tailc.specs.serial_spec import SerialSpec
    from tailc.specs.throughput import ThroughputSpec
    from tailc.specs.tokens import TokensSpec

# A request measured in cycles runs on one core, at the frequency of the core.
_ONE_CORE = CommonCurve(Curve(None, (PPM,)))


def request_reading(
    demand: DemandSpec | ClockedDemandSpec,
    speedup: SpeedupSpec | None,
    max_degree: int | None = None,
    serial: SerialSpec | None = None,
) -> RequestReading:
    """Make the reading that converts the trace's file to demands.

    speedup: None if `demand` includes speed-ups. max_degree: higher degrees are ignored.
    """
    if isinstance(demand, DemandSpec):
        return _of_demands(demand, speedup, max_degree, serial)
    return _of_cycles(demand)


def _of_cycles(demand: ClockedDemandSpec) -> DemandReading:
    return DemandReading(
        ValueMeaning(Measure(demand.measure), demand.reference, TimeUnit(demand.unit)),
        _rows(demand),
        CyclesAndMemory(demand.cycles, demand.memory, demand.clock_khz),
        _ONE_CORE,
        demand.weight,
        demand.bin_us,
    )


def _of_demands(
    demand: DemandSpec,
    speedup: SpeedupSpec | None,
    max_degree: int | None,
    serial: SerialSpec | None,
) -> RequestReading:
    source, reason = demand.source, demand.response_time_because
    unit = TimeUnit(source.unit)
    measured = ValueMeaning(Measure(demand.measure), demand.reference, unit, reason)
    rows, parts = _rows(demand), None if serial is None else _serial(serial)
    counted = (source.weight, demand.bin_us, max_degree, parts)
    if isinstance(source, demand_source.DemandTimings):
        source_timings = source.timings
        timings = Timings(source_timings.request, source_timings.degree, source_timings.duration)
        return TimingsReading(measured, rows, timings, *counted)
    # INVARIANT: the spec has speed-ups with a column of demands.
    assert speedup is not None
    column = DemandColumn(source.column)
    return DemandReading(measured, rows, column, _speedups(speedup), *counted)


def throughput_reading(spec: ThroughputSpec) -> ThroughputReading:
    """Make the reading that converts the trace's file to the throughput of machines."""
    held_out = spec.held_out_ppm
    split = None if held_out is None else SplitRule(SplitBy.TIME, held_out, spec.time)
    return ThroughputReading(
        ValueMeaning(Measure.THROUGHPUT, spec.reference, TimeUnit(spec.unit)),
        Rows(tuple(sorted(spec.where.items())), split),
        ThroughputColumns(spec.column, spec.time, spec.machine, spec.share, spec.waiting),
    )


def tokens_reading(spec: TokensSpec) -> TokensReading:
    """The reading that turns the trace's file into requests to a language model."""
    held_out = spec.held_out_ppm
    split = None if held_out is None else SplitRule(SplitBy.TIME, held_out, spec.time)
    return TokensReading(
        ValueMeaning(Measure.TOKENS, spec.reference, TimeUnit(spec.unit)),
        Rows(tuple(sorted(spec.where.items())), split),
        TokenColumns(
            spec.time,
            spec.prompt,
            spec.output,
            spec.cached,
            spec.request_class,
            spec.priority,
        ),
    )


def run_time_reading(days: DaysSettings) -> RunTimeReading:
    """Make the reading of jobs' run times: their column, and which rows count."""
    from tailc.specs.jobs import JobList

    log = days.jobs.log
    return RunTimeReading(
        ValueMeaning(Measure.RUN_TIME, "jobs of a datacentre, and its energy", TimeUnit.S),
        Rows(tuple(sorted(days.jobs.where.items()))),
        log.columns.run if isinstance(log, JobList) else "run",
    )


def _speedups(speedup: SpeedupSpec) -> Speedups:
    """Speed-ups of a spec; curves of classes are sorted by class."""
    match speedup.source:
        case speedup_source.OneCurve() as one:
            return CommonCurve(Curve(one.name, one.curve))
        case speedup_source.SpeedupColumnsSpec() as own:
            return SpeedupColumns(own.columns)
        case speedup_source.CurvesByClass() as by_class:
            curves = sorted(by_class.classes.curves.items())
            return ClassCurves(by_class.classes.column, tuple(Curve(*curve) for curve in curves))


def _serial(spec: SerialSpec) -> Serial:
    start, end = spec.start, spec.end
    return Serial(start.time_us, start.share_ppm, end.time_us, end.share_ppm)


def _rows(demand: DemandSpec | ClockedDemandSpec) -> Rows:
    held_out = demand.held_out
    return Rows(tuple(sorted(demand.where.items())), held_out and _split_rule(held_out))


def _split_rule(held_out: HeldOutSpec) -> SplitRule:
    by = SplitBy(held_out.by)
    return SplitRule(by, held_out.fraction_ppm, held_out.column, held_out.seed or 0)
