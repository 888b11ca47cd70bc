"""Replays of one subject: of the held-out requests, and of bootstrap samples of them.

A replay never looks at another's random numbers, and each result has its own place, so the
estimates do not depend on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.setting import Draw, Draws, Setting, Spread, draw
from tailc.models.baselines import Tried
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.run import replay
from tailc.models.subject import Subject, table_of
from tailc.percentiles import percentile_rank

_Result = TypeVar("_Result")
_Kept = TypeVar("_Kept")


@dataclass(frozen=True)
class Tail:
    """A percentile of the latencies of all requests, or of those on one speed-up curve."""

    percentile_ppm: int
    curve: int | None = None


@dataclass(frozen=True, eq=False)
class TailSample:
    """What the replays say about one percentile of one subject.

    estimate_ns: the percentile of the latencies of all repeats.
    law_ns: latencies as they may be on any day, ascending: those of all repeats, or, since recorded
    arrivals are one day's, those of all replicates.
    by_repeat: in each repeat, the share of latencies up to the estimate.
    shift: how much of that share each replicate has more than its repeat; where arrivals are
    recorded, more than replicates have in the mean. work_shift: the same of its mean work [ns].
    held_out: number of held-out requests behind the percentile.
    """

    percentile_ppm: int
    estimate_ns: int
    law_ns: NDArray[np.int64]
    by_repeat: NDArray[np.float64]
    shift: NDArray[np.float64]
    work_shift: NDArray[np.float64]
    spread: Spread
    held_out: int


@dataclass(frozen=True, eq=False)
class Sample:
    """All replays of one subject: what is kept of each repeat, and what they say of each tail."""

    kept: tuple[Any, ...]
    tails: tuple[TailSample, ...]


@dataclass(frozen=True, eq=False)
class Repeats(Generic[_Kept]):
    """Replays of the held-out requests themselves, and what is kept of each.

    law_ns: for each tail, the latencies of all repeats, ascending; limits_ns: the percentile of
    those. by_repeat: for each tail, each repeat's share of latencies up to that.
    """

    kept: tuple[_Kept, ...]
    law_ns: tuple[NDArray[np.int64], ...]
    limits_ns: tuple[int, ...]
    by_repeat: NDArray[np.float64]


def repeated(
    setting: Setting,
    draws: Draws,
    subject: Subject,
    tails: Sequence[Tail],
    workers: Executor,
    tick: Callable[[], None],
    keep: Callable[[Draw, Outcome], _Kept],
) -> Repeats[_Kept]:
    """Run the repeats; `tick` is called after each. `keep` says what of one is still wanted: times
    of a million requests, for every repeat, would fill the memory. It runs among the workers.
    """
    replayed = _Replays(setting, subject, tails)

    def repeat(one: Draw) -> tuple[_Kept, list[NDArray[np.int64]]]:
        outcome, latencies = replayed.run(one)
        return keep(one, outcome), latencies

    repeats = list(_ticking(workers.map(repeat, draws.repeats), tick))
    pooled = _pooled(tails, [latencies for _, latencies in repeats])
    limits_ns = [
        percentile_ns(one, tail.percentile_ppm) for one, tail in zip(pooled, tails, strict=True)
    ]
    by_repeat = np.array([_shares(latencies, limits_ns) for _, latencies in repeats]).T
    kept = tuple(one for one, _ in repeats)
    return Repeats(kept, tuple(pooled), tuple(limits_ns), by_repeat)


def whole(one: Draw, outcome: Outcome) -> Outcome:  # noqa: ARG001 - what is kept of a repeat
    """All of it."""
    return outcome


def sample(
    setting: Setting,
    draws: Draws,
    subject: Subject,
    tails: Sequence[Tail],
    workers: Executor,
    tick: Callable[[], None],
    repeats: Repeats[Any] | None = None,
) -> Sample:
    """Run every replay, but the repeats if they are known; `tick` is called after each."""
    if repeats is None:
        repeats = repeated(setting, draws, subject, tails, workers, tick, whole)
    replayed = _Replays(setting, subject, tails)

    def replicate(number: int) -> _Replicate:
        one = draws.replicate(number)
        latencies = replayed.run(one)[1]
        kept = latencies if setting.arrivals.is_recorded else None
        return _Replicate(_shares(latencies, repeats.limits_ns), setting.mean_work_ns(one), kept)

    found = list(_ticking(workers.map(replicate, range(draws.replicates)), tick))
    shift, work_shift = _shifts(setting, draws, found, repeats.by_repeat)
    kept = [one.latencies for one in found if one.latencies is not None]
    law_ns = _pooled(tails, kept) if kept else repeats.law_ns
    parts = zip(tails, repeats.limits_ns, law_ns, repeats.by_repeat, shift, strict=True)
    return Sample(
        repeats.kept,
        tuple(
            TailSample(
                tail.percentile_ppm,
                limit_ns,
                sorted_ns,
                shares[~np.isnan(shares)],
                moved[_told(moved)],
                work_shift[_told(moved)],
                setting.spread,
                held_out_of(setting, tail),
            )
            for tail, limit_ns, sorted_ns, shares, moved in parts
        ),
    )


def _told(shift: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The replicates that have a request of the tail's class: without, there is no share.

    Raises TailcError where fewer than half have one, for those tell of no usual sample.
    """
    told = ~np.isnan(shift)
    if 2 * int(told.sum()) < len(shift):
        raise _too_rare()
    return told


