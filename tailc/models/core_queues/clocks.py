"""Cores with a clock of their own, and what sets it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from tailc.forms.tail_table import TailTable
from tailc.models.core_queues.chip import Chip


@dataclass(frozen=True)
class OneLevel:
    """Every request runs at one level, by its number."""

    level: int


@dataclass(frozen=True)
class Foresight:
    """Each request runs at a level that is chosen knowing all arrivals and demands.

    As many requests stay within the bound as the percentile asks, and what they draw is little.
    """

    percentile_ppm: int
    bound_us: int


class Aim(enum.Enum):
    """What hardware makes as large as it can: instructions a second, or those by watt."""

    WORK = "work"
    WORK_PER_JOULE = "work per joule"


@dataclass(frozen=True)
class Hardware:
    """The chip sets all its clocks every so often, and knows no request from other work."""

    aim: Aim
    every_ns: int = 100_000

    def __post_init__(self) -> None:
        assert self.every_ns > 0


Rule: TypeAlias = OneLevel | Foresight | Hardware


@dataclass(frozen=True)
class Clocks:
    """The cores of a tail table, and what sets their frequencies; None: the table itself.

    reference_khz: the clock at which the work of a workload was measured. chip: what cores share,
    and their batch work, in place of the table's; None: they share nothing.
    """

    table: TailTable
    reference_khz: int
    rule: Rule | None = None
    chip: Chip | None = None

    def __post_init__(self) -> None:
        levels = len(self.table.levels)
        assert self.reference_khz > 0
        if isinstance(self.rule, OneLevel):
            assert 0 <= self.rule.level < levels
        if self.chip is None:
            assert not isinstance(self.rule, Hardware)
            return
        # Who foresees knows of one core at a time.
        assert not isinstance(self.rule, Foresight)
        assert len(self.chip.batch) == self.table.cores
        assert all(len(each.power_mw) == levels for each in self.chip.batch if each is not None)
