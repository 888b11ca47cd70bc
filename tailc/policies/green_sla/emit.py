"""A solved plan as the form."""

from __future__ import annotations

from tailc.forms.plan.plan import Plan
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.problems.rigid_jobs import PlanSolution, RacksProblem


def emit(_spec: GreenSlaSpec, _problem: RacksProblem, solution: PlanSolution) -> Plan:
    """The plan itself, which the form has checked."""
    return solution.plan
