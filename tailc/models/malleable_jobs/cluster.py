"""A cluster of identical servers on one power bus."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.storage import Storage, storage_of


@dataclass(frozen=True)
class Cluster:
    """A cluster of identical servers: their number, power and battery.

    busy_mw, asleep_mw: power of a server with and without a job. change_mj: energy to give a job
    one server more or less. epoch_s: period of the supply. storage: a battery, or None.
    grid_mw: power that is bought at negative prices, or None.
    """

    servers: int
    busy_mw: int
    asleep_mw: int
    change_mj: int
    epoch_s: int
    storage: Storage | None = None
    grid_mw: int | None = None

    def __post_init__(self) -> None:
        if min(self.servers, self.busy_mw, self.epoch_s) <= 0:
            raise ValueError("`servers`, `busy_mw` and `epoch_s` must be at least 1")
        if not 0 <= self.asleep_mw <= self.busy_mw or self.change_mj < 0:
            raise ValueError(
                "`asleep_mw` must be 0 to `busy_mw`, and `change_mj` must not be negative"
            )


def cluster_of(plan: Plan) -> Cluster:
    """The cluster of a plan; ValueError if the plan has no malleable jobs, or two pools."""
    if plan.malleable is None or len(plan.pools) != 1:
        raise ValueError("a plan of malleable jobs must have one pool")
    (pool,) = plan.pools
    powers = pool.busy_mw, pool.asleep_mw, pool.migration_mj
    return Cluster(pool.servers, *powers, plan.epoch_s, storage_of(plan), plan.grid_mw)
