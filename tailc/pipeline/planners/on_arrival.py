"""Place each job once, on arrival: the LP policy of Haque, 2016, section A.4.4.

A job is placed on the free servers where it has the highest value, and refused if that is not
positive. The value is revenue minus penalty, brown energy and two small charges: one for green
slots that other jobs might need, and one for moves. Racks that are green by the forecast count as
fully used. Running jobs are not moved. If the solver's answer is missing or wrong, the job is
refused.
"""

from __future__ import annotations

from collections.abc import Callable

from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.problem import Groups, Job
from tailc_solvers.green.sla.solution import PlacementSolution

from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.planner import View
from tailc.pipeline.planners.planner_state import Epsilons, planner_state
from tailc.pipeline.planners.rack_assignment import GroupServers, assign_racks
from tailc.pipeline.planners.remaining_sla import arriving_job

Placing = Callable[[Groups, Job], PlacementSolution]
"""Places one job on groups of racks, or refuses it."""


class OnArrival:
    """The planner `on_arrival`: places each job when it arrives, and never moves it later."""

    def __init__(self, place: Placing = place_job, epsilons: Epsilons | None = None) -> None:
        self._place = place
        self._epsilons = epsilons

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Place the new job where its value is highest; None if no place has a value above 0."""
        now = planner_state(view, job.epochs(view.site.epoch_s), self._epsilons)
        candidate = arriving_job(view.site, job)
        placement = self._place(now.groups, candidate).plan
        if placement is None or placement[0] is None:
            return None
        return assign_racks(
            now, [GroupServers(placement[0].servers, None, candidate.green_slots > 0)]
        )[0]

    def revise(self, view: View) -> dict[int, Whole]:  # noqa: ARG002
        """Return no moves: the servers of a job are final."""
        return {}
