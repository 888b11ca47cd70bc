"""A plan's prices at work: each job is admitted or refused by them alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tailc.forms.plan.plan import Epoch, Plan, Pool, PoolPrices
from tailc.forms.plan.quote import quote
from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import Submitted
from tailc.models.rigid_jobs.planner import View
from tailc.models.rigid_jobs.rack_assignment import handed_out

# Of the two pools that a view is seen as, the second.
_GREEN = 1


class Priced:
    """Admits by the prices of a plan, at the epochs of a day that the plan has them for."""

    def __init__(self, plan: Plan, epoch_of: Callable[[int], int]) -> None:
        """epoch_of: the plan's epoch for one of the replay."""
        self._plan = plan
        self._epoch_of = epoch_of
        self._prices = colour_prices(plan)

    def admit(self, view: View, job: Submitted) -> Whole | None:
        """The places at which the job pays more than they are worth."""
        epochs = job.epochs(view.site.epoch_s)
        free = view.free(epochs)
        racks = view.site.green_racks(view.ahead.green_mw[:epochs])
        is_green = np.arange(view.site.racks)[:, None] >= view.site.racks - racks[None, :]
        by_colour = np.stack(((free * ~is_green).sum(axis=0), (free * is_green).sum(axis=0)))
        told = quote(self._seen(view, epochs), by_colour, view.rigid(job))
        if not told.is_admitted or told.places is None:
            return None
        return handed_out(free, racks, told.places[_GREEN], job.width)

    def revise(self, view: View) -> dict[int, Whole]:  # noqa: ARG002
        """Nothing moves."""
        return {}

    def _seen(self, view: View, epochs: int) -> Plan:
        """The next epochs as a plan of a brown and a green pool, at this plan's prices."""
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
    """What a server on the brown and on the green bus is worth in each epoch [udollars].

    The least of the pools on it; where none is, brown as the cheapest of all, green as the dearest.
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
