"""A chip whose cores share a limit of power, and do batch work of their own without requests.

Beyond the limit cores give way in this order, and no further than needed (Bartolini, 2015, section
3.5, enforcing limits): batch work is slowed, the most memory-bound first, level by level to the
lowest; then it is taken off cores, in the same order; then all cores with requests are slowed, one
level at a time. Of equally memory-bound cores that of the lower number comes first.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

PPM = 1_000_000
# In place of a level: a core that sleeps, or whose batch work was taken off it.
NOTHING = -1


class Limited(enum.IntEnum):
    """How far a chip has to go to stay within its limit."""

    UNCHANGED = 0
    BATCH_SLOWED = 1
    BATCH_STOPPED = 2
    REQUESTS_SLOWED = 3


@dataclass(frozen=True)
class Counters:
    """What hardware counts of a program at the reference clock.

    memory_ppm: share of the cycles that wait for memory. ipc_milli: instructions in 1,000 cycles;
    None: not measured, so hardware cannot weigh this program against others.
    """

    memory_ppm: int
    ipc_milli: int | None = 1_000

    def __post_init__(self) -> None:
        assert 0 <= self.memory_ppm <= PPM
        assert self.ipc_milli is None or self.ipc_milli > 0


@dataclass(frozen=True)
class BatchCore:
    """Batch work of a core, which does not sleep.

    power_mw: by level, of the core that does it. level: at which it is done, and least_level: the
    lowest of requests beside it, where the tail table or batch work itself sets levels.
    taking_over_ns: how long a request that stops it waits, for caches to fill again, say.
    """

    counters: Counters
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
    """The cores of a tail table on one chip.

    requests: counters of all requests. batch: of each core; None: it sleeps without requests.
    shared_mw: of the chip beside its cores. limit_mw: thermal design power; None: no limit.
    """

    requests: Counters
    batch: tuple[BatchCore | None, ...]
    shared_mw: int = 0
    limit_mw: int | None = None

    def __post_init__(self) -> None:
        assert self.shared_mw >= 0

    @property
    def programs(self) -> tuple[Counters, ...]:
        """Counters of requests, and of the batch work of each core that has any."""
        return (self.requests, *(one.counters for one in self.batch if one is not None))

    def least_mw(self, requests_mw: int, idle_mw: int) -> int:
        """What the chip draws at most with batch work stopped and requests at the lowest level."""
        return self.shared_mw + len(self.batch) * max(requests_mw, idle_mw)
