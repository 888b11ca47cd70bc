"""What all subjects at one point share: held-out requests, arrivals, and every random draw.

Under generated arrivals a replicate is paired with a repeat: it meets the same arrivals, and its
requests take the same places in order of demand. So the two differ by the requests that were drawn,
and by next to nothing else (common random numbers).

Recorded arrivals are data as the requests are, and depend on one another. A replicate strings
together blocks of them, each from a random place of the recording (moving blocks: Kuensch, Annals
of Statistics 1989), with the requests that came with them, if they are known.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.options import VerifyOptions
from tailc.forms.controller import Actuator, Controller
from tailc.forms.ladder.table import Ladder
from tailc.models import streams
from tailc.models.arrivals import Arrivals
from tailc.models.core_queues.clocks import Clocks
from tailc.models.steering import Steering
from tailc.models.streams import Purpose
from tailc.models.workload import Workload
from tailc.percentiles import PPM


class Level(enum.IntEnum):
    """Whose requests a replay takes: the held-out ones, or a bootstrap sample of them."""

    REPEAT = 0
    REPLICATE = 1


@dataclass(frozen=True)
class Spread:
    """How much less a replicate draws than was measured, and how uneven what was measured is.

    units: how many independent things a replicate draws: requests, or blocks of arrivals.
    drawn_share: how much of all there is that is. is_recorded: whether arrivals are drawn too.
    skewness: of the mean demand of that many requests. freedom: degrees of freedom behind its
    variance, far fewer than there are requests if a few of them are very long.
    """

    units: int
    drawn_share: float
    skewness: float
    freedom: float
    is_recorded: bool = False


@dataclass(frozen=True, eq=False)
class Setting:
    """What all replays under one arrival process share; `cut_off_us` ends a request's work.

    settling: so many more arrivals at a constant rate, which are not measured, until what steers a
    policy has settled.
    """

    load: Workload
    arrivals: Arrivals
    requests: int
    most_in_system: int
    seed: int
    cut_off_us: int | None = None
    settling: int = 0

    def warm_up(self, arrivals: int) -> int:
        """How many of so many arrivals are not measured."""
        return self.arrivals.warm_up(arrivals - self.settling) + self.settling

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
    def recorded(self) -> int:
        """Number of recorded arrivals; 0 where they are generated."""
        if not self.arrivals.is_recorded:
            return 0
        # A recording needs no random numbers.
        return len(self.arrivals.arrival_ns(np.zeros(1, np.uint64), self.requests))

    @property
    def drawn_arrivals(self) -> int:
        """How many arrivals a replicate strings together: all, or as many as a replay has."""
        return min(self.recorded, self.requests)

    @property
    def block_length(self) -> int:
        """Arrivals in a block; longer than what they have to do with one another."""
        return min(math.ceil(_BLOCK * math.sqrt(self.drawn_arrivals)), self.drawn_arrivals)

    @property
    def blocks(self) -> int:
        """Number of blocks in a replicate; the last may be cut."""
        return -(-self.drawn_arrivals // self.block_length)

    @cached_property
    def spread(self) -> Spread:
        """What a replicate draws, and what the demands are like."""
        if self.arrivals.is_recorded:
            units, drawn_share = self.blocks, self.drawn_arrivals / self.recorded
        else:
            units, drawn_share = self.pool_size, self.pool_size / self.load.requests
        return Spread(units, drawn_share, *_moments(self.load), self.arrivals.is_recorded)

    def mean_work_ns(self, one: Draw) -> float:
        """Of the requests of a replay."""
        return float(self.load.work_ns[one.order].mean())

    @cached_property
    def last_request_of(self) -> NDArray[np.int64]:
        """Running sum of the weights, in that order."""
        return np.cumsum(self.load.weight[self.by_demand])


# A controller that is worth its name has settled by then; docs/verdicts.md has what was measured.
SETTLING_EPOCHS = 20
# That of a bound goes a fortieth of its way in an epoch where the tail follows it by a fifth.
BOUND_SETTLING_EPOCHS = 100

# The replay is given up at this many requests in the system, and so many more for each core.
_MOST_IN_SYSTEM = 2048
_MOST_PER_CORE = 16


def setting_for(
    load: Workload,
    arrivals: Arrivals,
    ladders: Sequence[Ladder],
    options: VerifyOptions,
    steering: Steering | None = None,
    clocks: Clocks | None = None,
) -> Setting:
    """What replays of these ladders on these requests share, as thoroughly as the options ask.

    `steering`: what may have to settle first. `clocks`: in place of ladders.
    """
    units = [unit for ladder in ladders for unit in ladder.cost_units]
    limits_ppm = [unit.capacity_ppm for unit in units if unit.capacity_ppm is not None]
    limits_ppm += [] if clocks is None else [clocks.table.cores * PPM]
    return Setting(
        load,
        arrivals,
        options.requests_for(load.requests),
        most_in_system(max(limits_ppm, default=None)),
        options.seed,
        options.cut_off_us,
        settling(steering) if arrivals.has_constant_rate else 0,
    )


def settling(steering: Steering | None) -> int:
    """How many requests pass until an output has settled: a full window, and some epochs."""
    if steering is None:
        return 0
    scales_bound = isinstance(steering, Controller) and steering.acts_on is Actuator.LATENCY_BOUND
    epochs = BOUND_SETTLING_EPOCHS if scales_bound else SETTLING_EPOCHS
    return steering.window_requests + epochs * steering.epoch_requests


def most_in_system(capacity_ppm: int | None) -> int:
    """The backlog at which a server counts as overloaded without looking further.

    `capacity_ppm`: millionths of a core; None where nothing is limited.
    """
    cores = -(-(capacity_ppm or 0) // PPM)
    return _MOST_IN_SYSTEM + _MOST_PER_CORE * cores


# In blocks of this many roots of the number of arrivals, so that there are more of them, and longer
# ones, in a longer recording.
_BLOCK = 1.5
# Classes are few and differ; where each request has a curve of its own, only demand orders them.
_FEW_CURVES = 32


@dataclass(frozen=True, eq=False)
class Draw:
    """What a replay meets: when requests arrive, and the record of each."""

    arrival_ns: NDArray[np.int64]
    order: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Draws:
    """All random draws at one point.

    place: for each repeat, the place in its pool of each arrival; None where arrivals have their
    own records. resampled: a bootstrap sample of the pool for each replicate, sorted as the pool.
    """

    setting: Setting
    repeats: tuple[Draw, ...]
    place: tuple[NDArray[np.int32], ...] | None
    resampled: tuple[NDArray[np.int32], ...]
    replicates: int

    def repeat_of(self, replicate: int) -> int:
        """The repeat that a replicate is paired with."""
        return replicate % len(self.repeats)

    def replicate(self, number: int) -> Draw:
        """Bootstrap replicate `number`; made anew at each call, for it needs much memory."""
        paired = self.repeat_of(number)
        if not self.setting.arrivals.is_recorded:
            assert self.place is not None
            order = self.resampled[number][self.place[paired]]
            return Draw(self.repeats[paired].arrival_ns, order)
        arrival = _blocks(self.setting, number)
        arrival_ns = _strung_ns(self.repeats[0].arrival_ns, arrival)
        if self.place is None:
            return Draw(arrival_ns, self.repeats[0].order[arrival])
        return Draw(arrival_ns, self.resampled[number][self.place[paired][: len(arrival)]])


def _moments(load: Workload) -> tuple[float, float]:
    """Skewness of the mean demand, and degrees of freedom behind its variance.

    The variance of n values, estimated, has a relative variance of (kurtosis - 1) / n, and 2 over
    that is what Satterthwaite calls its degrees of freedom.
    """
    share = load.weight / load.requests
    # Sums, not products of vectors: those depend on the number of cores.
    work = load.work_ns / float(np.sum(share * load.work_ns)) - 1.0
    variance = float(np.sum(share * work**2))
    if variance <= 0:
        return 0.0, math.inf
    skewness = float(np.sum(share * work**3)) / variance**1.5
    excess = float(np.sum(share * work**4)) / variance**2 - 1.0
    freedom = 2.0 * load.requests / excess if excess > 0 else math.inf
    return skewness / math.sqrt(load.requests), freedom


def draw(setting: Setting, repeats: int, replicates: int, workers: Executor) -> Draws:
    """Every draw; each has a stream of its own, so none depends on how many there are."""
    record_of = setting.arrivals.record_of
    if record_of is not None:
        return Draws(setting, (Draw(_arrival_ns(setting, 0), record_of),), None, (), replicates)
    places = tuple(workers.map(lambda number: _places(setting, number), range(repeats)))
    return Draws(
        setting,
        tuple(
            Draw(arrival_ns, _pool(setting, i)[place])
            for i, (arrival_ns, place) in enumerate(places)
        ),
        tuple(place for _, place in places),
        tuple(workers.map(lambda number: _resampled(setting, number), range(replicates))),
        replicates,
    )


def _arrival_ns(setting: Setting, number: int) -> NDArray[np.int64]:
    state = _stream(setting, Level.REPEAT, number, Purpose.ARRIVALS)
    return setting.arrivals.arrival_ns(state, setting.requests + setting.settling)


def _places(setting: Setting, number: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """When requests arrive, and the place of each: all places as often, in random order.

    Not pass by pass: then the demands of a short time would add up more evenly than independent
    ones do, and queues would be shorter.
    """
    arrival_ns = _arrival_ns(setting, number)
    place = np.empty(len(arrival_ns), np.int32)
    places = np.arange(setting.pool_size, dtype=np.int32)
    state = _stream(setting, Level.REPEAT, number, Purpose.ORDER)
    streams.shuffled_passes(state, places, place)
    streams.shuffled_passes(state, place.copy(), place)
    return arrival_ns, place


def _pool(setting: Setting, number: int) -> NDArray[np.int32]:
    """Every held-out request once; of too many for a replay, one from each stretch of them."""
    held_out, size = setting.load.requests, setting.pool_size
    places = np.arange(size, dtype=np.int64)
    if size < held_out:
        offset = streams.uniform(_stream(setting, Level.REPEAT, number, Purpose.RESAMPLE))
        places = ((places + offset) * (held_out / size)).astype(np.int64)
    rank = np.searchsorted(setting.last_request_of, places, side="right")
    return setting.by_demand[rank]


def _resampled(setting: Setting, number: int) -> NDArray[np.int32]:
    state = _stream(setting, Level.REPLICATE, number, Purpose.RESAMPLE)
    rank = np.empty(setting.pool_size, np.int32)
    streams.draw_sorted(state, setting.last_request_of, np.empty(len(rank) + 1), rank)
    return setting.by_demand[rank]


def _blocks(setting: Setting, number: int) -> NDArray[np.int64]:
    """Arrivals of the recording: blocks of consecutive ones from random places, round its end."""
    state = _stream(setting, Level.REPLICATE, number, Purpose.ARRIVALS)
    recorded, length = setting.recorded, setting.block_length
    starts = [int(streams.uniform(state) * recorded) for _ in range(setting.blocks)]
    numbers = np.array(starts)[:, None] + np.arange(length)
    return numbers.ravel()[: setting.drawn_arrivals] % recorded


def _strung_ns(recorded_ns: NDArray[np.int64], arrival: NDArray[np.int64]) -> NDArray[np.int64]:
    """Times of the arrivals, each as long after the one before as it was in the recording."""
    mean_ns = int(recorded_ns[-1]) // (len(recorded_ns) - 1)
    gap_ns = np.diff(recorded_ns, prepend=recorded_ns[0] - mean_ns)[arrival]
    return np.cumsum(gap_ns) - gap_ns[0]


def _stream(setting: Setting, level: Level, number: int, purpose: Purpose) -> NDArray[np.uint64]:
    return streams.stream(setting.seed, setting.arrivals.rate_mrps, level, number, purpose)
