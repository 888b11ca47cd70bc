"""Judge measured latencies: the percentile of each SLO, its limits, and the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tailc.experiment.point import Point
from tailc.experiment.ruling import Ruling
from tailc.models.outcome import NS_PER_US, nearest_us
from tailc.order_statistics import rank_limits
from tailc.specs.slo import Slo
from tailc.traces.histogram import Histogram
from tailc.verify.measured.arrivals import ArrivalComparison
from tailc.verify.measured.execution import ExecutionComparison
from tailc.verify.measured.verdict import MeasuredSlo, MeasuredVerdicts, TailLimits
from tailc.verify.verdict import Verdicts

# Lower and upper bound of each bucket [ns].
Bounds = Sequence[tuple[float, float]]


def judge_latencies(
    latencies: Histogram,
    replay: Verdicts,
    arrivals: ArrivalComparison | None = None,
    execution: ExecutionComparison | None = None,
    bounds_ns: Bounds = (),
) -> MeasuredVerdicts:
    """Judge measured latencies against the SLOs of a policy, next to the latencies of a replay.

    replay: verdicts on the policy under one arrival process. bounds_ns: of the buckets that the
    latencies were read from, ascending; none if they are exact. Latencies have no classes of
    requests: raises ValueError if an SLO is for a class.
    """
    (point,) = replay.points
    if any(slo.request_class is not None for slo in replay.slos):
        raise ValueError("measured latencies have no classes of requests")
    slos = [
        _judge_slo(latencies, slo, point, number, bounds_ns)
        for number, slo in enumerate(replay.slos)
    ]
    return MeasuredVerdicts(latencies.requests, replay, tuple(slos), arrivals, execution)


def _judge_slo(
    latencies: Histogram, slo: Slo, point: Point, number: int, bounds_ns: Bounds
) -> MeasuredSlo:
    measured = measured_tail(latencies, slo.percentile_ppm, bounds_ns)
    estimate = point.policy.estimates[number]
    return MeasuredSlo(
        slo=slo,
        ruling=_ruling(measured, slo.latency_us),
        measured=measured,
        predicted=TailLimits(estimate.estimate_us, estimate.low_us, estimate.high_us),
        is_overloaded=point.policy.load.is_overloaded,
    )


def measured_tail(latencies: Histogram, percentile_ppm: int, bounds_ns: Bounds = ()) -> TailLimits:
    """Estimate a percentile of measured latencies, with 95 % limits for independent requests.

    A limit within a bucket is that bound of the bucket that is further out: where in the bucket
    its latencies are is unknown.
    """
    limits = rank_limits(percentile_ppm, latencies.requests)
    low_us = 0 if limits.low == 0 else _latency_us(latencies, limits.low)
    high_us = None if limits.high is None else _latency_us(latencies, limits.high)
    return TailLimits(
        nearest_us(latencies.quantile_ns(percentile_ppm)),
        min([low_us, *(low for low, _ in _buckets_us(bounds_ns, low_us))]),
        None
        if high_us is None
        else max([high_us, *(up for _, up in _buckets_us(bounds_ns, high_us))]),
    )


def _buckets_us(bounds_ns: Bounds, latency_us: int) -> Iterator[tuple[int, int]]:
    """The bounds in us of the buckets that contain a latency: two if it is near a common bound."""
    for low, high in bounds_ns:
        low_us, high_us = int(low // NS_PER_US), int(-(-high // NS_PER_US))
        if low_us < latency_us <= high_us:
            yield low_us, high_us


def _latency_us(latencies: Histogram, rank: int) -> int:
    """The latency of a rank, which counts from 1."""
    bucket = np.searchsorted(np.cumsum(latencies.count), rank)
    return nearest_us(int(latencies.demand_ns[bucket]))


def _ruling(measured: TailLimits, target_us: int) -> Ruling:
    if measured.low_us > target_us:
        return Ruling.FAIL
    is_met = measured.high_us is not None and measured.high_us <= target_us
    return Ruling.PASS if is_met else Ruling.UNDECIDED
