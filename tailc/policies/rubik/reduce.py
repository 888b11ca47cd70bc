"""Rubik as a tail problem: what is left of cycles and memory time, by what has elapsed."""

from __future__ import annotations

from tailc.forms.colocation import BatchWork, Host, Search
from tailc.forms.tail_problem import Distribution, TailProblem
from tailc.forms.tail_table import Level
from tailc.policies.rubik.levels_spec import PowerSpec
from tailc.policies.rubik.spec import RubikSpec
from tailc.traces.profile import DemandProfile


def candidates(spec: RubikSpec) -> tuple[RubikSpec, ...]:
    """The spec itself: nothing is swept."""
    return (spec,)


def reduce(spec: RubikSpec, profile: DemandProfile) -> TailProblem:
    """The target tail tables (Bartolini, dissertation, 2015, section 3.4.2)."""
    slo, table = spec.slos[0], spec.table
    return TailProblem(
        profile=profile,
        clock_khz=spec.demand.clock_khz,
        percentile_ppm=slo.percentile_ppm,
        bound_us=slo.latency_us,
        levels=spec.server.levels,
        buckets=table.buckets,
        rows=table.rows,
        positions=table.positions,
        most_positions=table.most_positions,
        method=Distribution(table.distribution),
        host=host(spec),
        batch=batch_work(spec),
    )


def host(spec: RubikSpec) -> Host:
    """The server, and what it draws beside its cores."""
    server = spec.server
    return Host(
        cores=server.cores,
        idle_core_mw=server.sleep.power_mw,
        uncore_mw=server.uncore_mw,
        rest_mw=server.rest_mw,
        tdp_mw=server.tdp_mw,
    )


def batch_work(spec: RubikSpec) -> BatchWork | None:
    """Batch work with its power at every level, or None."""
    batch = spec.batch
    if batch is None:
        return None
    rate_mrps = max(spec.rates_mrps) if batch.rate_mrps is None else batch.rate_mrps
    return BatchWork(
        power_mw=batch.powers_mw or _powers_mw(batch.power, spec.server.levels),
        memory_ppm=batch.memory_at(spec.demand.clock_khz),
        throughput_ppm=batch.throughput_ppm,
        rate_mrps=rate_mrps,
        search=Search(batch.search),
    )


def _powers_mw(told: PowerSpec | None, levels: tuple[Level, ...]) -> tuple[int, ...]:
    """By the model; without one as requests draw."""
    if told is None:
        return tuple(level.power_mw for level in levels)
    return tuple(told.power_mw(level.frequency_khz) for level in levels)
