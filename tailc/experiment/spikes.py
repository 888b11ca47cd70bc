"""Measure how the tail follows an arrival rate that changes in steps.

The tail is measured as by a controller: over a window of the last latencies, once an epoch. Each
stretch (period of constant rate) is reported separately.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.spike import Spike, WindowTail
from tailc.models.arrivals import Arrivals, Bursts, RateProfile
from tailc.models.execution_model import Subject
from tailc.models.outcome import NS_PER_US, Outcome, nearest_us
from tailc.percentiles import PPM, percentile_rank
from tailc.units import format_mrps

# A profile with more stretches is not a spike test.
MOST_STRETCHES = 24
# The tail has settled when it stays within this share of its final value, which is the mean of this
# last part of the stretch. Fewer epochs than that are not enough.
BAND = 0.05
LAST_PART = 4


@dataclass(frozen=True)
class TailMeasurement:
    """How a percentile of latency is measured at run time.

    percentile_ppm, target_us: the percentile and its target. epoch: number of exits between
    measurements. window: number of latencies in a measurement.
    """

    percentile_ppm: int
    target_us: int
    epoch: int
    window: int


@dataclass(frozen=True, eq=False)
class Stretch:
    """Percentiles of latency in a period of constant arrival rate, from one replay [us].

    tail_us: percentile of all requests of the period; None if no request arrived. measured_us:
    percentile of the last latencies at the end of each epoch in the period.
    """

    tail_us: int | None
    measured_us: NDArray[np.int64]


def tail_measurement(
    policy: Subject, percentile_ppm: int, target_us: int
) -> TailMeasurement | None:
    """Make the measurement of percentiles that a policy's controller uses; None if it has none."""
    window = policy.window
    if window is None:
        return None
    return TailMeasurement(percentile_ppm, target_us, window.epoch, window.requests)


def stretches(arrivals: Arrivals) -> tuple[str, ...]:
    """Names of the periods of constant arrival rate in an arrival process.

    Empty if the rate is constant or recorded, or changes too often for a report.
    """
    match arrivals:
        case Bursts():
            names = [str(burst) for burst in arrivals.bursts]
        case RateProfile():
            names = [format_mrps(rate) for rate, _ in _rates(arrivals)]
        case _:
            names = []
    return tuple(names) if 1 < len(names) <= MOST_STRETCHES else ()


def _rates(profile: RateProfile) -> list[tuple[int, int]]:
    """Rate and end [us] of each stretch; neighbours with equal rates are merged."""
    stretches: list[tuple[int, int]] = []
    end_us = 0
    for step in profile.steps:
        end_us += step.duration_us
        if stretches and stretches[-1][0] == step.rate_mrps:
            stretches.pop()
        stretches.append((step.rate_mrps, end_us))
    return stretches


def _first_arrivals(arrivals: Arrivals, arrival_ns: NDArray[np.int64]) -> list[int]:
    """The first arrival of each stretch; empty if there is one stretch."""
    match arrivals:
        case Bursts():
            counts = [burst.requests for burst in arrivals.bursts]
            return [0, *itertools.accumulate(counts)][:-1]
        case RateProfile():
            ends_ns = [end_us * NS_PER_US for _, end_us in _rates(arrivals)]
            return [0, *np.searchsorted(arrival_ns, ends_ns).tolist()][:-1]
        case _:
            return []


def measure_stretches(
    arrivals: Arrivals, outcome: Outcome, by: TailMeasurement
) -> tuple[Stretch, ...]:
    """Measure percentiles in each period of constant rate; empty if the replay stopped early."""
    if not stretches(arrivals) or outcome.was_cut_off:
        return ()
    first = _first_arrivals(arrivals, outcome.arrival_ns)
    time_ns, tail_us = _points(outcome, by)
    ends = [*first[1:], len(outcome.arrival_ns)]
    # A stretch begins with its first arrival.
    starts_ns = [outcome.arrival_ns[min(i, len(outcome.arrival_ns) - 1)] for i in first]
    places = [*np.searchsorted(time_ns, starts_ns).tolist(), len(time_ns)]
    return tuple(
        Stretch(_tail_us(outcome.latency_ns[begin:end], by), tail_us[since:until])
        for begin, end, since, until in zip(first, ends, places, places[1:], strict=False)
    )


def _points(outcome: Outcome, by: TailMeasurement) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """End of each epoch, and the percentile of the window at that time [us]."""
    exit_ns = outcome.arrival_ns + outcome.latency_ns
    order = np.argsort(exit_ns, kind="stable")
    latency_ns = outcome.latency_ns[order]
    ends = range(by.epoch, len(order) + 1, by.epoch)
    tails = [_tail_us(latency_ns[max(end - by.window, 0) : end], by) for end in ends]
    at = np.array([end - 1 for end in ends], np.int64)
    return exit_ns[order][at], np.array(tails, np.int64)


def _tail_us(latency_ns: NDArray[np.int64], by: TailMeasurement) -> int | None:
    if not len(latency_ns):
        return None
    place = percentile_rank(by.percentile_ppm, len(latency_ns)) - 1
    return int(nearest_us(np.partition(latency_ns, place)[place]))


def spikes(
    arrivals: Arrivals, repeats: Sequence[tuple[Stretch, ...]], by: TailMeasurement
) -> tuple[Spike, ...]:
    """Summarize each period of constant rate over all repeats; empty if a repeat stopped early."""
    names = stretches(arrivals)
    if not names or not all(repeats):
        return ()
    parts = zip(names, zip(*repeats, strict=True), strict=True)
    return tuple(_spike(name, of_repeats, by) for name, of_repeats in parts)


def _spike(name: str, of_repeats: Sequence[Stretch], by: TailMeasurement) -> Spike:
    tails = [one.tail_us for one in of_repeats if one.tail_us is not None]
    tail_us = round(float(np.mean(tails))) if tails else None
    return Spike(name, tail_us, _window_tail([one.measured_us for one in of_repeats], by.target_us))


def _window_tail(repeats: Sequence[NDArray[np.int64]], target_us: int) -> WindowTail | None:
    points = np.concatenate(repeats)
    if not len(points):
        return None
    shortest = min(map(len, repeats))
    curve = np.mean([points_us[:shortest] for points_us in repeats], axis=0)
    over = float((points > target_us).mean())
    peak = float(curve.max()) / target_us - 1 if shortest else None
    overshoot_ppm = None if peak is None else max(round(peak * PPM), 0)
    return WindowTail(round(over * PPM), overshoot_ppm, _settling(curve))


def _settling(curve: NDArray[np.float64]) -> int | None:
    """Epochs until the mean of the repeats stays near its final value; None if it does not."""
    count = len(curve)
    if count < LAST_PART:
        return None
    last = curve[-(-count * (LAST_PART - 1) // LAST_PART) :]
    far = np.flatnonzero(np.abs(curve - last.mean()) > BAND * last.mean())
    settled = int(far[-1]) + 1 if len(far) else 0
    return settled if settled <= count - len(last) else None
