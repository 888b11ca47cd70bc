"""Replays of one ladder at one rate: of the held-out requests, and of bootstrap samples of them.

A replay never looks at another's random numbers, and each result has its own place, so the
estimates do not depend on the number of threads.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.percentiles import percentile_rank
from tailc.replay import streams
from tailc.replay.lowered import Lowered
from tailc.replay.outcome import Outcome, nearest_us, replay
from tailc.replay.streams import Purpose
from tailc.replay.workload import Workload
from tailc.verify.options import WARM_UP_PART

_Result = TypeVar("_Result")

# Above this many held-out requests, drawing with and without replacement are the same thing.
_LISTED_REQUESTS = 1 << 24


class Level(enum.IntEnum):
    """Whose requests a replay takes: the held-out ones, or a bootstrap sample of them."""

    REPEAT = 0
    REPLICATE = 1


@dataclass(frozen=True, eq=False)
class Setting:
    """What all replays at one rate share."""

    load: Workload
    rate_mrps: int
    requests: int
    most_in_system: int
    seed: int

    @property
    def measured_from(self) -> int:
        """Number of requests that warm the server up."""
        return self.requests // WARM_UP_PART

    @cached_property
    def every_request(self) -> NDArray[np.int32]:
        """The record of each held-out request."""
        records = np.arange(len(self.load.weight), dtype=np.int32)
        return np.repeat(records, self.load.weight)


@dataclass(frozen=True, eq=False)
class Sample:
    """All replays of one ladder: whole outcomes of repeats, percentiles [us] of replicates.

    repeats: one outcome for each arrival stream, all on the held-out requests.
    replicate_us: int64 (replicates, percentiles).
    """

    repeats: tuple[Outcome, ...]
    replicate_us: NDArray[np.int64]

    @cached_property
    def sorted_us(self) -> NDArray[np.int64]:
        """Measured latencies of all repeats, ascending."""
        measured = [outcome.latency_ns[outcome.measured] for outcome in self.repeats]
        return np.sort(nearest_us(np.concatenate(measured)))


def sample(
    setting: Setting,
    table: Lowered,
    percentiles_ppm: Sequence[int],
    repeats: int,
    replicates: int,
    threads: int,
    tick: Callable[[], None],
) -> Sample:
    """Run every replay; `tick` is called after each."""
    whole = partial(_replay, setting, table, Level.REPEAT)
    resampled = partial(_replicate, setting, table, percentiles_ppm)
    with ThreadPoolExecutor(threads) as pool:
        outcomes = tuple(_ticking(pool.map(whole, range(repeats)), tick))
        rows = list(_ticking(pool.map(resampled, range(replicates)), tick))
    return Sample(outcomes, np.array(rows, dtype=np.int64))


def percentile_us(sorted_us: NDArray[np.int64], percentile_ppm: int) -> int:
    """The order statistic that is the percentile."""
    return int(sorted_us[percentile_rank(percentile_ppm, len(sorted_us)) - 1])


def outcome_percentiles_us(outcome: Outcome, percentiles_ppm: Sequence[int]) -> list[int]:
    """The percentiles of one replay's measured latencies."""
    latency_ns = outcome.latency_ns[outcome.measured]
    ranks = [percentile_rank(ppm, len(latency_ns)) - 1 for ppm in percentiles_ppm]
    parted = np.partition(latency_ns, sorted(set(ranks)))
    return [int(value) for value in nearest_us(parted[ranks])]


def _replicate(
    setting: Setting, table: Lowered, percentiles_ppm: Sequence[int], number: int
) -> list[int]:
    return outcome_percentiles_us(_replay(setting, table, Level.REPLICATE, number), percentiles_ppm)


def _replay(setting: Setting, table: Lowered, level: Level, number: int) -> Outcome:
    """One replay; the policy and its baseline get the same requests at the same times."""
    arrival_ns = np.empty(setting.requests, np.int64)
    streams.poisson_arrivals(
        _stream(setting, level, number, Purpose.ARRIVALS), setting.rate_mrps, arrival_ns
    )
    order = draw_order(setting, level, number)
    return replay(
        setting.load, order, arrival_ns, table, setting.most_in_system, setting.measured_from
    )


def draw_order(setting: Setting, level: Level, number: int) -> NDArray[np.int32]:
    """Which record arrives when: passes over the requests, each pass in a new random order."""
    order = np.empty(setting.requests, np.int32)
    held_out = setting.load.requests
    if level is Level.REPEAT and held_out <= _LISTED_REQUESTS:
        pool = setting.every_request.copy()
    else:
        pool = np.empty(min(held_out, setting.requests), np.int32)
        state = _stream(setting, level, number, Purpose.RESAMPLE)
        streams.draw_records(state, setting.load.last_request_of, pool)
    streams.shuffled_passes(_stream(setting, level, number, Purpose.ORDER), pool, order)
    return order


def _stream(setting: Setting, level: Level, number: int, purpose: Purpose) -> NDArray[np.uint64]:
    return streams.stream(setting.seed, setting.rate_mrps, level, number, purpose)


def _ticking(results: Iterator[_Result], tick: Callable[[], None]) -> Iterator[_Result]:
    for result in results:
        tick()
        yield result
