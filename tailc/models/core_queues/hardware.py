"""Levels that hardware sets, blind to requests: those of most work within the chip's limit.

Each core runs requests, its batch work, or nothing. For every such state of the chip

    maximise   sum_k I_k(l_k) - price sum_k P_k(l_k)   over the levels l_k
    s.t.       shared + sum_k P_k(l_k) <= limit,

I instructions a second and P watts. With price 0 that is the most work (HW-T of Bartolini, 2015,
section 3.9.2). Of most work per joule, sum I / (shared + sum P), the optimum is that of the price
which it has itself (HW-TPW; Dinkelbach, Management Science 1967). Instructions a second follow from
those in a cycle and the share that waits for memory: a level's speed is f / (m f + (1 - m) f0).

The dissertation writes IPC for both. By the cycles of a core's own clock memory-bound work would
always have most at the lowest clock, limit or none; aggregate throughput counts time.

The choice is exact: all choices of half of the cores stand beside the best of the other half that
the limit leaves room for. Of equals the first counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.tail_table import TailTable
from tailc.models.core_queues.chip import NOTHING, PPM, Chip, Counters
from tailc.models.core_queues.clocks import Aim

# All choices of half of them are enumerated.
MOST_CORES = 8
_PRICES = 64

Floats = NDArray[np.float64]


class _Options(NamedTuple):
    """What a core may do: levels, instructions a second in millions and watts of each [options]."""

    level: NDArray[np.int64]
    work: Floats
    power_w: Floats


def levels_by_state(
    table: TailTable, chip: Chip, reference_khz: int, aim: Aim
) -> NDArray[np.int64]:
    """The level of each core, NOTHING where it has nothing to do: int64 (2^cores, cores).

    Bit k of a state is set while core k has requests. A limit below the lowest levels is exceeded.
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
        at = best_options(cores, room_w, chip.shared_mw / 1_000, aim)
        chosen[state] = [core.level[option] for core, option in zip(cores, at, strict=True)]
    return chosen


def _program(
    table: TailTable, counters: Counters, power_mw: Sequence[int], reference_khz: int
) -> _Options:
    khz = np.array([level.frequency_khz for level in table.levels], np.float64)
    assert counters.ipc_milli is not None
    memory = counters.memory_ppm / PPM
    speed = khz / (memory * khz + (1 - memory) * reference_khz)
    work = counters.ipc_milli / 1_000 * (reference_khz / 1_000) * speed
    return _Options(np.arange(len(khz)), work, np.array(power_mw) / 1_000)


def best_options(
    cores: Sequence[_Options], room_w: float, shared_w: float, aim: Aim
) -> tuple[int, ...]:
    """The option of each core."""
    best = _most(cores, 0.0, room_w)
    if aim is Aim.WORK:
        return best
    for _ in range(_PRICES):
        work, power_w = _sums(cores, best)
        better = _most(cores, work / (shared_w + power_w), room_w)
        if better == best:
            break
        best = better
    return best


def _sums(cores: Sequence[_Options], at: Sequence[int]) -> tuple[float, float]:
    pairs = list(zip(cores, at, strict=True))
    return sum(core.work[k] for core, k in pairs), sum(core.power_w[k] for core, k in pairs)


def _most(cores: Sequence[_Options], price: float, room_w: float) -> tuple[int, ...]:
    """The options of most worth within the room; of the least power where none is."""
    half = len(cores) // 2
    first, second = (_choices(part, price) for part in (cores[:half], cores[half:]))
    order = np.argsort(second.power_w, kind="stable")
    last = np.searchsorted(second.power_w[order], room_w - first.power_w, side="right") - 1
    if (last < 0).all():
        return tuple(int(core.power_w.argmin()) for core in cores)
    best_of = _first_best(second.worth[order])
    worth = np.where(last >= 0, first.worth + second.worth[order][best_of[last]], -np.inf)
    one = int(worth.argmax())
    return first.at(one) + second.at(int(order[best_of[last[one]]]))


class _Choices(NamedTuple):
    """All choices of options of some cores, the last core's changing fastest."""

    options: tuple[int, ...]
    worth: Floats
    power_w: Floats

    def at(self, number: int) -> tuple[int, ...]:
        return tuple(int(option) for option in np.unravel_index(number, self.options))


def _choices(cores: Sequence[_Options], price: float) -> _Choices:
    worth, power_w = np.zeros(1), np.zeros(1)
    for core in cores:
        worth = np.add.outer(worth, core.work - price * core.power_w).ravel()
        power_w = np.add.outer(power_w, core.power_w).ravel()
    return _Choices(tuple(len(core.level) for core in cores), worth, power_w)


def _first_best(worth: Floats) -> NDArray[np.int64]:
    """The place of the greatest of the values so far; of equals the first."""
    greatest = np.maximum.accumulate(worth)
    is_new = np.append(True, greatest[1:] > greatest[:-1])
    return np.maximum.accumulate(np.where(is_new, np.arange(len(worth)), 0))
