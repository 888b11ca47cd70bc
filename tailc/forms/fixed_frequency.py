"""Tail tables with which every request runs at one frequency."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.tail_table import LARGEST_BOUND_US, TailRow, TailTable, least_level

_NS_PER_US = 1_000
# One kHz for one ns is a millionth of a cycle.
_PARTS_PER_CYCLE = 1_000_000


def fixed_frequency(table: TailTable, level: int) -> TailTable:
    """A tail table that always requests the level `level`.

    The latency bound is the largest that a table can have, and each entry is just more cycles than
    the next lower level executes within this bound. Requests run at the level until they are so old
    that the rest of the bound requires the next one: with steps of 6 %, after 15 s. With more
    requests at a core than the table has positions, the highest frequency applies as usual.
    """
    cycles = 0
    if level > least_level(table):
        below_khz = table.levels[level - 1].frequency_khz
        cycles = below_khz * LARGEST_BOUND_US * _NS_PER_US // _PARTS_PER_CYCLE + 1
    return replace(
        table,
        bound_us=LARGEST_BOUND_US,
        cycles=(TailRow(0, (cycles,) * table.positions),),
        memory_ns=(TailRow(0, (0,) * table.positions),),
    )


def fixed_level(table: TailTable) -> int | None:
    """The frequency level that a table of `fixed_frequency` requests; None for other tables."""
    if table.bound_us < LARGEST_BOUND_US:
        return None
    levels = range(least_level(table), len(table.levels))
    return next((level for level in levels if fixed_frequency(table, level) == table), None)
