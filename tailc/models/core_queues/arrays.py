"""A tail table as flat arrays for the engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.tail_table import TailRow, least_level
from tailc.models.core_queues.chip_arrays import ChipTable, chip_table, no_chip
from tailc.models.core_queues.clocks import Clocks, OneLevel, Rule
from tailc.models.pools import refuse
from tailc.models.steering import Steer, Steering, lowered_steering

# The engine looks at every core after every event.
MOST_CORES = 4096
_PARTS_PER_CYCLE = 1_000_000


class ClockTable(NamedTuple):
    """What the engine reads; a NamedTuple because compiled code takes it as it is.

    follows_tails: whether the table sets the level; else each request brings its own.
    cycles_from, memory_from: (rows,), where each row begins. needed: (rows, positions), cycles left
    times 10^6, which is kHz times nanoseconds. memory_left: (rows, positions) [ns].
    least: the lowest level that requests run at, and wake_ns: how long they wait for a core without
    requests; the same for every core where there is no chip. idle_mw: of a core without requests.
    halt_ns: how long a core halts at a change of frequency, and change_nj: the energy of that.
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


class Clockwork(NamedTuple):
    """A lowered table, the rule that sets levels instead of it, and the clock of the demands."""

    table: ClockTable
    rule: Rule | None
    reference_khz: int


def clock_table(clocks: Clocks, steering: Steering | None = None) -> Clockwork:
    """The cores, lowered; without batch work an idle one sleeps, and has to wake.

    Raises TailcError for more than `MOST_CORES`, for more cores than hardware chooses for, and for
    a limit below what the chip draws with every core at its lowest level.
    """
    table = clocks.table
    if table.cores > MOST_CORES:
        refuse(f"{table.cores:,} cores cannot be replayed: at most {MOST_CORES:,}")
    # A chip's own batch work takes the place of the table's.
    batch = table.batch if clocks.chip is None else None
    wake_ns = table.sleep.wake_ns if batch is None else 0
    needed = _left(table.cycles) * _PARTS_PER_CYCLE
    lowered = ClockTable(
        follows_tails=clocks.rule is None,
        frequency_khz=np.array([level.frequency_khz for level in table.levels], np.int64),
        power_mw=np.array([level.power_mw for level in table.levels], np.int64),
        cycles_from=_froms(table.cycles),
        needed=needed,
        memory_from=_froms(table.memory_ns),
        memory_left=_left(table.memory_ns),
        bound_us=table.bound_us,
        least=least_level(table),
        idle_mw=table.sleep.power_mw if batch is None else batch.power_mw,
        wake_ns=wake_ns,
        halt_ns=table.transition.halt_ns if table.transition else 0,
        change_nj=table.transition.energy_nj if table.transition else 0,
        cores=table.cores,
        chip=no_chip(table, wake_ns) if clocks.chip is None else chip_table(clocks, clocks.chip),
        steer=lowered_steering(steering),
    )
    return Clockwork(lowered, clocks.rule, clocks.reference_khz)


def given_level(clockwork: Clockwork) -> int | None:
    """The one level at which everything runs; None where there is more to it."""
    return clockwork.rule.level if isinstance(clockwork.rule, OneLevel) else None


def adapts(clockwork: Clockwork) -> bool:
    """Whether cores are slow rather than idle where there is time."""
    return given_level(clockwork) is None


def _froms(rows: tuple[TailRow, ...]) -> NDArray[np.int64]:
    return np.array([row.from_elapsed for row in rows], np.int64)


def _left(rows: tuple[TailRow, ...]) -> NDArray[np.int64]:
    return np.array([row.left for row in rows], np.int64)
