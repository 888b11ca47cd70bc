"""A plan for the epochs of a horizon: allocations, source of energy, and prices of admission.

Servers that are interchangeable in every epoch make a pool: the racks that are on the same bus all
the time, or a whole cluster. Where racks hang on a green and a brown bus, pools are in order from
the brownest to the greenest, and in each epoch those from one pool on are green: so no brown rack
stands between two green ones (Haque, Rutgers 2016, appendix A). Where there is one bus,
all servers draw green energy first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

PPM = 1_000_000
# So much can a reader multiply in 64 bits; what a plan is worth as a whole stays exact in doubles.
MOST_SERVERS = 2**20
MOST_EPOCHS = 2**14
LARGEST_UDOLLARS = 2**28
LARGEST_WORTH_UDOLLARS = 2**53 - 1
# The last second of the year 9999, which ends what calendars can print.
LATEST_UNIX_S = 253_402_300_799


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


@dataclass(frozen=True)
class Pool:
    """Servers of which none is preferred to another.

    busy_mw, asleep_mw: what a server draws with a job and without. migration_mj: energy of moving
    what one server does onto another of this pool. racks: how many hold the servers, as many each,
    numbered on from those of the pool before; None: a plan does not tell of racks.
    """

    name: str
    servers: int
    busy_mw: int
    asleep_mw: int
    migration_mj: int
    racks: int | None = None

    def __post_init__(self) -> None:
        _require(bool(self.name), "a pool needs a name")
        _require(self.servers > 0, "a pool has a server at least")
        _require(
            0 <= self.asleep_mw <= self.busy_mw, "a busy server draws what a sleeping one does"
        )
        _require(self.busy_mw > 0, "a busy server draws power")
        _require(self.migration_mj >= 0, "to move work gives no energy")
        are_full = self.racks is None or (self.racks > 0 and self.servers % self.racks == 0)
        _require(are_full, "racks of a pool have as many servers each")


@dataclass(frozen=True)
class Epoch:
    """What an epoch is expected to bring.

    green_mw: mean green power. brown_udollars_per_kwh and brown_mg_per_kwh: price of brown energy
    in millionths of a dollar, and its CO2. first_green_pool: from this pool on all are on the green
    bus, none where it is the number of pools; None: there is one bus.
    """

    green_mw: int
    brown_udollars_per_kwh: int
    brown_mg_per_kwh: int
    first_green_pool: int | None

    def __post_init__(self) -> None:
        _require(self.green_mw >= 0, "green power is not negative")
        _require(self.brown_udollars_per_kwh >= 0, "a price is not negative")
        _require(self.brown_mg_per_kwh >= 0, "CO2 is not negative")


@dataclass(frozen=True)
class Span:
    """So many servers of one pool from an epoch on, for so many epochs."""

    pool: int
    first_epoch: int
    epochs: int
    servers: int

    def __post_init__(self) -> None:
        _require(self.pool >= 0, "pools count from 0")
        _require(self.first_epoch >= 0, "epochs count from 0")
        _require(self.epochs > 0, "a span lasts an epoch at least")
        _require(self.servers > 0, "a span has a server at least")

    @property
    def past(self) -> int:
        """The epoch after its last."""
        return self.first_epoch + self.epochs

    @property
    def within(self) -> slice:
        """Its epochs."""
        return slice(self.first_epoch, self.past)


@dataclass(frozen=True)
class PlannedJob:
    """A job that the plan admits, and where it runs; the spans are in order of epoch, then pool.

    green_slots: so many of its server-epochs in the plan were promised to be green.
    """

    name: str
    spans: tuple[Span, ...]
    green_slots: int

    def __post_init__(self) -> None:
        _require(bool(self.name), "a job needs a name")
        _require(bool(self.spans), "a planned job runs")
        order = [(span.first_epoch, span.pool) for span in self.spans]
        _require(order == sorted(order), "spans are in order of epoch, then of pool")
        _require(self._is_told_once(), "a job has two spans of one pool at once")
        _require(0 <= self.green_slots <= self.slots, "no more than all of a job is green")

    @property
    def slots(self) -> int:
        """Its server-epochs."""
        return sum(span.servers * span.epochs for span in self.spans)

    def _is_told_once(self) -> bool:
        past: dict[int, int] = {}
        for span in self.spans:
            if span.first_epoch < past.get(span.pool, 0):
                return False
            past[span.pool] = span.past
        return True


@dataclass(frozen=True)
class PoolPrices:
    """What a job must bring at least for a server of a pool, by epoch [millionths of a dollar].

    That is what the server is worth to jobs to come, and the brown energy that it draws.
    """

    udollars: tuple[int, ...]

    def __post_init__(self) -> None:
        _require(min(self.udollars, default=0) >= 0, "a price is not negative")
        _require(max(self.udollars, default=0) <= LARGEST_UDOLLARS, "a price is beyond 2^28")


@dataclass(frozen=True)
class Terms:
    """What a customer pays for a server and epoch, in millionths of a dollar.

    green_udollars for each that was promised to be green, brown_udollars for each other; and
    penalty_udollars goes back for each promised one that was not green (eq. A.2 to A.4).
    """

    green_udollars: int
    brown_udollars: int
    penalty_udollars: int

    def __post_init__(self) -> None:
        amounts = (self.green_udollars, self.brown_udollars, self.penalty_udollars)
        _require(min(amounts) >= 0, "terms are not negative")
        _require(max(amounts) <= LARGEST_UDOLLARS, "terms are beyond 2^28")


@dataclass(frozen=True)
class Malleable:
    """What to weigh where a job may run on more servers and be done sooner.

    delay_udollars: what an epoch more until a job is done counts. slowdown_ppm: so many times as
    long as on the servers it asks for may a job take, F of appendix B.
    """

    delay_udollars: int
    slowdown_ppm: int

    def __post_init__(self) -> None:
        counts = 0 <= self.delay_udollars <= LARGEST_UDOLLARS
        _require(counts, "to be done later costs something, and no more than 2^28")
        _require(self.slowdown_ppm >= PPM, "a slowdown is a factor of 1 or more")


@dataclass(frozen=True)
class Plan:
    """Allocations of the jobs known, and the terms on which others are admitted.

    start_unix_s: when epoch 0 begins. Rigid jobs run all their epochs on the servers they ask for,
    on `terms`; else jobs are malleable. prices: for each pool, of each epoch. violations_ppm is the
    promise: of all jobs admitted, no larger part misses its share of green energy, or is done later
    than its slowdown allows.
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

    def __post_init__(self) -> None:
        _require(self.epoch_s > 0, "an epoch lasts a second at least")
        _require(bool(self.pools), "a plan needs a pool")
        _require(bool(self.epochs), "a plan needs an epoch")
        _require(len(self.epochs) <= MOST_EPOCHS, "a plan has 2^14 epochs at most")
        held = 0 <= self.start_unix_s <= self.end_unix_s <= LATEST_UNIX_S
        _require(held, "a plan lies in the years 1970 to 9999")
        _require(self.servers <= MOST_SERVERS, "a plan has 2^20 servers at most")
        told = {pool.racks is None for pool in self.pools}
        _require(len(told) == 1, "all pools are of racks, or none is")
        _require(0 <= self.violations_ppm <= PPM, "a part of jobs lies from 0 to 1")
        _require((self.terms is None) != (self.malleable is None), "jobs are rigid or malleable")
        _require(_are_apart(pool.name for pool in self.pools), "two pools have one name")
        _require(_are_apart(job.name for job in self.jobs), "two jobs have one name")
        self._check_buses()
        priced = [len(one.udollars) for one in self.prices]
        whole = [len(self.epochs)] * len(self.pools)
        _require(priced == whole, "each pool has a price in each epoch")
        _require(self._largest_worth() <= LARGEST_WORTH_UDOLLARS, "a plan is worth 2^53 or more")
        _require(self._spans_are_inside(), "a span is outside the plan")
        _require(int(self.free.min()) >= 0, "a pool has fewer servers than its jobs")
        promised = self.terms is not None or not any(job.green_slots for job in self.jobs)
        _require(promised, "malleable jobs are promised no green energy")

    def _check_buses(self) -> None:
        firsts = [epoch.first_green_pool for epoch in self.epochs]
        if all(first is None for first in firsts):
            return
        _require(None not in firsts, "racks hang on two buses in every epoch or in none")
        inside = all(0 <= first <= len(self.pools) for first in firsts if first is not None)
        _require(inside, "the first green pool is one of the pools, or none")

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
