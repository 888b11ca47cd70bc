"""Replay a plan's prices: they alone decide whether a job is admitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tailc.forms.plan.plan import Epoch, Plan, Pool, PoolPrices
from tailc.forms.plan.quote import quote
from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.planner import View

# Index of the green pool of the two.
_GREEN = 1


class PriceAdmission:
    """Admits jobs by the prices of a plan at the same time of day."""

    def __init__(self, plan: Plan, epoch_of: Callable[[int], int]) -> None:
        """epoch_of: the plan's epoch for an epoch of the replay."""
        self._plan = plan
        self._epoch_of = epoch_of
        self._prices = colour_prices(plan)

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """Places whose prices are below what the job pays, or None."""
        epochs = job.epochs(view.site.epoch_s)
        free = view.free(epochs)
        racks = view.site.green_racks(view.ahead.green_mw[:epochs])
        is_green = np.arange(view.site.racks)[:, None] >= view.site.racks - racks[None, :]
        by_colour = np.stack(((free * ~is_green).sum(axis=0), (free * is_green).sum(axis=0)))
        offer = quote(self._as_two_pools(view, epochs), by_colour, view.rigid(job))
        if not offer.is_admitted or offer.places is None:
            return None
        return assign_racks(free, racks, offer.places[_GREEN], job.width)

    def revise(self, view: View) -> dict[int, Whole]:  # noqa: ARG002
        return {}

    def _as_two_pools(self, view: View, epochs: int) -> Plan:
        """The next epochs as a plan with a brown and a green pool, at this plan's prices."""
        site = view.site
        pools = tuple(
            Pool(name, site.servers, site.busy_mw, site.asleep_mw, site.migration_mj)
            for name in ("brown", "green")
        )
        at = [self._epoch_of(view.epoch + number) for number in range(epochs)]
        prices = tuple(PoolPrices(tuple(row[epoch] for epoch in at)) for row in self._prices)
        return replace(
            self._plan,
            pools=pools,
            epochs=(Epoch(0, 0, 0, _GREEN),) * epochs,
            jobs=(),
            prices=prices,
            battery=None,
        )


def colour_prices(plan: Plan) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Price of a server on the brown and on the green bus in each epoch [udollars].

    The lowest price of the pools on that bus. Without such a pool, brown costs as much as the
    cheapest pool, and green as much as the most expensive one.
    """
    rows = []
    for is_green, otherwise in ((False, min), (True, max)):
        row = []
        for epoch in range(len(plan.epochs)):
            prices = [one.udollars[epoch] for one in plan.prices]
            of_colour = [
                price for pool, price in enumerate(prices) if plan.is_green(pool, epoch) is is_green
            ]
            row.append(min(of_colour, default=otherwise(prices)))
        rows.append(tuple(row))
    return rows[0], rows[1]


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
