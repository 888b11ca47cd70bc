"""Batch work beside requests on the cores of a server, and what was chosen for it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """A server of cores alike, and what it draws beside them.

    idle_core_mw: a core without requests and batch work. uncore_mw: the chip beside its cores.
    rest_mw: the server beside the chip: DRAM, disks, fans. tdp_mw: the thermal design power of the
    chip, or None. ipc_ppm: instructions per cycle of requests at the nominal clock, in millionths;
    None: not measured.
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


class Search(enum.Enum):
    """How the frequencies of most work per joule are found: among all pairs, or by steps."""

    ENUMERATION = "enumeration"
    HILL_CLIMBING = "hill-climbing"


@dataclass(frozen=True)
class BatchWork:
    """Work that a core does while it has no requests.

    power_mw: by level, what a core draws that does it. memory_ppm: share of its cycles at the
    nominal clock that wait for memory. throughput_ppm: work a second of a core of its own at that
    clock. rate_mrps: of requests of the whole server, that frequencies are chosen for. search: how
    they are. ipc_ppm: instructions per cycle at the nominal clock; None: not measured.
    """

    power_mw: tuple[int, ...]
    memory_ppm: int
    throughput_ppm: int
    rate_mrps: int
    search: Search = Search.ENUMERATION
    ipc_ppm: int | None = None

    def __post_init__(self) -> None:
        assert self.power_mw
        assert self.throughput_ppm > 0
        assert self.rate_mrps > 0


@dataclass(frozen=True)
class BatchPair:
    """The levels of most batch work per joule (Bartolini, 2015, eq. 3.3).

    least_level: that of requests. level: that of batch work. busy_ppm: share u of the time that
    requests then keep a core busy. micro_work_per_joule: TPW in millionths. best_levels: for each
    level of requests the best of batch work, None where requests would overload the core. By hill
    climbing all of them are where a climb ended.
    """

    least_level: int
    level: int
    busy_ppm: int
    micro_work_per_joule: int
    best_levels: tuple[int | None, ...]


class Throttling(enum.Enum):
    """How far a chip has to go to stay within its thermal design power."""

    NONE = "none"
    BATCH_SLOWED = "batch-slowed"
    BATCH_STOPPED = "batch-stopped"
    REQUESTS_SLOWED = "requests-slowed"


@dataclass(frozen=True)
class Throttled:
    """A chip within its thermal design power, so many of its cores with requests.

    unlimited_mw: its power without the limit. requests_khz: None if no core has requests.
    batch_khz: of each core that does batch work, in order. stopped: cores whose batch work stops.
    """

    requests: int
    unlimited_mw: int
    outcome: Throttling
    requests_khz: int | None
    batch_khz: tuple[int, ...]
    stopped: int
    power_mw: int