@dataclass(frozen=True, eq=False)
class _Replicate:
    """Of one replicate: shares in time of each tail, mean work, latencies where they are kept."""

    shares: list[float]
    mean_work_ns: float
    latencies: list[NDArray[np.int64]] | None


def _shifts(
    setting: Setting, draws: Draws, found: Sequence[_Replicate], by_repeat: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By tail and replicate, how much larger its share is; by replicate, how much its mean work."""
    shares = np.array([one.shares for one in found]).reshape(len(found), len(by_repeat)).T
    work = np.array([one.mean_work_ns for one in found])
    if setting.arrivals.is_recorded:
        # Neither shares its arrivals with a repeat.
        count = np.maximum((~np.isnan(shares)).sum(axis=1, keepdims=True), 1)
        mean = np.nansum(shares, axis=1, keepdims=True) / count
        return shares - mean, work - work.sum() / max(len(found), 1)
    paired = [draws.repeat_of(number) for number in range(len(found))]
    repeats = np.array([setting.mean_work_ns(one) for one in draws.repeats])
    return shares - by_repeat[:, paired], work - repeats[paired]


def replayed_us(
    setting: Setting, subject: Subject, tail: Tail, repeats: int, workers: Executor
) -> int:
    """The percentile alone, over some repeats, without an interval."""
    return tried(setting, subject, tail, repeats, workers).tail_us


def tried(setting: Setting, subject: Subject, tail: Tail, repeats: int, workers: Executor) -> Tried:
    """The percentile and the energy, over some repeats, without an interval."""
    draws = draw(setting, repeats, 0, workers)
    found = repeated(setting, draws, subject, (tail,), workers, _no_tick, _energy)
    told = [energy for energy in found.kept if energy is not None]
    return Tried(nearest_us(found.limits_ns[0]), fmean(told) if told else None)


def _energy(one: Draw, outcome: Outcome) -> float | None:  # noqa: ARG001 - what is kept of a repeat
    """Of a request, free cores included."""
    if outcome.energy is None:
        return None
    return outcome.mean_energy + outcome.mean_idle_energy


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


class _Replays:
    """Replays of one subject, and the latencies that each tail is about."""

    def __init__(self, setting: Setting, subject: Subject, tails: Sequence[Tail]) -> None:
        self._setting = setting
        self._subject = subject
        self._tails = tails
        self._table = table_of(
            subject,
            setting.arrivals.rate_mrps,
            setting.most_in_system,
            cut_off_us=setting.cut_off_us,
        )

    def outcome(self, one: Draw) -> Outcome:
        setting = self._setting
        return replay(
            setting.load,
            one.order,
            one.arrival_ns,
            self._table,
            setting.most_in_system,
            self._warm_up(one),
            self._subject.ladder_of,
        )

    def _warm_up(self, one: Draw) -> int:
        return 0 if self._subject.measures_warm_up else self._setting.warm_up(len(one.order))

    def run(self, one: Draw) -> tuple[Outcome, list[NDArray[np.int64]]]:
        """What happened, and the measured latencies of each tail, ascending."""
        outcome = self.outcome(one)
        measured = outcome.measured
        order, latency_ns = one.order[measured][outcome.served], outcome.latencies_ns
        of_tails = {
            tail.curve: np.sort(_of_tail(self._setting, order, latency_ns, tail))
            for tail in self._tails
        }
        return outcome, [of_tails[tail.curve] for tail in self._tails]


def stretch_latencies(
    setting: Setting, one: Draw, outcome: Outcome, tail: Tail, stretch: tuple[int, int]
) -> NDArray[np.int64]:
    """Of the tail's requests among arrivals from number `stretch[0]` to `stretch[1]` [ns]."""
    part = slice(*stretch)
    # A copy, for a part would keep the whole.
    served = outcome.served_in(part)
    parts = one.order[part][served], outcome.latency_ns[part][served]
    return _of_tail(setting, *parts, tail).copy()


def stretch_percentile_us(repeats: Sequence[NDArray[np.int64]], tail: Tail) -> int | None:
    """The tail of a stretch over all repeats; None if none of its class are among its requests."""
    pooled = np.sort(np.concatenate(repeats))
    return nearest_us(percentile_ns(pooled, tail.percentile_ppm)) if len(pooled) else None


def _pooled(
    tails: Sequence[Tail], replays: Sequence[list[NDArray[np.int64]]]
) -> list[NDArray[np.int64]]:
    """Latencies of each tail over all replays, ascending; each replay has them in order."""
    of_curve = {}
    for tail, parts in zip(tails, zip(*replays, strict=True), strict=True):
        if tail.curve not in of_curve:
            of_curve[tail.curve] = _merged(parts)
            if not len(of_curve[tail.curve]):
                raise _all_refused() if tail.curve is None else _too_rare()
    return [of_curve[tail.curve] for tail in tails]


def _merged(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """All latencies, ascending."""
    merged = np.concatenate(parts)
    # A stable sort finds what is in order already, and only merges.
    merged.sort(kind="stable")
    return merged


def _too_rare() -> TailcError:
    return TailcError(
        Finding(
            Code.METHOD_UNFIT,
            "an SLO's class is so rare in the trace that the replays have no request of it",
            help="replay more requests",
        )
    )


def _all_refused() -> TailcError:
    message = "all requests that the replays measure are refused: there is no tail to judge"
    hint = "replay more requests, or a lower rate"
    return TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


def _of_tail(
    setting: Setting, order: NDArray[np.int32], latency_ns: NDArray[np.int64], tail: Tail
) -> NDArray[np.int64]:
    if tail.curve is None:
        return latency_ns
    return latency_ns[setting.load.curve_of[order] == tail.curve]


def _shares(latencies: Sequence[NDArray[np.int64]], limits_ns: Sequence[int]) -> list[float]:
    """The share of each tail's latencies, ascending, that are at most the limit; NaN of none."""
    return [
        int(np.searchsorted(sorted_ns, limit_ns, side="right")) / len(sorted_ns)
        if len(sorted_ns)
        else math.nan
        for sorted_ns, limit_ns in zip(latencies, limits_ns, strict=True)
    ]


def _ticking(results: Iterable[_Result], tick: Callable[[], None]) -> Iterator[_Result]:
    for result in results:
        tick()
        yield result
