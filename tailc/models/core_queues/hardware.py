"""Frequency levels that hardware sets for the most work within a power limit, blind to requests.

Each core runs requests, its batch work, or nothing. For every such state of the chip

    maximise   sum_k I_k(l_k) - price sum_k P_k(l_k)   over the levels l_k
    s.t.       shared + sum_k P_k(l_k) <= limit,

with I in instructions per second and P in watts. Price 0 gives the most work (HW-T of Bartolini,
2015, section 3.9.2). For the most work per joule, sum I / (shared + sum P), the optimum is that of
the price equal to its own value (HW-TPW; Dinkelbach, Management Science 1967). Instructions per
second follow from instructions per cycle and the share m that waits for memory: the speed of a
level is f / (m f + (1 - m) f0).

The dissertation uses IPC for both. In cycles of a core's own clock, memory-bound work would always
do most at the lowest clock; aggregate throughput counts time.

The choice is exact: it combines each choice for half of the cores with the best choice for the
other half within the rest of the limit. Ties go to the first choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.tail_table import TailTable
from tailc.models.core_queues.chip import NOTHING, PPM, Chip, ProgramCounters
from tailc.models.core_queues.clocks import HardwareObjective

# All combinations for half of the cores are enumerated.
MOST_CORES = 8
_PRICES = 64

Floats = NDArray[np.float64]


class _Options(NamedTuple):
    """What a core may do: level, instructions per second in millions, watts; each (options,)."""

    level: NDArray[np.int64]
    work: Floats
    power_w: Floats


def levels_by_state(
    table: TailTable, chip: Chip, reference_khz: int, aim: HardwareObjective
) -> NDArray[np.int64]:
    """Frequency level of each core that hardware chooses in each state of the chip.

    Returns int64 (2^cores, cores). Bit k of a state is set while core k has requests. The level is
    NOTHING for a core with nothing to do. If even the lowest levels exceed the power limit, these
    are used. aim: what the hardware maximises. reference_khz: clock at which work was measured.
    """
    assert table.cores <= MOST_CORES
    power_mw = [level.power_mw for level in table.levels]
    requests = _program(table, chip.requests, power_mw, reference_khz)
    asleep = _Options(np.array([NOTHING]), np.zeros(1), np.array([table.sleep.power_mw / 1_000]))
    without = [
        asleep if one is None else _program(table, one.counters, one.power_mw, reference_khz)
        for one in chip.batch
    ]
    chosen = np.empty((1 << table.cores, table.cores), np.int64)
    room_w = np.inf if chip.limit_mw is None else (chip.limit_mw - chip.shared_mw) / 1_000
    for state in range(len(chosen)):
        cores = [requests if state >> k & 1 else without[k] for k in range(table.cores)]
        options = best_options(cores, room_w, chip.shared_mw / 1_000, aim)
        chosen[state] = [core.level[option] for core, option in zip(cores, options, strict=True)]
    return chosen


def _program(
    table: TailTable, counters: ProgramCounters, power_mw: Sequence[int], reference_khz: int
) -> _Options:
    khz = np.array([level.frequency_khz for level in table.levels], np.float64)
    assert counters.ipc_milli is not None
    memory = counters.memory_ppm / PPM
    speed = khz / (memory * khz + (1 - memory) * reference_khz)
    work = counters.ipc_milli / 1_000 * (reference_khz / 1_000) * speed
    return _Options(np.arange(len(khz)), work, np.array(power_mw) / 1_000)


def best_options(
    cores: Sequence[_Options], room_w: float, shared_w: float, aim: HardwareObjective
) -> tuple[int, ...]:
    """Choose one option (speed and power) for each core so that the chip's objective is largest.

    Returns the number of the option of each core. room_w: power for all cores [W]. shared_w: power
    outside the cores [W].
    """
    best = _most(cores, 0.0, room_w)
    if aim is HardwareObjective.WORK:
        return best
    for _ in range(_PRICES):
        work, power_w = _sums(cores, best)
        better = _most(cores, work / (shared_w + power_w), room_w)
        if better == best:
            break
        best = better
    return best


def _sums(cores: Sequence[_Options], options: Sequence[int]) -> tuple[float, float]:
    pairs = list(zip(cores, options, strict=True))
    return sum(core.work[k] for core, k in pairs), sum(core.power_w[k] for core, k in pairs)


def _most(cores: Sequence[_Options], price: float, room_w: float) -> tuple[int, ...]:
    """Options with the greatest value within the power limit, else those with the least power."""
    half = len(cores) // 2
    first, second = (_choices(part, price) for part in (cores[:half], cores[half:]))
    order = np.argsort(second.power_w, kind="stable")
    last = np.searchsorted(second.power_w[order], room_w - first.power_w, side="right") - 1
    if (last < 0).all():
        return tuple(int(core.power_w.argmin()) for core in cores)
    best_of = _first_best(second.worth[order])
    worth = np.where(last >= 0, first.worth + second.worth[order][best_of[last]], -np.inf)
    one = int(worth.argmax())
    return first.options_of(one) + second.options_of(int(order[best_of[last[one]]]))


class _Choices(NamedTuple):
    """All combinations of options of some cores; the last core's option changes fastest."""

    options: tuple[int, ...]
    worth: Floats
    power_w: Floats

    def options_of(self, number: int) -> tuple[int, ...]:
        return tuple(int(option) for option in np.unravel_index(number, self.options))


def _choices(cores: Sequence[_Options], price: float) -> _Choices:
    worth, power_w = np.zeros(1), np.zeros(1)
    for core in cores:
        worth = np.add.outer(worth, core.work - price * core.power_w).ravel()
        power_w = np.add.outer(power_w, core.power_w).ravel()
    return _Choices(tuple(len(core.level) for core in cores), worth, power_w)


def _first_best(worth: Floats) -> NDArray[np.int64]:
    """Index of the running maximum of the values; ties go to the first."""
    greatest = np.maximum.accumulate(worth)
    is_new = np.append(True, greatest[1:] > greatest[:-1])
    return np.maximum.accumulate(np.where(is_new, np.arange(len(worth)), 0))
