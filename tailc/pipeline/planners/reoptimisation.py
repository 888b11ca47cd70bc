"""Which jobs that run are worth placing again, and which promises are expected to be broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tailc.models.rigid_jobs.jobs import Running
from tailc.models.rigid_jobs.planner import View
from tailc.pipeline.planners.current_schedule import left_of
from tailc.pipeline.planners.planner_state import expected_green
from tailc.pipeline.planners.remaining_sla import owed_slots


@dataclass(frozen=True)
class Outlook:
    """What is expected of a job that runs. owed, green, moves: slots and moves still to come."""

    job: Running
    owed: int
    green: int
    moves: int

    @property
    def missing(self) -> int:
        """Promised slots that will not be green."""
        return max(0, self.owed - self.green)


def outlooks(view: View) -> Iterator[Outlook]:
    """Of all jobs that run, by the newest forecast."""
    longest = max((one.past_epoch for one in view.running), default=view.epoch) - view.epoch
    if not longest:
        return
    is_green = expected_green(view, longest)
    for one in view.running:
        left = left_of(one, view.epoch)
        green = int(left[is_green[:, : left.shape[1]]].sum())
        moves = int(np.maximum(np.diff(left, axis=1), 0).sum())
        yield Outlook(one, owed_slots(one, view.epoch), green, moves)


def opened(view: View, most: int | None, moves_a_server: int, seed: int) -> tuple[Running, ...]:
    """Jobs that miss green slots, have more than they are owed, or move more than so often.

    At most so many, drawn by the seed; None: all.
    """
    worth = [
        one.job
        for one in outlooks(view)
        if one.green != one.owed or one.moves > moves_a_server * one.job.width
    ]
    drawn = np.random.Generator(np.random.PCG64(seed)).permutation(len(worth))[:most]
    return tuple(worth[number] for number in sorted(drawn.tolist()))
