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
from tailc.models.rigid_jobs.rack_assignment import assign_racks

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
