"""Each job is placed once, when it arrives: the LP policy of Haque, 2016, section A.4.4.

A job goes where it brings most on what is free, the racks of the forecast's green partition counted
as full, and is refused where that brings nothing: revenue less the penalty, brown energy and two
epsilons, one for green slots that others might need and one for moves. Nothing that runs is placed
again. An answer that is refuted, or none, refuses the job; what runs stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.problem import Groups, Job
from tailc_solvers.green.sla.solution import Solution

from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import Submitted
from tailc.models.rigid_jobs.planner import View
from tailc.pipeline.planners.planner_state import Epsilons, seen
from tailc.pipeline.planners.rack_assignment import Granted, handed_out
from tailc.pipeline.planners.remaining_sla import arriving_job

Placing = Callable[[Groups, Job], Solution]
"""Places one job on groups, or turns it away."""


class OnArrival:
    """Admits jobs one after another, and never moves one otherwise than planned at its start."""

    def __init__(self, place: Placing = place_job, epsilons: Epsilons | None = None) -> None:
        self._place = place
        self._epsilons = epsilons

    def admit(self, view: View, job: Submitted) -> Whole | None:
        """The places at which the job brings most; None: it brings nothing, or has no room."""
        now = seen(view, job.epochs(view.site.epoch_s), self._epsilons)
        asked = arriving_job(view.site, job)
        found = self._place(now.groups, asked).plan
        if found is None or found[0] is None:
            return None
        return handed_out(now, [Granted(found[0].servers, None, asked.green_slots > 0)])[0]

    def revise(self, view: View) -> dict[int, Whole]:  # noqa: ARG002
        """Nothing moves."""
        return {}
