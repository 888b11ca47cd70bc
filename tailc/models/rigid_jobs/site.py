"""Racks of a datacentre, each on a green or a mixed power bus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.forms.plan.plan import Plan, Terms
from tailc.models.datacentre.storage import Storage, storage_of
from tailc.models.datacentre.supply import PPM, Whole


@dataclass(frozen=True)
class Site:
    """The racks of a datacentre, identical, from the brownest to the greenest.

    busy_mw, asleep_mw: power of a server with and without a job. migration_mj: energy to move one
    server's work, charged at its destination. failures_ppm: failures per hour of a server with a
    job, in millionths. storage: a battery on the mixed bus, or None. grid_mw: power that is bought
    at negative prices, or None.
    """

    racks: int
    rack_servers: int
    busy_mw: int
    asleep_mw: int
    migration_mj: int
    epoch_s: int
    terms: Terms
    failures_ppm: int = 0
    storage: Storage | None = None
    grid_mw: int | None = None

    def __post_init__(self) -> None:
        if min(self.racks, self.rack_servers, self.busy_mw, self.epoch_s) <= 0:
            raise ValueError("`racks`, `rack_servers`, `busy_mw` and `epoch_s` must be at least 1")
        if not 0 <= self.asleep_mw <= self.busy_mw or self.migration_mj < 0:
            raise ValueError(
                "`asleep_mw` must be 0 to `busy_mw`, and `migration_mj` must not be negative"
            )
        if not 0 <= self.failures_ppm <= PPM:
            raise ValueError("`failures_ppm` must be 0 to 1,000,000")

    @property
    def servers(self) -> int:
        """Number of servers in all racks."""
        return self.racks * self.rack_servers

    @property
    def rack_mj(self) -> int:
        """Energy of a rack in an epoch with all servers busy [mJ]."""
        return self.rack_servers * self.busy_mw * self.epoch_s

    def green_racks(self, green_mw: Whole) -> Whole:
        """Number of whole racks that green power can feed in each epoch, int64 (epochs,).

        green_mw: mean green power [mW].
        """
        most = green_mw // (self.rack_servers * self.busy_mw)
        return np.minimum(most, self.racks)


def site_of(plan: Plan) -> Site:
    """Read the racks from a plan; ValueError if there are none, or of different sizes."""
    racks = [pool.racks for pool in plan.pools]
    if plan.terms is None or None in racks:
        raise ValueError("a plan of rigid jobs must have terms, and racks in every pool")
    kinds = {
        (pool.servers // (pool.racks or 1), pool.busy_mw, pool.asleep_mw, pool.migration_mj)
        for pool in plan.pools
    }
    if len(kinds) > 1:
        raise ValueError("all racks must have the same number of servers, with the same powers")
    ((rack_servers, busy_mw, asleep_mw, migration_mj),) = kinds
    count = sum(one or 0 for one in racks)
    powers = busy_mw, asleep_mw, migration_mj
    more = {"storage": storage_of(plan), "grid_mw": plan.grid_mw}
    return Site(count, rack_servers, *powers, plan.epoch_s, plan.terms, **more)
