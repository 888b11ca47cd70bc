"""Convert a tail table to flat arrays for the engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.tail_table import TailRow, TailTable, least_level, level_at
from tailc.models.core_queues import hardware
from tailc.models.core_queues.chip import NOTHING, BatchCore, Chip
from tailc.models.core_queues.clocks import Clocks, FixedLevel, Hardware, Rule
from tailc.models.pools import NEVER_NS, refuse
from tailc.models.steering import Steer, Steering, steering_arrays


class ChipTable(NamedTuple):
    """A chip as arrays for compiled code: its limits, and each core's state without requests.

    Attributes:
        is_shared: whether there is a chip; otherwise cores are independent.
        least: lowest frequency level of requests on each core, if the tail table sets levels
            (cores,).
        takes_ns: time from the arrival at an idle core until service begins (cores,).
        batch_level: level of each core's batch work, NOTHING if the core sleeps (cores,).
        batch_mw: power of each core with batch work (cores, levels).
        order: cores with batch work, the most memory-bound first.
        shared_mw: power of the chip outside its cores.
        limit_mw: power limit of the chip.
        every_ns: period at which hardware sets the levels, 0 if it does not.
        chosen: level of each core that hardware chooses in each state, as from
            `hardware.levels_by_state` (states, cores).
    """

    is_shared: bool
    least: NDArray[np.int64]
    takes_ns: NDArray[np.int64]
    batch_level: NDArray[np.int64]
    batch_mw: NDArray[np.int64]
    order: NDArray[np.int64]
    shared_mw: int
    limit_mw: int
    every_ns: int
    chosen: NDArray[np.int64]


def no_chip(table: TailTable, wake_ns: int) -> ChipTable:
    """Make the arrays for independent cores, which share no chip.

    An idle core takes `wake_ns` to wake.
    """
    cores, batch = table.cores, table.batch
    batch_level = NOTHING if batch is None else level_at(table, batch.frequency_khz)
    return ChipTable(
        is_shared=False,
        least=np.full(cores, least_level(table), np.int64),
        takes_ns=np.full(cores, wake_ns, np.int64),
        batch_level=np.full(cores, batch_level, np.int64),
        batch_mw=np.zeros((0, 0), np.int64),
        order=np.zeros(0, np.int64),
        shared_mw=0,
        limit_mw=NEVER_NS,
        every_ns=0,
        chosen=np.zeros((0, 0), np.int64),
    )


def chip_table(clocks: Clocks, chip: Chip) -> ChipTable:
    """Convert a chip, its batch work and its power limit to arrays for compiled code.

    Raises TailcError for more cores than the hardware rule can enumerate, and for a power limit
    below what the chip draws with requests on every core at the lowest level.
    """
    table, rule = clocks.table, clocks.rule
    _check_limit(clocks, chip)
    is_hardware = isinstance(rule, Hardware)
    if is_hardware and table.cores > hardware.MOST_CORES:
        refuse(
            f"frequencies that hardware chooses are computed for {hardware.MOST_CORES} cores at "
            f"most, not for {table.cores:,}"
        )
    chosen = np.zeros((0, 0), np.int64)
    if is_hardware:
        chosen = hardware.levels_by_state(table, chip, clocks.reference_khz, rule.aim)
    working = [(k, one) for k, one in enumerate(chip.batch) if one is not None]
    working.sort(key=lambda each: (-each[1].counters.memory_ppm, each[0]))
    sleeps = BatchCore(chip.requests, (0,) * len(table.levels), 0)
    return ChipTable(
        is_shared=True,
        least=_of_each(0 if one is None else one.least_level for one in chip.batch),
        takes_ns=_of_each(
            table.sleep.wake_ns if one is None else one.taking_over_ns for one in chip.batch
        ),
        batch_level=_of_each(NOTHING if one is None else one.level for one in chip.batch),
        batch_mw=np.array([(one or sleeps).power_mw for one in chip.batch], np.int64),
        order=_of_each(k for k, _ in working),
        shared_mw=chip.shared_mw,
        limit_mw=NEVER_NS if chip.limit_mw is None else chip.limit_mw,
        every_ns=rule.every_ns if is_hardware else 0,
        chosen=chosen,
    )


def _check_limit(clocks: Clocks, chip: Chip) -> None:
    table = clocks.table
    least_mw = chip.least_mw(table.levels[0].power_mw, table.sleep.power_mw)
    if chip.limit_mw is not None and chip.limit_mw < least_mw:
        refuse(
            f"a chip cannot be kept within {chip.limit_mw:,} mW: with requests on every core at "
            f"the lowest frequency it uses {least_mw:,} mW"
        )


def _of_each(values: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(values), np.int64)


# The engine scans all cores after every event.
MOST_CORES = 4096
_PARTS_PER_CYCLE = 1_000_000


class ClockTable(NamedTuple):
    """A tail table, its cores and its controller as arrays for the replay of core queues.

    A row is a range of work that the running request has done, a position is a place in the queue.

    Attributes:
        follows_tails: whether the table sets the frequency level; otherwise each request has its
            own.
        frequency_khz, power_mw: frequency, and power of a core with a request, by level (levels,).
        cycles_from, memory_from: work and memory time done at which each row begins (rows,).
        needed: remaining cycles until each position is done, times 10^6, which is kHz times ns
            (rows, positions).
        memory_left: remaining memory time [ns] (rows, positions).
        bound_us: bound on latency.
        least: lowest level of a running request.
        idle_mw: power of a core without requests.
        wake_ns: time to wake a core that had no request. It and `least` hold for every core unless
            there is a chip.
        halt_ns, change_nj: how long a core halts at a change of frequency, and energy of the
            change.
        cores: number of cores.
        chip: what the cores share.
        steer: the controller of the bound.
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
    """Cores with their own queues in the form that the replay engine reads.

    table: the tail table as arrays. rule: a rule that sets frequencies instead of the table, or
    None. reference_khz: clock at which demands were measured.
    """

    table: ClockTable
    rule: Rule | None
    reference_khz: int


def clock_table(clocks: Clocks, steering: Steering | None = None) -> CoreQueueArrays:
    """Convert cores and their controller to arrays.

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
    """The frequency level at which every request runs, or None if levels vary."""
    return arrays.rule.level if isinstance(arrays.rule, FixedLevel) else None


def adapts(arrays: CoreQueueArrays) -> bool:
    """Whether cores lower their frequency, instead of idling, when requests have slack."""
    return single_level(arrays) is None


def _froms(rows: tuple[TailRow, ...]) -> NDArray[np.int64]:
    return np.array([row.from_elapsed for row in rows], np.int64)


def _remaining_times(rows: tuple[TailRow, ...]) -> NDArray[np.int64]:
    return np.array([row.left for row in rows], np.int64)
