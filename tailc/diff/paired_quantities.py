"""Quantities that two paired replays compare request by request."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.pairs import Pair
from tailc.experiment.replications import Replication
from tailc.experiment.scenario import Scenario
from tailc.experiment.tail_sample import Tail, held_out_of, percentile_ns
from tailc.models.outcome import NS_PER_US, Outcome
from tailc.percentiles import PPM

Numbers = NDArray[np.float64]

_MILLI = 1_000


class PairedQuantity(Protocol):
    """A quantity, such as mean latency, to compare between two policies; smaller is better."""

    @property
    def effects_are_known(self) -> bool:
        """Whether the effects of requests add up to the difference; else they only correlate."""
        ...

    def values(self, one: Replication, pair: Pair) -> tuple[float, float]:
        """The quantity in one replication, under OLD and under NEW."""
        ...

    def effects(self, one: Replication, pair: Pair) -> Numbers:
        """Contribution of each measured request to the difference of the two policies.

        The difference is the mean of the contributions.
        """
        ...


@dataclass(frozen=True)
class MeanLatency:
    """The mean latency of requests [us]."""

    effects_are_known = True

    def values(self, one: Replication, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        old, new = (_latency_us(outcome).mean() for outcome in pair)
        return float(old), float(new)

    def effects(self, one: Replication, pair: Pair) -> Numbers:  # noqa: ARG002
        """Increase of each request's latency from the old policy to the new one [ns]."""
        return _latency_us(pair[1]) - _latency_us(pair[0])


