"""What places jobs in a replay, and all that it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tailc.forms.plan.quote import RigidJob
from tailc.models.datacentre.supply import Supply, Whole
from tailc.models.rigid_jobs.jobs import Running, Submitted
from tailc.models.rigid_jobs.site import Site


@dataclass(frozen=True, eq=False)
class View:
    """What a planner knows at the start of `epoch`.

    ahead: the supply expected from this epoch on; green power beyond the forecast is 0. busy: int64
    (racks, epochs), servers that admitted jobs have, in epochs of the replay.
    """

    site: Site
    epoch: int
    ahead: Supply
    busy: Whole
    running: tuple[Running, ...]

    def free(self, epochs: int) -> Whole:
        """Servers of each rack that no job has in the next epochs; int64 (racks, epochs)."""
        return self.site.rack_servers - self.busy[:, self.epoch : self.epoch + epochs]

    def rigid(self, job: Submitted) -> RigidJob:
        """The job as the form prices it, its first epoch being the next one."""
        return RigidJob(0, job.epochs(self.site.epoch_s), job.width, job.green_ppm)


class Planner(Protocol):
    """Places jobs; knows what the view tells, and nothing of what is to come."""

    def admit(self, view: View, job: Submitted) -> Whole | None:
        """Servers by rack and epoch, int64 (racks, epochs of the job); None: refused."""
        ...

    def revise(self, view: View) -> dict[int, Whole]:
        """New places from this epoch on for jobs that run, by number; empty: as they are.

        Asked once an epoch while jobs run, after those that arrived are placed.
        """
        ...
