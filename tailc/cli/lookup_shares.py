"""The part of `tailc lookup` for CPU shares: the share of each machine, and its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.lookup_query import SharesQuery
from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from tailc.forms.shares import Shares
    from tailc.forms.shares_step import HostState

_MILLI = 1_000


def look_up(shares: Shares, query: SharesQuery) -> CommandOutcome:
    """Look up CPU shares of machines: after one controller step per measured throughput.

    Steps start from the initial state.
    """
    from tailc.forms.shares_step import cannot_meet, first_state

    state = first_state(shares)
    for measured in query.throughput:
        state = _after_a_step(shares, state, measured)
    flags = iter(cannot_meet(shares, state))
    models = iter(state.machines)
    rows, machines = [("machine", "share", "target", "a", "b")], []
    for machine, granted_ppm in zip(shares.machines, state.granted_ppm, strict=True):
        line: dict[str, object] = {"name": machine.name, "granted_ppm": granted_ppm}
        cells = (machine.name, _percent(granted_ppm), "the rest", "", "")
        if machine.target_milli is not None:
            model, per_level = next(models).estimate, machine.target_milli / _MILLI
            a, b = model.believed_a, model.believed_b * per_level
            line |= {"a": a, "b": b, "cannot_meet": next(flags)}
            cells = (machine.name, _percent(granted_ppm), *_words(machine.target_milli, a, b))
        machines.append(line)
        rows.append(cells)
    result: dict[str, object] = {"ticks": state.ticks, "machines": machines}
    return CommandOutcome(text=_text(rows, machines), result=result)


def _after_a_step(shares: Shares, state: HostState, measured: tuple[int, ...]) -> HostState:
    """The state after one step; the measured throughput is the same at each tick of it."""
    from tailc.forms.shares_step import lag_ticks, tick

    if len(measured) != len(shares.served_machines):
        names = ", ".join(machine.name for machine in shares.served_machines)
        message = (
            f"`--throughput` needs {len(shares.served_machines)} rates, one for each of: {names}"
        )
        raise click.UsageError(message)
    for _ in range(lag_ticks(shares)):
        state = tick(shares, state, [milli / _MILLI for milli in measured])
    return state


def _words(target_milli: int, a: float, b: float) -> tuple[str, str, str]:
    from tailc.units import format_mrps

    return format_mrps(target_milli), f"{a:.4g}", f"{b:.4g}/s"


def _percent(ppm: int) -> str:
    from tailc.units import format_ppm

    return format_ppm(ppm)


def _text(rows: list[tuple[str, ...]], machines: list[dict[str, object]]) -> str:
    from tailc.report.table import align_columns
    from tailc.units import printable

    table = align_columns([tuple(map(printable, row)) for row in rows], (1, 2, 3, 4))
    short = [str(line["name"]) for line in machines if line.get("cannot_meet")]
    return "\n".join([table, *(f"{printable(name)} cannot meet its target" for name in short)])
