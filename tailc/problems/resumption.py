"""Where a new plan of jobs continues: the plan in force, and the present state of its jobs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tailc.forms.plan.plan import Plan
from tailc.forms.plan.servers import AssignedServers, assigned_servers
from tailc.forms.plan.state import PlanState


@dataclass(frozen=True, eq=False)
class Resumption:
    """The state of running jobs, and the current plan, from which the next plan continues.

    schedule: servers of the jobs of the current plan, from its own start on, as they were assigned.
    """

    state: PlanState
    plan: Plan
    schedule: AssignedServers

    @cached_property
    def passed(self) -> int:
        """Number of epochs of the current plan that have passed."""
        return (self.state.at_unix_s - self.plan.start_unix_s) // self.plan.epoch_s


def resumption_of(state: PlanState, plan: Plan) -> Resumption:
    """Combine the state of jobs and the plan in force to the start of the next plan.

    The rest of the plan in force is assigned to servers from the state, so that servers that a
    runtime has chosen differently are kept.
    """
    servers = {job.name: job.servers for job in state.running}
    passed = (state.at_unix_s - plan.start_unix_s) // plan.epoch_s
    return Resumption(state, plan, assigned_servers(plan, servers, first=passed))
