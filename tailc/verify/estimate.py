"""Replays of one subject: of the held-out requests, and of bootstrap samples of them.

A replay never looks at another's random numbers, and each result has its own place, so the
estimates do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.percentiles import percentile_rank
from tailc.replay.lowered import Lowered, lower
from tailc.replay.outcome import Outcome, nearest_us, replay
from tailc.replay.subject import Subject
from tailc.verify.setting import Draws, Setting, draw

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Tail:
    """A percentile of the latencies of all requests, or of those on one speed-up curve."""

    percentile_ppm: int
    curve: int | None = None


@dataclass(frozen=True, eq=False)
class TailSample:
    """What the replays say about one percentile of one subject.

    sorted_ns: latencies over all repeats, ascending; the estimate is their percentile.
    by_repeat: in each repeat, the share of latencies up to the estimate.
    shift: how much of that share each bootstrap replicate has more than its repeat.
    by_arrival: for recorded arrivals, how far each arrival moves that share, in their order (its
    mean is 0). None otherwise.
    held_out: number of held-out requests behind it.
    drawn_share: how many of all held-out requests a replicate draws.
    """

    percentile_ppm: int
    sorted_ns: NDArray[np.int64]
    by_repeat: NDArray[np.float64]
    shift: NDArray[np.float64]
    by_arrival: NDArray[np.float64] | None
    held_out: int
    drawn_share: float

    @property
    def estimate_ns(self) -> int:
        """The order statistic that is the percentile."""
        return percentile_ns(self.sorted_ns, self.percentile_ppm)


@dataclass(frozen=True, eq=False)
class GaugeSample:
    """What the replays say about one number that each of them gives, such as a mean.

    by_repeat: the number of each repeat. shift: how much more each bootstrap replicate has than its
    repeat.
    """

    by_repeat: NDArray[np.float64]
    shift: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """All replays of one subject: whole outcomes of repeats, and what they say of each tail."""

    outcomes: tuple[Outcome, ...]
    tails: tuple[TailSample, ...]
    gauges: tuple[GaugeSample, ...] = ()


def _no_gauges(outcome: Outcome) -> Sequence[float]:  # noqa: ARG001 - a function of an outcome
    return ()


def sample(
    setting: Setting,
    draws: Draws,
    subject: Subject,
    tails: Sequence[Tail],
    workers: Executor,
    tick: Callable[[], None],
    gauges: Callable[[Outcome], Sequence[float]] = _no_gauges,
) -> Sample:
    """Run every replay; `tick` is called after each. `gauges` are taken of every outcome."""
    runner = _Runner(setting, draws, subject)
    outcomes = tuple(_ticking(workers.map(runner.repeat, range(len(draws.repeats))), tick))
    pooled = [_pooled(setting, draws, outcomes, tail) for tail in tails]
    limits = [
        percentile_ns(one, tail.percentile_ppm) for one, tail in zip(pooled, tails, strict=True)
    ]

    def numbers(order: NDArray[np.int32], outcome: Outcome) -> list[float]:
        return [*_shares(setting, order, outcome, tails, limits), *gauges(outcome)]

    base = [
        numbers(one.order, outcome) for one, outcome in zip(draws.repeats, outcomes, strict=True)
    ]
    by_repeat = np.array(base).T
    replicates = range(len(draws.resampled))
    found = workers.map(lambda replicate: numbers(*runner.replicate(replicate)), replicates)
    rows = list(_ticking(found, tick))
    paired = [draws.repeat_of(number) for number in replicates]
    shift = np.array(rows).reshape(len(rows), len(by_repeat)).T - by_repeat[:, paired]
    return Sample(
        outcomes,
        tuple(
            TailSample(
                tail.percentile_ppm,
                pooled[number],
                by_repeat[number],
                shift[number],
                _by_arrival(setting, draws, outcomes, tail, limits[number]),
                held_out_of(setting, tail),
                setting.pool_size / setting.load.requests,
            )
            for number, tail in enumerate(tails)
        ),
        tuple(
            GaugeSample(by_repeat[number], shift[number])
            for number in range(len(tails), len(by_repeat))
        ),
    )


def replayed_us(
    setting: Setting, subject: Subject, tail: Tail, repeats: int, workers: Executor
) -> int:
    """The percentile alone, over some repeats, without an interval."""
    draws = draw(setting, repeats, 0, workers)
    found = sample(setting, draws, subject, (tail,), workers, _no_tick)
    return nearest_us(found.tails[0].estimate_ns)


def _no_tick() -> None:
    pass


def percentile_ns(sorted_ns: NDArray[np.int64], percentile_ppm: int) -> int:
    """The order statistic that is the percentile."""
    return int(sorted_ns[percentile_rank(percentile_ppm, len(sorted_ns)) - 1])


def held_out_of(setting: Setting, tail: Tail) -> int:
    """How many held-out requests the tail is about."""
    if tail.curve is None:
        return setting.load.requests
    return int(setting.load.weight[setting.load.curve_of == tail.curve].sum())


class _Runner:
    """Replays of one subject."""

    def __init__(self, setting: Setting, draws: Draws, subject: Subject) -> None:
        self._setting = setting
        self._draws = draws
        self._subject = subject
        self._table: Lowered = lower(
            subject.ladders,
            setting.arrivals.rate_mrps,
            setting.most_in_system,
            cut_off_us=setting.cut_off_us,
            boosts_at_start=subject.boosts_at_start,
        )

    def repeat(self, number: int) -> Outcome:
        one = self._draws.repeats[number]
        return self._replay(one.order, one.arrival_ns)

    def replicate(self, number: int) -> tuple[NDArray[np.int32], Outcome]:
        paired = self._draws.repeats[self._draws.repeat_of(number)]
        order = self._draws.resampled[number][paired.place]
        return order, self._replay(order, paired.arrival_ns)

    def _replay(self, order: NDArray[np.int32], arrival_ns: NDArray[np.int64]) -> Outcome:
        setting = self._setting
        return replay(
            setting.load,
            order,
            arrival_ns,
            self._table,
            setting.most_in_system,
            setting.arrivals.warm_up(len(order)),
            self._subject.ladder_of,
        )


def stretch_percentile_us(
    setting: Setting,
    draws: Draws,
    outcomes: Sequence[Outcome],
    tail: Tail,
    stretch: tuple[int, int],
) -> int | None:
    """The tail of the arrivals from number `stretch[0]` to `stretch[1]`, over all repeats.

    None if there are none of its class among them.
    """
    part = slice(*stretch)
    pooled = np.concatenate(
        [
            _of_tail(setting, one.order[part], outcome.latency_ns[part], tail)
            for one, outcome in zip(draws.repeats, outcomes, strict=True)
        ]
    )
    if not len(pooled):
        return None
    return nearest_us(percentile_ns(np.sort(pooled), tail.percentile_ppm))


def _pooled(
    setting: Setting, draws: Draws, outcomes: Sequence[Outcome], tail: Tail
) -> NDArray[np.int64]:
    """Measured latencies of all repeats, ascending."""
    measured = [
        _latencies(setting, one.order, outcome, tail)
        for one, outcome in zip(draws.repeats, outcomes, strict=True)
    ]
    pooled = np.sort(np.concatenate(measured))
    if not len(pooled):
        raise TailcError(
            Finding(
                Code.METHOD_UNFIT,
                "an SLO's class is so rare in the trace that the replays have no request of it",
                help="replay more requests",
            )
        )
    return pooled


def _latencies(
    setting: Setting, order: NDArray[np.int32], outcome: Outcome, tail: Tail
) -> NDArray[np.int64]:
    measured = outcome.measured
    return _of_tail(setting, order[measured], outcome.latency_ns[measured], tail)


def _of_tail(
    setting: Setting, order: NDArray[np.int32], latency_ns: NDArray[np.int64], tail: Tail
) -> NDArray[np.int64]:
    if tail.curve is None:
        return latency_ns
    return latency_ns[setting.load.curve_of[order] == tail.curve]


def _shares(
    setting: Setting,
    order: NDArray[np.int32],
    outcome: Outcome,
    tails: Sequence[Tail],
    limits_ns: Sequence[int],
) -> list[float]:
    """The share of each tail's latencies that are at most the limit."""
    shares = []
    for tail, limit_ns in zip(tails, limits_ns, strict=True):
        latency_ns = _latencies(setting, order, outcome, tail)
        shares.append(np.count_nonzero(latency_ns <= limit_ns) / max(len(latency_ns), 1))
    return shares


def _by_arrival(
    setting: Setting, draws: Draws, outcomes: Sequence[Outcome], tail: Tail, limit_ns: int
) -> NDArray[np.float64] | None:
    """In time or not, less the share in time, by arrival; the mean over repeats."""
    if not setting.arrivals.is_recorded:
        return None
    length = min(len(outcome.latency_ns[outcome.measured]) for outcome in outcomes)
    in_time, counted = np.zeros(length), np.zeros(length)
    for one, outcome in zip(draws.repeats, outcomes, strict=True):
        measured = outcome.measured
        counts = np.ones(length, np.bool_)
        if tail.curve is not None:
            counts = (setting.load.curve_of[one.order[measured]] == tail.curve)[:length]
        counted += counts
        in_time += counts & (outcome.latency_ns[measured][:length] <= limit_ns)
    share = in_time.sum() / max(counted.sum(), 1)
    return (in_time - share * counted) / max(counted.mean(), 1 / length)


def _ticking(results: Iterable[_Result], tick: Callable[[], None]) -> Iterator[_Result]:
    for result in results:
        tick()
        yield result
