"""A server whose cores do batch work between requests, and the chosen frequencies."""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """A server of equal cores, with the power of its parts without requests.

    Attributes:
        idle_core_mw: power of a core without requests and batch work.
        uncore_mw: power of the chip without its cores.
        rest_mw: power of the server without the chip (DRAM, disks, fans).
        tdp_mw: the thermal design power of the chip, or None.
        ipc_ppm: instructions per cycle of requests at the nominal frequency [1e-6]; None: not
            measured.
    """

    cores: int
    idle_core_mw: int
    uncore_mw: int = 0
    rest_mw: int = 0
    tdp_mw: int | None = None
    ipc_ppm: int | None = None

    def __post_init__(self) -> None:
        assert self.cores > 0
        assert min(self.idle_core_mw, self.uncore_mw, self.rest_mw) >= 0


class PairSearch(enum.Enum):
    """Method by which the most efficient pair of request and batch frequency is found.

    It is a search of all pairs, or hill climbing by steps.
    """

    ENUMERATION = "enumeration"
    HILL_CLIMBING = "hill-climbing"


@dataclass(frozen=True)
class BatchWork:
    """Batch work that a core does while it has no requests.

    power_mw: power of a core that does it, by frequency. memory_ppm: share of its cycles at the
    nominal frequency that wait for memory. throughput_ppm: work per second of a dedicated core at
    that frequency. rate_mrps: request rate of the whole server for the choice of frequencies.
    search: how they are chosen. ipc_ppm: instructions per cycle at the nominal frequency; None: not
    measured.
    """

    power_mw: tuple[int, ...]
    memory_ppm: int
    throughput_ppm: int
    rate_mrps: int
    search: PairSearch = PairSearch.ENUMERATION
    ipc_ppm: int | None = None

    def __post_init__(self) -> None:
        assert self.power_mw
        assert self.throughput_ppm > 0
        assert self.rate_mrps > 0


@dataclass(frozen=True)
class BatchPair:
    """The pair of frequencies with the most batch work per joule (Bartolini, 2015, eq. 3.3).

    least_level, level: number of the frequency level of requests, and of batch work. busy_ppm:
    share u of the time that requests then keep a core busy [1e-6]. micro_work_per_joule: batch work
    per joule, TPW, in millionths. best_levels: for each level of requests the best level of batch
    work; None if requests would overload the core. With hill climbing, all levels are local optima.
    """

    least_level: int
    level: int
    busy_ppm: int
    micro_work_per_joule: int
    best_levels: tuple[int | None, ...]


class Throttling(enum.Enum):
    """What a chip does to stay within its thermal design power.

    NONE: nothing, the power is below it. BATCH_SLOWED, BATCH_STOPPED: slow down or stop batch work.
    REQUESTS_SLOWED: also slow down cores with requests.
    """

    NONE = "none"
    BATCH_SLOWED = "batch-slowed"
    BATCH_STOPPED = "batch-stopped"
    REQUESTS_SLOWED = "requests-slowed"


@dataclass(frozen=True)
class PowerLimitEffect:
    """Effect of a chip's power limit while some of its cores serve requests.

    requests: number of these cores. unlimited_mw: power of the chip without the limit. outcome:
    what has to be slowed down or stopped. requests_khz: frequency of cores with requests; None if
    there are none. batch_khz: frequency of each core that does batch work, in order. stopped:
    number of cores whose batch work stops. power_mw: power of the chip under the limit.
    """

    requests: int
    unlimited_mw: int
    outcome: Throttling
    requests_khz: int | None
    batch_khz: tuple[int, ...]
    stopped: int
    power_mw: int
