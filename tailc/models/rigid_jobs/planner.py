"""Interface of a policy that places jobs in a replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tailc.forms.plan.quote import RigidJob
from tailc.models.datacentre.supply import Supply, Whole
from tailc.models.rigid_jobs.jobs import RunningJob, SubmittedJob
from tailc.models.rigid_jobs.site import Site


@dataclass(frozen=True, eq=False)
class View:
    """What a planner of rigid jobs knows at the start of an epoch.

    site: the racks. epoch: number of the epoch. ahead: forecast supply from this epoch on; green
    power beyond the forecast is 0. busy: number of servers of admitted jobs, int64 (racks, epochs
    of the replay). running: jobs that run.
    """

    site: Site
    epoch: int
    ahead: Supply
    busy: Whole
    running: tuple[RunningJob, ...]

    def free(self, epochs: int) -> Whole:
        """Free servers of each rack in the next epochs; int64 (racks, epochs)."""
        return self.site.rack_servers - self.busy[:, self.epoch : self.epoch + epochs]

    def rigid(self, job: SubmittedJob) -> RigidJob:
        """Convert a submitted job to the form that a plan prices; it starts in the next epoch."""
        return RigidJob(0, job.epochs(self.site.epoch_s), job.width, job.green_ppm)


class Planner(Protocol):
    """Interface of a rule that decides where rigid jobs run, from the state and the forecast."""

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Place a new job, or refuse it (None).

        Returns the number of its servers, int64 (racks, epochs).
        """
        ...

    def revise(self, view: View) -> dict[int, Whole]:
        """Move running jobs: return the new servers from this epoch on, by job; empty: no moves.

        Called once an epoch while jobs run, after new jobs are placed.
        """
        ...
