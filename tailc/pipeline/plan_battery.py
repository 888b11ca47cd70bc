"""What a battery does beside a plan that is given: the schedule that saves most, proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tailc_solvers.green.battery import Limits, dispatch

from tailc.forms.plan.plan import Battery, Plan


def with_battery(
    plan: Plan, battery: Battery, of_kwh: Sequence[int] | None = None, end_of_kwh: int = 0
) -> Plan:
    """The plan, its jobs where they are, with a battery that lowers its brown energy most.

    of_kwh: what a kWh of brown energy counts in each epoch; None: its price. end_of_kwh: what one
    counts that is held at the end. A battery that the plan has is replaced. Raises ValueError where
    an epoch's energy is 2^53 mJ or more.
    """
    idle = _doing(plan, battery, [0] * len(plan.epochs))
    demand_mj = [sum(drawn_mj) for drawn_mj in idle.drawn_mj]
    green_mj = [epoch.green_mw * plan.epoch_s for epoch in plan.epochs]
    prices = [epoch.brown_udollars_per_kwh for epoch in plan.epochs]
    weight = prices if of_kwh is None else of_kwh
    limits = Limits(
        battery.capacity_mj,
        battery.charge_mw * plan.epoch_s,
        battery.discharge_mw * plan.epoch_s,
        battery.kept_ppm,
        battery.first_mj,
    )
    rows = (np.array(row, np.int64) for row in (demand_mj, green_mj, weight))
    found = dispatch(limits, *rows, end_weight=end_of_kwh)
    return _doing(plan, battery, (found.charged_mj - found.discharged_mj).tolist())


def _doing(plan: Plan, battery: Battery, battery_mj: Sequence[int]) -> Plan:
    epochs = tuple(
        replace(epoch, battery_mj=flow_mj)
        for epoch, flow_mj in zip(plan.epochs, battery_mj, strict=True)
    )
    return replace(plan, epochs=epochs, battery=battery)
