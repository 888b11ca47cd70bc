"""Energy and money of a datacentre, in whole millijoules and exact fractions.

In each interval the servers use green energy first. A battery may supply part of the rest of the
demand, and what remains is brown; of surplus green energy the battery may store a part, and what
remains is spilled. In each interval, and in total,

    demand = green used + discharged + brown,    green = green used + charged + spilled,

and the stored energy is the charged energy minus losses. At a negative price more energy may be
bought than is used; the rest is thrown away, and is not part of the brown energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

MJ_PER_KWH = 3_600_000_000


@dataclass(frozen=True)
class LedgerEntry:
    """The energy balance of a datacentre in one interval [mJ].

    demand_mj: drawn by all servers. green_mj: produced. charged_mj: drawn by a battery, of which
    lost_mj was not stored. discharged_mj: supplied by the battery. bought_mj: bought from the grid
    at a negative price, at least what is used; 0: no more than is used is bought.
    """

    demand_mj: int
    green_mj: int
    brown_udollars_per_kwh: int
    brown_mg_per_kwh: int
    charged_mj: int = 0
    lost_mj: int = 0
    discharged_mj: int = 0
    bought_mj: int = 0

    def __post_init__(self) -> None:
        if min(self.discharged_mj, self.brown_mj, self.spilled_mj) < 0:
            raise ValueError(
                "a battery may only charge unused green energy or replace brown energy"
            )
        if not 0 <= self.lost_mj <= self.charged_mj:
            raise ValueError("`lost_mj` must be 0 to `charged_mj`")

    @property
    def green_used_mj(self) -> int:
        """Part of the demand that green energy supplies at the time of its production [mJ]."""
        return min(self.demand_mj, self.green_mj)

    @property
    def brown_mj(self) -> int:
        """Part of an interval's demand that neither green energy nor the battery supplies [mJ]."""
        return self.demand_mj - self.green_used_mj - self.discharged_mj

    @property
    def spilled_mj(self) -> int:
        """Green energy of an interval that neither servers nor the battery use [mJ]."""
        return self.green_mj - self.green_used_mj - self.charged_mj

    @property
    def stored_mj(self) -> int:
        """Change of the energy stored in the battery during an interval [mJ]."""
        return self.charged_mj - self.lost_mj - self.discharged_mj

    @property
    def thrown_mj(self) -> int:
        """Energy of an interval that was bought at a negative price and thrown away [mJ]."""
        return max(self.bought_mj - self.brown_mj, 0)

    @property
    def brown_udollars(self) -> Fraction:
        """Cost of the energy bought in an interval, negative at a negative price [1e-6 dollars]."""
        return Fraction(self._bought_mj * self.brown_udollars_per_kwh, MJ_PER_KWH)

    @property
    def brown_mg(self) -> Fraction:
        """CO2 of the energy bought in an interval [mg]."""
        return Fraction(self._bought_mj * self.brown_mg_per_kwh, MJ_PER_KWH)

    @property
    def _bought_mj(self) -> int:
        return self.brown_mj + self.thrown_mj


@dataclass(frozen=True)
class Ledger:
    """Energy balance and cost of a datacentre over several intervals together [mJ].

    brown_udollars, brown_mg: cost [1e-6 dollars] and CO2 [mg] of the bought energy. thrown_mj:
    energy that was bought at a negative price and not used.
    """

    demand_mj: int
    green_used_mj: int
    brown_mj: int
    spilled_mj: int
    charged_mj: int
    lost_mj: int
    discharged_mj: int
    brown_udollars: Fraction
    brown_mg: Fraction
    thrown_mj: int = 0


def ledger_of(entries: Sequence[LedgerEntry]) -> Ledger:
    """Add up the entries of a ledger of money and energy over epochs, without rounding."""
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
        sum(one.thrown_mj for one in entries),
    )
