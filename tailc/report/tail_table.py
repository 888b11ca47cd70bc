"""Tail tables as text, in customary units."""

from __future__ import annotations

from collections.abc import Callable

from tailc.forms.tail_table import Batch, TailRow, TailTable, Transition
from tailc.report.table import align_columns
from tailc.units import format_khz, format_mw, format_nj, format_percentile, format_us, plural

# The number of queue positions shown per row; the last one is always shown.
_SHOWN = 4
_NS_PER_US = 1_000
_THOUSAND, _MILLION, _BILLION = 1_000, 1_000_000, 1_000_000_000


def tail_table_text(table: TailTable) -> str:
    """Format a tail table: bound, frequency levels, behaviour of idle cores, and rows."""
    head = [
        f"bound       {format_us(table.bound_us)} for {format_percentile(table.percentile_ppm)}, "
        f"{plural(table.cores, 'core')}, up to {plural(table.positions, 'request')} at a core",
        f"idle        {idle_text(table)}",
    ]
    if table.transition is not None:
        head.append(f"transition  {transition_text(table.transition)}")
    if table.reference_khz is not None:
        head.append(f"measured    at {format_khz(table.reference_khz)}")
    cycles = _rows_text("cycles", table.cycles, cycles_text)
    memory = _rows_text("memory time", table.memory_ns, time_text)
    return "\n\n".join(("\n".join(head), levels_text(table), cycles, memory))


def levels_text(table: TailTable) -> str:
    """Format the frequencies of a tail table, one line each with the power of a core."""
    rows = [(format_khz(level.frequency_khz), format_mw(level.power_mw)) for level in table.levels]
    return align_columns([("frequency", "power"), *rows], numbers=(0, 1))


def idle_text(table: TailTable) -> str:
    """Format what a core without requests does: sleep, or run batch work."""
    sleep = f"{format_mw(table.sleep.power_mw)}, awake in {time_text(table.sleep.wake_ns)}"
    if table.batch is None:
        return f"sleeps at {sleep}"
    return f"{batch_text(table.batch)}; asleep {sleep}"


def transition_text(transition: Transition) -> str:
    """Format the cost of a frequency change: halt time and energy."""
    return f"halts {time_text(transition.halt_ns)} and takes {format_nj(transition.energy_nj)}"


def batch_text(batch: Batch) -> str:
    """Format the frequencies of batch work and of requests that share a chip with it."""
    return (
        f"batch work at {format_khz(batch.frequency_khz)} and {format_mw(batch.power_mw)}, "
        f"requests at {format_khz(batch.least_khz)} at least"
    )


def cycles_text(cycles: int) -> str:
    """Format cycles with four digits, such as `1.234 M`."""
    for unit, symbol in ((_BILLION, "G"), (_MILLION, "M"), (_THOUSAND, "k")):
        if cycles >= unit:
            return f"{cycles / unit:.4g} {symbol}"
    return str(cycles)


def time_text(time_ns: int) -> str:
    """Format a time with four digits in ns, us, ms or s."""
    for unit, symbol in ((_BILLION, "s"), (_MILLION, "ms"), (_NS_PER_US, "us")):
        if time_ns >= unit:
            return f"{time_ns / unit:.4g} {symbol}"
    return f"{time_ns} ns"


def _rows_text(what: str, rows: tuple[TailRow, ...], to_text: Callable[[int], str]) -> str:
    """Format one line per row: its first elapsed work, and the remaining work by queue position."""
    last = len(rows[0].left) - 1
    places = [*range(min(_SHOWN, last + 1)), *([last] if last >= _SHOWN else [])]
    title = ("elapsed", *(_position(place) for place in places))
    lines = [
        (to_text(row.from_elapsed), *(to_text(row.left[place]) for place in places)) for row in rows
    ]
    heading = f"remaining {what} until done, by elapsed {what}"
    return f"{heading}\n{align_columns([title, *lines], numbers=range(len(title)))}"


def _position(place: int) -> str:
    return "running" if place == 0 else f"{place} behind"
