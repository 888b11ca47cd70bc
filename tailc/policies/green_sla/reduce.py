"""Green SLA as a problem of racks: the jobs known and expected, and the energy expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.policies.green_sla.jobs_of_days import JobsOfDays
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.problems.plan import PlanMethod, PlanSearch
from tailc.problems.plan_of_spec import battery_of, supply_of, weights_of
from tailc.problems.rigid_jobs import RacksProblem

if TYPE_CHECKING:
    from tailc.forecasts.days import Days


def candidates(spec: GreenSlaSpec) -> tuple[GreenSlaSpec, ...]:
    """The spec itself: nothing is swept."""
    return (spec,)


def reduce(spec: GreenSlaSpec, days: Days) -> RacksProblem:
    """The jobs and the energy of the horizon.

    Raises TailcError with the place in the log of a job that is wider than the datacentre.
    """
    site = spec.datacentre
    jobs = JobsOfDays(days, site.all_servers, spec.may_wait)
    known = jobs.known(foresees=spec.horizon.known_jobs == "all")
    return RacksProblem(
        start_unix_s=days.start_unix_s,
        epoch_s=days.epoch_s,
        racks=site.racks,
        rack_servers=site.servers,
        busy_mw=site.busy_mw,
        asleep_mw=site.asleep_mw,
        migration_mj=site.migration_mj,
        supply=supply_of(days),
        terms=spec.epoch_terms,
        jobs=known.jobs,
        expected=jobs.expected(spec.horizon.learn_from),
        search=_search(spec),
        weights=weights_of(spec.weights),
        epsilon_udollars=spec.epsilon_udollars,
        violations_ppm=spec.violations_ppm,
        refused_before=known.refused_before,
        renamed=known.renamed,
        battery=battery_of(spec.battery),
    )


def _search(spec: GreenSlaSpec) -> PlanSearch:
    asked = spec.search
    return PlanSearch(
        PlanMethod(asked.method),
        solver=asked.solver,
        steps=asked.steps,
        seed=asked.seed,
        nodes=asked.nodes,
        wall_s=asked.time_limit_s,
    )
