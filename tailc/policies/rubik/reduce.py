"""Rubik as a tail problem: what is left of cycles and memory time, by what has elapsed."""

from __future__ import annotations

from tailc.forms.tail_problem import Distribution, TailProblem
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
    )
