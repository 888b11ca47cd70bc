"""What cores that change their clock show besides latency: energy, control, and frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from tailc.models.core_queues.chip import Limited
from tailc.models.core_queues.columns import CoreQueuesColumns
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.models.core_queues.times import ChipTimes
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
class LimitUse:
    """Shares of the time that a chip was at its limit, by what gave way."""

    batch_slowed_ppm: int
    batch_stopped_ppm: int
    requests_slowed_ppm: int


@dataclass(frozen=True)
class ClockUse:
    """How cores with a clock each ran, in the mean over time.

    `power_mw`: of all cores, idle ones included; `frequency_khz`: of busy ones. `batch_ppm`: share
    of core time that batch work had, None where idle cores sleep. `limited`: None where cores share
    no chip.
    """

    power_mw: int
    frequency_khz: int
    levels: tuple[LevelUse, ...]
    batch_ppm: int | None
    limited: LimitUse | None


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

    batch: share of core time without requests, which batch work has where there is any; on a chip,
    what it had. limited: share of the time by `Limited`; None without a chip.
    """

    power: float
    frequency_khz: tuple[int, ...]
    shares: tuple[float, ...]
    batch: float
    limited: tuple[float, ...] | None


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
        outcome.batch_share,
        None if outcome.chip is None else _limited(outcome, outcome.chip),
    )


def _limited(outcome: CoreQueuesOutcome, chip: ChipTimes) -> tuple[float, ...]:
    return tuple(outcome.shares_of_time(chip.limited_ns).tolist())


def level_use(repeats: Sequence[LevelShares], *, has_batch: bool) -> ClockUse:
    """Means over all repeats."""
    shares = [fmean(share) for share in zip(*(one.shares for one in repeats), strict=True)]
    by_level = list(zip(repeats[0].frequency_khz, shares, strict=True))
    return ClockUse(
        round(fmean(one.power for one in repeats) * _MW_PER_W),
        round(sum(khz * at for khz, at in by_level)),
        tuple(LevelUse(khz, round(at * PPM)) for khz, at in by_level),
        round(fmean(one.batch for one in repeats) * PPM) if has_batch else None,
        _limit_use([one.limited for one in repeats if one.limited is not None]),
    )


def _limit_use(repeats: Sequence[tuple[float, ...]]) -> LimitUse | None:
    if not repeats:
        return None
    means = [round(fmean(share) * PPM) for share in zip(*repeats, strict=True)]
    return LimitUse(
        means[Limited.BATCH_SLOWED], means[Limited.BATCH_STOPPED], means[Limited.REQUESTS_SLOWED]
    )
