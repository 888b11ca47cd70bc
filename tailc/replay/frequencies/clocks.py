"""Cores with a clock of their own, and what sets it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tailc.forms.tail_table import TailTable


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


Rule: TypeAlias = OneLevel | Foresight


@dataclass(frozen=True)
class Clocks:
    """The cores of a tail table, and what sets their frequencies; None: the table itself.

    reference_khz: the clock at which the work of a workload was measured.
    """

    table: TailTable
    reference_khz: int
    rule: Rule | None = None

    def __post_init__(self) -> None:
        assert self.reference_khz > 0
        if isinstance(self.rule, OneLevel):
            assert 0 <= self.rule.level < len(self.table.levels)
