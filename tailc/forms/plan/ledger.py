"""Energy and money of a datacentre, exactly: whole millijoules and fractions.

In each interval the servers draw green energy first, and brown energy is what that leaves; what is
produced beyond the demand is spilled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

MJ_PER_KWH = 3_600_000_000


@dataclass(frozen=True)
class Entry:
    """One interval. demand_mj: what all servers drew; green_mj: what was produced."""

    demand_mj: int
    green_mj: int
    brown_udollars_per_kwh: int
    brown_mg_per_kwh: int

    @property
    def green_used_mj(self) -> int:
        """Of the demand, what green energy met."""
        return min(self.demand_mj, self.green_mj)

    @property
    def brown_mj(self) -> int:
        """Of the demand, what it did not meet."""
        return self.demand_mj - self.green_used_mj

    @property
    def spilled_mj(self) -> int:
        """Green energy that nothing drew."""
        return self.green_mj - self.green_used_mj

    @property
    def brown_udollars(self) -> Fraction:
        """What the brown energy costs."""
        return Fraction(self.brown_mj * self.brown_udollars_per_kwh, MJ_PER_KWH)

    @property
    def brown_mg(self) -> Fraction:
        """The CO2 of the brown energy [mg]."""
        return Fraction(self.brown_mj * self.brown_mg_per_kwh, MJ_PER_KWH)


@dataclass(frozen=True)
class Ledger:
    """Sums over intervals."""

    demand_mj: int
    green_used_mj: int
    brown_mj: int
    spilled_mj: int
    brown_udollars: Fraction
    brown_mg: Fraction


def ledger_of(entries: Sequence[Entry]) -> Ledger:
    """The sums; each is exact."""
    return Ledger(
        sum(one.demand_mj for one in entries),
        sum(one.green_used_mj for one in entries),
        sum(one.brown_mj for one in entries),
        sum(one.spilled_mj for one in entries),
        sum((one.brown_udollars for one in entries), Fraction(0)),
        sum((one.brown_mg for one in entries), Fraction(0)),
    )
