"""Price and admit a job that the plan does not include, as a runtime does.

A rigid job needs `width` servers in each of its epochs. It gets the cheapest places that have as
many server-epochs on the green bus as were promised, unless missing them is cheaper. It is admitted
if it pays more than its places are worth to others. No solver is needed: the cost of exchanging a
brown for a green place increases with the number of exchanges in an epoch, so the cheapest
exchanges of all epochs, taken in order, are optimal. Epochs after the plan have neither price nor
payment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import PPM, Plan

Whole = NDArray[np.int64]
# Largest number of epochs and of servers of a job; their product fits into 64 bits.
LARGEST_JOB = 2**20


@dataclass(frozen=True)
class RigidJob:
    """A job that starts at once, with a number of servers and epochs and a share of green energy.

    width: number of servers. green_ppm: requested share of green server-epochs [1e-6].
    """

    first_epoch: int
    epochs: int
    width: int
    green_ppm: int

    def __post_init__(self) -> None:
        if self.first_epoch < 0 or self.epochs <= 0 or self.width <= 0:
            raise ValueError(
                "`epochs` and `width` must be at least 1, and `first_epoch` at least 0"
            )
        if max(self.epochs, self.width) > LARGEST_JOB:
            raise ValueError("`epochs` and `width` must be at most 2^20")
        if not 0 <= self.green_ppm <= PPM:
            raise ValueError("the share of green energy must be 0 to 1,000,000 (millionths)")

    @property
    def green_slots(self) -> int:
        """Number of a job's server-epochs that are promised to be green, rounded up."""
        return -(-self.green_ppm * self.epochs * self.width // PPM)


@dataclass(frozen=True)
class Quote:
    """Prices of a rigid job: what it pays, and what its servers are worth to other jobs.

    pays_udollars: payment after the penalty for green energy that is promised and not supplied.
    worth_udollars: value of its servers; both in 1e-6 dollars. green_slots: number of its
    server-epochs on the green bus. places: servers of the job, int64 (pools, epochs); None: there
    is no room.
    """

    pays_udollars: int
    worth_udollars: int
    green_slots: int
    places: Whole | None

    @property
    def is_admitted(self) -> bool:
        """Whether the job is admitted: it pays more than its servers are worth to other jobs."""
        return self.places is not None and self.pays_udollars > self.worth_udollars


def quote(plan: Plan, free: Whole, job: RigidJob) -> Quote:
    """Find the best places of a rigid job among the free servers, int64 (pools, epochs).

    Ties go to the earlier epoch, then the lower pool. Takes O(pools epochs log epochs).
    """
    assert plan.terms is not None
    places = cheapest_places(plan, free, job.first_epoch, job.epochs, job.width)
    if places is None:
        return Quote(0, 0, 0, None)
    within = range(job.first_epoch, min(job.first_epoch + job.epochs, len(plan.epochs)))
    slots = len(within) * job.width
    promised = min(job.green_slots, slots)
    _make_green(plan, free, places, within, promised)
    green = green_slots_of(plan, places, within)
    terms = plan.terms
    pays = promised * terms.green_udollars + (slots - promised) * terms.brown_udollars
    pays -= max(0, promised - green) * terms.penalty_udollars
    return Quote(pays, _worth(plan, places), green, places)


def cheapest_width(
    plan: Plan, free: Whole, first_epoch: int, epochs_of: dict[int, int]
) -> int | None:
    """The number of servers with which a malleable job costs least, by the prices of a plan.

    epochs_of: number of epochs that the job takes, by number of servers. The cost is the price of
    its servers, and of each epoch until its end. Ties go to fewer servers. None: there is no room
    for any number. Epochs after the plan have no price.
    """
    assert plan.malleable is not None
    best: tuple[int, int] | None = None
    for width in sorted(epochs_of):
        places = cheapest_places(plan, free, first_epoch, epochs_of[width], width)
        if places is None:
            continue
        cost = _worth(plan, places) + epochs_of[width] * plan.malleable.delay_udollars
        if best is None or cost < best[0]:
            best = (cost, width)
    return None if best is None else best[1]


def cheapest_places(
    plan: Plan, free: Whole, first_epoch: int, epochs: int, width: int
) -> Whole | None:
    """The cheapest servers for a job in each of its epochs, int64 (pools, epochs).

    Ties go to the lower pool. None if an epoch has too few free servers, or all are after the plan.
    """
    within = range(first_epoch, min(first_epoch + epochs, len(plan.epochs)))
    if not within or int(free[:, within.start : within.stop].sum(axis=0).min()) < width:
        return None
    places = np.zeros_like(free)
    for epoch in within:
        _fill(plan, free, places, epoch, width)
    return places


def green_slots_of(plan: Plan, places: Whole, within: range) -> int:
    """Count the server-epochs in `places`, (pools, epochs), on the green bus in these epochs."""
    return sum(int(places[pool, epoch]) for epoch in within for pool in _green(plan, epoch))


def _worth(plan: Plan, places: Whole) -> int:
    return sum(int(places[pool] @ prices) for pool, prices in enumerate(_prices(plan)))


def _prices(plan: Plan) -> list[Whole]:
    return [np.array(one.udollars, np.int64) for one in plan.prices]


def _green(plan: Plan, epoch: int) -> range:
    first = plan.epochs[epoch].first_green_pool
    return range(0) if first is None else range(first, len(plan.pools))


def _fill(plan: Plan, free: Whole, places: Whole, epoch: int, width: int) -> None:
    """Take the cheapest servers of an epoch."""
    left = width
    for pool in sorted(range(len(plan.pools)), key=lambda pool: plan.prices[pool].udollars[epoch]):
        taken = min(left, int(free[pool, epoch]))
        places[pool, epoch] = taken
        left -= taken


def _make_green(plan: Plan, free: Whole, places: Whole, within: range, promised: int) -> None:
    """Exchange brown places for green ones, the cheapest first.

    Stop when the promise is met, or when missing it costs no more.
    """
    assert plan.terms is not None
    green = green_slots_of(plan, places, within)
    for one in sorted(one for epoch in within for one in _exchanges(plan, free, places, epoch)):
        moved = min(one.servers, promised - green)
        if moved <= 0 or one.udollars >= plan.terms.penalty_udollars:
            return
        places[one.brown, one.epoch] -= moved
        places[one.green, one.epoch] += moved
        green += moved


class _Exchange(NamedTuple):
    """Up to `servers` brown servers for as many green ones, with the extra cost of each."""

    udollars: int
    epoch: int
    brown: int
    green: int
    servers: int


def _exchanges(plan: Plan, free: Whole, places: Whole, epoch: int) -> list[_Exchange]:
    """Exchanges of one epoch, in ascending order of cost."""
    green = _green(plan, epoch)
    price = [one.udollars[epoch] for one in plan.prices]
    brown = [pool for pool in range(len(plan.pools)) if pool not in green and places[pool, epoch]]
    brown.sort(key=lambda pool: -price[pool])
    ready = sorted(green, key=lambda pool: price[pool])
    room = {pool: int(free[pool, epoch] - places[pool, epoch]) for pool in ready}
    exchanges = []
    for source in brown:
        left = int(places[source, epoch])
        for pool in ready:
            count = min(left, room[pool])
            if count:
                exchanges.append(_Exchange(price[pool] - price[source], epoch, source, pool, count))
                room[pool] -= count
                left -= count
    return exchanges
