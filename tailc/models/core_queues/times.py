"""Core time by frequency level and phase of a replay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ChipTimes:
    """Time of batch work on the cores of a chip, and time in which its power limit had an effect.

    batch_ns: time of batch work (phases, cores, levels). power_mw: power of a core with batch work
    (cores, levels). limited_ns: time by what the limit required, `chip.LimitStep` (phases, 4).
    """

    batch_ns: NDArray[np.float64]
    power_mw: NDArray[np.int64]
    limited_ns: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IdleChanges:
    """Cost of frequency changes of cores that had no requests.

    halted_ns: core time in which they halted, by phase of the replay (phases,). energy: energy of
    the changes (phases,) [nJ].
    """

    halted_ns: NDArray[np.float64]
    energy: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LevelTimes:
    """Core time at each level while the core held a request, including waking.

    level_ns: (phases, levels), summed over cores; phases are those of a replay. adapts: whether
    levels follow the load, so that cores slow down instead of idling.
    """

    frequency_khz: tuple[int, ...]
    level_ns: NDArray[np.float64]
    adapts: bool
