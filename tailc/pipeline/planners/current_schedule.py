"""Where jobs that run were, are, and are meant to be by a plan that is not yet carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import Running
from tailc.models.rigid_jobs.planner import View


def in_force(view: View, meant: Mapping[int, Whole]) -> View:
    """The view with jobs where they are meant to be from this epoch on, by number."""
    if not meant:
        return view
    busy = view.busy.copy()
    running = []
    for one in view.running:
        if one.job.number in meant:
            within = slice(view.epoch, one.past_epoch)
            busy[:, within] += meant[one.job.number] - left_of(one, view.epoch)
            begun = view.epoch - one.first_epoch
            places = np.hstack((one.places[:, :begun], meant[one.job.number]))
            running.append(replace(one, places=places))
        else:
            running.append(one)
    return View(view.site, view.epoch, view.ahead, busy, tuple(running))


def left_of(one: Running, epoch: int) -> Whole:
    """Its places from an epoch on; int64 (racks, epochs left)."""
    return one.places[:, epoch - one.first_epoch :]


def was_on(one: Running, epoch: int) -> Whole | None:
    """Where it was in the epoch before, less what has failed since, int64 (racks,); None: it starts
    now. What fails is taken from the brownest rack on.
    """
    begun = epoch - one.first_epoch
    if not begun:
        return None
    before = one.places[:, begun - 1]
    failed = int(before.sum()) - one.width
    ahead = np.cumsum(before) - before
    return before - np.clip(failed - ahead, 0, before)


def for_now(free: Whole, meant: Whole) -> Whole:
    """Places as meant where they are free already, else as many servers anywhere.

    free, meant: int64 (racks, epochs); in each epoch as many are free as are meant.
    """
    if (meant <= free).all():
        return meant
    ahead = np.cumsum(free, axis=0) - free
    return np.clip(meant.sum(axis=0) - ahead, 0, free)
