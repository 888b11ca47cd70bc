"""Previous, current and intended servers of running jobs, as a planner sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import RunningJob
from tailc.models.rigid_jobs.planner import View


def with_intended_places(view: View, meant: Mapping[int, Whole]) -> View:
    """Change the planner's view: from this epoch on, jobs are on the servers intended for them.

    meant: intended servers by job number; int64 (racks, remaining epochs).
    """
    if not meant:
        return view
    busy = view.busy.copy()
    running = []
    for one in view.running:
        if one.job.number in meant:
            within = slice(view.epoch, one.past_epoch)
            busy[:, within] += meant[one.job.number] - remaining_places(one, view.epoch)
            begun = view.epoch - one.first_epoch
            places = np.hstack((one.places[:, :begun], meant[one.job.number]))
            running.append(replace(one, places=places))
        else:
            running.append(one)
    return View(view.site, view.epoch, view.ahead, busy, tuple(running))


def remaining_places(one: RunningJob, epoch: int) -> Whole:
    """Servers of a running job from an epoch on; int64 (racks, remaining epochs)."""
    return one.places[:, epoch - one.first_epoch :]


def previous_places(one: RunningJob, epoch: int) -> Whole | None:
    """Servers of a job by rack in the previous epoch, int64 (racks,); None if it starts now.

    If servers have failed since, as many are subtracted, from the brownest rack on.
    """
    begun = epoch - one.first_epoch
    if not begun:
        return None
    before = one.places[:, begun - 1]
    failed = int(before.sum()) - one.width
    ahead = np.cumsum(before) - before
    return before - np.clip(failed - ahead, 0, before)


def free_places(free: Whole, meant: Whole) -> Whole:
    """Choose the servers on which a job starts: the intended ones if all are free.

    Otherwise the same number of free servers, from the first racks with room. free, meant: int64
    (racks, epochs); every epoch has enough free servers.
    """
    if (meant <= free).all():
        return meant
    ahead = np.cumsum(free, axis=0) - free
    return np.clip(meant.sum(axis=0) - ahead, 0, free)
