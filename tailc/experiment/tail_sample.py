"""Percentiles of latency over repeats, and over bootstrap replicates of the requests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.replications import Replication
from tailc.experiment.scenario import Scenario, Spread
from tailc.models.outcome import Outcome, nearest_us
from tailc.percentiles import percentile_rank
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Tail:
    """A latency percentile to estimate, of all requests or of one class.

    curve: number of the speed-up curve of the class; None: all requests.
    """

    percentile_ppm: int
    curve: int | None = None


def tail_of(slo: Slo, profile: DemandProfile) -> Tail:
    """The percentile of latency that an SLO limits, for the SLO's class of requests."""
    if slo.request_class is None:
        return Tail(slo.percentile_ppm)
    return Tail(slo.percentile_ppm, profile.curve_names.index(slo.request_class))


@dataclass(frozen=True, eq=False)
class TailSample:
    """Results of replays from which a latency percentile and its interval are computed.

    Attributes:
        estimate_ns: the percentile of the latencies of all repeats.
        law_ns: sample of the latencies' distribution, ascending: those of all repeats, or of all
            replicates if arrivals are recorded on one day.
        by_repeat: in each repeat, the share of latencies up to the estimate.
        shift: excess of that share in each replicate over its repeat, or, with recorded arrivals,
            over the mean of the replicates.
        work_shift: the same for the mean work of its requests [ns].
        spread: extent of the data behind a replicate.
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
class Repeats(Generic[ResultT]):
    """Results of replaying the held-out requests themselves, without bootstrap replicates.

    results: result of each replay. law_ns: for each percentile, the latencies of all repeats,
    ascending. limits_ns: value of each percentile. by_repeat: for each percentile and repeat, the
    share of latencies up to that value.
    """

    results: tuple[ResultT, ...]
    law_ns: tuple[NDArray[np.int64], ...]
    limits_ns: tuple[int, ...]
    by_repeat: NDArray[np.float64]

    @property
    def tails_us(self) -> tuple[int, ...]:
        """Estimate of each latency percentile over the requests of all repeats together [us]."""
        return tuple(nearest_us(limit_ns) for limit_ns in self.limits_ns)


def repeats_of(
    tails: Sequence[Tail], results: Sequence[ResultT], latencies: Sequence[list[NDArray[np.int64]]]
) -> Repeats[ResultT]:
    """Combine the latencies of all repeats to percentiles.

    results: result of each repeat. latencies: for each repeat, the sorted latencies of each tail.
    Raises TailcError if no request of a tail was measured.
    """
    pooled = pooled_ns(tails, latencies)
    limits_ns = [
        percentile_ns(one, tail.percentile_ppm) for one, tail in zip(pooled, tails, strict=True)
    ]
    by_repeat = np.array([shares_within(each, limits_ns) for each in latencies]).T
    return Repeats(tuple(results), tuple(pooled), tuple(limits_ns), by_repeat)


def percentile_ns(sorted_ns: NDArray[np.int64], percentile_ppm: int) -> int:
    """The percentile of sorted latencies, as an order statistic [ns]."""
    return int(sorted_ns[percentile_rank(percentile_ppm, len(sorted_ns)) - 1])


def held_out_of(scenario: Scenario, tail: Tail) -> int:
    """Number of held-out requests of the class whose latency percentile is estimated."""
    workload = scenario.workload
    if tail.curve is None:
        return workload.requests
    return int(workload.weight[workload.curve_of == tail.curve].sum())


def latencies_of(
    scenario: Scenario, one: Replication, outcome: Outcome, tails: Sequence[Tail]
) -> list[NDArray[np.int64]]:
    """Latencies of a replay for each percentile, over the requests of its class; ascending [ns].

    one: the arrivals and requests of the replay.
    """
    order = one.order[outcome.measured][outcome.served]
    of_curve = {
        tail.curve: np.sort(_of_tail(scenario, order, outcome.latencies_ns, tail)) for tail in tails
    }
    return [of_curve[tail.curve] for tail in tails]


def stretch_latencies(
    scenario: Scenario, one: Replication, outcome: Outcome, tail: Tail, stretch: tuple[int, int]
) -> NDArray[np.int64]:
    """Latencies of requests that arrive in a period of constant rate [ns].

    stretch: first and last arrival of the period. tail: gives the class of requests.
    """
    part = slice(*stretch)
    # A copy, because a view would keep the whole array in memory.
    served = outcome.served_in(part)
    parts = one.order[part][served], outcome.latency_ns[part][served]
    return _of_tail(scenario, *parts, tail).copy()


def stretch_percentile_us(repeats: Sequence[NDArray[np.int64]], tail: Tail) -> int | None:
    """The percentile of a period of constant rate, over all repeats [us].

    None if no request of the percentile's class arrives in the period.
    """
    pooled = np.sort(np.concatenate(repeats))
    return nearest_us(percentile_ns(pooled, tail.percentile_ppm)) if len(pooled) else None


def pooled_ns(
    tails: Sequence[Tail], replays: Sequence[list[NDArray[np.int64]]]
) -> list[NDArray[np.int64]]:
    """Latencies of all replays together, ascending, for each of several percentiles.

    replays: for each replay, the latencies in the order of `tails`. Raises TailcError if there are
    no latencies.
    """
    of_curve = {}
    for tail, parts in zip(tails, zip(*replays, strict=True), strict=True):
        if tail.curve not in of_curve:
            of_curve[tail.curve] = _merge(parts)
            if not len(of_curve[tail.curve]):
                raise _all_refused_error() if tail.curve is None else too_rare_error()
    return [of_curve[tail.curve] for tail in tails]


def _merge(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """All latencies, ascending."""
    merged = np.concatenate(parts)
    # A stable sort detects sorted parts and only merges them.
    merged.sort(kind="stable")
    return merged


def shares_within(latencies: Sequence[NDArray[np.int64]], limits_ns: Sequence[int]) -> list[float]:
    """For each percentile, the share of latencies that are at most its limit.

    latencies: sorted. NaN without latencies.
    """
    return [
        int(np.searchsorted(sorted_ns, limit_ns, side="right")) / len(sorted_ns)
        if len(sorted_ns)
        else math.nan
        for sorted_ns, limit_ns in zip(latencies, limits_ns, strict=True)
    ]


def too_rare_error() -> TailcError:
    """Make the error for replays without a request of an SLO's class."""
    return TailcError(
        Finding(
            Code.METHOD_UNFIT,
            "the class of an SLO is so rare in the trace that the replays have no request of it",
            help="replay more requests",
        )
    )


def _all_refused_error() -> TailcError:
    message = "all measured requests of the replays are refused, so they have no latencies"
    hint = "replay more requests, or use a lower rate"
    return TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


def _of_tail(
    scenario: Scenario, order: NDArray[np.int32], latency_ns: NDArray[np.int64], tail: Tail
) -> NDArray[np.int64]:
    if tail.curve is None:
        return latency_ns
    return latency_ns[scenario.workload.curve_of[order] == tail.curve]
