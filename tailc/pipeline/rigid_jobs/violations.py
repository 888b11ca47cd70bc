"""Keep the share of jobs that miss green energy at or below `violations` in the plan itself."""

from __future__ import annotations

from collections.abc import Sequence

from tailc_solvers.green.sla.problem import Job, Plan
from tailc_solvers.green.sla.promise import is_lost, misses_of, repaired, trimmed

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.rigid_jobs.formulation import RacksFormulation
from tailc.problems.rigid_jobs import RacksProblem
from tailc.units import format_ppm

# Shares in messages are in hundredths of a per cent, rounded up.
_STEP_PPM = 100


def within_violations(formulation: RacksFormulation, jobs: Sequence[Job], plan: Plan) -> Plan:
    """Repair a plan that breaks more promises than `violations` allows, if that is a constraint.

    The forecast decides which slots are green. Raises TailcError (INFEASIBLE) with the lowest share
    found if running jobs alone are above the limit.
    """
    problem, groups = formulation.problem, formulation.groups
    limit_ppm = problem.violations_ppm
    if not problem.enforces_violations or misses_of(groups, jobs, plan).is_within(limit_ppm):
        return plan
    # Places by the forecast alone may overdraw the green bus of a scenario, so none are added.
    repair = trimmed if formulation.scenarios else repaired
    plan = repair(groups, jobs, plan, limit_ppm)
    misses = misses_of(groups, jobs, plan)
    if misses.is_within(limit_ppm):
        return plan
    possible = format_ppm(-(-misses.share_ppm // _STEP_PPM) * _STEP_PPM)
    message = (
        f"at most {format_ppm(limit_ppm)} of the jobs may miss their green energy, but "
        f"{misses.missed} of the {misses.placed} that must run do; the lowest share found is "
        f"{possible}"
    )
    hint = (
        f"set `violations: {possible.replace(' ', '')}`, or `enforce_violations: false`, so that "
        "only `terms.penalty` limits them"
    )
    raise TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=("violations",)))


def lost_jobs(problem: RacksProblem) -> list[str]:
    """Names of running jobs that cannot get their promised green energy under any plan."""
    formulation = RacksFormulation(problem)
    jobs = formulation.jobs(problem.jobs)
    return [
        named.name
        for named, job in zip(problem.jobs, jobs, strict=True)
        if is_lost(formulation.groups, job)
    ]
