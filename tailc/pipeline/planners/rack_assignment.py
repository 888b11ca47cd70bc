"""Assign a group's servers to its racks; a server that stays in a group stays in its rack.

A group is one rack, or several whose free servers do not change (`planner_state`), so the rack of a
server that stays has as much room as before. A new server takes the greenest rack with room if its
job has promised green slots, else the brownest; thus errors of the forecast reach the greenest
racks last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc.models.datacentre.supply import Whole
from tailc.pipeline.planners.planner_state import PlannerState


@dataclass(frozen=True, eq=False)
class GroupServers:
    """The servers of a job in a solver's answer, by group of racks.

    servers: int64 (groups, epochs of the job), from the present epoch on. before: int64 (racks,),
    its servers in the previous epoch; None if it starts now. is_owed_green: whether the job has
    promised green slots to come.
    """

    servers: Whole
    before: Whole | None
    is_owed_green: bool


def assign_racks(state: PlannerState, granted: Sequence[GroupServers]) -> list[Whole]:
    """Assign the servers granted to each job to racks; returns int64 (racks, epochs) for each job.

    The servers of all jobs together must fit into the racks.
    """
    places = [np.zeros((len(state.rack_group), one.servers.shape[1]), np.int64) for one in granted]
    for group in range(state.groups.groups):
        racks = np.flatnonzero(state.rack_group == group)
        if len(racks) == 1:
            for place, one in zip(places, granted, strict=True):
                place[racks[0]] = one.servers[group]
        else:
            _fill_group(state, group, racks, granted, places)
    return places


def _fill_group(
    state: PlannerState,
    group: int,
    racks: Whole,
    granted: Sequence[GroupServers],
    places: Sequence[Whole],
) -> None:
    """Fill in the places of all jobs on the racks of a group."""
    wanted = _servers_in_group(group, granted)
    present = [number for number, row in enumerate(wanted) if row.any()]
    room = state.free[racks, 0]
    is_green = bool(state.groups.is_green[group].any())
    held = {number: _previous_servers(granted[number], racks) for number in present}
    changes = np.flatnonzero(np.diff(wanted, axis=1, prepend=-1).any(axis=0)).tolist()
    for since, until in zip(changes, [*changes[1:], wanted.shape[1]], strict=True):
        for number in present:
            held[number] = _staying_servers(held[number], int(wanted[number, since]))
        free = room - sum(held.values())
        for number in present:
            lacking = int(wanted[number, since] - held[number].sum())
            come = _take_first(free, lacking, is_green and granted[number].is_owed_green)
            held[number] = held[number] + come
            free = free - come
            places[number][racks, since:until] = held[number][:, None]


def _servers_in_group(group: int, granted: Sequence[GroupServers]) -> Whole:
    """Servers of each job in a group, 0 after its end; int64 (jobs, epochs)."""
    longest = max((one.servers.shape[1] for one in granted), default=0)
    result = np.zeros((len(granted), longest), np.int64)
    for row, one in zip(result, granted, strict=True):
        row[: one.servers.shape[1]] = one.servers[group]
    return result


def _previous_servers(one: GroupServers, racks: Whole) -> Whole:
    return np.zeros(len(racks), np.int64) if one.before is None else one.before[racks]


def _staying_servers(held: Whole, most: int) -> Whole:
    """The servers that stay if at most `most` can: those on the racks with the most."""
    order = np.argsort(-held, kind="stable")
    staying = np.zeros_like(held)
    staying[order] = _take_first(held[order], min(most, int(held.sum())), False)
    return staying


def _take_first(room: Whole, wanted: int, from_end: bool) -> Whole:
    """Take `wanted` servers from the first racks with room, or from the last."""
    if from_end:
        return _take_first(room[::-1], wanted, False)[::-1]
    ahead = np.cumsum(room) - room
    return np.clip(wanted - ahead, 0, room)
