"""From so many servers on each bus to racks: stay where one is, and fill racks from one end."""

from __future__ import annotations

import numpy as np

from tailc.models.datacentre.supply import Whole


def handed_out(free: Whole, green_racks: Whole, on_green: Whole, width: int) -> Whole:
    """Places of a job, epoch by epoch; int64 (racks, epochs).

    free: int64 (racks, epochs). green_racks, on_green: int64 (epochs,), how many racks from the
    greenest on are green, and how many of the job's servers shall be on them. In each epoch it
    keeps the places it had as far as they are free and of the right colour. The rest are the
    greenest free racks of the green ones, and the brownest of the brown ones, which a change of the
    boundary reaches last. Each colour must have room.
    """
    places = np.zeros_like(free)
    before = np.zeros(len(free), np.int64)
    for epoch in range(free.shape[1]):
        first_green = len(free) - int(green_racks[epoch])
        room = free[:, epoch]
        wanted = int(on_green[epoch])
        green = _taken(room[first_green:][::-1], before[first_green:][::-1], wanted)[::-1]
        brown = _taken(room[:first_green], before[:first_green], width - wanted)
        before = np.concatenate((brown, green))
        places[:, epoch] = before
    return places


def _taken(room: Whole, before: Whole, wanted: int) -> Whole:
    """So many servers: those one had, then from the first rack on."""
    kept = _first(np.minimum(room, before), wanted)
    return kept + _first(room - kept, wanted - int(kept.sum()))


def _first(room: Whole, wanted: int) -> Whole:
    """From the first rack on, as many as there are or are wanted."""
    ahead = np.cumsum(room) - room
    return np.clip(wanted - ahead, 0, room)
