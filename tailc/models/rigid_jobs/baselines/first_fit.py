"""First fit: admit a job if enough servers are free, on the first racks, whatever the energy."""

from __future__ import annotations

from typing import final

import numpy as np

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.planner import Planner, View
from tailc.models.rule_baselines import RuleBaseline


class FirstFit:
    """The planner FF of Haque, 2016, section A.4: ignores energy, and never moves a job."""

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Place a new job on the first servers that are free in all of its epochs.

        Returns int64 (racks, epochs); None: the job is refused.
        """
        epochs = job.epochs(view.site.epoch_s)
        room = view.free(epochs).min(axis=1)
        ahead = np.cumsum(room) - room
        by_rack = np.clip(job.width - ahead, 0, room)
        return None if by_rack.sum() < job.width else np.repeat(by_rack[:, None], epochs, axis=1)

    def revise(self, view: View) -> dict[int, Whole]:
        return {}


@final
class FirstFitBaseline(RuleBaseline[Planner]):
    """Baseline: admit a job if enough servers are free for all of its run."""

    syntax = Syntax("first-fit")
    about = "admits a job whenever there is room"
    rank = 10
    examples = ("first-fit",)
    is_default = True

    def make(self, values: NameValues) -> Planner:
        return FirstFit()
