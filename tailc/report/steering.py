"""Ladders of cores and controllers as text, in customary units."""

from __future__ import annotations

from collections.abc import Iterable

from tailc.forms.controller import Actuator, Controller, GainRow, percent_per_ms
from tailc.forms.ladder.table import Climb, Ladder, Power, Rule, Rung
from tailc.percentiles import PPM
from tailc.report.table import align_columns
from tailc.units import format_mrps, format_percentile, format_ppm, format_us, plain_ppm, printable

_SCALED = {Actuator.CLIMB_AGES: "the ages above", Actuator.LATENCY_BOUND: "the bound above"}

_RULE_SENTENCES = {
    Rule.REREAD_ROW: "its row follows the current number in the system",
    Rule.MAKE_ROOM: "if all cores of a type are in use, the oldest climb early",
    Rule.WAITED_START_LAST: "a request that has waited starts on its last rung",
    Rule.BUSY_PERIOD_AGE: "ages count over the busy period of a core",
}


def cores_text(ladder: Ladder, power_unit: str) -> str:
    """Format one line per rung: core type, number of cores, speed, power and migration time.

    power_unit: appended to the title of the power. Empty if the rungs are not cores.
    """
    if ladder.power is None:
        return ""
    power_title = printable(ladder.cost_units[ladder.power.unit].name) + power_unit
    title = ("rung", "on cores", "speed", power_title, "when free", "move")
    rows = [_core(rung, ladder, ladder.power) for rung in ladder.rungs]
    suffix = "".join(f"; {sentence}" for sentence in _rule_sentences(ladder, *_RULE_SENTENCES))
    table = align_columns([title, *rows], numbers=(2, 3, 4, 5))
    return f"{table}\na core for each request{suffix}"


def special_rules_text(ladder: Ladder) -> str:
    """Format one line per rule that makes the rung depend on more than load and age."""
    lines = _rule_sentences(ladder, Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST)
    return "".join(f"\n{line}" for line in lines)


def _rule_sentences(ladder: Ladder, *rules: Rule) -> tuple[str, ...]:
    return tuple(_RULE_SENTENCES[rule] for rule in rules if rule in ladder.rules)


def controller_text(controller: Controller) -> str:
    """Format a controller: measurement, period, range of the output, and gains by rate.

    Gains are percent of output per ms of error, rounded.
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
    return "\n".join([*head, align_columns([title, *rows], numbers=(1, 2, 3))])


def climbs_text(climbs: Iterable[Climb], ladder: Ladder) -> str:
    """Format the first rung, and each later rung with its age: `slow, fast from 109 ms`."""
    names = [printable(rung.name) for rung in ladder.rungs]
    first, *later = climbs
    return ", ".join(
        [names[first.rung], *(f"{names[c.rung]} from {format_us(c.age_us)}" for c in later)]
    )


def _core(rung: Rung, ladder: Ladder, power: Power) -> tuple[str, ...]:
    core_unit = next(
        number
        for number, unit in enumerate(ladder.cost_units)
        if unit.capacity_ppm is not None and rung.cost_ppm[number]
    )
    unit = ladder.cost_units[core_unit]
    return (
        printable(rung.name),
        f"{(unit.capacity_ppm or 0) // PPM} {printable(unit.name)}",
        plain_ppm(rung.speed_ppm),
        plain_ppm(rung.cost_ppm[power.unit]),
        plain_ppm(power.idle_ppm[core_unit]),
        "at once" if rung.move_us is None else format_us(rung.move_us),
    )


def _gains(row: GainRow, fraction_bits: int) -> tuple[str, ...]:
    gains = (f"{percent_per_ms(gain, fraction_bits):.4g}" for gain in (row.kp, row.ki, row.kd))
    return (f"from {format_mrps(row.first_rate_mrps)}", *gains)
