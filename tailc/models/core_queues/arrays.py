"""Convert a tail table to flat arrays for the engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.tail_table import TailRow, least_level
from tailc.models.core_queues.chip_arrays import ChipTable, chip_table, no_chip
from tailc.models.core_queues.clocks import Clocks, FixedLevel, Rule
from tailc.models.pools import refuse
from tailc.models.steering import Steer, Steering, steering_arrays

# The engine scans all cores after every event.
MOST_CORES = 4096
_PARTS_PER_CYCLE = 1_000_000


class ClockTable(NamedTuple):
    """Arrays that the engine reads; a NamedTuple because numba accepts one as an argument.

    follows_tails: whether the table sets the level; otherwise each request brings its own.
    cycles_from, memory_from: (rows,), where each row begins. needed: (rows, positions), remaining
    cycles times 10^6, which is kHz times nanoseconds. memory_left: (rows, positions) [ns]. least:
    lowest level of a running request. wake_ns: time to wake a core that had no request. Both hold
    for every core unless there is a chip. idle_mw: power of a core without requests. halt_ns: how
    long a core halts at a change of frequency. change_nj: energy of that change.
    """

    follows_tails: bool
    frequency_khz: NDArray[np.int64]
    power_mw: NDArray[np.int64]
    cycles_from: NDArray[np.int64]
    needed: NDArray[np.int64]
    memory_from: NDArray[np.int64]
    memory_left: NDArray[np.int64]
    bound_us: int
    least: int
    idle_mw: int
    wake_ns: int
    halt_ns: int
    change_nj: int
    cores: int
    chip: ChipTable
    steer: Steer


class CoreQueueArrays(NamedTuple):
    """Arrays of a tail table, the rule that sets levels instead of it, and the demands' clock."""

    table: ClockTable
    rule: Rule | None
    reference_khz: int


def clock_table(clocks: Clocks, steering: Steering | None = None) -> CoreQueueArrays:
    """Convert cores and steering to arrays. Without batch work an idle core sleeps and must wake.

    Raises TailcError for more than `MOST_CORES` cores, for more cores than the hardware rule can
    enumerate, and for a power limit below what the chip draws with every core at its lowest level.
    """
    table = clocks.table
    if table.cores > MOST_CORES:
        refuse(f"{table.cores:,} cores cannot be replayed; the limit is {MOST_CORES:,}")
    # Batch work of the chip replaces that of the table.
    batch = table.batch if clocks.chip is None else None
    wake_ns = table.sleep.wake_ns if batch is None else 0
    needed = _remaining_times(table.cycles) * _PARTS_PER_CYCLE
    lowered = ClockTable(
        follows_tails=clocks.rule is None,
        frequency_khz=np.array([level.frequency_khz for level in table.levels], np.int64),
        power_mw=np.array([level.power_mw for level in table.levels], np.int64),
        cycles_from=_froms(table.cycles),
        needed=needed,
        memory_from=_froms(table.memory_ns),
        memory_left=_remaining_times(table.memory_ns),
        bound_us=table.bound_us,
        least=least_level(table),
        idle_mw=table.sleep.power_mw if batch is None else batch.power_mw,
        wake_ns=wake_ns,
        halt_ns=table.transition.halt_ns if table.transition else 0,
        change_nj=table.transition.energy_nj if table.transition else 0,
        cores=table.cores,
        chip=no_chip(table, wake_ns) if clocks.chip is None else chip_table(clocks, clocks.chip),
        steer=steering_arrays(steering),
    )
    return CoreQueueArrays(lowered, clocks.rule, clocks.reference_khz)


def single_level(arrays: CoreQueueArrays) -> int | None:
    """The level at which everything runs, or None if levels vary."""
    return arrays.rule.level if isinstance(arrays.rule, FixedLevel) else None


def adapts(arrays: CoreQueueArrays) -> bool:
    """Whether cores slow down instead of idling when requests have slack."""
    return single_level(arrays) is None


def _froms(rows: tuple[TailRow, ...]) -> NDArray[np.int64]:
    return np.array([row.from_elapsed for row in rows], np.int64)


def _remaining_times(rows: tuple[TailRow, ...]) -> NDArray[np.int64]:
    return np.array([row.left for row in rows], np.int64)
