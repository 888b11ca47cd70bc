"""A plan for the epochs of a horizon: allocations, source of energy, and prices of admission.

Servers that are interchangeable in every epoch make a pool: the racks that are on the same bus all
the time, or a whole cluster. Where racks hang on a green and a brown bus, pools are in order from
the brownest to the greenest, and in each epoch those from one pool on are green: so no brown rack
stands between two green ones (Haque, Rutgers 2016, appendix A). Where there is one bus,
all servers draw green energy first. A battery may take what they leave, and lower brown energy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.battery import LARGEST_MJ, Battery, check_schedule
from tailc.forms.plan.demand import drawn_by_pool, moved_servers
from tailc.forms.plan.parts import (
    LARGEST_UDOLLARS,
    LARGEST_WORTH_UDOLLARS,
    LATEST_UNIX_S,
    MOST_EPOCHS,
    MOST_SERVERS,
    PPM,
    Epoch,
    Malleable,
    PlannedJob,
    Pool,
    PoolPrices,
    Span,
    Terms,
    require,
)

__all__ = [
    "LARGEST_UDOLLARS",
    "LARGEST_WORTH_UDOLLARS",
    "LATEST_UNIX_S",
    "MOST_EPOCHS",
    "MOST_SERVERS",
    "PPM",
    "Battery",
    "Epoch",
    "Malleable",
    "Plan",
    "PlannedJob",
    "Pool",
    "PoolPrices",
    "Span",
    "Terms",
]


@dataclass(frozen=True)
class Plan:
    """Allocations of the jobs known, and the terms on which others are admitted.

    start_unix_s: when epoch 0 begins. Rigid jobs run all their epochs on the servers they ask for,
    on `terms`; else jobs are malleable. prices: for each pool, of each epoch. violations_ppm is the
    promise: of all jobs admitted, no larger part misses its share of green energy, or is done later
    than its slowdown allows. battery: where there is one, every epoch says what it does.
    """

    start_unix_s: int = field(metadata={"since": 4})
    epoch_s: int
    pools: tuple[Pool, ...]
    epochs: tuple[Epoch, ...]
    jobs: tuple[PlannedJob, ...]
    prices: tuple[PoolPrices, ...]
    terms: Terms | None
    malleable: Malleable | None
    violations_ppm: int
    battery: Battery | None = field(default=None, metadata={"since": 5})

    def __post_init__(self) -> None:
        require(self.epoch_s > 0, "an epoch lasts a second at least")
        require(bool(self.pools), "a plan needs a pool")
        require(bool(self.epochs), "a plan needs an epoch")
        require(len(self.epochs) <= MOST_EPOCHS, "a plan has 2^14 epochs at most")
        held = 0 <= self.start_unix_s <= self.end_unix_s <= LATEST_UNIX_S
        require(held, "a plan lies in the years 1970 to 9999")
        require(self.servers <= MOST_SERVERS, "a plan has 2^20 servers at most")
        told = {pool.racks is None for pool in self.pools}
        require(len(told) == 1, "all pools are of racks, or none is")
        require(0 <= self.violations_ppm <= PPM, "a part of jobs lies from 0 to 1")
        require((self.terms is None) != (self.malleable is None), "jobs are rigid or malleable")
        require(_are_apart(pool.name for pool in self.pools), "two pools have one name")
        require(_are_apart(job.name for job in self.jobs), "two jobs have one name")
        self._check_buses()
        priced = [len(one.udollars) for one in self.prices]
        whole = [len(self.epochs)] * len(self.pools)
        require(priced == whole, "each pool has a price in each epoch")
        require(self._largest_worth() <= LARGEST_WORTH_UDOLLARS, "a plan is worth 2^53 or more")
        require(self._spans_are_inside(), "a span is outside the plan")
        require(int(self.free.min()) >= 0, "a pool has fewer servers than its jobs")
        promised = self.terms is not None or not any(job.green_slots for job in self.jobs)
        require(promised, "malleable jobs are promised no green energy")
        self._check_battery()

    def _check_buses(self) -> None:
        firsts = [epoch.first_green_pool for epoch in self.epochs]
        if all(first is None for first in firsts):
            return
        require(None not in firsts, "racks hang on two buses in every epoch or in none")
        inside = all(0 <= first <= len(self.pools) for first in firsts if first is not None)
        require(inside, "the first green pool is one of the pools, or none")

    def _check_battery(self) -> None:
        told = {epoch.battery_mj is not None for epoch in self.epochs}
        require(told == {self.battery is not None}, "each epoch says what a battery does, if any")
        if self.battery is not None:
            require(self._largest_energy_mj() <= LARGEST_MJ, "an epoch's energy is 2^53 mJ or more")
            spare_mj = [
                epoch.green_mw * self.epoch_s - sum(drawn_mj)
                for epoch, drawn_mj in zip(self.epochs, self.drawn_mj, strict=True)
            ]
            check_schedule(self.battery, self.battery_mj, spare_mj, self.epoch_s)

    def _spans_are_inside(self) -> bool:
        return all(
            span.pool < len(self.pools)
            and span.past <= len(self.epochs)
            and span.servers <= self.pools[span.pool].servers
            for job in self.jobs
            for span in job.spans
        )

    def _largest_worth(self) -> int:
        """All servers in all epochs, at the largest amount that the plan states."""
        amounts = [price for one in self.prices for price in one.udollars]
        if self.terms is not None:
            stated = self.terms
            amounts += [stated.green_udollars, stated.brown_udollars, stated.penalty_udollars]
        return self.servers * len(self.epochs) * max(amounts)

    def _largest_energy_mj(self) -> int:
        """The most that an epoch may draw, bring, or move into a battery and out of it."""
        assert self.battery is not None
        # Of a malleable job, servers that it gives up move too: twice as many as there are.
        drawn_mj = sum(
            pool.servers * (pool.busy_mw * self.epoch_s + 2 * pool.migration_mj)
            for pool in self.pools
        )
        powers_mw = [self.battery.charge_mw, self.battery.discharge_mw]
        powers_mw += [epoch.green_mw for epoch in self.epochs]
        return max(drawn_mj, max(powers_mw) * self.epoch_s)

    @property
    def servers(self) -> int:
        """Servers of all pools."""
        return sum(pool.servers for pool in self.pools)

    @property
    def end_unix_s(self) -> int:
        """When the last epoch ends."""
        return self.start_unix_s + len(self.epochs) * self.epoch_s

    @cached_property
    def busy(self) -> NDArray[np.int64]:
        """Servers of each pool that the planned jobs have in each epoch; int64 (pools, epochs)."""
        busy = np.zeros((len(self.pools), len(self.epochs)), np.int64)
        for job in self.jobs:
            for span in job.spans:
                busy[span.pool, span.within] += span.servers
        return busy

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """Servers of each pool that no planned job has; int64 (pools, epochs)."""
        return np.array([[pool.servers] for pool in self.pools]) - self.busy

    @cached_property
    def moves(self) -> NDArray[np.int64]:
        """Servers whose work moves, in the pool that is charged; int64 (pools, epochs)."""
        pools, epochs = len(self.pools), len(self.epochs)
        return moved_servers(self.jobs, pools, epochs, is_malleable=self.malleable is not None)

    @cached_property
    def drawn_mj(self) -> tuple[tuple[int, ...], ...]:
        """What servers draw, and moves of their work, by epoch and then by pool."""
        return drawn_by_pool(self.pools, self.busy, self.moves, self.epoch_s)

    @cached_property
    def battery_mj(self) -> tuple[int, ...]:
        """What goes into the battery by epoch, below 0 what it gives; 0 without one."""
        return tuple(epoch.battery_mj or 0 for epoch in self.epochs)

    def without_battery(self) -> Plan:
        """All else as it is."""
        epochs = tuple(replace(epoch, battery_mj=None) for epoch in self.epochs)
        return replace(self, epochs=epochs, battery=None)

    @property
    def has_buses(self) -> bool:
        """Whether each rack is on a green or a brown bus."""
        return self.epochs[0].first_green_pool is not None

    def is_green(self, pool: int, epoch: int) -> bool:
        """Whether the pool is on the green bus; on one bus none is."""
        first = self.epochs[epoch].first_green_pool
        return first is not None and pool >= first

    def epoch_at(self, unix_s: int) -> int | None:
        """The epoch of a moment; None outside the plan."""
        epoch = (unix_s - self.start_unix_s) // self.epoch_s
        return epoch if 0 <= epoch < len(self.epochs) else None

    def allocation(self, job: str, epoch: int) -> tuple[tuple[int, int], ...] | None:
        """(pool, servers) of a planned job in an epoch, in order of pool; None: no such job."""
        for one in self.jobs:
            if one.name == job:
                return tuple(
                    sorted(
                        (span.pool, span.servers)
                        for span in one.spans
                        if span.first_epoch <= epoch < span.past
                    )
                )
        return None


def _are_apart(names: Iterable[str]) -> bool:
    listed = list(names)
    return len(set(listed)) == len(listed)
