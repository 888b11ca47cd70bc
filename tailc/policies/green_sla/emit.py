"""A solved plan as the form."""

from __future__ import annotations

from tailc.forms.plan.plan import Plan
from tailc.forms.plan.racks_problem import PlanSolution, RacksProblem
from tailc.policies.green_sla.spec import GreenSlaSpec


def emit(_spec: GreenSlaSpec, _problem: RacksProblem, solution: PlanSolution) -> Plan:
    """The plan itself, which the form has checked."""
    return solution.plan
