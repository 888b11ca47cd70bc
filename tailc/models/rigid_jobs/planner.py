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
    """What a planner knows at the start of `epoch`.

    ahead: forecast supply from this epoch on; green power beyond the forecast is 0. busy: int64
    (racks, epochs), servers of admitted jobs, in epochs of the replay.
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
        """The job as the form prices it; its first epoch is the next one."""
        return RigidJob(0, job.epochs(self.site.epoch_s), job.width, job.green_ppm)


class Planner(Protocol):
    """Places jobs; knows only the view, and nothing of the future."""

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Servers by rack and epoch, int64 (racks, epochs of the job); None: refused."""
        ...

    def revise(self, view: View) -> dict[int, Whole]:
        """New places from this epoch on for running jobs, by number; empty: no changes.

        Called once an epoch while jobs run, after new jobs are placed.
        """
        ...
