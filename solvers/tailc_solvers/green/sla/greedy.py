"""Baselines without any optimisation: first fit, and static green-aware placement.

First fit admits every job there is room for, on the first free servers from the brownest, whatever
their energy; a VM moves only where its group has no server for it in the next epoch.

Static placement puts a job's VMs on the group whose share of green epochs during the job is nearest
to the promise but not below, and what does not fit on the next by the share that is then still
needed; VMs never move. It turns a job away whose promise it cannot meet so.

Source: Haque 2016, appendix A.4.4, on racks; groups stand for their racks here. First fit there
says nothing of rooms that close later.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tailc_solvers.green.sla.flow import turned_away
from tailc_solvers.green.sla.problem import Groups, Job, Placement, Whole, check_jobs
from tailc_solvers.green.sla.solution import Solution, no_room, proposed


def first_fit(groups: Groups, job: Job) -> Solution:
    """A job in its first epoch's place, or turned away for want of room."""
    check_jobs([job], groups.groups, groups.epochs)
    room = groups.free[:, job.first_epoch : job.first_epoch + job.epochs]
    if (room.sum(axis=0) < job.width).any():
        return _refused(groups, job)
    servers = np.zeros((groups.groups, job.epochs), dtype=np.int64)
    stay = np.zeros(groups.groups, dtype=np.int64) if job.placed is None else job.placed
    for t in range(job.epochs):
        kept = np.minimum(stay, room[:, t])
        stay = kept + _filled(room[:, t] - kept, job.width - int(kept.sum()))
        servers[:, t] = stay
    return _offered(groups, job, servers)


def static_placement(groups: Groups, job: Job) -> Solution:
    """A new job placed once and for all, or turned away."""
    check_jobs([job], groups.groups, groups.epochs)
    within = slice(job.first_epoch, job.first_epoch + job.epochs)
    room = groups.free[:, within].min(axis=1)
    green = groups.is_green[:, within].sum(axis=1)
    chosen = np.zeros(groups.groups, dtype=np.int64)
    needed, left = job.green_slots, job.width
    while left:
        g = _nearest(green, room, Fraction(max(needed, 0), left))
        if g is None:
            return _refused(groups, job)
        taken = min(int(room[g]), left)
        chosen[g] += taken
        room[g] -= taken
        needed -= taken * int(green[g])
        left -= taken
    return _offered(groups, job, np.repeat(chosen[:, None], job.epochs, axis=1))


def _nearest(green: Whole, room: Whole, needed: Fraction) -> int | None:
    """The group with room and the fewest green epochs that are enough; of equals the brownest."""
    enough = [g for g in range(green.size) if room[g] > 0 and int(green[g]) >= needed]
    return min(enough, key=lambda g: (int(green[g]), g), default=None)


def _filled(room: Whole, servers: int) -> Whole:
    """So many servers in the first places with room."""
    before = np.concatenate([[0], np.cumsum(room)[:-1]])
    return np.clip(servers - before, 0, room)


def _offered(groups: Groups, job: Job, servers: Whole) -> Solution:
    """The plan, or none of the job where moves overdraw the green bus."""
    found = proposed(groups, [job], (Placement(job.first_epoch, servers),))
    return _refused(groups, job) if found.plan is None else found


def _refused(groups: Groups, job: Job) -> Solution:
    return no_room(groups) if job.must_run else turned_away(groups, [job])
