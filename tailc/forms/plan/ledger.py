"""Energy and money of a datacentre, exactly: whole millijoules and fractions.

In each interval the servers draw green energy first. What that leaves of the demand a battery may
meet, and the rest is brown; what is produced beyond the demand a battery may take, and the rest is
spilled. So in each interval, and in the sum of all,

    demand = green used + discharged + brown,    green = green used + charged + spilled,

and of what is charged all but what is lost is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

MJ_PER_KWH = 3_600_000_000


@dataclass(frozen=True)
class Entry:
    """One interval. demand_mj: what all servers drew; green_mj: what was produced.

    charged_mj: what a battery drew, of which lost_mj was not stored; discharged_mj: what it gave.
    """

    demand_mj: int
    green_mj: int
    brown_udollars_per_kwh: int
    brown_mg_per_kwh: int
    charged_mj: int = 0
    lost_mj: int = 0
    discharged_mj: int = 0

    def __post_init__(self) -> None:
        if min(self.discharged_mj, self.brown_mj, self.spilled_mj) < 0:
            raise ValueError("a battery takes green energy that is left, and gives for brown alone")
        if not 0 <= self.lost_mj <= self.charged_mj:
            raise ValueError("a battery loses no more than is charged")

    @property
    def green_used_mj(self) -> int:
        """Of the demand, what green energy met as it was produced."""
        return min(self.demand_mj, self.green_mj)

    @property
    def brown_mj(self) -> int:
        """Of the demand, what neither that nor the battery met."""
        return self.demand_mj - self.green_used_mj - self.discharged_mj

    @property
    def spilled_mj(self) -> int:
        """Green energy that neither servers nor a battery drew."""
        return self.green_mj - self.green_used_mj - self.charged_mj

    @property
    def stored_mj(self) -> int:
        """What the battery has more at the end, below 0: less."""
        return self.charged_mj - self.lost_mj - self.discharged_mj

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
    charged_mj: int
    lost_mj: int
    discharged_mj: int
    brown_udollars: Fraction
    brown_mg: Fraction


def ledger_of(entries: Sequence[Entry]) -> Ledger:
    """The sums; each is exact."""
    return Ledger(
        sum(one.demand_mj for one in entries),
        sum(one.green_used_mj for one in entries),
        sum(one.brown_mj for one in entries),
        sum(one.spilled_mj for one in entries),
        sum(one.charged_mj for one in entries),
        sum(one.lost_mj for one in entries),
        sum(one.discharged_mj for one in entries),
        sum((one.brown_udollars for one in entries), Fraction(0)),
        sum((one.brown_mg for one in entries), Fraction(0)),
    )
