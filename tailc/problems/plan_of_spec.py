"""Convert the spec of a plan, and its data by day, to the types of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, TailcError
from tailc.forms.plan.battery import Battery
from tailc.problems.plan import ExpectedSupply, Weights

MW_PER_KW = 1_000_000

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.specs.battery import BatterySpec
    from tailc.specs.days import HorizonSpec
    from tailc.specs.plan_weights import WeightsSpec
    from tailc.specs.supply import SupplySpec


def supply_of(days: Days) -> ExpectedSupply:
    """Read the energy supply: power as forecast at the plan's start, and actual prices and CO2."""
    from tailc.forecasts.days import MW_PER_W, whole

    _, price, carbon = days.energy.actual_supply(slice(days.first, days.first + days.epochs))
    green_mw = days.energy.expected_mw(days.first, days.epochs)
    return ExpectedSupply(green_mw, price, carbon, whole(days.scenarios, MW_PER_W))


def weights_of(spec: WeightsSpec) -> Weights:
    """Convert a spec's weights of brown energy to those of the plan's objective."""
    return Weights(spec.money, spec.energy, spec.carbon)


def battery_of(spec: BatterySpec | None) -> Battery | None:
    """Convert the battery of a spec to that of a plan; None if the spec has none."""
    if spec is None:
        return None
    return Battery(
        spec.capacity_mj,
        spec.charge_mw,
        spec.discharge_mw,
        spec.efficiency_ppm,
        spec.initial_charge_mj,
    )


def grid_of(
    supply: SupplySpec, horizon: HorizonSpec, servers: int, busy_mw: int, moved_mj: int
) -> int | None:
    """Read the power of the grid's connection; None if the spec has none.

    moved_mj: the most energy of moves of a server in an epoch. Raises TailcError (CONFLICT) if the
    servers may draw more.
    """
    grid_mw = supply.grid_mw
    least_mw = servers * (busy_mw + -(-moved_mj // horizon.epoch_s))
    if grid_mw is not None and grid_mw < least_mw:
        message = f"the grid gives {grid_mw / MW_PER_KW:,} kW, but the servers may draw "
        message += f"{least_mw / MW_PER_KW:,} kW"
        hint = f"set `grid: {-(-least_mw // MW_PER_KW)}kW` or more"
        raise TailcError(Finding(Code.CONFLICT, message, help=hint, about=("supply", "grid")))
    return grid_mw
