"""A battery in a replay: it stores surplus green energy and discharges by a price rule.

All green energy that servers do not use charges it, within its power and capacity. It discharges in
place of brown energy while the price of that is at or above a threshold. The threshold comes from a
plan: the lowest price at which the plan itself discharges. So energy is saved for expensive hours,
but not longer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tailc.forms.plan.battery import Battery
from tailc.forms.plan.ledger import LedgerEntry
from tailc.forms.plan.plan import Plan


@dataclass(frozen=True)
class Storage:
    """A battery and the price at which it discharges.

    least_udollars_per_kwh: it discharges at this price of brown energy and above; 0: always; None:
    never.
    """

    battery: Battery
    least_udollars_per_kwh: int | None = 0


def storage_of(plan: Plan) -> Storage | None:
    """The battery of a plan with the lowest price at which the plan discharges, or None."""
    if plan.battery is None:
        return None
    prices = [epoch.brown_udollars_per_kwh for epoch in plan.epochs if (epoch.battery_mj or 0) < 0]
    return Storage(plan.battery, min(prices, default=None))


@dataclass(eq=False)
class Books:
    """The ledger of a replay under construction, and the battery's charge after its last entry.

    grid_mw: power that is bought at negative prices; None: negative prices count as 0.
    """

    storage: Storage | None
    grid_mw: int | None = None
    entries: list[LedgerEntry] = field(default_factory=list)
    held_mj: int = field(init=False)

    def __post_init__(self) -> None:
        self.held_mj = self.storage.battery.first_mj if self.storage else 0

    def add(
        self, demand_mj: int, green_mj: int, udollars_per_kwh: int, mg_per_kwh: int, length_s: int
    ) -> None:
        """Add an interval of a replay to the ledger: energy, battery, cost and CO2.

        demand_mj: energy drawn by servers. green_mj: green energy. udollars_per_kwh, mg_per_kwh:
        price and CO2 of brown energy. length_s: duration [s].
        """
        charged_mj = given_mj = kept_mj = 0
        if self.storage is not None:
            battery = self.storage.battery
            charged_mj = self._charged_mj(battery, green_mj - demand_mj, length_s)
            kept_mj = battery.stored_mj(charged_mj)
            missing_mj = demand_mj - green_mj
            given_mj = self._given_mj(self.storage, missing_mj, udollars_per_kwh, length_s)
        self.held_mj += kept_mj - given_mj
        lost_mj = charged_mj - kept_mj
        bought_mj = 0
        if self.grid_mw is None:
            udollars_per_kwh = max(udollars_per_kwh, 0)
        elif udollars_per_kwh < 0:
            bought_mj = self.grid_mw * length_s
        flows = {"charged_mj": charged_mj, "lost_mj": lost_mj, "discharged_mj": given_mj}
        flows["bought_mj"] = bought_mj
        self.entries.append(LedgerEntry(demand_mj, green_mj, udollars_per_kwh, mg_per_kwh, **flows))

    def _charged_mj(self, battery: Battery, left_mj: int, length_s: int) -> int:
        """Energy to charge, at most what fills the battery; 0 if it would add nothing."""
        most_mj = min(max(left_mj, 0), battery.charge_mw * length_s)
        room_mj = battery.capacity_mj - self.held_mj
        return battery.to_charge_mj(min(battery.stored_mj(most_mj), room_mj))

    def _given_mj(
        self, storage: Storage, missing_mj: int, udollars_per_kwh: int, length_s: int
    ) -> int:
        least = storage.least_udollars_per_kwh
        if least is None or udollars_per_kwh < least:
            return 0
        most_mj = storage.battery.discharge_mw * length_s
        return min(max(missing_mj, 0), most_mj, self.held_mj)
