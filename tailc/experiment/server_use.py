"""How busy a replayed server was, and whether it was overloaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject
from tailc.models.observations import RungTimes
from tailc.models.outcome import NS_PER_US, Outcome, nearest_us
from tailc.models.server_load import Load, RungUse
from tailc.models.usage import Usage
from tailc.percentiles import PPM

# A server that keeps up is never completely busy; one that does not is, after its warm-up.
_SATURATED = 0.995
# At a constant rate, if the backlog grows, the second half of the arrivals meets about 2.6 times as
# many requests as the first half; in a stationary state, as many.
_GROWTH = 1.5

# A thousandth, the grid of mean counts.
_MILLI = 1000


@dataclass(frozen=True, eq=False)
class ServerUse:
    """Use of the server in one replay, by measured requests that were not refused.

    requests: number of these requests. latency_ns: sum of their latencies. cut: number of them that
    were cut off. was_cut_off: whether the replay stopped early. utilization: None if nothing is
    limited. saturation: near 1 if the server has no spare capacity. mean_threads, mean_in_system:
    means over time. mean_thread_ns: mean over requests of threads times time. times: further
    figures of the execution model.
    """

    requests: int
    latency_ns: int
    cut: int
    was_cut_off: bool
    utilization: float | None
    saturation: float | None
    mean_threads: float
    mean_in_system: float
    mean_in_system_by_half: tuple[float, float]
    mean_thread_ns: float
    rungs: RungTimes
    times: Any


def server_use(subject: Subject, outcome: Outcome, work_ns: NDArray[np.int64]) -> ServerUse:
    """Compute how one replay used the server: threads, cores or power, and batch work.

    `work_ns`: work of each request, in order of arrival.
    """
    latency_ns = outcome.latencies_ns
    return ServerUse(
        requests=len(latency_ns),
        latency_ns=int(latency_ns.sum()),
        cut=int(outcome.is_cut[outcome.measured].sum()),
        was_cut_off=outcome.was_cut_off,
        utilization=outcome.utilization,
        saturation=outcome.saturation,
        mean_threads=outcome.mean_threads,
        mean_in_system=outcome.mean_in_system,
        mean_in_system_by_half=outcome.mean_in_system_by_half,
        mean_thread_ns=outcome.mean_thread_ns,
        rungs=outcome.rung_times(work_ns),
        times=subject.times(outcome, work_ns),
    )


def usage_of(subject: Subject, repeats: Sequence[ServerUse]) -> Usage:
    """Combine the use of the machine in all replays of an experiment to one summary."""
    return subject.usage([one.times for one in repeats])


def load(arrivals: Arrivals, repeats: Sequence[ServerUse]) -> Load:
    """Average how busy the server is over all repeats, and decide whether it is overloaded."""
    requests = max(sum(one.requests for one in repeats), 1)
    used = [one.utilization for one in repeats if one.utilization is not None]
    return Load(
        mean_latency_us=nearest_us(sum(one.latency_ns for one in repeats) // requests),
        utilization_ppm=round(fmean(used) * PPM) if used else None,
        threads_milli=_milli(one.mean_threads for one in repeats),
        in_system_milli=_milli(one.mean_in_system for one in repeats),
        thread_time_us=round(fmean(one.mean_thread_ns for one in repeats) / NS_PER_US),
        cut_ppm=-(-sum(one.cut for one in repeats) * PPM // requests),
        rung_use=_rung_use([one.rungs for one in repeats]),
        is_overloaded=is_overloaded(arrivals, repeats),
    )


def _rung_use(used: Sequence[RungTimes]) -> RungUse:
    left_on = zip(*(times.left_on for times in used), strict=True)
    return RungUse(
        _milli(times.threads for times in used),
        _milli(times.longest for times in used),
        _milli(times.shortest for times in used),
        tuple(round(fmean(shares) * PPM) for shares in left_on),
    )


def _milli(values: Iterable[float]) -> int:
    return round(fmean(values) * _MILLI)


def never_keeps_up(repeats: Sequence[ServerUse]) -> bool:
    """Whether the server is so overloaded that every replay stopped early.

    The latencies of such replays are meaningless.
    """
    return all(one.was_cut_off for one in repeats)


def is_overloaded(arrivals: Arrivals, repeats: Sequence[ServerUse | Outcome]) -> bool:
    """Whether the server cannot keep up with the arrivals.

    It cannot if a replay stopped early, if it has no spare capacity, or if the number of requests
    in the system grows under a constant rate (docs/verdicts.md).
    """
    if any(outcome.was_cut_off for outcome in repeats):
        return True
    used = [one.saturation for one in repeats if one.saturation is not None]
    if used and fmean(used) >= _SATURATED:
        return True
    # If the rate changes, the number in the system changes even on a server that keeps up.
    return arrivals.has_constant_rate and _is_growing(repeats)


def _is_growing(repeats: Sequence[ServerUse | Outcome]) -> bool:
    halves = [outcome.mean_in_system_by_half for outcome in repeats]
    first, second = (fmean(half) for half in zip(*halves, strict=True))
    return second > _GROWTH * max(first, 1.0)
