"""Schedule the battery of a plan with fixed jobs, with a proof of optimality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tailc_solvers.green.battery import BatteryLimits, dispatch

from tailc.forms.plan.plan import Battery, Plan
from tailc.forms.plan.plan_books import plan_books
from tailc.problems.plan import MG_PER_G, Weights


def with_own_battery(plan: Plan, battery: Battery | None, weights: Weights) -> Plan:
    """Add the battery of the problem, if there is one, to a plan.

    weights: of money, energy and CO2 in the cost that the battery lowers.
    """
    if battery is None:
        return plan
    of_kwh = [
        int(MG_PER_G * weights.of_kwh(epoch.brown_udollars_per_kwh, epoch.brown_mg_per_kwh))
        for epoch in plan.epochs
    ]
    return with_battery(plan, battery, of_kwh)


def saved_udollars(plan: Plan) -> int:
    """Cost of brown energy that the plan's battery saves, rounded down.

    0 without a battery.
    """
    if plan.battery is None:
        return 0
    idle = _with_flows(plan, plan.battery, [0] * len(plan.epochs))
    bills = [plan_books(one).ledger.brown_udollars for one in (idle, plan)]
    return math.floor(bills[0] - bills[1])


def with_battery(
    plan: Plan, battery: Battery, of_kwh: Sequence[int] | None = None, end_of_kwh: int = 0
) -> Plan:
    """Add the battery's schedule to a plan with fixed jobs, at the least cost of brown energy.

    of_kwh: cost of a kWh of brown energy in each epoch; None: its price. end_of_kwh: value of a kWh
    stored at the end. Replaces the plan's own battery. Raises ValueError if the energy of an epoch
    is 2^53 mJ or more.
    """
    idle = _with_flows(plan, battery, [0] * len(plan.epochs))
    demand_mj = [sum(drawn_mj) for drawn_mj in idle.drawn_mj]
    green_mj = [epoch.green_mw * plan.epoch_s for epoch in plan.epochs]
    prices = [epoch.brown_udollars_per_kwh for epoch in plan.epochs]
    weight = prices if of_kwh is None else of_kwh
    limits = BatteryLimits(
        battery.capacity_mj,
        battery.charge_mw * plan.epoch_s,
        battery.discharge_mw * plan.epoch_s,
        battery.kept_ppm,
        battery.first_mj,
    )
    rows = (np.array(row, np.int64) for row in (demand_mj, green_mj, weight))
    flows = dispatch(limits, *rows, end_weight=end_of_kwh)
    return _with_flows(plan, battery, (flows.charged_mj - flows.discharged_mj).tolist())


def _with_flows(plan: Plan, battery: Battery, battery_mj: Sequence[int]) -> Plan:
    epochs = tuple(
        replace(epoch, battery_mj=flow_mj)
        for epoch, flow_mj in zip(plan.epochs, battery_mj, strict=True)
    )
    return replace(plan, epochs=epochs, battery=battery)
