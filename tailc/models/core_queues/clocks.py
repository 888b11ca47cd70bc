"""Cores with their own clocks, and the rule that sets the clocks."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TypeAlias

from tailc.forms.tail_table import TailTable
from tailc.models.core_queues.batch_model import BatchModel
from tailc.models.core_queues.chip import Chip


@dataclass(frozen=True)
class FixedLevel:
    """Rule of frequencies by which every request runs at one given level."""

    level: int


@dataclass(frozen=True)
class ClairvoyantRule:
    """Rule that chooses each request's frequency with all arrivals and demands known.

    It uses little energy. percentile_ppm, bound_us: share of the requests whose latency has to stay
    within the bound [1e-6], and the bound [us].
    """

    percentile_ppm: int
    bound_us: int


class HardwareObjective(enum.Enum):
    """What hardware maximises when it sets the clocks of a chip.

    It is instructions per second, or instructions per second per watt.
    """

    WORK = "work"
    WORK_PER_JOULE = "work per joule"


@dataclass(frozen=True)
class Hardware:
    """Rule by which hardware periodically sets all clocks of a chip, without data on requests.

    aim: what it maximises. every_ns: its period [ns].
    """

    aim: HardwareObjective
    every_ns: int = 100_000

    def __post_init__(self) -> None:
        assert self.every_ns > 0


Rule: TypeAlias = FixedLevel | ClairvoyantRule | Hardware


@dataclass(frozen=True)
class Clocks:
    """The cores of a tail table, and what sets their frequencies.

    table: the tail table. reference_khz: clock at which the work of requests was measured. rule:
    what sets the frequencies; None: the table. chip: what cores share, with their batch work
    instead of the table's; None if they share nothing. batch_model: speed and power of the batch
    work, if the table has any.
    """

    table: TailTable
    reference_khz: int
    rule: Rule | None = None
    chip: Chip | None = None
    batch_model: BatchModel = field(default_factory=BatchModel)

    def __post_init__(self) -> None:
        levels = len(self.table.levels)
        assert self.reference_khz > 0
        if isinstance(self.rule, FixedLevel):
            assert 0 <= self.rule.level < levels
        if self.chip is None:
            assert not isinstance(self.rule, Hardware)
            return
        # A clairvoyant rule plans one core at a time.
        assert not isinstance(self.rule, ClairvoyantRule)
        assert len(self.chip.batch) == self.table.cores
        assert all(len(each.power_mw) == levels for each in self.chip.batch if each is not None)
