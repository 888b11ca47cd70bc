"""Keep the plan in force where a new plan is not better."""

from __future__ import annotations

from collections.abc import Sequence

from tailc_solvers.green.sla.check import faults_of, figures_of
from tailc_solvers.green.sla.problem import Job, Plan
from tailc_solvers.green.sla.promise import refilled

from tailc.pipeline.rigid_jobs.formulation import RacksFormulation


def better_of(formulation: RacksFormulation, jobs: Sequence[Job], plan: Plan) -> Plan:
    """Return the better of a new plan and the current plan with the new jobs added.

    The current plan is not considered if the new forecast makes it impossible.
    """
    groups, old = formulation.groups, formulation.in_force()
    if old is None or faults_of(groups, jobs, old):
        return plan
    old = refilled(groups, jobs, old)
    values = [figures_of(groups, jobs, one).value for one in (plan, old)]
    return old if values[1] > values[0] else plan
