"""From what a spec says about demand to the reading that traces follow."""

from __future__ import annotations

from tailc.percentiles import PPM
from tailc.specs.clocked import ClockedDemandSpec
from tailc.specs.common import DemandSpec, HeldOutSpec, SpeedupSpec
from tailc.specs.days import DaysAsked
from tailc.specs.demand_source import DemandColumn, DemandProfile, DemandTimings
from tailc.specs.jobs import JobList
from tailc.specs.speedup_source import CurvesByClass, OneCurve, SpeedupColumns
from tailc.specs.throughput import ThroughputSpec
from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, Reading, SplitBy, SplitRule, TimeUnit, Timings

# A request whose cycles a clock serves runs on one core, at the speed of the clock.
_ONE_CORE = Curve(None, (PPM,))


def reading(
    demand: DemandSpec | ClockedDemandSpec | ThroughputSpec | DaysAsked,
    speedup: SpeedupSpec | None,
    max_degree: int | None = None,
) -> Reading:
    """The whole recipe from the trace's file to what a policy is compiled from.

    `speedup` is None where `demand` says all; degrees above `max_degree` are not read.
    """
    match demand:
        case ClockedDemandSpec():
            return _of_cycles(demand)
        case ThroughputSpec():
            return _of_throughput(demand)
        case DaysAsked():
            return _of_jobs(demand)
        case DemandSpec():
            return _of_demands(demand, speedup, max_degree)


def _of_cycles(demand: ClockedDemandSpec) -> Reading:
    return Reading(
        measure=Measure(demand.measure),
        reference=demand.reference,
        unit=TimeUnit(demand.unit),
        demand=demand.cycles,
        weight=demand.weight,
        curves=(_ONE_CORE,),
        where=tuple(sorted(demand.where.items())),
        bin_us=demand.bin_us,
        split=_split(demand.held_out) if demand.held_out else None,
        memory=demand.memory,
        clock_khz=demand.clock_khz,
    )


def _of_throughput(demand: ThroughputSpec) -> Reading:
    held_out = demand.held_out_ppm
    return Reading(
        measure=Measure.THROUGHPUT,
        reference=demand.reference,
        unit=TimeUnit(demand.unit),
        demand=demand.column,
        where=tuple(sorted(demand.where.items())),
        split=None if held_out is None else SplitRule(SplitBy.TIME, held_out, demand.time),
        time=demand.time,
        machine=demand.machine,
        share=demand.share,
    )


def _of_jobs(days: DaysAsked) -> Reading:
    """Where run times of jobs are from, and which rows count; the spec has the rest."""
    log = days.jobs.log
    return Reading(
        measure=Measure.RUN_TIME,
        reference="jobs of a datacentre, and its energy",
        unit=TimeUnit.S,
        demand=log.columns.run if isinstance(log, JobList) else "run",
        where=tuple(sorted(days.jobs.where.items())),
    )


def _of_demands(demand: DemandSpec, speedup: SpeedupSpec | None, max_degree: int | None) -> Reading:
    column, timings = _times(demand.source)
    class_column, speedup_columns, curves = _speedups(speedup)
    return Reading(
        measure=Measure(demand.measure),
        reference=demand.reference,
        unit=TimeUnit(demand.source.unit),
        demand=column,
        timings=timings,
        weight=demand.source.weight,
        class_column=class_column,
        speedup_columns=speedup_columns,
        curves=curves,
        where=tuple(sorted(demand.where.items())),
        bin_us=demand.bin_us,
        split=_split(demand.held_out) if demand.held_out else None,
        note=demand.response_time_because,
        max_degree=max_degree,
    )


def _times(
    source: DemandColumn | DemandTimings | DemandProfile,
) -> tuple[str | None, Timings | None]:
    """The column of demands, or those of times by degree."""
    match source:
        case DemandColumn() | DemandProfile():
            return source.column, None
        case DemandTimings():
            told = source.timings
            return None, Timings(told.request, told.degree, told.duration)


def _speedups(
    speedup: SpeedupSpec | None,
) -> tuple[str | None, tuple[str, ...], tuple[Curve, ...]]:
    """The column of classes, columns of speed-ups, and curves, those of classes in their order."""
    if speedup is None:
        return None, (), ()
    match speedup.source:
        case OneCurve() as one:
            return None, (), (Curve(one.name, one.curve),)
        case SpeedupColumns() as own:
            return None, own.columns, ()
        case CurvesByClass() as told:
            curves = sorted(told.classes.curves.items())
            return told.classes.column, (), tuple(Curve(name, ppm) for name, ppm in curves)


def _split(held_out: HeldOutSpec) -> SplitRule:
    by = SplitBy(held_out.by)
    return SplitRule(by, held_out.fraction_ppm, held_out.column, held_out.seed or 0)
