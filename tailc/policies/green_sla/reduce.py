"""Formulate a green-sla spec as a problem of rigid jobs.

It has known jobs, expected jobs and expected energy.
"""

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
    """The spec itself: the kind has no sweep."""
    return (spec,)


def reduce(spec: GreenSlaSpec, days: Days) -> RacksProblem:
    """Formulate the problem with the jobs and the energy of the horizon.

    Raises TailcError with the place in the log if a job is wider than the datacentre.
    """
    site = spec.datacentre
    jobs = JobsOfDays(days, site.all_servers, spec.may_wait)
    known_jobs = jobs.known_jobs(foresees=spec.horizon.known_jobs == "all")
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
        jobs=known_jobs.jobs,
        expected=jobs.expected_jobs(spec.horizon.learn_from),
        search=_search(spec),
        weights=weights_of(spec.weights),
        epsilon_udollars=spec.epsilon_udollars,
        violations_ppm=spec.violations_ppm,
        refused_before=known_jobs.refused_before,
        renamed=known_jobs.renamed,
        battery=battery_of(spec.battery),
        enforces_violations=spec.enforce_violations,
    )


def _search(spec: GreenSlaSpec) -> PlanSearch:
    search = spec.search
    return PlanSearch(
        PlanMethod(search.method),
        solver=search.solver,
        steps=search.steps,
        seed=search.seed,
        nodes=search.nodes,
        wall_s=search.time_limit_s,
    )
