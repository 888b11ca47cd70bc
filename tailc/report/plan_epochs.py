"""The epochs of a plan: a strip with a character for each, and a table with a line for each."""

from __future__ import annotations

from tailc.forms.plan.expected import expected_of
from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.forms.plan.plan import Plan
from tailc.report.table import aligned
from tailc.traces.zones import utc_text
from tailc.units import digits_text, plain_ppm, printable

# Characters of a strip: a day of half hours.
_WIDTH = 48
_TENTHS = 10


def strip_text(plan: Plan) -> str:
    """How much is green and busy by epoch, in tenths: `.` is nothing, `#` all."""
    green, total = green_of(plan)
    told = "racks on the green bus" if plan.pools[0].racks else "servers on the green bus"
    if not plan.has_buses:
        told = "green power, of all servers busy"
    busy = plan.busy.sum(axis=0).tolist()
    rows = [("by epoch, from", told, "servers busy")]
    for first in range(0, len(plan.epochs), _WIDTH):
        within = range(first, min(first + _WIDTH, len(plan.epochs)))
        rows.append(
            (
                _moment(plan, first),
                "".join(_tenth(green[epoch], total) for epoch in within),
                "".join(_tenth(busy[epoch], plan.servers) for epoch in within),
            )
        )
    return aligned(rows)


def green_of(plan: Plan) -> tuple[list[int], int]:
    """By epoch, and of how many: racks or servers on the green bus; on one bus green power, of what
    all servers draw when they are busy [mW].
    """
    if not plan.has_buses:
        total = sum(pool.servers * pool.busy_mw for pool in plan.pools)
        return [min(epoch.green_mw, total) for epoch in plan.epochs], total
    counts = [pool.racks or pool.servers for pool in plan.pools]
    firsts = [epoch.first_green_pool for epoch in plan.epochs]
    return [sum(counts[first:]) for first in firsts], sum(counts)


def epochs_text(plan: Plan) -> str:
    """Number, start, supply, green racks or servers, busy servers, demand and prices.

    Of a battery what goes in, below 0 what it gives, and what is stored at the end of the epoch.
    """
    books, (green, _) = expected_of(plan), green_of(plan)
    on_bus = "green racks" if plan.pools[0].racks else "green servers"
    title = ["epoch", "from", "green kWh", "$/kWh", "g/kWh", "draws kWh", "busy"]
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
            told_mj = plan.battery_mj[number], states_mj[number]
            row += [_kwh_text(each_mj) for each_mj in told_mj]
        rows.append([*row, *(plain_ppm(one.udollars[number]) for one in plan.prices)])
    return aligned(rows, numbers=[0, *range(2, len(title))])


def _kwh_text(energy_mj: int) -> str:
    """Four digits, and nothing below a millionth."""
    return digits_text(round(energy_mj / MJ_PER_KWH, 6), 4)


def _moment(plan: Plan, epoch: int) -> str:
    return utc_text(plan.start_unix_s + epoch * plan.epoch_s)


def _tenth(part: int, whole: int) -> str:
    """`.` where there is none, `#` where it is all, else a digit that is not more than it."""
    if part in (0, whole):
        return "#" if part else "."
    return str(part * _TENTHS // whole)
