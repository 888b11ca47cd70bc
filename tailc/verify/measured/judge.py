"""Judge measured latencies: the percentile of each SLO, its limits, and the prediction."""

from __future__ import annotations

import numpy as np

from tailc.experiment.point import Point
from tailc.experiment.ruling import Ruling
from tailc.models.outcome import nearest_us
from tailc.order_statistics import rank_limits
from tailc.specs.slo import Slo
from tailc.traces.histogram import Histogram
from tailc.verify.measured.arrivals import ArrivalComparison
from tailc.verify.measured.execution import ExecutionComparison
from tailc.verify.measured.verdict import MeasuredSlo, MeasuredVerdicts, TailLimits
from tailc.verify.verdict import Verdicts


def judge_latencies(
    latencies: Histogram,
    replay: Verdicts,
    arrivals: ArrivalComparison | None = None,
    execution: ExecutionComparison | None = None,
) -> MeasuredVerdicts:
    """Judge measured latencies against the SLOs of a policy, next to the latencies of a replay.

    replay: verdicts on the policy under one arrival process. Latencies have no classes of requests:
    raises ValueError if an SLO is for a class.
    """
    (point,) = replay.points
    if any(slo.request_class is not None for slo in replay.slos):
        raise ValueError("measured latencies have no classes of requests")
    slos = [_judge_slo(latencies, slo, point, number) for number, slo in enumerate(replay.slos)]
    return MeasuredVerdicts(latencies.requests, replay, tuple(slos), arrivals, execution)


def _judge_slo(latencies: Histogram, slo: Slo, point: Point, number: int) -> MeasuredSlo:
    measured = measured_tail(latencies, slo.percentile_ppm)
    estimate = point.policy.estimates[number]
    return MeasuredSlo(
        slo=slo,
        ruling=_ruling(measured, slo.latency_us),
        measured=measured,
        predicted=TailLimits(estimate.estimate_us, estimate.low_us, estimate.high_us),
        is_overloaded=point.policy.load.is_overloaded,
    )


def measured_tail(latencies: Histogram, percentile_ppm: int) -> TailLimits:
    """Estimate a percentile of measured latencies, with 95 % limits for independent requests."""
    limits = rank_limits(percentile_ppm, latencies.requests)
    return TailLimits(
        nearest_us(latencies.quantile_ns(percentile_ppm)),
        0 if limits.low == 0 else _latency_us(latencies, limits.low),
        None if limits.high is None else _latency_us(latencies, limits.high),
    )


def _latency_us(latencies: Histogram, rank: int) -> int:
    """The latency of a rank, which counts from 1."""
    bucket = np.searchsorted(np.cumsum(latencies.count), rank)
    return nearest_us(int(latencies.demand_ns[bucket]))


def _ruling(measured: TailLimits, target_us: int) -> Ruling:
    if measured.low_us > target_us:
        return Ruling.FAIL
    is_met = measured.high_us is not None and measured.high_us <= target_us
    return Ruling.PASS if is_met else Ruling.UNDECIDED
