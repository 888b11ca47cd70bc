"""Ladders of cores and controllers in words, with units that people think in."""

from __future__ import annotations

from collections.abc import Iterable

from tailc.forms.controller import Actuator, Controller, GainRow, percent_per_ms
from tailc.forms.ladder.table import Climb, Ladder, Power, Rule, Rung
from tailc.percentiles import PPM
from tailc.report.table import aligned
from tailc.units import format_mrps, format_percentile, format_ppm, format_us, plain_ppm, printable

_SCALED = {Actuator.CLIMB_AGES: "the ages above", Actuator.LATENCY_BOUND: "the bound above"}

_SAID = {
    Rule.REREAD_ROW: "its row follows the current number in the system",
    Rule.MAKE_ROOM: "if all cores of a type are in use, the oldest climb early",
    Rule.WAITED_START_LAST: "a request that has waited starts on its last rung",
    Rule.BUSY_PERIOD_AGE: "ages count over the busy period of a core",
}


def cores_text(ladder: Ladder, power_unit: str) -> str:
    """A line for each rung: its cores and their number, speed, power, and the time of a move.

    `power_unit` is told with the name of what is drawn. Empty for a ladder whose rungs are no
    cores.
    """
    if ladder.power is None:
        return ""
    drawn = printable(ladder.cost_units[ladder.power.unit].name) + power_unit
    title = ("rung", "on cores", "speed", drawn, "when free", "move")
    rows = [_core(rung, ladder, ladder.power) for rung in ladder.rungs]
    besides = "".join(f"; {said}" for said in _said(ladder, *_SAID))
    table = aligned([title, *rows], numbers=(2, 3, 4, 5))
    return f"{table}\na core for each request{besides}"


def taking_over_text(ladder: Ladder) -> str:
    """A line for each rule by which a request's rung hangs on more than its load and age."""
    lines = _said(ladder, Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST)
    return "".join(f"\n{line}" for line in lines)


def _said(ladder: Ladder, *rules: Rule) -> tuple[str, ...]:
    return tuple(_SAID[rule] for rule in rules if rule in ladder.rules)


def controller_text(controller: Controller) -> str:
    """What is measured, how often, the range of the output, and the gains by rate.

    Gains are percent of output by ms of error, rounded for people.
    """
    head = [
        f"controller  {format_percentile(controller.percentile_ppm)} of the last "
        f"{controller.window_requests:,} requests to {format_us(controller.target_us)}, "
        f"a step every {controller.epoch_requests:,} requests",
        f"scales      {_SCALED[controller.acts_on]}, by {format_ppm(controller.first_ppm)} at "
        f"first, then {format_ppm(controller.least_ppm)} to {format_ppm(controller.most_ppm)}",
    ]
    title = ("arrivals", "kp [%/ms]", "ki [%/ms]", "kd [%/ms]")
    rows = [_gains(row, controller.fraction_bits) for row in controller.gains]
    return "\n".join([*head, aligned([title, *rows], numbers=(1, 2, 3))])


def climbs_text(climbs: Iterable[Climb], ladder: Ladder) -> str:
    """The first rung, and each later one with its age: `slow, fast from 109 ms`."""
    names = [printable(rung.name) for rung in ladder.rungs]
    first, *later = climbs
    return ", ".join(
        [names[first.rung], *(f"{names[c.rung]} from {format_us(c.age_us)}" for c in later)]
    )


def _core(rung: Rung, ladder: Ladder, power: Power) -> tuple[str, ...]:
    held = next(
        number
        for number, unit in enumerate(ladder.cost_units)
        if unit.capacity_ppm is not None and rung.cost_ppm[number]
    )
    unit = ladder.cost_units[held]
    return (
        printable(rung.name),
        f"{(unit.capacity_ppm or 0) // PPM} {printable(unit.name)}",
        plain_ppm(rung.speed_ppm),
        plain_ppm(rung.cost_ppm[power.unit]),
        plain_ppm(power.idle_ppm[held]),
        "at once" if rung.move_us is None else format_us(rung.move_us),
    )


def _gains(row: GainRow, fraction_bits: int) -> tuple[str, ...]:
    gains = (f"{percent_per_ms(gain, fraction_bits):.4g}" for gain in (row.kp, row.ki, row.kd))
    return (f"from {format_mrps(row.first_rate_mrps)}", *gains)
