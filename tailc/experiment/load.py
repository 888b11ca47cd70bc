"""How busy a replayed server was, and whether it could keep up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tailc.experiment.loss import LossTimes, loss_times
from tailc.experiment.setting import Draw, Setting
from tailc.models.arrivals import Arrivals
from tailc.models.core_queues.usage import ClockTimes, clock_times
from tailc.models.core_types.usage import CoreTimes, core_times
from tailc.models.observed import RungTimes
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.shared_cores.arrays import NS_PER_US
from tailc.models.smt.usage import LaneTimes, lane_times
from tailc.percentiles import PPM


@dataclass(frozen=True)
class RungUse:
    """How requests used the rungs, over the measured requests of all repeats.

    Mean cost rate of a request over its execution (threads, in thousandths): of all requests, of
    the longest and of the shortest twentieth by demand. `final_ppm`: share of requests that left
    on each rung.
    """

    mean_milli: int
    longest_milli: int
    shortest_milli: int
    final_ppm: tuple[int, ...]


@dataclass(frozen=True)
class Load:
    """How busy the replayed server was, as means over the measured arrivals.

    `utilization_ppm` is threads that ran over cores, None where the server has no stated capacity;
    `threads_milli` counts threads of started requests and `in_system_milli` requests in the system,
    both in thousandths. `thread_time_us`: threads times time that a request took, in the mean.
    `cut_ppm`: share of requests that were ended at the cut-off, rounded up: 0 only if none was.
    `is_overloaded`: no percentile exists, because the backlog grows.
    """

    mean_latency_us: int
    utilization_ppm: int | None
    threads_milli: int
    in_system_milli: int
    thread_time_us: int
    cut_ppm: int
    rung_use: RungUse
    is_overloaded: bool


# A server that keeps up is never quite busy; one that does not is, but for its warm-up.
_SATURATED = 0.995
# At a constant rate the second half of the arrivals meets about 2.6 times the requests that the
# first half meets if the backlog grows; where it is stationary, as many.
_GROWTH = 1.5

# A thousandth, the grid of mean counts.
_MILLI = 1000


@dataclass(frozen=True, eq=False)
class ServerUse:
    """One replay: sums and means over its measured requests that were not refused, `latency_ns` and
    `cut` in all.

    saturation: near 1 where the server has no more to give. losses: None where no rule is for that.
    """

    requests: int
    latency_ns: int
    cut: int
    was_cut_off: bool
    utilization: float | None
    mean_threads: float
    mean_in_system: float
    mean_in_system_by_half: tuple[float, float]
    mean_thread_ns: float
    rungs: RungTimes
    cores: CoreTimes | None = None
    saturation: float | None = None
    clocks: ClockTimes | None = None
    lanes: LaneTimes | None = None
    losses: LossTimes | None = None


def server_use(setting: Setting, one: Draw, outcome: Outcome) -> ServerUse:
    """What a replay says of its server."""
    latency_ns = outcome.latencies_ns
    return ServerUse(
        len(latency_ns),
        int(latency_ns.sum()),
        int(outcome.is_cut[outcome.measured].sum()),
        outcome.was_cut_off,
        outcome.utilization,
        outcome.mean_threads,
        outcome.mean_in_system,
        outcome.mean_in_system_by_half,
        outcome.mean_thread_ns,
        outcome.rung_times(setting.load.work_ns[one.order]),
        core_times(outcome),
        outcome.saturation,
        clock_times(outcome),
        lane_times(outcome),
        loss_times(setting, one, outcome),
    )


def load(arrivals: Arrivals, repeats: Sequence[ServerUse]) -> Load:
    """Means over all repeats, and whether the server is overloaded (rule: docs/verdicts.md)."""
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
    """Whether every replay was given up; its latencies then only tell when that was."""
    return all(one.was_cut_off for one in repeats)


def is_overloaded(arrivals: Arrivals, repeats: Sequence[ServerUse | Outcome]) -> bool:
    """Whether the server cannot keep up (rule: docs/verdicts.md)."""
    if any(outcome.was_cut_off for outcome in repeats):
        return True
    # A rule that takes work off a server leaves it busy, and lets it keep up.
    used = [o.saturation for o in repeats if o.saturation is not None and o.losses is None]
    if used and fmean(used) >= _SATURATED:
        return True
    # Where the rate changes the number in the system does too, whoever keeps up.
    return arrivals.has_constant_rate and _is_growing(repeats)


def _is_growing(repeats: Sequence[ServerUse | Outcome]) -> bool:
    halves = [outcome.mean_in_system_by_half for outcome in repeats]
    first, second = (fmean(half) for half in zip(*halves, strict=True))
    return second > _GROWTH * max(first, 1.0)
