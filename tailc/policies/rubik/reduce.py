"""Formulate a rubik spec as a tail problem: quantiles of remaining cycles and memory time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tailc.forms.tail_table import Transition
from tailc.percentiles import PPM
from tailc.policies.rubik.spec import RubikSpec
from tailc.problems.colocation import BatchWork, Host, PairSearch
from tailc.problems.tail_table import Distribution, TailProblem
from tailc.specs.auto_settings import AutoChoice
from tailc.specs.simulation_fields import AUTO, PAPER, refuse_any
from tailc.traces.profile import DemandProfile

if TYPE_CHECKING:
    from tailc.experiment.tuning_objective import TuningObjective

NS_PER_US = 1_000


def candidates(spec: RubikSpec) -> tuple[RubikSpec, ...]:
    """Return the spec itself: this kind of policy compares no alternatives."""
    return (spec,)


def reduce(spec: RubikSpec, profile: DemandProfile) -> TailProblem:
    """Formulate the problem of a tail table (Bartolini, dissertation, 2015, section 3.4.2).

    The table gives quantiles of the work that remains before each request in a core's queue.
    """
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
        rates_mrps=spec.rates_mrps,
        transition=transition(spec),
    )


def transition(spec: RubikSpec) -> Transition | None:
    """Time and energy of a change of a core's frequency; None if it is free."""
    given = spec.server.transition
    if given is None:
        return None
    return Transition(given.time_us * NS_PER_US, given.energy_nj)


def tuning_objective(spec: RubikSpec) -> TuningObjective | None:
    """The objective of tuning: least energy, with the first SLO at a share of its latency.

    Raises TailcError for a spec without rates, and for `simulation` with a feedback or batch work.
    """
    if spec.method == PAPER:
        return None
    refuse_any(spec.search_complaints())
    # The replay takes half a second to import, which a check of a spec can do without.
    from tailc.experiment.objective_of_spec import objective_of
    from tailc.experiment.tuning_objective import Criterion

    kept_us = max(spec.slos[0].latency_us * spec.search.target_ppm // PPM, 1)
    objective = objective_of(
        spec.search, spec.slos[0], spec.rates_mrps, Criterion.ENERGY, target_us=kept_us
    )
    # So both tables have as much room, and a verdict on other requests can be a pass.
    return replace(objective, limit_us=kept_us)


def best_of_all(spec: RubikSpec) -> AutoChoice | None:
    """Settings of the method `auto`; None if the spec names one method."""
    if spec.method != AUTO:
        return None
    return AutoChoice(spec.search.effort, spec.search.risk_ppm)


def host(spec: RubikSpec) -> Host:
    """The server of the spec, with its power outside the cores."""
    server = spec.server
    return Host(
        cores=server.cores,
        idle_core_mw=server.sleep.power_mw,
        uncore_mw=server.uncore_mw,
        rest_mw=server.rest_mw,
        tdp_mw=server.tdp_mw,
        ipc_ppm=server.ipc_ppm,
    )


def batch_work(spec: RubikSpec) -> BatchWork | None:
    """Batch work with its power at every level; None if the spec has none."""
    batch = spec.batch
    if batch is None:
        return None
    rate_mrps = max(spec.rates_mrps) if batch.rate_mrps is None else batch.rate_mrps
    return BatchWork(
        power_mw=batch.draws.powers_mw(spec.server.levels),
        memory_ppm=batch.waits.memory_ppm_at(spec.demand.clock_khz),
        throughput_ppm=batch.throughput_ppm,
        rate_mrps=rate_mrps,
        search=PairSearch(batch.search),
        ipc_ppm=batch.waits.ipc_at(spec.demand.clock_khz),
    )
