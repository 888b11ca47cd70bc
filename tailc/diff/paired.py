"""Replays of two policies on the same requests in the same order at the same times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.estimate import Tail, held_out_of, percentile_ns
from tailc.experiment.setting import Draw, Setting
from tailc.models.core_queues.arrays import Clockwork
from tailc.models.core_types.arrays import CoreTable
from tailc.models.outcome import Outcome
from tailc.models.run import replay
from tailc.models.shared_cores.arrays import NS_PER_US, Lowered
from tailc.models.subject import Subject, table_of
from tailc.models.workload import Workload
from tailc.percentiles import PPM

Numbers = NDArray[np.float64]
Pair = tuple[Outcome, Outcome]
Table = Lowered | CoreTable | Clockwork

_MILLI = 1_000


class Quantity(Protocol):
    """Something of which one replay gives a number, and less is better."""

    @property
    def effects_are_known(self) -> bool:
        """Whether the effects have the size of the difference, or only go with it."""
        ...

    def values(self, one: Draw, pair: Pair) -> tuple[float, float]:
        """The number under OLD and under NEW."""
        ...

    def effects(self, one: Draw, pair: Pair) -> Numbers:
        """What each measured request adds to the difference, so that they have it as their mean."""
        ...


class Replays:
    """Both policies on whatever is drawn."""

    def __init__(
        self,
        setting: Setting,
        subjects: tuple[Subject, Subject],
        loads: tuple[Workload, Workload] | None = None,
    ) -> None:
        """`loads` are the setting's requests at the speeds that each policy's rungs have; None:
        both have the rungs of the setting's load.
        """
        self.setting = setting
        self._loads = loads or (setting.load, setting.load)
        self._subjects = subjects
        old, new = map(self._lowered, subjects)
        self.tables = old, new

    def pair(self, one: Draw) -> Pair:
        """What happens to the same requests under OLD and under NEW."""
        old, new = (
            self._outcome(one, *parts)
            for parts in zip(self._loads, self.tables, self._subjects, strict=True)
        )
        return old, new

    def _outcome(self, one: Draw, load: Workload, table: Table, subject: Subject) -> Outcome:
        setting = self.setting
        return replay(
            load,
            one.order,
            one.arrival_ns,
            table,
            setting.most_in_system,
            setting.warm_up(len(one.order)),
            subject.ladder_of,
        )

    def _lowered(self, subject: Subject) -> Table:
        setting = self.setting
        return table_of(
            subject,
            setting.arrivals.rate_mrps,
            setting.most_in_system,
            cut_off_us=setting.cut_off_us,
        )


@dataclass(frozen=True)
class MeanLatency:
    """Mean latency [us]."""

    effects_are_known = True

    def values(self, one: Draw, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        """Over the measured requests."""
        old, new = (_latency_us(outcome).mean() for outcome in pair)
        return float(old), float(new)

    def effects(self, one: Draw, pair: Pair) -> Numbers:  # noqa: ARG002
        """How much later each leaves."""
        return _latency_us(pair[1]) - _latency_us(pair[0])


@dataclass(frozen=True)
class MeanThreads:
    """Mean threads of started requests [thousandths]."""

    effects_are_known = True

    def values(self, one: Draw, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        """Over the time in which arrivals were measured."""
        return pair[0].mean_threads * _MILLI, pair[1].mean_threads * _MILLI

    def effects(self, one: Draw, pair: Pair) -> Numbers:
        """By Little's law: thread time, at so many threads for a nanosecond of it."""
        return _thread_time(pair) * (self.values(one, pair)[0] / pair[0].mean_thread_ns)


