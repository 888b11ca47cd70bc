"""Select the running jobs worth placing again, and count promised slots that will be missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tailc.models.rigid_jobs.jobs import RunningJob
from tailc.models.rigid_jobs.planner import View
from tailc.pipeline.planners.current_schedule import remaining_places
from tailc.pipeline.planners.planner_state import expected_green
from tailc.pipeline.planners.remaining_sla import remaining_green_slots


@dataclass(frozen=True)
class Outlook:
    """Forecast of a running job: promised green slots, expected green slots, and moves to come."""

    job: RunningJob
    owed: int
    green: int
    moves: int

    @property
    def missing(self) -> int:
        """Promised green slots that are expected to be missed."""
        return max(0, self.owed - self.green)


def outlooks(view: View) -> Iterator[Outlook]:
    """Forecasts of all running jobs, by the newest energy forecast."""
    longest = max((one.past_epoch for one in view.running), default=view.epoch) - view.epoch
    if not longest:
        return
    is_green = expected_green(view, longest)
    for one in view.running:
        left = remaining_places(one, view.epoch)
        green = int(left[is_green[:, : left.shape[1]]].sum())
        moves = int(np.maximum(np.diff(left, axis=1), 0).sum())
        yield Outlook(one, remaining_green_slots(one, view.epoch), green, moves)


def jobs_to_replan(
    view: View, most: int | None, moves_a_server: int, seed: int
) -> tuple[RunningJob, ...]:
    """Running jobs worth placing again.

    They miss green slots, have more than promised, or move more than `moves_a_server` times per
    server. most: limit of their number, selected by the seed; None: all.
    """
    worth = [
        one.job
        for one in outlooks(view)
        if one.green != one.owed or one.moves > moves_a_server * one.job.width
    ]
    drawn = np.random.Generator(np.random.PCG64(seed)).permutation(len(worth))[:most]
    return tuple(worth[number] for number in sorted(drawn.tolist()))
