"""Batch work beside requests on cores with clocks, and servers for batch work alone, per core.

Cores share nothing here, so a server of six is six cores and what it draws beside them. Batch work
is synthetic: its shares of memory time, powers and instructions per cycle are ours. A unit of it is
what a core of a server for batch work alone does, at its clock of most work per joule up to the
nominal one, as published (Bartolini, 2015, section 3.9.2). Joules there are those of RubikSC: of
the core and of its part of the chip.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.colocation.core import SharedCore, best_pair
from tailc_solvers.colocation.fleet import NO_BATCH, SupplyCurve, curve_through, provision

from bench.clocks_study import FIXED, ClocksStudy, Run, fixed_p95_us
from bench.rubik_workloads import CORES, NOMINAL_KHZ, REST_W, SLEEP_W, UNCORE_W, service
from tailc.forms.tail_table import Batch
from tailc.models.core_queues.clocks import Clocks
from tailc.policies.rubik.levels import power_mw

KHZ = np.arange(800_000, 3_400_001, 200_000)
NOMINAL = int(np.flatnonzero(KHZ == NOMINAL_KHZ)[0])
STATIC_W, MW_PER_W = 0.5, 1_000
BESIDE_W = (UNCORE_W + REST_W) / CORES
CHIP_SHARE_W = UNCORE_W / CORES

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Work:
    """memory: share of cycles at the nominal clock; dynamic_w and ipc: at that clock."""

    name: str
    memory: float
    dynamic_w: float
    ipc: float

    @functools.cached_property
    def power_w(self) -> Floats:
        """By level."""
        return np.array([_power_w(int(khz), self.dynamic_w) for khz in KHZ])

    @functools.cached_property
    def speed(self) -> Floats:
        """By level, 1 at the nominal clock."""
        return 1 / (self.memory + NOMINAL_KHZ / KHZ * (1 - self.memory))

    @functools.cached_property
    def own_level(self) -> int:
        """That of a server for batch work alone."""
        efficiency = self.speed / (self.power_w + CHIP_SHARE_W)
        return int(efficiency[: NOMINAL + 1].argmax())

    @property
    def own_w(self) -> float:
        """Of a core there, with its part of the server."""
        return BESIDE_W + float(self.power_w[self.own_level])

    @functools.cached_property
    def units(self) -> Floats:
        """Work by level, of a core that does nothing else."""
        return self.speed / self.speed[self.own_level]


def _power_w(khz: int, dynamic_w: float) -> float:
    told = {"static_mw": round(STATIC_W * MW_PER_W), "dynamic_mw": round(dynamic_w * MW_PER_W)}
    return power_mw(khz, nominal_khz=NOMINAL_KHZ, **told) / MW_PER_W


BATCH = tuple(
    Work(f"batch {number}", memory, dynamic_w, ipc)
    for number, (memory, dynamic_w, ipc) in enumerate(
        (
            *((0.02, 7.0, 2.2), (0.05, 6.5, 1.9), (0.08, 6.5, 1.7), (0.12, 6.5, 1.6)),
            *((0.18, 6.0, 1.4), (0.25, 6.0, 1.2), (0.30, 5.5, 1.1), (0.38, 5.5, 0.9)),
            *((0.45, 5.0, 0.8), (0.52, 5.0, 0.7), (0.60, 4.5, 0.5), (0.70, 4.5, 0.4)),
        ),
        start=1,
    )
)
REQUEST_W = 6.0
REQUEST_IPC = {"masstree": 0.8, "moses": 1.0, "shore": 0.7, "specjbb": 0.5, "xapian": 1.1}


@dataclass(frozen=True)
class Draw:
    """What a core with requests and batch work does and draws, its part of the server included.

    power_w: of the core with requests; dedicated: cores for batch work alone, by one such core.
    """

    power_w: float
    dedicated: float


class Pair(NamedTuple):
    """Levels: of requests at least, and of batch work."""

    requests: int
    batch: int


class Shared:
    """A service at a load on cores that do batch work too, under the bound of `bound_load`."""

    def __init__(self, name: str, load: float, bound_load: float) -> None:
        one = service(name)
        self.name, self.load = name, load
        self.study = ClocksStudy(one, fixed_p95_us(one, bound_load), [load])
        self.memory = one.held_out.memory_share
        clocks = self.study.own.clocks
        assert clocks is not None
        for level in range(len(KHZ)):
            least = _with_batch(clocks, level)
            own = replace(self.study.own, clocks=least)
            self.study.add(f"least {level}", own)

    def mean(self, of, name: str) -> float:
        return self.study.figure(of, name, self.load).mean

    @functools.cached_property
    def segregated_w(self) -> float:
        """Of a core with requests alone, at the nominal clock, asleep without."""
        return BESIDE_W + self.mean(lambda run: run.power_w + (1 - run.busy) * SLEEP_W, FIXED)

    @functools.cached_property
    def idle(self) -> Floats:
        """Share of the time that is left for batch work, by the least level of requests."""
        return np.array([1 - self.mean(_busy, f"least {level}") for level in range(len(KHZ))])

    @functools.cached_property
    def requests_w(self) -> Floats:
        """What requests draw, over time, by their least level."""
        return np.array([self.mean(_power_drawn, f"least {level}") for level in range(len(KHZ))])

    def core(self, batch: Work) -> SharedCore:
        """Of eq. 3.3, with a core's part of what the chip draws beside its cores."""
        return SharedCore(
            freq_ghz=KHZ / 1e6,
            nominal_ghz=NOMINAL_KHZ / 1e6,
            critical_power_w=np.array([_power_w(int(khz), REQUEST_W) for khz in KHZ]),
            batch_power_w=batch.power_w,
            critical_memory=self.memory,
            batch_memory=batch.memory,
            utilization=self.load,
            shared_w=CHIP_SHARE_W,
        )

    def sc_pair(self, batch: Work) -> Pair:
        """Of most work per joule of the chip."""
        found = best_pair(self.core(batch))
        assert found.critical is not None
        assert found.batch is not None
        return Pair(found.critical, found.batch)

    def dc_pair(self, batch: Work) -> Pair:
        """Of least power for a unit of batch work, what is left of it on a server of its own.

        One pair, and a rest where its work is done: a server that alternates between two, as
        `rubik_dc` has it, draws a little less.
        """
        pairs = itertools.product(range(len(KHZ)), range(len(KHZ)))
        return min((Pair(*levels) for levels in pairs), key=lambda pair: self._fleet_w(pair, batch))

    def _fleet_w(self, pair: Pair, batch: Work) -> float:
        draw = self._draw(pair, batch, 1.0)
        return draw.power_w + draw.dedicated * batch.own_w

    def rubik_sc(self, batch: Work, demand: float) -> Draw:
        """Each server on its own, before any limit of the chip."""
        return self._draw(self.sc_pair(batch), batch, demand)

    def _draw(self, pair: Pair, batch: Work, demand: float) -> Draw:
        idle = float(self.idle[pair.requests])
        return within_demand(
            BESIDE_W + float(self.requests_w[pair.requests]),
            idle,
            idle * float(batch.units[pair.batch]),
            idle * float(batch.power_w[pair.batch]),
            demand,
        )

    def rubik_dc(self, batch: Work, demand: float) -> Draw:
        """As much batch work as is cheaper here than on a server of its own."""
        found = provision(self._curve(batch), 1, demand, batch.own_w)
        return Draw(found.power_w - found.dedicated * batch.own_w, found.dedicated)

    def _curve(self, batch: Work) -> SupplyCurve:
        least, level = (index.ravel() for index in np.indices((len(KHZ), len(KHZ))))
        work = self.idle[least] * batch.units[level]
        power_w = self.requests_w[least] + self.idle[least] * batch.power_w[level]
        none = np.arange(len(KHZ))
        return curve_through(
            np.append(np.zeros(len(none)), work),
            BESIDE_W + np.append(self.requests_w + self.idle * SLEEP_W, power_w),
            np.append(none, least),
            np.append(np.full(len(none), NO_BATCH), level),
        )


def _with_batch(clocks: Clocks, least: int) -> Clocks:
    """Cores that never sleep; what batch work draws is added up afterwards."""
    khz = int(KHZ[least])
    return replace(clocks, table=replace(clocks.table, batch=Batch(khz, khz, 0)))


def within_demand(
    others_w: float, resting: float, done: float, batch_w: float, demand: float
) -> Draw:
    """Batch work whenever there is time, or less where there is not as much of it.

    others_w: all that a core and its part of the server draw beside batch work. resting: share of
    the time without requests; batch_w: drawn by batch work if it takes all of that.
    """
    share = min(demand / done, 1.0) if done > 0 else 0.0
    own_w = share * batch_w + (1 - share) * resting * SLEEP_W
    return Draw(others_w + own_w, demand - share * done)


def _busy(run: Run) -> float:
    return run.busy


def _power_drawn(run: Run) -> float:
    return run.power_w