@dataclass(frozen=True)
class Utilization:
    """Threads that ran over cores [millionths]."""

    effects_are_known = False

    def values(self, one: Draw, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        """Of the pool that is used most."""
        old, new = ((outcome.utilization or 0.0) * PPM for outcome in pair)
        return old, new

    def effects(self, one: Draw, pair: Pair) -> Numbers:
        """As for threads, which all run but when there are too many."""
        return _thread_time(pair) * (self.values(one, pair)[0] / pair[0].mean_thread_ns)


@dataclass(frozen=True)
class MeanEnergy:
    """What a request on whole cores draws, in units of power times microseconds."""

    effects_are_known = True

    def values(self, one: Draw, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        """Over the measured requests."""
        return pair[0].mean_energy / NS_PER_US, pair[1].mean_energy / NS_PER_US

    def effects(self, one: Draw, pair: Pair) -> Numbers:  # noqa: ARG002
        """How much more each draws."""
        old, new = (_energy(outcome) for outcome in pair)
        return (new - old) / NS_PER_US


def _energy(outcome: Outcome) -> Numbers:
    assert outcome.energy is not None
    return outcome.energy.of_request[outcome.measured]


@dataclass(frozen=True, eq=False)
class Percentile:
    """A percentile [us], about its values over all repeats.

    It moves against the share of requests up to its place, by as much as the latency rises with
    its share there (Bahadur, Annals of Mathematical Statistics 1966).

    is_by_replay: whether a replay's value is its own percentile. So it is where arrivals are
    recorded: from day to day that share varies three times as much as where they are independent,
    and over so much of it no latency rises along a straight line.
    """

    tail: Tail
    curve_of: NDArray[np.int32]
    held_out: int
    at_ns: tuple[int, int]
    rise_us: tuple[float, float]
    is_by_replay: bool = False
    effects_are_known = True

    def values(self, one: Draw, pair: Pair) -> tuple[float, float]:
        """By the share that is in time, or each replay's own."""
        if self.is_by_replay:
            old, new = (
                self._own_us(one, outcome, at_ns)
                for outcome, at_ns in zip(pair, self.at_ns, strict=True)
            )
            return old, new
        counted = self._counted(one, pair[0])
        old, new = (
            at_ns / NS_PER_US
            + rise * (self.tail.percentile_ppm / PPM - _share(outcome, at_ns, counted))
            for outcome, at_ns, rise in zip(pair, self.at_ns, self.rise_us, strict=True)
        )
        return old, new

    def effects(self, one: Draw, pair: Pair) -> Numbers:
        """Those of the class alone count, and count for more."""
        counted = self._counted(one, pair[0])
        old, new = (
            rise * (_latency_ns(outcome) <= at_ns)
            for outcome, at_ns, rise in zip(pair, self.at_ns, self.rise_us, strict=True)
        )
        offset = (self.rise_us[0] - self.rise_us[1]) * self.tail.percentile_ppm / PPM
        return np.where(counted, old - new - offset, 0.0) / max(float(counted.mean()), _TINY)

    def _own_us(self, one: Draw, outcome: Outcome, at_ns: int) -> float:
        """Of a replay without a request of the class nothing is known but the estimate."""
        latency_ns = np.sort(_of_tail(one, outcome, self.tail, self.curve_of))
        if len(latency_ns) == 0:
            return at_ns / NS_PER_US
        return percentile_ns(latency_ns, self.tail.percentile_ppm) / NS_PER_US

    def _counted(self, one: Draw, outcome: Outcome) -> NDArray[np.bool_]:
        order = one.order[outcome.measured]
        if self.tail.curve is None:
            return np.ones(len(order), np.bool_)
        return self.curve_of[order] == self.tail.curve


_TINY = 1e-300


def percentile(
    setting: Setting, tail: Tail, draws: Sequence[Draw], pairs: Sequence[Pair]
) -> Percentile:
    """The tail, placed by the latencies of all repeats."""
    load = setting.load
    held_out = held_out_of(setting, tail)
    places = []
    for side in (0, 1):
        latencies = [
            _of_tail(one, pair[side], tail, load.curve_of)
            for one, pair in zip(draws, pairs, strict=True)
        ]
        pooled = np.sort(np.concatenate(latencies))
        places.append(
            (percentile_ns(pooled, tail.percentile_ppm), _rise_us(pooled, tail, held_out))
        )
    (old_ns, old_rise), (new_ns, new_rise) = places
    return Percentile(
        tail,
        load.curve_of,
        held_out,
        (old_ns, new_ns),
        (old_rise, new_rise),
        is_by_replay=setting.arrivals.is_recorded,
    )


def _of_tail(
    one: Draw, outcome: Outcome, tail: Tail, curve_of: NDArray[np.int32]
) -> NDArray[np.int64]:
    latency_ns = _latency_ns(outcome)
    if tail.curve is None:
        return latency_ns
    return latency_ns[curve_of[one.order[outcome.measured]] == tail.curve]


def _rise_us(sorted_ns: NDArray[np.int64], tail: Tail, held_out: int) -> float:
    """The slope over one deviation of the share in a sample, to either side."""
    share = tail.percentile_ppm / PPM
    step = math.sqrt(share * (1 - share) / held_out)
    count = len(sorted_ns)
    ranks = np.ceil(np.array([share - step, share + step]) * count).astype(np.int64)
    low, high = sorted_ns[np.clip(ranks, 1, count) - 1]
    return float(high - low) / NS_PER_US / (2 * step)


def _share(outcome: Outcome, at_ns: int, counted: NDArray[np.bool_]) -> float:
    in_time = _latency_ns(outcome)[: len(counted)] <= at_ns
    return float((in_time & counted[: len(in_time)]).sum() / max(counted.sum(), 1))


def _latency_ns(outcome: Outcome) -> NDArray[np.int64]:
    return outcome.latency_ns[outcome.measured]


def _latency_us(outcome: Outcome) -> Numbers:
    return _latency_ns(outcome) / NS_PER_US


def _thread_time(pair: Pair) -> Numbers:
    old, new = (outcome.thread_ns[outcome.measured] for outcome in pair)
    return new - old
