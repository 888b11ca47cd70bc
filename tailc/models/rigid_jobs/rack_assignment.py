"""Assign a job's servers on each bus to racks: keep places, and fill racks from one end."""

from __future__ import annotations

import numpy as np

from tailc.models.datacentre.supply import Whole


def assign_racks(free: Whole, green_racks: Whole, on_green: Whole, width: int) -> Whole:
    """Places of a job in each epoch; int64 (racks, epochs).

    free: int64 (racks, epochs). green_racks, on_green: int64 (epochs,), number of green racks from
    the greenest on, and number of the job's servers to place on them. In each epoch the job keeps
    its places as far as they are free and on the right bus. The rest go to the greenest free green
    racks and to the brownest free brown racks, which a change of the boundary reaches last. Each
    bus must have enough room.
    """
    places = np.zeros_like(free)
    before = np.zeros(len(free), np.int64)
    for epoch in range(free.shape[1]):
        first_green = len(free) - int(green_racks[epoch])
        room = free[:, epoch]
        wanted = int(on_green[epoch])
        green = _take(room[first_green:][::-1], before[first_green:][::-1], wanted)[::-1]
        brown = _take(room[:first_green], before[:first_green], width - wanted)
        before = np.concatenate((brown, green))
        places[:, epoch] = before
    return places


def _take(room: Whole, before: Whole, wanted: int) -> Whole:
    """A number of servers: the places before first, then from the first rack on."""
    unmoved = _first(np.minimum(room, before), wanted)
    return unmoved + _first(room - unmoved, wanted - int(unmoved.sum()))


def _first(room: Whole, wanted: int) -> Whole:
    """Servers from the first rack on, as many as are free or wanted."""
    ahead = np.cumsum(room) - room
    return np.clip(wanted - ahead, 0, room)
