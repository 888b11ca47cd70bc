"""Smart green partition: place each job where it is expected to be just as green as it asks for."""

from __future__ import annotations

from typing import final

import numpy as np

from tailc.models.baseline_syntax import Given, Syntax
from tailc.models.datacentre.supply import PPM, Whole
from tailc.models.rigid_jobs.jobs import Submitted
from tailc.models.rigid_jobs.planner import Planner, View
from tailc.models.rule_baselines import RuleBaseline


class SmartGreen:
    """SGP of Haque, 2016, section A.4.

    Takes the rack whose expected share of green epochs is closest to what the job still needs, and
    not below; what does not fit there goes on with the need that is then left. Refuses a job that
    so finds no place, and never moves one.
    """

    def admit(self, view: View, job: Submitted) -> Whole | None:
        """The places found so, the same in all of the job's epochs."""
        epochs = job.epochs(view.site.epoch_s)
        room = view.free(epochs).min(axis=1)
        green = _green_epochs(view, epochs)
        taken = np.zeros_like(room)
        need, left = -(-job.green_ppm * epochs * job.width // PPM), job.width
        while left:
            fits = np.flatnonzero((room > 0) & (green * left >= need))
            if not len(fits):
                return None
            rack = int(fits[np.argmin(green[fits])])
            count = min(left, int(room[rack]))
            taken[rack] += count
            room[rack] -= count
            left -= count
            need = max(0, need - count * int(green[rack]))
        return np.repeat(taken[:, None], epochs, axis=1)

    def revise(self, view: View) -> dict[int, Whole]:
        """Nothing moves."""
        return {}


def _green_epochs(view: View, epochs: int) -> Whole:
    """In how many of the next epochs each rack is expected to be green; int64 (racks,)."""
    green_racks = view.site.green_racks(view.ahead.green_mw[:epochs])
    rack = np.arange(view.site.racks)
    return (rack[:, None] >= view.site.racks - green_racks[None, :]).sum(axis=1)


@final
class SmartGreenBaseline(RuleBaseline[Planner]):
    """See `SmartGreen`."""

    syntax = Syntax("smart-green")
    about = "the rack that is expected to be just green enough"
    rank = 20
    examples = ("smart-green",)
    is_default = True

    def make(self, given: Given) -> Planner:
        return SmartGreen()