@dataclass(frozen=True)
class MeanThreads:
    """The mean number of threads of started requests [thousandths]."""

    effects_are_known = True

    def values(self, one: Replication, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        """The mean number of threads under both policies over the measured part of a replay."""
        return pair[0].mean_threads * _MILLI, pair[1].mean_threads * _MILLI

    def effects(self, one: Replication, pair: Pair) -> Numbers:
        """Contribution of each request to the change of the mean number of threads.

        By Little's law it is the increase of the request's thread time, times the mean number of
        threads per ns of mean thread time.
        """
        return _thread_time(pair) * (self.values(one, pair)[0] / pair[0].mean_thread_ns)


@dataclass(frozen=True)
class Utilization:
    """Mean number of running threads divided by the number of cores, in millionths."""

    effects_are_known = False

    def values(self, one: Replication, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        """The utilization of the busiest pool of cores under both policies, in millionths."""
        old, new = ((outcome.utilization or 0.0) * PPM for outcome in pair)
        return old, new

    def effects(self, one: Replication, pair: Pair) -> Numbers:
        """Contribution of each request to the change of utilization: that of `MeanThreads`.

        All threads run, unless there are more threads than cores.
        """
        return _thread_time(pair) * (self.values(one, pair)[0] / pair[0].mean_thread_ns)


@dataclass(frozen=True)
class MeanCost:
    """The mean energy of a request, in units of power times microseconds."""

    effects_are_known = True

    def values(self, one: Replication, pair: Pair) -> tuple[float, float]:  # noqa: ARG002
        old, new = (float(_request_energy(outcome).mean()) / NS_PER_US for outcome in pair)
        return old, new

    def effects(self, one: Replication, pair: Pair) -> Numbers:  # noqa: ARG002
        """Increase of each request's energy from the old to the new policy."""
        old, new = (_request_energy(outcome) for outcome in pair)
        return (new - old) / NS_PER_US


def _request_energy(outcome: Outcome) -> Numbers:
    return outcome.request_energy[outcome.measured]


@dataclass(frozen=True, eq=False)
class Percentile:
    """A latency percentile [us] that is compared between two policies, linearised at its value.

    Near the value over all repeats, the percentile changes with the share of faster requests, by
    the slope of the quantile function there (Bahadur, Annals of Mathematical Statistics 1966).

    is_by_replay: whether the percentile of each replay is used instead, as for recorded arrivals:
    from day to day that share varies three times as much as for independent arrivals, and latency
    is not linear over such a range.
    """

    tail: Tail
    curve_of: NDArray[np.int32]
    held_out: int
    at_ns: tuple[int, int]
    rise_us: tuple[float, float]
    is_by_replay: bool = False
    effects_are_known = True

    def values(self, one: Replication, pair: Pair) -> tuple[float, float]:
        """The latency percentile [us] in one replication, under OLD and under NEW.

        It is linearised in the share of requests that are faster, unless `is_by_replay`.
        """
        if self.is_by_replay:
            old, new = (
                self._own_us(one, outcome, at_ns)
                for outcome, at_ns in zip(pair, self.at_ns, strict=True)
            )
            return old, new
        counted = self._counted_requests(one, pair[0])
        old, new = (
            at_ns / NS_PER_US
            + rise * (self.tail.percentile_ppm / PPM - _share(outcome, at_ns, counted))
            for outcome, at_ns, rise in zip(pair, self.at_ns, self.rise_us, strict=True)
        )
        return old, new

    def effects(self, one: Replication, pair: Pair) -> Numbers:
        """Contribution of each request to the change of the percentile.

        Requests outside the percentile's class contribute 0, and the others have a larger weight,
        so that the mean over all requests is the change.
        """
        counted = self._counted_requests(one, pair[0])
        old, new = (
            rise * (_latency_ns(outcome) <= at_ns)
            for outcome, at_ns, rise in zip(pair, self.at_ns, self.rise_us, strict=True)
        )
        offset = (self.rise_us[0] - self.rise_us[1]) * self.tail.percentile_ppm / PPM
        return np.where(counted, old - new - offset, 0.0) / max(float(counted.mean()), _TINY)

    def _own_us(self, one: Replication, outcome: Outcome, at_ns: int) -> float:
        """Own percentile of a replay; the estimate if it has no request of the class."""
        latency_ns = np.sort(_of_tail(one, outcome, self.tail, self.curve_of))
        if len(latency_ns) == 0:
            return at_ns / NS_PER_US
        return percentile_ns(latency_ns, self.tail.percentile_ppm) / NS_PER_US

    def _counted_requests(self, one: Replication, outcome: Outcome) -> NDArray[np.bool_]:
        order = one.order[outcome.measured]
        if self.tail.curve is None:
            return np.ones(len(order), np.bool_)
        return self.curve_of[order] == self.tail.curve


_TINY = 1e-300


def percentile(
    scenario: Scenario, tail: Tail, draws: Sequence[Replication], pairs: Sequence[Pair]
) -> Percentile:
    """Make a latency percentile to compare, linearised at its value over all replications."""
    workload = scenario.workload
    held_out = held_out_of(scenario, tail)
    places = []
    for side in (0, 1):
        latencies = [
            _of_tail(one, pair[side], tail, workload.curve_of)
            for one, pair in zip(draws, pairs, strict=True)
        ]
        pooled = np.sort(np.concatenate(latencies))
        places.append(
            (percentile_ns(pooled, tail.percentile_ppm), _rise_us(pooled, tail, held_out))
        )
    (old_ns, old_rise), (new_ns, new_rise) = places
    return Percentile(
        tail,
        workload.curve_of,
        held_out,
        (old_ns, new_ns),
        (old_rise, new_rise),
        is_by_replay=scenario.arrivals.is_recorded,
    )


def _of_tail(
    one: Replication, outcome: Outcome, tail: Tail, curve_of: NDArray[np.int32]
) -> NDArray[np.int64]:
    latency_ns = _latency_ns(outcome)
    if tail.curve is None:
        return latency_ns
    return latency_ns[curve_of[one.order[outcome.measured]] == tail.curve]


def _rise_us(sorted_ns: NDArray[np.int64], tail: Tail, held_out: int) -> float:
    """The slope over one standard deviation of the share in a sample, to either side."""
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
