"""What specs of plans and their days state, as the problems of this room take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.forms.plan.battery import Battery
from tailc.problems.plan import ExpectedSupply, Weights

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.specs.battery import BatterySpec
    from tailc.specs.plan_weights import WeightsSpec


def supply_of(days: Days) -> ExpectedSupply:
    """The power forecast at the plan's start, and price and CO2 as they were."""
    from tailc.forecasts.days import MW_PER_W, whole

    _, price, carbon = days.energy.brought(slice(days.first, days.first + days.epochs))
    green_mw = days.energy.expected_mw(days.first, days.epochs)
    return ExpectedSupply(green_mw, price, carbon, whole(days.scenarios, MW_PER_W))


def weights_of(asked: WeightsSpec) -> Weights:
    """What brown energy counts."""
    return Weights(asked.money, asked.energy, asked.carbon)


def battery_of(asked: BatterySpec | None) -> Battery | None:
    """The battery; None: there is none."""
    if asked is None:
        return None
    return Battery(
        asked.capacity_mj,
        asked.charge_mw,
        asked.discharge_mw,
        asked.efficiency_ppm,
        asked.initial_charge_mj,
    )
