"""What all subjects at one point share: held-out requests, arrivals, and every random draw.

A replicate is paired with a repeat: it meets the same arrivals, and its requests take the same
positions in order of demand. So the two differ by the requests that were drawn, and by next to
nothing else (common random numbers).
"""

from __future__ import annotations

import enum
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.replay import streams
from tailc.replay.arrivals import Arrivals
from tailc.replay.streams import Purpose
from tailc.replay.workload import Workload


class Level(enum.IntEnum):
    """Whose requests a replay takes: the held-out ones, or a bootstrap sample of them."""

    REPEAT = 0
    REPLICATE = 1


@dataclass(frozen=True, eq=False)
class Setting:
    """What all replays under one arrival process share; `cut_off_us` ends a request's work."""

    load: Workload
    arrivals: Arrivals
    requests: int
    most_in_system: int
    seed: int
    cut_off_us: int | None = None

    @property
    def is_tied(self) -> bool:
        """Whether each arrival has its own record, so that nothing is left to draw."""
        return self.arrivals.record_of is not None

    @cached_property
    def pool_size(self) -> int:
        """How many requests a pass takes: the held-out ones, or as many as a replay has."""
        return min(self.load.requests, self.requests)

    @cached_property
    def by_demand(self) -> NDArray[np.int32]:
        """The records, curve by curve, in order of demand: neighbours are alike."""
        few = len(self.load.speed) < _FEW_CURVES
        curve = self.load.curve_of if few else np.zeros_like(self.load.curve_of)
        return np.lexsort((self.load.curve_of, self.load.work_ns, curve)).astype(np.int32)

    @cached_property
    def last_request_of(self) -> NDArray[np.int64]:
        """Running sum of the weights, in that order."""
        return np.cumsum(self.load.weight[self.by_demand])


# Classes are few and differ; where each request has a curve of its own, only demand orders them.
_FEW_CURVES = 32


@dataclass(frozen=True, eq=False)
class Draw:
    """One repeat: when its requests arrive, and the place of each in the pool."""

    arrival_ns: NDArray[np.int64]
    place: NDArray[np.int32]
    pool: NDArray[np.int32]

    @property
    def order(self) -> NDArray[np.int32]:
        """The record of each arrival."""
        return self.pool[self.place]


@dataclass(frozen=True, eq=False)
class Draws:
    """All random draws at one point.

    resampled: a bootstrap sample of the pool for each replicate, sorted as the pool is.
    """

    repeats: tuple[Draw, ...]
    resampled: tuple[NDArray[np.int32], ...]

    def repeat_of(self, replicate: int) -> int:
        """The repeat that a replicate is paired with."""
        return replicate % len(self.repeats)


def draw(setting: Setting, repeats: int, replicates: int, workers: Executor) -> Draws:
    """Every draw; each has a stream of its own, so none depends on how many there are."""
    if setting.is_tied:
        repeats, replicates = 1, 0
    return Draws(
        tuple(workers.map(lambda number: _repeat(setting, number), range(repeats))),
        tuple(workers.map(lambda number: _resampled(setting, number), range(replicates))),
    )


def _repeat(setting: Setting, number: int) -> Draw:
    arrivals = setting.arrivals
    arrival_ns = arrivals.arrival_ns(
        _stream(setting, Level.REPEAT, number, Purpose.ARRIVALS), setting.requests
    )
    if arrivals.record_of is not None:
        return Draw(arrival_ns, np.arange(len(arrival_ns), dtype=np.int32), arrivals.record_of)
    place = np.empty(len(arrival_ns), np.int32)
    places = np.arange(setting.pool_size, dtype=np.int32)
    streams.shuffled_passes(_stream(setting, Level.REPEAT, number, Purpose.ORDER), places, place)
    return Draw(arrival_ns, place, _pool(setting, number))


def _pool(setting: Setting, number: int) -> NDArray[np.int32]:
    """Every held-out request once; of too many for a replay, one from each stretch of them."""
    held_out, size = setting.load.requests, setting.pool_size
    places = np.arange(size, dtype=np.int64)
    if size < held_out:
        state = _stream(setting, Level.REPEAT, number, Purpose.RESAMPLE)
        offset = streams.uniform(state)
        places = ((places + offset) * (held_out / size)).astype(np.int64)
    rank = np.searchsorted(setting.last_request_of, places, side="right")
    return setting.by_demand[rank]


def _resampled(setting: Setting, number: int) -> NDArray[np.int32]:
    state = _stream(setting, Level.REPLICATE, number, Purpose.RESAMPLE)
    rank = np.empty(setting.pool_size, np.int32)
    streams.draw_sorted(state, setting.last_request_of, np.empty(len(rank) + 1), rank)
    return setting.by_demand[rank]


def _stream(setting: Setting, level: Level, number: int, purpose: Purpose) -> NDArray[np.uint64]:
    return streams.stream(setting.seed, setting.arrivals.rate_mrps, level, number, purpose)
