"""Convert the solution of a greenpar problem to a plan."""

from __future__ import annotations

from tailc.forms.plan.plan import Plan
from tailc.policies.greenpar.spec import GreenParSpec
from tailc.problems.malleable_jobs import ClusterProblem, ClusterSolution


def emit(spec: GreenParSpec, problem: ClusterProblem, solution: ClusterSolution) -> Plan:  # noqa: ARG001
    """Return the plan of the solution, which includes the SLO."""
    return solution.plan
