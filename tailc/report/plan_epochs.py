"""The epochs of a plan as text: a strip of one character per epoch, and a table."""

from __future__ import annotations

from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.forms.plan.plan import Plan
from tailc.forms.plan.plan_books import plan_books
from tailc.report.table import align_columns
from tailc.traces.zones import utc_text
from tailc.units import digits_text, plain_ppm, printable

# Characters of a line: a day of half hours.
_WIDTH = 48
_TENTHS = 10


def strip_text(plan: Plan) -> str:
    """Format green and busy shares of a plan by epoch, in tenths; `.` means none and `#` all."""
    green, total = green_by_epoch(plan)
    green_title = "racks on the green bus" if plan.pools[0].racks else "servers on the green bus"
    if not plan.has_buses:
        green_title = "green power, of all servers busy"
    busy = plan.busy.sum(axis=0).tolist()
    rows = [("by epoch, from", green_title, "servers busy")]
    for first in range(0, len(plan.epochs), _WIDTH):
        within = range(first, min(first + _WIDTH, len(plan.epochs)))
        rows.append(
            (
                _moment(plan, first),
                "".join(_tenth(green[epoch], total) for epoch in within),
                "".join(_tenth(busy[epoch], plan.servers) for epoch in within),
            )
        )
    return align_columns(rows)


def green_by_epoch(plan: Plan) -> tuple[list[int], int]:
    """Green supply of each epoch of a plan, and the supply with which all servers run green.

    With two buses, the supply is the number of racks (or servers) on the green bus. With one bus,
    it is green power [mW], capped at the power of all servers when busy.
    """
    if not plan.has_buses:
        total = sum(pool.servers * pool.busy_mw for pool in plan.pools)
        return [min(epoch.green_mw, total) for epoch in plan.epochs], total
    counts = [pool.racks or pool.servers for pool in plan.pools]
    firsts = [epoch.first_green_pool for epoch in plan.epochs]
    return [sum(counts[first:]) for first in firsts], sum(counts)


def epochs_text(plan: Plan) -> str:
    """Format a plan by epoch: start, supply, prices, demand, busy servers and green servers.

    A battery adds the energy that it takes (negative: gives) and its charge at the epoch's end.
    """
    books, (green, _) = plan_books(plan), green_by_epoch(plan)
    on_bus = "green racks" if plan.pools[0].racks else "green servers"
    title = ["epoch", "from", "green kWh", "$/kWh", "g/kWh", "used kWh", "busy"]
    title += [on_bus] if plan.has_buses else []
    title += ["battery kWh", "stored kWh"] if plan.battery else []
    title += [f"$ {printable(pool.name)}" for pool in plan.pools]
    states_mj = plan.battery.states_mj(plan.battery_mj) if plan.battery else ()
    rows = [title]
    busy = plan.busy.sum(axis=0).tolist()
    for number, (epoch, entry) in enumerate(zip(plan.epochs, books.entries, strict=True)):
        row = [
            str(number),
            _moment(plan, number),
            _kwh_text(entry.green_mj),
            plain_ppm(epoch.brown_udollars_per_kwh),
            digits_text(epoch.brown_mg_per_kwh / 1_000, 4),
            _kwh_text(entry.demand_mj),
            str(busy[number]),
        ]
        row += [str(green[number])] if plan.has_buses else []
        if states_mj:
            charge_mj = plan.battery_mj[number], states_mj[number]
            row += [_kwh_text(each_mj) for each_mj in charge_mj]
        rows.append([*row, *(plain_ppm(one.udollars[number]) for one in plan.prices)])
    return align_columns(rows, numbers=[0, *range(2, len(title))])


def _kwh_text(energy_mj: int) -> str:
    """Format an energy in kWh with four digits; below 1e-6 kWh it is 0."""
    return digits_text(round(energy_mj / MJ_PER_KWH, 6), 4)


def _moment(plan: Plan, epoch: int) -> str:
    return utc_text(plan.start_unix_s + epoch * plan.epoch_s)


def _tenth(part: int, whole: int) -> str:
    """Tenths of `whole`, rounded down: `.` for none, `#` for all."""
    if part in (0, whole):
        return "#" if part else "."
    return str(part * _TENTHS // whole)
