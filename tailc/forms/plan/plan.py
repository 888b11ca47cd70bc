"""A plan for the epochs of a horizon: allocations, energy sources, and prices of admission.

Servers that are interchangeable in every epoch form a pool: the racks that are always on the same
bus, or a whole cluster. With a green and a brown bus, pools are sorted from the brownest to the
greenest, and in each epoch those from one pool on are green, so that no brown rack is between two
green ones (Haque, Rutgers 2016, appendix A). With one bus, all servers use green energy first. A
battery may store the rest, and lower brown energy.
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

# The rule by which a runtime decides about jobs that a plan does not include: `later_jobs` of a
# plan names it; before schema 1.12 the method in the evidence does. A method of `RULES` is also the
# name of the same rule as a baseline, with a parameter such as `aggressive-50%`. With any other
# method, later jobs are decided by the prices of the plan.
AUTO = "auto"
"""The method that compares rules on earlier days, and selects the best one."""

RULES = (
    *("aggressive", "constant", "nebulous", "reactive"),
    *("annealing", "first-fit", "on-arrival", "smart-green"),
)
"""Methods that are rules: first those of malleable jobs, then those of rigid jobs."""


@dataclass(frozen=True)
class Plan:
    """Allocations of the known jobs, and the terms for admitting others.

    start_unix_s: start of epoch 0. Rigid jobs run all their epochs on the servers that they
    request, on `terms`; otherwise jobs are malleable. prices: least payment for a server, by pool
    and epoch. violations_ppm is the promise: the largest part of admitted jobs that miss their
    share of green energy, or exceed their slowdown. battery: if there is one, every epoch has its
    charge. grid_mw: power that is bought in epochs with a negative price, where servers need less
    and the rest is thrown away; None: no price is negative. later_jobs: name of the rule that
    decides about jobs that the plan does not include; None: its prices.
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
    grid_mw: int | None = field(default=None, metadata={"since": 12})
    later_jobs: str | None = field(default=None, metadata={"since": 12})

    def __post_init__(self) -> None:
        require(self.epoch_s > 0, "`epoch_s` must be at least 1")
        require(bool(self.pools), "`pools` must not be empty")
        require(bool(self.epochs), "`epochs` must not be empty")
        require(len(self.epochs) <= MOST_EPOCHS, "`epochs` must have at most 2^14 entries")
        held = 0 <= self.start_unix_s <= self.end_unix_s <= LATEST_UNIX_S
        require(
            held, "`start_unix_s` and the end of the last epoch must be in the years 1970 to 9999"
        )
        require(self.servers <= MOST_SERVERS, "`pools` must have at most 2^20 servers in total")
        uses_racks = {pool.racks is None for pool in self.pools}
        require(len(uses_racks) == 1, "`racks` must be present in every pool or in none")
        require(0 <= self.violations_ppm <= PPM, "`violations_ppm` must be 0 to 1,000,000")
        require(
            (self.terms is None) != (self.malleable is None),
            "exactly one of `terms` and `malleable` must be present",
        )
        require(_are_unique(pool.name for pool in self.pools), "two pools have the same `name`")
        require(_are_unique(job.name for job in self.jobs), "two jobs have the same `name`")
        self._check_buses()
        priced = [len(one.udollars) for one in self.prices]
        whole = [len(self.epochs)] * len(self.pools)
        require(
            priced == whole,
            "`prices` must have an entry for each pool, with a price for each epoch",
        )
        require(
            self._largest_worth() <= LARGEST_WORTH_UDOLLARS,
            "servers times epochs times the largest price must be below 2^53",
        )
        require(
            self._spans_are_inside(),
            "a span must be in a pool with enough servers, and must end within the plan",
        )
        require(
            int(self.free.min()) >= 0, "the jobs of an epoch use more servers of a pool than it has"
        )
        promised = self.terms is not None or not any(job.green_slots for job in self.jobs)
        require(promised, "`green_slots` of malleable jobs must be 0")
        self._check_battery()
        self._check_grid()
        require(self.later_jobs != "", "`later_jobs` must not be empty")

    def _check_grid(self) -> None:
        if self.grid_mw is None:
            least = min(epoch.brown_udollars_per_kwh for epoch in self.epochs)
            require(least >= 0, "`brown_udollars_per_kwh` is negative only with `grid_mw`")
            return
        busy_mw = sum(pool.servers * pool.busy_mw for pool in self.pools)
        require(self.grid_mw >= busy_mw, "`grid_mw` must be at least the power of all servers")

    def _check_buses(self) -> None:
        firsts = [epoch.first_green_pool for epoch in self.epochs]
        if all(first is None for first in firsts):
            return
        require(None not in firsts, "`first_green_pool` must be present in every epoch or in none")
        inside = all(0 <= first <= len(self.pools) for first in firsts if first is not None)
        require(inside, "`first_green_pool` must be 0 to the number of pools")

    def _check_battery(self) -> None:
        has_charge = {epoch.battery_mj is not None for epoch in self.epochs}
        require(
            has_charge == {self.battery is not None},
            "`battery_mj` must be present in every epoch with a `battery`, and otherwise in none",
        )
        if self.battery is not None:
            require(
                self._largest_energy_mj() <= LARGEST_MJ,
                "the energy of an epoch must be below 2^53 mJ",
            )
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
        """All servers in all epochs, at the largest price of the plan."""
        amounts = [price for one in self.prices for price in one.udollars]
        if self.terms is not None:
            terms = self.terms
            amounts += [terms.green_udollars, terms.brown_udollars, terms.penalty_udollars]
        return self.servers * len(self.epochs) * max(amounts)

    def _largest_energy_mj(self) -> int:
        """Upper bound on the energy that an epoch may draw, receive or move in a battery [mJ]."""
        assert self.battery is not None
        # Released servers of a malleable job move too, so up to twice the servers move.
        drawn_mj = sum(
            pool.servers * (pool.busy_mw * self.epoch_s + 2 * pool.migration_mj)
            for pool in self.pools
        )
        powers_mw = [self.battery.charge_mw, self.battery.discharge_mw]
        powers_mw += [epoch.green_mw for epoch in self.epochs]
        return max(drawn_mj, max(powers_mw) * self.epoch_s)

    @property
    def servers(self) -> int:
        """Number of servers in all pools of a plan."""
        return sum(pool.servers for pool in self.pools)

    @property
    def end_unix_s(self) -> int:
        """End of the plan's last epoch in Unix seconds."""
        return self.start_unix_s + len(self.epochs) * self.epoch_s

    @cached_property
    def busy(self) -> NDArray[np.int64]:
        """Number of servers of each pool that planned jobs have; int64 (pools, epochs)."""
        busy = np.zeros((len(self.pools), len(self.epochs)), np.int64)
        for job in self.jobs:
            for span in job.spans:
                busy[span.pool, span.epoch_slice] += span.servers
        return busy

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """Number of servers of each pool that no planned job has, int64 (pools, epochs)."""
        return np.array([[pool.servers] for pool in self.pools]) - self.busy

    @cached_property
    def moves(self) -> NDArray[np.int64]:
        """Number of servers whose work moves, int64 (pools, epochs).

        Each move counts in the pool that pays for it; see `moved_servers`.
        """
        pools, epochs = len(self.pools), len(self.epochs)
        return moved_servers(self.jobs, pools, epochs, is_malleable=self.malleable is not None)

    @cached_property
    def drawn_mj(self) -> tuple[tuple[int, ...], ...]:
        """Energy that a plan's servers and moves draw, by epoch and then by pool [mJ]."""
        return drawn_by_pool(self.pools, self.busy, self.moves, self.epoch_s)

    @cached_property
    def battery_mj(self) -> tuple[int, ...]:
        """Energy charged into the battery by epoch, negative if discharged; 0 without a battery."""
        return tuple(epoch.battery_mj or 0 for epoch in self.epochs)

    def bought_mj(self, epoch: int) -> int:
        """Energy that is bought in an epoch with a negative price; 0 in others [mJ]."""
        is_paid = self.epochs[epoch].brown_udollars_per_kwh < 0
        return (self.grid_mw or 0) * self.epoch_s if is_paid else 0

    def without_battery(self) -> Plan:
        """The same plan of jobs without its battery."""
        epochs = tuple(replace(epoch, battery_mj=None) for epoch in self.epochs)
        return replace(self, epochs=epochs, battery=None)

    @property
    def has_buses(self) -> bool:
        """Whether the racks of a plan are divided into a green and a brown bus."""
        return self.epochs[0].first_green_pool is not None

    def is_green(self, pool: int, epoch: int) -> bool:
        """Whether the pool is on the green bus; false with one bus."""
        first = self.epochs[epoch].first_green_pool
        return first is not None and pool >= first

    def epoch_at(self, unix_s: int) -> int | None:
        """Number of the plan's epoch at a time in Unix seconds; None outside the plan."""
        epoch = (unix_s - self.start_unix_s) // self.epoch_s
        return epoch if 0 <= epoch < len(self.epochs) else None

    def allocation(self, job: str, epoch: int) -> tuple[tuple[int, int], ...] | None:
        """Servers of a planned job in an epoch: (pool, servers), sorted by pool.

        None for an unknown job.
        """
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


def _are_unique(names: Iterable[str]) -> bool:
    listed = list(names)
    return len(set(listed)) == len(listed)


def rule_of(method: str) -> str | None:
    """Name of the baseline that a method applies to later jobs; None: the plan's prices decide."""
    is_rule = any(method == one or method.startswith(f"{one}-") for one in RULES)
    return method if is_rule else None


def planner_of(method: str, otherwise: str) -> str:
    """The method that plans the known jobs: `method` itself, or `otherwise` if it is a rule.

    A rule decides only about jobs that a plan does not include.
    """
    return otherwise if method == AUTO or rule_of(method) is not None else method
