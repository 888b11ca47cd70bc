"""Formulate a green-sla spec as a problem of rigid jobs on racks.

The problem has known jobs, expected jobs and expected energy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, TailcError
from tailc.forms.plan.plan import planner_of
from tailc.models.datacentre.later_jobs import LaterJobs
from tailc.models.datacentre.window import NoSpeedupCurves
from tailc.policies.green_sla.jobs_of_days import JobsOfDays, KnownRigidJobs
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.problems.plan import PlanMethod, PlanSearch
from tailc.problems.plan_of_spec import battery_of, grid_of, supply_of, weights_of
from tailc.problems.resumption import Resumption
from tailc.problems.rigid_jobs import RacksProblem
from tailc.units import plural

if TYPE_CHECKING:
    from tailc.forecasts.days import Days


def candidates(spec: GreenSlaSpec) -> tuple[GreenSlaSpec, ...]:
    """Return the spec itself: this kind of policy compares no alternatives."""
    return (spec,)


def later_jobs(spec: GreenSlaSpec) -> LaterJobs:
    """The method and the speed-ups by which the spec decides about jobs that its plan lacks."""
    return LaterJobs(spec.search.method, NoSpeedupCurves())


def reduce(spec: GreenSlaSpec, days: Days) -> RacksProblem:
    """Formulate the problem of rigid jobs with the jobs and the energy of the horizon.

    Raises TailcError with the place in the log if a job is wider than the datacentre.
    """
    jobs = _jobs_of(spec, days)
    return _problem(spec, days, jobs, jobs.known_jobs(foresees=_foresees(spec)))


def resume(spec: GreenSlaSpec, days: Days, resumption: Resumption) -> RacksProblem:
    """Formulate the problem that continues from the state of running jobs.

    Raises TailcError if the state does not fit the log or the datacentre.
    """
    jobs, battery = _jobs_of(spec, days), battery_of(spec.battery)
    if resumption.state.servers != jobs.servers:
        message = f"the state has {plural(resumption.state.servers, 'server')}, and the spec has "
        message += f"{jobs.servers:,}"
        raise TailcError(Finding(Code.BAD_STATE, message, help="give the state of this policy"))
    known_jobs = jobs.jobs_after(resumption, foresees=_foresees(spec))
    problem = _problem(spec, days, jobs, known_jobs)
    if battery is not None and resumption.state.battery_mj is not None:
        held_mj = min(resumption.state.battery_mj, battery.capacity_mj)
        problem = replace(problem, battery=replace(battery, first_mj=held_mj))
    return replace(problem, in_force=jobs.places_in_force(resumption))


def _jobs_of(spec: GreenSlaSpec, days: Days) -> JobsOfDays:
    return JobsOfDays(days, spec.datacentre.racks, spec.datacentre.servers, spec.may_wait)


def _foresees(spec: GreenSlaSpec) -> bool:
    return spec.horizon.known_jobs == "all"


def _problem(
    spec: GreenSlaSpec, days: Days, jobs: JobsOfDays, known_jobs: KnownRigidJobs
) -> RacksProblem:
    site = spec.datacentre
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
        grid_mw=grid_of(
            spec.supply, spec.horizon, site.racks * site.servers, site.busy_mw, site.migration_mj
        ),
        enforces_violations=spec.enforce_violations,
    )


def _search(spec: GreenSlaSpec) -> PlanSearch:
    search = spec.search
    return PlanSearch(
        PlanMethod(planner_of(search.method, PlanMethod.ARRIVAL.value)),
        solver=search.solver,
        steps=search.steps,
        seed=search.seed,
        nodes=search.nodes,
        wall_s=search.time_limit_s,
    )
