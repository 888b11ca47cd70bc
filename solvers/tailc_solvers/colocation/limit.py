"""Keep a chip within its power limit (Bartolini, 2015, section 3.5, enforcing limits).

In this order, and no further than needed:

1. slow down batch cores level by level to the lowest level; start with the most memory-bound core,
   which loses least speed, then take the next one;
2. stop batch work on cores, in the same order;
3. slow down all cores with requests by one level at a time, each to its lowest at most.

Among equally memory-bound cores the first one goes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class LimitOutcome(StrEnum):
    """What had to be done to keep a chip within its power limit, or why that is impossible.

    BELOW_IDLE: the limit is below the power of the chip with all cores idle, so no frequency can
    meet it. BELOW_LEAST: the limit is above that, but below what requests need at the lowest
    frequency.
    """

    UNCHANGED = "unchanged"
    BATCH_SLOWED = "batch-slowed"
    BATCH_STOPPED = "batch-stopped"
    REQUESTS_SLOWED = "requests-slowed"
    BELOW_LEAST = "below-least"
    BELOW_IDLE = "below-idle"


@dataclass(frozen=True)
class BusyCore:
    """A core of a chip under a power limit: what it runs, its frequency level, and its power.

    Attributes:
        is_batch: whether it runs batch work; otherwise requests.
        level: frequency level, an entry of power_w; None for a core that runs nothing.
        power_w: power by level, not decreasing.
        memory: share of cycles that wait for memory, 0 to 1.
    """

    is_batch: bool
    level: int | None
    power_w: tuple[float, ...]
    memory: float = 0.0

    def __post_init__(self) -> None:
        if not self.power_w or list(self.power_w) != sorted(self.power_w):
            raise ValueError("power must be given by level, and must not fall")
        if self.level is not None and not 0 <= self.level < len(self.power_w):
            raise ValueError("level must be an entry of power_w")


@dataclass(frozen=True)
class WithinLimit:
    """Frequency levels of the cores of a chip after the power limit is enforced, and its power."""

    status: LimitOutcome
    cores: tuple[BusyCore, ...]
    power_w: float


def within_limit(
    cores: Sequence[BusyCore], limit_w: float, *, idle_core_w: float, shared_w: float = 0.0
) -> WithinLimit:
    """Slow down and stop cores until the chip's power is within the limit, as far as possible.

    idle_core_w: power of a core that runs nothing. shared_w: power of the chip outside its cores.
    """
    found = WithinLimit(LimitOutcome.UNCHANGED, tuple(cores), _power(cores, idle_core_w, shared_w))
    for status, changed in _steps(tuple(cores)):
        if found.power_w <= limit_w:
            return found
        found = WithinLimit(status, changed, _power(changed, idle_core_w, shared_w))
    if found.power_w <= limit_w:
        return found
    is_below_idle = limit_w < shared_w + len(cores) * idle_core_w
    return replace(
        found, status=LimitOutcome.BELOW_IDLE if is_below_idle else LimitOutcome.BELOW_LEAST
    )


def _power(cores: Sequence[BusyCore], idle_core_w: float, shared_w: float) -> float:
    drawn = (idle_core_w if core.level is None else core.power_w[core.level] for core in cores)
    return shared_w + sum(drawn)


def _steps(cores: tuple[BusyCore, ...]) -> Iterator[tuple[LimitOutcome, tuple[BusyCore, ...]]]:
    """The cores after each step, with the kind of step."""
    batch = [at for at, core in enumerate(cores) if core.is_batch and core.level is not None]
    batch.sort(key=lambda at: (-cores[at].memory, at))
    for at in batch:
        for level in range((cores[at].level or 0) - 1, -1, -1):
            cores = _with_level(cores, at, level)
            yield LimitOutcome.BATCH_SLOWED, cores
    for at in batch:
        cores = _with_level(cores, at, None)
        yield LimitOutcome.BATCH_STOPPED, cores
    while any(core.level for core in cores):
        cores = tuple(replace(core, level=core.level - 1) if core.level else core for core in cores)
        yield LimitOutcome.REQUESTS_SLOWED, cores


def _with_level(cores: tuple[BusyCore, ...], at: int, level: int | None) -> tuple[BusyCore, ...]:
    return (*cores[:at], replace(cores[at], level=level), *cores[at + 1 :])
