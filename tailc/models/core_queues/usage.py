"""Energy, control and frequencies of core queues, as shown in verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from tailc.models.core_queues.chip import LimitStep
from tailc.models.core_queues.columns import CoreQueuesColumns
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.models.core_queues.times import ChipTimes
from tailc.models.energy import EnergyTimes, PoweredUse
from tailc.models.server_load import Load
from tailc.models.usage import Headline, HeadlineQuantity
from tailc.percentiles import PPM

_MW_PER_W = 1_000


@dataclass(frozen=True)
class LevelUse:
    """A frequency, and the share of busy core time at it."""

    frequency_khz: int
    share_ppm: int


@dataclass(frozen=True)
class LimitUse:
    """Shares of the time that a chip was at its power limit, by what was reduced."""

    batch_slowed_ppm: int
    batch_stopped_ppm: int
    requests_slowed_ppm: int


@dataclass(frozen=True)
class ClockUse:
    """Means over time of cores with a clock each.

    `power_mw`: power of all cores, including idle ones. `frequency_khz`: of busy cores.
    `batch_ppm`: share of core time with batch work, or None if idle cores sleep. `limited`: None if
    cores share no chip.
    """

    power_mw: int
    frequency_khz: int
    levels: tuple[LevelUse, ...]
    batch_ppm: int | None
    limited: LimitUse | None


@dataclass(frozen=True)
class CoreQueuesUse(PoweredUse):
    """Energy, control and frequencies."""

    clocks: ClockUse

    @property
    def columns(self) -> CoreQueuesColumns:
        return CoreQueuesColumns()

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """The power of all cores."""
        return Headline(HeadlineQuantity.POWER, self.clocks.power_mw)

    def to_dict(self) -> dict[str, Any]:
        """The energy, the frequencies, and the control if there is a controller, for JSON."""
        levels = [asdict(one) for one in self.clocks.levels]
        return {
            "cores": self.energy.to_dict(),
            "control": None if self.control is None else asdict(self.control),
            "clocks": {**asdict(self.clocks), "levels": levels},
        }


@dataclass(frozen=True, eq=False)
class LevelShares:
    """Power and levels in one replay.

    power: of all cores [W]. shares: share of busy core time at each level. batch: share of core
    time without requests; on a chip, the share with batch work. limited: share of the time by
    `LimitStep`, or None without a chip.
    """

    power: float
    frequency_khz: tuple[int, ...]
    shares: tuple[float, ...]
    batch: float
    limited: tuple[float, ...] | None


@dataclass(frozen=True, eq=False)
class CoreQueuesTimes:
    """Energy and levels in one replay."""

    energy: EnergyTimes
    levels: LevelShares


def level_times(outcome: CoreQueuesOutcome) -> LevelShares:
    """Power and level shares of a replay."""
    return LevelShares(
        outcome.mean_power + outcome.mean_idle_power,
        outcome.levels.frequency_khz,
        outcome.level_shares,
        outcome.batch_share,
        None if outcome.chip is None else _limited_shares(outcome, outcome.chip),
    )


def _limited_shares(outcome: CoreQueuesOutcome, chip: ChipTimes) -> tuple[float, ...]:
    return tuple(outcome.shares_of_time(chip.limited_ns).tolist())


def level_use(repeats: Sequence[LevelShares], *, has_batch: bool) -> ClockUse:
    """Means over all replications."""
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
        means[LimitStep.BATCH_SLOWED],
        means[LimitStep.BATCH_STOPPED],
        means[LimitStep.REQUESTS_SLOWED],
    )
