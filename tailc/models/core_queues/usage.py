"""What cores that change their clock show besides latency: energy, control, and frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from tailc.models.core_queues.columns import CoreQueuesColumns
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.models.energy import EnergyTimes, PoweredUse
from tailc.models.server_load import Load
from tailc.models.usage import Headline, Quantity
from tailc.percentiles import PPM

_MW_PER_W = 1_000


@dataclass(frozen=True)
class LevelUse:
    """A frequency, and the share of the time of busy cores that was spent at it."""

    frequency_khz: int
    share_ppm: int


@dataclass(frozen=True)
class ClockUse:
    """How cores with a clock each ran, in the mean over time.

    `power_mw`: of all cores, idle ones included; `frequency_khz`: of busy ones. `batch_ppm`: share
    of core time that batch work had, None where idle cores sleep.
    """

    power_mw: int
    frequency_khz: int
    levels: tuple[LevelUse, ...]
    batch_ppm: int | None


@dataclass(frozen=True)
class CoreQueuesUse(PoweredUse):
    """Energy, what steers, and frequencies."""

    clocks: ClockUse

    @property
    def columns(self) -> CoreQueuesColumns:
        """Energy in the place of threads."""
        return CoreQueuesColumns()

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """Power of all cores."""
        return Headline(Quantity.POWER, self.clocks.power_mw)

    def to_dict(self) -> dict[str, Any]:
        """Energy, frequencies, and control where there is any."""
        levels = [asdict(one) for one in self.clocks.levels]
        return {
            "cores": self.energy.to_dict(),
            "control": None if self.control is None else asdict(self.control),
            "clocks": {**asdict(self.clocks), "levels": levels},
        }


@dataclass(frozen=True, eq=False)
class LevelShares:
    """One replay: power of all cores [W], and by level the share of the time of busy cores.

    idle: share of the time of cores without requests.
    """

    power: float
    frequency_khz: tuple[int, ...]
    shares: tuple[float, ...]
    idle: float


@dataclass(frozen=True, eq=False)
class CoreQueuesTimes:
    """One replay: energy, and the time at each level."""

    energy: EnergyTimes
    levels: LevelShares


def level_times(outcome: CoreQueuesOutcome) -> LevelShares:
    """What a replay says."""
    return LevelShares(
        outcome.mean_power + outcome.mean_idle_power,
        outcome.levels.frequency_khz,
        outcome.level_shares,
        1 - outcome.utilization,
    )


def level_use(repeats: Sequence[LevelShares], *, has_batch: bool) -> ClockUse:
    """Means over all repeats."""
    shares = [fmean(share) for share in zip(*(one.shares for one in repeats), strict=True)]
    by_level = list(zip(repeats[0].frequency_khz, shares, strict=True))
    return ClockUse(
        round(fmean(one.power for one in repeats) * _MW_PER_W),
        round(sum(khz * at for khz, at in by_level)),
        tuple(LevelUse(khz, round(at * PPM)) for khz, at in by_level),
        round(fmean(one.idle for one in repeats) * PPM) if has_batch else None,
    )
