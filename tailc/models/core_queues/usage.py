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
_NJ_PER_J = 1_000_000_000
_NJ_PER_UJ = 1_000


@dataclass(frozen=True)
class LevelUse:
    """A frequency, and the share of the time with requests in which cores ran at it."""

    frequency_khz: int
    share_ppm: int


@dataclass(frozen=True)
class LimitUse:
    """Shares of the time in which a chip's power limit reduced something [1e-6].

    batch_slowed_ppm, batch_stopped_ppm, requests_slowed_ppm: batch work was slowed down, batch work
    was stopped, and requests were slowed down.
    """

    batch_slowed_ppm: int
    batch_stopped_ppm: int
    requests_slowed_ppm: int


@dataclass(frozen=True)
class BatchWorkUse:
    """Batch work in a replay: its share of core time, and the server's energy per unit of it.

    share_ppm: share of core time [1e-6]. work_nj: energy of the whole server per unit of batch work
    [nJ]; None if the policy does not state the unit.
    """

    share_ppm: int
    work_nj: int | None


@dataclass(frozen=True)
class ClockUse:
    """Mean power, frequencies and batch work of the cores over time.

    `power_mw`: power of all cores, including idle ones. `frequency_khz`: of busy cores. `batch`:
    None if idle cores sleep. `limited`: None if cores share no chip.
    """

    power_mw: int
    frequency_khz: int
    levels: tuple[LevelUse, ...]
    batch: BatchWorkUse | None
    limited: LimitUse | None

    def to_dict(self) -> dict[str, Any]:
        """Convert the mean power, frequencies and batch work of cores to a JSON object."""
        batch = self.batch
        return {
            "power_mw": self.power_mw,
            "frequency_khz": self.frequency_khz,
            "levels": [asdict(one) for one in self.levels],
            "batch_ppm": batch and batch.share_ppm,
            "batch_work_nj": batch and batch.work_nj,
            "limited": self.limited and asdict(self.limited),
        }


@dataclass(frozen=True)
class CoreQueuesUse(PoweredUse):
    """Energy, control and frequencies of core queues over all replications."""

    clocks: ClockUse

    @property
    def columns(self) -> CoreQueuesColumns:
        return CoreQueuesColumns()

    def cost_us(self, load: Load) -> float:  # noqa: ARG002
        """Cost by which policies are compared: energy of a request, or of a unit of batch work."""
        batch = self.clocks.batch
        if batch is None or batch.work_nj is None:
            return self.drawn_us
        return batch.work_nj / _NJ_PER_UJ

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """The most important number: the power of all cores."""
        return Headline(HeadlineQuantity.POWER, self.clocks.power_mw)

    def to_dict(self) -> dict[str, Any]:
        """Convert energy, frequencies, and the controller's output if any, to a JSON object."""
        return {
            "cores": self.energy.to_dict(),
            "control": None if self.control is None else asdict(self.control),
            "clocks": self.clocks.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class LevelShares:
    """Power, and shares of time by frequency level, in one replay.

    power: of all cores [W]. shares: share of busy core time at each level. limited: share of the
    time by `LimitStep`, or None without a chip.
    """

    power: float
    frequency_khz: tuple[int, ...]
    shares: tuple[float, ...]
    limited: tuple[float, ...] | None


@dataclass(frozen=True)
class BatchTimes:
    """Share of core time with batch work in one replay, and energy per unit of that work [J].

    work_j: None if the unit is unknown.
    """

    share: float
    work_j: float | None


@dataclass(frozen=True, eq=False)
class CoreQueuesTimes:
    """Energy, frequencies and batch work in one replay; batch: None if idle cores sleep."""

    energy: EnergyTimes
    levels: LevelShares
    batch: BatchTimes | None


def level_times(outcome: CoreQueuesOutcome) -> LevelShares:
    """Compute the power of all cores and the shares of time by frequency level from one replay."""
    return LevelShares(
        outcome.mean_power + outcome.mean_idle_power,
        outcome.levels.frequency_khz,
        outcome.level_shares,
        None if outcome.chip is None else _limited_shares(outcome, outcome.chip),
    )


def _limited_shares(outcome: CoreQueuesOutcome, chip: ChipTimes) -> tuple[float, ...]:
    return tuple(outcome.shares_of_time(chip.limited_ns).tolist())


def clock_use(repeats: Sequence[CoreQueuesTimes]) -> ClockUse:
    """Average the power, the frequencies and the batch work of cores over all replications."""
    levels = [one.levels for one in repeats]
    shares = [fmean(share) for share in zip(*(one.shares for one in levels), strict=True)]
    by_level = list(zip(levels[0].frequency_khz, shares, strict=True))
    batch = [one.batch for one in repeats if one.batch is not None]
    return ClockUse(
        round(fmean(one.power for one in levels) * _MW_PER_W),
        round(sum(khz * at for khz, at in by_level)),
        tuple(LevelUse(khz, round(at * PPM)) for khz, at in by_level),
        _batch_use(batch) if batch else None,
        _limit_use([one.limited for one in levels if one.limited is not None]),
    )


def _batch_use(repeats: Sequence[BatchTimes]) -> BatchWorkUse:
    work_j = [one.work_j for one in repeats if one.work_j is not None]
    return BatchWorkUse(
        round(fmean(one.share for one in repeats) * PPM),
        round(fmean(work_j) * _NJ_PER_J) if work_j else None,
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
