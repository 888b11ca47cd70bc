"""Cores of different speeds: number, speed and power of each type, slowest first.

A level of per-core frequency scaling is treated as a type of core, except that every core has all
levels (Haque et al., MICRO 2017, section 4: "a core type in AMP is equivalent to a core speed").
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

PPM = 1_000_000


class PowerUnit(enum.Enum):
    """Unit of powers: watts, or the peak power of a slow core."""

    WATT = "W"
    SLOW_CORE = "slow cores"


@dataclass(frozen=True)
class CoreType:
    """A type of core, or a frequency level of a core.

    count: number of cores. speed_ppm: relative to the reference core. power_ppm: of a busy core, in
    millionths of the unit of power. idle_ppm: power of a free core. move_us: time without work
    after a request moves to the type. frequency_khz: None if the spec does not state it.
    """

    name: str
    count: int
    speed_ppm: int
    power_ppm: int
    idle_ppm: int = 0
    move_us: int = 0
    frequency_khz: int | None = None

    def __post_init__(self) -> None:
        assert self.name
        assert self.count > 0
        assert self.speed_ppm > 0
        assert 0 <= self.idle_ppm <= self.power_ppm
        assert self.power_ppm > 0
        assert self.move_us >= 0


@dataclass(frozen=True)
class Cores:
    """The types of cores of a server, in order of speed.

    is_in_place: every core has all speeds (per-core DVFS), and a request changes them without
    moving; then all types have the same count. static_ppm: constant power of the chip, not part of
    the power of requests.
    """

    types: tuple[CoreType, ...]
    is_in_place: bool
    unit: PowerUnit
    static_ppm: int = 0

    def __post_init__(self) -> None:
        assert self.types
        assert all(a.speed_ppm < b.speed_ppm for a, b in itertools.pairwise(self.types))
        assert len({each.name for each in self.types}) == len(self.types)
        assert not self.is_in_place or len({each.count for each in self.types}) == 1

    @property
    def count(self) -> int:
        """Number of cores of the server, over all types."""
        if self.is_in_place:
            return self.types[0].count
        return sum(each.count for each in self.types)

    @property
    def peak_ppm(self) -> int:
        """Power with all cores busy, at the highest speed if they have several."""
        if self.is_in_place:
            return self.types[0].count * max(each.power_ppm for each in self.types)
        return sum(each.count * each.power_ppm for each in self.types)


@dataclass(frozen=True)
class DominatedType:
    """A type of core that is never useful: type `by` is faster, and work costs no more on it."""

    name: str
    by: str


def dominated_types(cores: Cores) -> tuple[DominatedType, ...]:
    """Find types on which a unit of work costs at least as much energy as on a faster type.

    Slower cores exist to save energy (Haque et al., MICRO 2017, section 4).
    """
    found = []
    for position, each in enumerate(cores.types):
        cheaper = [one for one in cores.types[position + 1 :] if _costs_no_less(each, one)]
        if cheaper:
            found.append(DominatedType(each.name, cheaper[0].name))
    return tuple(found)


def without_types(cores: Cores, names: Sequence[str]) -> Cores:
    """Remove the named types of cores."""
    return replace(cores, types=tuple(each for each in cores.types if each.name not in names))


def _costs_no_less(slow: CoreType, fast: CoreType) -> bool:
    return slow.power_ppm * fast.speed_ppm >= fast.power_ppm * slow.speed_ppm


def peak_spread(configurations: Sequence[Cores]) -> float:
    """Largest peak power over the smallest, minus 1; 0 if all are equal.

    Configurations are compared at equal peak power (Haque et al., MICRO 2017, section 6.7). Raises
    ValueError if their powers have different units.
    """
    if len({cores.unit for cores in configurations}) > 1:
        raise ValueError("powers in watts cannot be compared with powers relative to a slow core")
    peaks = [cores.peak_ppm for cores in configurations]
    return max(peaks) / min(peaks) - 1
