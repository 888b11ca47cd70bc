"""Where the time of cores with a clock went."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ChipTimes:
    """What the cores of a chip did without requests, and how far its limit made them go.

    batch_ns: (phases, cores, levels), of batch work. power_mw: (cores, levels), what it draws.
    limited_ns: (phases, 4), by `chip.Limited`.
    """

    batch_ns: NDArray[np.float64]
    power_mw: NDArray[np.int64]
    limited_ns: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IdleChanges:
    """What changes of frequency cost while cores held no requests.

    halted_ns: (phases,), of core time. energy: (phases,) [nJ].
    """

    halted_ns: NDArray[np.float64]
    energy: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LevelTimes:
    """Core time at each level, while the core held a request, waking included.

    level_ns: (phases, levels), over cores and time. adapts: whether levels follow what there is to
    do, so that cores are slow rather than idle.
    """

    frequency_khz: tuple[int, ...]
    level_ns: NDArray[np.float64]
    adapts: bool
