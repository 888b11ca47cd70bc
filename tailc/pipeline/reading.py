"""From what a spec says about its trace to the reading that the trace follows."""

from __future__ import annotations

from tailc.percentiles import PPM
from tailc.specs.clocked import ClockedDemandSpec
from tailc.specs.common import DemandSpec, HeldOutSpec, SpeedupSpec
from tailc.specs.days import DaysAsked
from tailc.specs.throughput import ThroughputSpec
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    CommonCurve,
    Curve,
    CyclesAndMemory,
    DemandColumn,
    DemandReading,
    Measured,
    RequestReading,
    Rows,
    RunTimeReading,
    Speedups,
    SplitBy,
    SplitRule,
    ThroughputColumns,
    ThroughputReading,
    TimeUnit,
    Timings,
    TimingsReading,
    speedups_of,
)

# A request whose cycles a clock serves runs on one core, at the speed of the clock.
_ONE_CORE = CommonCurve(Curve(None, (PPM,)))


def request_reading(
    demand: DemandSpec | ClockedDemandSpec,
    speedup: SpeedupSpec | None,
    max_degree: int | None = None,
) -> RequestReading:
    """The whole recipe from the trace's file to the demand that a policy is compiled from.

    `speedup` is None where `demand` says all; degrees above `max_degree` are not read.
    """
    if isinstance(demand, ClockedDemandSpec):
        return _of_cycles(demand)
    measured = Measured(
        Measure(demand.measure),
        demand.reference,
        TimeUnit(demand.unit),
        demand.response_time_because,
    )
    if demand.timings is not None:
        columns = demand.timings
        timings = Timings(columns.request, columns.degree, columns.duration)
        counted = (demand.weight, demand.bin_us, max_degree)
        return TimingsReading(measured, _rows(demand), timings, *counted)
    return _of_demands(measured, demand, speedup, max_degree)


def _of_cycles(demand: ClockedDemandSpec) -> DemandReading:
    return DemandReading(
        Measured(Measure(demand.measure), demand.reference, TimeUnit(demand.unit)),
        _rows(demand),
        CyclesAndMemory(demand.cycles, demand.memory, demand.clock_khz),
        _ONE_CORE,
        demand.weight,
        demand.bin_us,
    )


def _of_demands(
    measured: Measured, demand: DemandSpec, speedup: SpeedupSpec | None, max_degree: int | None
) -> DemandReading:
    # INVARIANT: the spec has a column of demands or timings, and speed-ups beside a column.
    assert demand.column is not None
    assert speedup is not None
    return DemandReading(
        measured,
        _rows(demand),
        DemandColumn(demand.column),
        _speedups(speedup),
        demand.weight,
        demand.bin_us,
        max_degree,
    )


def throughput_reading(spec: ThroughputSpec) -> ThroughputReading:
    """The recipe from the trace's file to the throughput of machines."""
    held_out = spec.held_out_ppm
    split = None if held_out is None else SplitRule(SplitBy.TIME, held_out, spec.time)
    return ThroughputReading(
        Measured(Measure.THROUGHPUT, spec.reference, TimeUnit(spec.unit)),
        Rows(tuple(sorted(spec.where.items())), split),
        ThroughputColumns(spec.column, spec.time, spec.machine, spec.share),
    )


def run_time_reading(days: DaysAsked) -> RunTimeReading:
    """Where run times of jobs are from, and which rows count; the spec has the rest."""
    columns = days.jobs.columns
    return RunTimeReading(
        Measured(Measure.RUN_TIME, "jobs of a datacentre, and its energy", TimeUnit.S),
        Rows(tuple(sorted(days.jobs.where.items()))),
        "run" if columns is None else columns.run,
    )


def _speedups(speedup: SpeedupSpec) -> Speedups:
    """Those of a spec; the curves of classes in order of class."""
    by_class = speedup.classes
    curves: tuple[Curve, ...] = ()
    if speedup.curve is not None:
        curves = (Curve(speedup.name, speedup.curve),)
    elif by_class is not None:
        curves = tuple(Curve(name, ppm) for name, ppm in sorted(by_class.curves.items()))
    return speedups_of(curves, by_class and by_class.column, speedup.columns or ())


def _rows(demand: DemandSpec | ClockedDemandSpec) -> Rows:
    held_out = demand.held_out
    return Rows(tuple(sorted(demand.where.items())), held_out and _split(held_out))


def _split(held_out: HeldOutSpec) -> SplitRule:
    by = SplitBy(held_out.by)
    return SplitRule(by, held_out.fraction_ppm, held_out.column, held_out.seed or 0)
