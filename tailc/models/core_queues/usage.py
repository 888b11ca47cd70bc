"""At which frequencies cores with a clock each ran, and what all of them drew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from tailc.artifact.envelope import Policy
from tailc.models.core_queues.clocks import Clocks
from tailc.models.outcome import Outcome
from tailc.percentiles import PPM
from tailc.traces.reading import clock_khz_of


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


_MW_PER_W = 1_000


@dataclass(frozen=True, eq=False)
class ClockTimes:
    """One replay: power of all cores [W], and by level the share of the time of busy cores.

    idle: share of the time of cores without requests.
    """

    power: float
    frequency_khz: tuple[int, ...]
    level_shares: tuple[float, ...]
    idle: float


def clock_times(outcome: Outcome) -> ClockTimes | None:
    """What a replay says; None where rungs are no levels of a clock."""
    if outcome.clock is None:
        return None
    return ClockTimes(
        outcome.mean_power + outcome.mean_idle_power,
        outcome.clock.frequency_khz,
        outcome.level_shares,
        1 - (outcome.utilization or 0.0),
    )


def clock_use(repeats: Sequence[ClockTimes], clocks: Clocks) -> ClockUse:
    """Means over all repeats."""
    by_level = zip(*(one.level_shares for one in repeats), strict=True)
    shares = [fmean(share) for share in by_level]
    frequency_khz = repeats[0].frequency_khz
    levels = [LevelUse(khz, round(at * PPM)) for khz, at in zip(frequency_khz, shares, strict=True)]
    mean_khz = sum(khz * at for khz, at in zip(frequency_khz, shares, strict=True))
    return ClockUse(
        round(fmean(one.power for one in repeats) * _MW_PER_W),
        round(mean_khz),
        tuple(levels),
        round(fmean(one.idle for one in repeats) * PPM) if clocks.table.batch is not None else None,
    )


def reference_khz(policy: Policy) -> int | None:
    """The clock at which the policy's demands were measured, or are counted; None: not told."""
    table = policy.tail_table
    told = None if table is None else table.reference_khz
    return clock_khz_of(policy.reading) if told is None else told
