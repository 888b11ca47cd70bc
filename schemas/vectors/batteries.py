"""Plans with a battery behind the vectors of schema 1.5."""

from __future__ import annotations

from dataclasses import replace

from plans import LARGEST, cluster_plan, racks_plan

from tailc.forms.plan.plan import (
    PPM,
    Battery,
    Epoch,
    Plan,
    PlannedJob,
    Pool,
    PoolPrices,
    Span,
    Terms,
)

_KWH = 3_600_000_000


def battery_plan() -> Plan:
    """A cluster whose jobs grow and shrink, and a battery that loses a seventh or so."""
    return _with_battery(cluster_plan(), Battery(_KWH, 600_000, 400_000, 853_217, 200_000_001))


def racks_battery_plan() -> Plan:
    """Two buses; the battery is full at first and loses nothing."""
    return _with_battery(racks_plan(), Battery(_KWH, 2_000_000, 3_000_000, PPM, _KWH))


def extreme_battery_plan() -> Plan:
    """Every number of the battery at a limit: the whole of an epoch's energy goes in, and out."""
    pools = (Pool("only", 1, LARGEST, 0, 0),)
    epochs = tuple(Epoch(LARGEST * (1 - busy), LARGEST, LARGEST, None) for busy in (0, 1, 0, 1, 1))
    job = PlannedJob("all", (Span(0, 1, 1, 1), Span(0, 3, 2, 1)), 0)
    prices, terms = (PoolPrices((0,) * len(epochs)),), Terms(0, 0, 0)
    plan = Plan(0, 1, pools, epochs, (job,), prices, terms, None, 0)
    return _with_battery(plan, Battery(LARGEST, LARGEST, LARGEST, PPM - 1, 0))


def _with_battery(plan: Plan, battery: Battery) -> Plan:
    """The plan with a battery that takes all that is left, and gives all that is missing."""
    state_mj, epochs = battery.first_mj, []
    for epoch, drawn_mj in zip(plan.epochs, plan.drawn_mj, strict=True):
        spare_mj = epoch.green_mw * plan.epoch_s - sum(drawn_mj)
        room_mj = (battery.capacity_mj - state_mj) * PPM // battery.kept_ppm
        into_mj = min(spare_mj, battery.charge_mw * plan.epoch_s, room_mj)
        out_mj = min(-spare_mj, battery.discharge_mw * plan.epoch_s, state_mj)
        flow_mj = into_mj if spare_mj > 0 else -out_mj
        state_mj += flow_mj * battery.kept_ppm // PPM if flow_mj > 0 else flow_mj
        epochs.append(replace(epoch, battery_mj=flow_mj))
    return replace(plan, epochs=tuple(epochs), battery=battery)
