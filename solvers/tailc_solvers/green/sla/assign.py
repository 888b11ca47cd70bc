"""Assign a group's servers to its racks, with no moves beyond those between groups.

A VM that stays in a group from one epoch to the next stays in its rack. One that comes takes a free
server of the rack with the most of its job, then with the most room, then the brownest. There
always is one: in each epoch a group has as many servers as its jobs. So the moves between racks are
those between groups, and no assignment has fewer.

VMs that leave a group leave the rack with the fewest of their job.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tailc_solvers.green.sla.problem import (
    Groups,
    Job,
    Placement,
    Plan,
    Racks,
    Whole,
    first_of_groups,
)


def assign_racks(
    racks: Racks, groups: Groups, jobs: Sequence[Job], plan: Plan, placed: Sequence[Whole | None]
) -> Plan:
    """Assign the servers of a plan by groups to single racks.

    Returns placements [racks, epochs of the job].

    Args:
        racks: single racks, of which `groups` are the groups.
        groups: groups of the same racks, without running jobs, as made by `Groups.build`.
        jobs: all jobs, including running ones.
        plan: placement of each job by group; None for a refused job.
        placed: current placement of each running job, by rack; None for others.

    Raises:
        ValueError: a group has fewer servers than its jobs, or `placed` is not the jobs' `placed`.
    """
    rack_group = _groups_of_racks(racks)
    table = [_start(racks, job, one, at) for job, one, at in zip(jobs, plan, placed, strict=True)]
    for job, at in zip(jobs, placed, strict=True):
        _check_placed(job, at, rack_group)
    for t in range(groups.epochs):
        here = [k for k, one in enumerate(plan) if one is not None and _runs(one, t)]
        held = {k: _servers_before(table[k], plan[k], placed[k], t) for k in here}
        room = np.full(racks.racks, racks.servers)
        for k in here:
            _leave(held[k], _servers_needed(plan[k], t), rack_group)
            room -= held[k]
        for k in here:
            _arrive(held[k], _servers_needed(plan[k], t), rack_group, room)
            one = plan[k]
            assert one is not None
            table[k][:, t - one.start] = held[k]
    return tuple(
        None if one is None else Placement(one.start, servers)
        for one, servers in zip(plan, table, strict=True)
    )


def _groups_of_racks(racks: Racks) -> Whole:
    """The group of each rack."""
    is_green = np.arange(racks.racks)[:, None] >= racks.racks - racks.green_racks
    first = first_of_groups(is_green, racks.charges.slot)
    return np.searchsorted(first, np.arange(racks.racks), side="right") - 1


def _start(racks: Racks, job: Job, one: Placement | None, placed: Whole | None) -> Whole:
    if one is not None and job.is_running != (placed is not None):
        raise ValueError("running jobs must be placed, and other jobs must not")
    return np.zeros((racks.racks, 0 if one is None else one.servers.shape[1]), dtype=np.int64)


def _check_placed(job: Job, placed: Whole | None, rack_group: Whole) -> None:
    if placed is None or job.placed is None:
        return
    by_group = np.bincount(rack_group, weights=placed, minlength=job.placed.size)
    if (by_group != job.placed).any():
        raise ValueError("the racks of a running job must be in its groups")


def _runs(one: Placement, t: int) -> bool:
    return one.epoch_slice.start <= t < one.epoch_slice.stop


def _servers_needed(one: Placement | None, t: int) -> Whole:
    """Servers of each group in an epoch."""
    assert one is not None
    return one.servers[:, t - one.start]


def _servers_before(table: Whole, one: Placement | None, placed: Whole | None, t: int) -> Whole:
    """Servers of each rack in the epoch before."""
    assert one is not None
    if t > one.start:
        return table[:, t - one.start - 1].copy()
    return np.zeros(table.shape[0], dtype=np.int64) if placed is None else placed.copy()


def _leave(held: Whole, wanted: Whole, rack_group: Whole) -> None:
    """Remove the excess servers of groups from their racks."""
    for g in range(wanted.size):
        racks = np.flatnonzero(rack_group == g)
        over = int(held[racks].sum() - wanted[g])
        for r in sorted(racks.tolist(), key=lambda r: (held[r], r)):
            fewer = min(max(over, 0), int(held[r]))
            held[r] -= fewer
            over -= fewer


def _arrive(held: Whole, wanted: Whole, rack_group: Whole, room: Whole) -> None:
    """Add the missing servers of groups to their racks."""
    for g in range(wanted.size):
        racks = np.flatnonzero(rack_group == g)
        lacks = int(wanted[g] - held[racks].sum())
        for r in sorted(racks.tolist(), key=lambda r: (-held[r], -room[r], r)):
            more = min(lacks, int(room[r]))
            held[r] += more
            room[r] -= more
            lacks -= more
        if lacks:
            raise ValueError("the jobs of a group have more servers than the group")
