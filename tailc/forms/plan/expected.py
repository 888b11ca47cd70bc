"""What a plan expects of itself: energy by source and epoch, and the money of its jobs, exactly.

Each server draws busy_mw with a job and asleep_mw without. A job's work that moves to a pool costs
that pool's migration_mj a server, where it runs and ran in the epoch before: its start and its end
move nothing. On two buses green pools draw the green one; what is left there goes to the other bus
and lowers brown energy, but makes no slot green. So in sum, as on one bus, green energy is drawn
first. Where the green bus has less than its pools draw, the rest is brown, though the plan calls
their slots green.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.ledger import Entry, Ledger, ledger_of
from tailc.forms.plan.plan import Plan, PlannedJob

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class JobBooks:
    """A planned job: its server-epochs, those promised to be green and those that are, and money.

    fees_udollars: what it pays before penalty_udollars for promised slots that are not green.
    """

    name: str
    slots: int
    promised_slots: int
    green_slots: int
    fees_udollars: int
    penalty_udollars: int


@dataclass(frozen=True)
class Expected:
    """The books of a plan. entries, moved: by epoch; moved counts servers whose work moves.

    on_green_bus_mj: by epoch, what the pools on the green bus draw; 0 where there is one bus.
    """

    entries: tuple[Entry, ...]
    moved: tuple[int, ...]
    on_green_bus_mj: tuple[int, ...]
    jobs: tuple[JobBooks, ...]

    @property
    def ledger(self) -> Ledger:
        """Energy and its price over all epochs."""
        return ledger_of(self.entries)

    @property
    def short_mj(self) -> int:
        """What the green bus lacks of what its pools draw, over all epochs."""
        pairs = zip(self.entries, self.on_green_bus_mj, strict=True)
        return sum(max(0, drawn_mj - entry.green_mj) for entry, drawn_mj in pairs)

    @property
    def income_udollars(self) -> int:
        """What jobs pay, less penalties."""
        return sum(job.fees_udollars - job.penalty_udollars for job in self.jobs)

    @property
    def profit_udollars(self) -> Fraction:
        """Less the price of brown energy."""
        return self.income_udollars - self.ledger.brown_udollars


def expected_of(plan: Plan) -> Expected:
    """The books; O(jobs pools epochs)."""
    moves = moves_of(plan)
    drawn_mj = [
        [_drawn_mj(plan, pool, epoch, int(moves[pool, epoch])) for pool in range(len(plan.pools))]
        for epoch in range(len(plan.epochs))
    ]
    return Expected(
        entries=tuple(
            Entry(
                sum(drawn_mj[number]),
                epoch.green_mw * plan.epoch_s,
                epoch.brown_udollars_per_kwh,
                epoch.brown_mg_per_kwh,
            )
            for number, epoch in enumerate(plan.epochs)
        ),
        moved=tuple(moves.sum(axis=0).tolist()),
        on_green_bus_mj=tuple(
            sum(drawn for pool, drawn in enumerate(row) if plan.is_green(pool, epoch))
            for epoch, row in enumerate(drawn_mj)
        ),
        jobs=tuple(_books(plan, job) for job in plan.jobs),
    )


def moves_of(plan: Plan) -> Whole:
    """Servers whose work moves, in the pool that is charged; int64 (pools, epochs).

    Of a rigid job those that it has in a pool and had not the epoch before (eq. A.6, without its
    first epoch). A malleable job moves as many as it takes or gives up, whichever are more (eq.
    B.5); those given up are charged in the pool they leave.
    """
    moves = np.zeros((len(plan.pools), len(plan.epochs)), np.int64)
    for job in plan.jobs:
        places = places_of(plan, job)
        changed, runs = np.diff(places, axis=1), places.sum(axis=0) > 0
        began = np.logical_or.accumulate(runs)[:-1]
        taken = np.maximum(changed, 0)
        if plan.malleable is not None:
            given = np.maximum(-changed, 0)
            taken = np.where(given.sum(axis=0) > taken.sum(axis=0), given, taken)
        moves[:, 1:] += taken * (began & runs[1:])
    return moves


def places_of(plan: Plan, job: PlannedJob) -> Whole:
    """Servers of a job; int64 (pools, epochs)."""
    places = np.zeros((len(plan.pools), len(plan.epochs)), np.int64)
    for span in job.spans:
        places[span.pool, span.within] = span.servers
    return places


def green_slots(plan: Plan, job: PlannedJob) -> int:
    """Server-epochs of a job in pools on the green bus."""
    return sum(
        span.servers
        for span in job.spans
        for epoch in range(span.first_epoch, span.past)
        if plan.is_green(span.pool, epoch)
    )


def _drawn_mj(plan: Plan, pool: int, epoch: int, moved: int) -> int:
    """Python's own numbers: those of the form may not fit 64 bits when they are multiplied."""
    told, busy = plan.pools[pool], int(plan.busy[pool, epoch])
    drawn_mw = busy * told.busy_mw + (told.servers - busy) * told.asleep_mw
    return drawn_mw * plan.epoch_s + moved * told.migration_mj


def _books(plan: Plan, job: PlannedJob) -> JobBooks:
    green = green_slots(plan, job)
    if plan.terms is None:
        return JobBooks(job.name, job.slots, 0, green, 0, 0)
    promised = job.green_slots
    fees = promised * plan.terms.green_udollars
    fees += (job.slots - promised) * plan.terms.brown_udollars
    penalty = max(0, promised - green) * plan.terms.penalty_udollars
    return JobBooks(job.name, job.slots, promised, green, fees, penalty)
