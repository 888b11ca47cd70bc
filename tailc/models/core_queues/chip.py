"""A chip: cores that share a power limit and run their own batch work when idle.

To stay within the limit, cores are slowed or stopped in this order, no further than needed
(Bartolini, 2015, section 3.5, enforcing limits): batch work is slowed level by level, the most
memory-bound first; then it is stopped, in the same order; then all cores with requests are slowed,
one level at a time. Among equally memory-bound cores the one with the lower number comes first.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

PPM = 1_000_000
# Stands in for a level if a core sleeps or its batch work is stopped.
NOTHING = -1


class LimitStep(enum.IntEnum):
    """Measure that keeps a chip within its power limit, from none to slower requests."""

    UNCHANGED = 0
    BATCH_SLOWED = 1
    BATCH_STOPPED = 2
    REQUESTS_SLOWED = 3


@dataclass(frozen=True)
class ProgramCounters:
    """Hardware counters of a program at the reference clock.

    memory_ppm: share of cycles that wait for memory. ipc_milli: instructions in 1,000 cycles, or
    None if not measured, in which case hardware cannot compare this program with others.
    """

    memory_ppm: int
    ipc_milli: int | None = 1_000

    def __post_init__(self) -> None:
        assert 0 <= self.memory_ppm <= PPM
        assert self.ipc_milli is None or self.ipc_milli > 0


@dataclass(frozen=True)
class BatchCore:
    """The batch work that a core of a chip runs while it has no requests, instead of sleeping.

    counters: hardware counters of the batch work. power_mw: power of the core with this batch work,
    by frequency level. level: level of the batch work. least_level: lowest level of requests on the
    core, if the tail table or the batch work sets levels. taking_over_ns: delay of a request that
    stops the batch work, such as for cold caches.
    """

    counters: ProgramCounters
    power_mw: tuple[int, ...]
    level: int
    least_level: int = 0
    taking_over_ns: int = 0

    def __post_init__(self) -> None:
        assert list(self.power_mw) == sorted(self.power_mw)
        assert 0 <= self.level < len(self.power_mw)
        assert 0 <= self.least_level < len(self.power_mw)
        assert self.taking_over_ns >= 0


@dataclass(frozen=True)
class Chip:
    """A chip: its power limit, the power outside its cores, and the batch work of each core.

    requests: performance counters of the requests. batch: batch work of each core, or None if the
    core sleeps when idle. shared_mw: power of the chip apart from its cores. limit_mw: thermal
    design power, or None without a limit.
    """

    requests: ProgramCounters
    batch: tuple[BatchCore | None, ...]
    shared_mw: int = 0
    limit_mw: int | None = None

    def __post_init__(self) -> None:
        assert self.shared_mw >= 0

    @property
    def programs(self) -> tuple[ProgramCounters, ...]:
        """Counters of the requests, then of the batch work of each core that has some."""
        return (self.requests, *(one.counters for one in self.batch if one is not None))

    def least_mw(self, requests_mw: int, idle_mw: int) -> int:
        """Least power of the chip while all cores serve requests: all at the lowest level [mW].

        requests_mw: power of a core with requests at that level. idle_mw: power of a core that
        sleeps.
        """
        return self.shared_mw + len(self.batch) * max(requests_mw, idle_mw)
