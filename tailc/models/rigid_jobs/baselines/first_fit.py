"""First fit: admit whenever there is room, from the first rack on, whatever the energy."""

from __future__ import annotations

import numpy as np

from tailc.models.datacentre.jobs import Submitted
from tailc.models.datacentre.planner import View
from tailc.models.datacentre.site import Whole


class FirstFit:
    """FF of Haque, 2016, section A.4: ignores the kind of energy, and never moves a job."""

    def admit(self, view: View, job: Submitted) -> Whole | None:
        """The first racks that are free for all of the job's epochs."""
        epochs = job.epochs(view.site.epoch_s)
        room = view.free(epochs).min(axis=1)
        ahead = np.cumsum(room) - room
        taken = np.clip(job.width - ahead, 0, room)
        return None if taken.sum() < job.width else np.repeat(taken[:, None], epochs, axis=1)

    def revise(self, view: View) -> dict[int, Whole]:  # noqa: ARG002
        """Nothing moves."""
        return {}
