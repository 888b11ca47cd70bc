"""What a spec says of the columns of its trace, so that nobody need say it again."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.lint.roles import Said
from tailc.pipeline.days.log import job_columns
from tailc.pipeline.reading import reading
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.trace import beside, trace_path
from tailc.specs.clocked import ClockedDemandSpec
from tailc.specs.common import DemandSpec
from tailc.specs.days import DaysAsked
from tailc.specs.throughput import ThroughputSpec
from tailc.traces.reading import Reading, TimeUnit


@dataclass(frozen=True)
class SaidBySpec:
    """How a spec reads its trace, and where that is."""

    said: Said
    trace: str


def said_by_spec(path: str) -> SaidBySpec:
    """What the spec at `path` says of its trace; which rows count, and which are held out, not.

    Raises TailcError for a spec that is wrong.
    """
    opened = open_kind(path)
    demand = opened.spec.demand
    match demand:
        case DaysAsked():
            return SaidBySpec(_of_jobs(demand), beside(path, demand.trace))
        case ThroughputSpec():
            return SaidBySpec(Said(throughput=reading(demand, None)), trace_path(opened))
        case ClockedDemandSpec():
            counted = (demand.cycles, demand.memory)
            said = Said(counters=counted, weight=demand.weight, percentile_ppm=_percentile(opened))
            return SaidBySpec(said, trace_path(opened))
        case DemandSpec():
            return SaidBySpec(_of_demand(opened, demand), trace_path(opened))


def _of_jobs(days: DaysAsked) -> Said:
    return Said(
        jobs=job_columns(days.jobs),
        zone=days.jobs.zone,
        leaves_out_zero_runs=days.jobs.skips_zero_runs,
    )


def _of_demand(opened: OpenedSpec, demand: DemandSpec) -> Said:
    recipe: Reading = reading(demand, opened.spec.speedup, opened.spec.max_degree)
    timings = recipe.timings
    return Said(
        column=recipe.demand if timings is None else timings.duration,
        unit=TimeUnit(recipe.unit),
        request_class=recipe.class_column,
        weight=recipe.weight,
        percentile_ppm=_percentile(opened),
        request=timings and timings.request,
        degree=timings and timings.degree,
        speedups=recipe.speedup_columns,
    )


def _percentile(opened: OpenedSpec) -> int | None:
    """That of the first objective."""
    slos = opened.spec.slos
    return slos[0].percentile_ppm if slos else None
