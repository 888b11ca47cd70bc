"""Smart green partition: place each job on the racks that are forecast to be just green enough."""

from __future__ import annotations

from typing import final

import numpy as np

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.datacentre.supply import PPM, Whole
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.planner import Planner, View
from tailc.models.rule_baselines import RuleBaseline


class SmartGreen:
    """The planner SGP of Haque, 2016, section A.4: place jobs on racks that are just green enough.

    A job takes the rack whose forecast share of epochs with green energy is the lowest that reaches
    the share that the job still needs. Servers that do not fit on this rack are placed in the same
    way, with the remaining need. A job without such racks is refused; a placed job never moves.
    """

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Place a new job on racks that are just green enough, the same in all of its epochs.

        Returns int64 (racks, epochs); None: the job is refused.
        """
        epochs = job.epochs(view.site.epoch_s)
        room = view.free(epochs).min(axis=1)
        green = _green_epochs(view, epochs)
        by_rack = np.zeros_like(room)
        need, left = -(-job.green_ppm * epochs * job.width // PPM), job.width
        while left:
            fits = np.flatnonzero((room > 0) & (green * left >= need))
            if not len(fits):
                return None
            rack = int(fits[np.argmin(green[fits])])
            count = min(left, int(room[rack]))
            by_rack[rack] += count
            room[rack] -= count
            left -= count
            need = max(0, need - count * int(green[rack]))
        return np.repeat(by_rack[:, None], epochs, axis=1)

    def revise(self, view: View) -> dict[int, Whole]:
        return {}


def _green_epochs(view: View, epochs: int) -> Whole:
    """Number of the next epochs in which each rack is forecast to be green; int64 (racks,)."""
    green_racks = view.site.green_racks(view.ahead.green_mw[:epochs])
    rack = np.arange(view.site.racks)
    return (rack[:, None] >= view.site.racks - green_racks[None, :]).sum(axis=1)


@final
class SmartGreenBaseline(RuleBaseline[Planner]):
    """Baseline: place jobs on racks that have just enough green energy, and never move them."""

    syntax = Syntax("smart-green")
    about = "the rack that is expected to be just green enough"
    rank = 20
    examples = ("smart-green",)
    is_default = True

    def make(self, values: NameValues) -> Planner:
        return SmartGreen()
