"""Small replays drawn at random: jobs, what the sun brings, and forecasts that are wrong."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tailc.models.datacentre.supply import Supply
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tests.tailc.models.datacentre.sites import SMALL, Known, supply

EPOCHS = 8


@dataclass
class Changing:
    """From each epoch on another forecast, of green racks by epoch."""

    racks: list[list[int]]

    def ahead(self, epoch: int, epochs: int) -> Supply:
        return Known(supply(self.racks[min(epoch, len(self.racks) - 1)])).ahead(epoch, epochs)


def submitted(listed) -> list[SubmittedJob]:
    return [
        SubmittedJob(number, at, run_s, width, quarters * 250_000)
        for number, (at, run_s, width, quarters) in enumerate(sorted(listed))
    ]


green_racks = st.lists(st.integers(0, SMALL.racks), min_size=EPOCHS, max_size=EPOCHS)
forecasts = st.lists(green_racks, min_size=1, max_size=EPOCHS).map(Changing)
jobs = st.lists(
    st.tuples(st.integers(0, 5_000), st.integers(1, 5_000), st.integers(1, 4), st.integers(0, 4)),
    max_size=8,
).map(submitted)


def unfair(found) -> list[str]:
    """Where energy does not balance in an epoch, or a job's money with its slots."""
    odd = []
    for epoch, (entry, busy) in enumerate(zip(found.entries, found.busy.tolist(), strict=True)):
        most_mj = busy * (SMALL.busy_mw * SMALL.epoch_s + SMALL.migration_mj)
        holds = {
            "demand": entry.green_used_mj + entry.brown_mj == entry.demand_mj,
            "green": entry.green_used_mj + entry.spilled_mj == entry.green_mj,
            "drawn": entry.demand_mj <= most_mj,
            "room": busy <= SMALL.servers,
        }
        odd += [f"{name} of epoch {epoch}" for name, held in holds.items() if not held]
    for one in found.settled:
        missing = max(0, one.promised_slots - one.green_slots)
        paid = one.promised_slots * 72_500 + (one.slots - one.promised_slots) * 60_000
        odd += [] if one.udollars == paid - missing * 125_000 else [f"money of job {one.number}"]
    has_all = sum(one.slots for one in found.settled) == int(found.busy.sum())
    return odd if has_all else [*odd, "slots"]


def outcome(found) -> tuple:
    """All that two replays can differ in."""
    return found.settled, found.entries, found.green_racks.tolist(), found.busy.tolist()


def at_epoch(places) -> np.ndarray:
    return np.array(places, np.int64)
