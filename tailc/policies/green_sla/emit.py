"""Convert the solution of a green-sla problem to a plan."""

from __future__ import annotations

from tailc.forms.plan.plan import Plan
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.problems.rigid_jobs import PlanSolution, RacksProblem


def emit(_spec: GreenSlaSpec, _problem: RacksProblem, solution: PlanSolution) -> Plan:
    """Return the plan of the solution; its constructor has checked it."""
    return solution.plan
