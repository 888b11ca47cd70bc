"""How busy a replayed server was, and whether it could keep up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from tailc.percentiles import PPM
from tailc.replay.arrivals import Arrivals
from tailc.replay.lowered import NS_PER_US
from tailc.replay.outcome import Outcome, nearest_us
from tailc.verify.setting import Draws, Setting
from tailc.verify.verdict import Load, RungUse

# A server that keeps up is never quite busy; one that does not is, but for its warm-up.
_SATURATED = 0.995
# At a constant rate the second half of the arrivals meets about 2.6 times the requests that the
# first half meets if the backlog grows; where it is stationary, as many.
_GROWTH = 1.5

# A thousandth, the grid of mean counts.
_MILLI = 1000

# The replay is given up at this many requests in the system, and so many more for each core.
_MOST_IN_SYSTEM = 2048
_MOST_PER_CORE = 16


def most_in_system(capacity_ppm: int | None) -> int:
    """The backlog at which a server counts as overloaded without looking further."""
    cores = -(-(capacity_ppm or 0) // PPM)
    return _MOST_IN_SYSTEM + _MOST_PER_CORE * cores


def load(setting: Setting, draws: Draws, repeats: Sequence[Outcome]) -> Load:
    """Means over all repeats, and whether the server is overloaded (rule: docs/verdicts.md)."""
    latency_ns = sum(int(o.latency_ns[o.measured].sum()) for o in repeats)
    requests = sum(len(o.latency_ns[o.measured]) for o in repeats)
    cut = sum(int(o.is_cut[o.measured].sum()) for o in repeats)
    used = [o.utilization for o in repeats if o.utilization is not None]
    return Load(
        mean_latency_us=nearest_us(latency_ns // requests),
        utilization_ppm=round(fmean(used) * PPM) if used else None,
        threads_milli=_milli(o.mean_threads for o in repeats),
        in_system_milli=_milli(o.mean_in_system for o in repeats),
        thread_time_us=round(fmean(o.mean_thread_ns for o in repeats) / NS_PER_US),
        cut_ppm=-(-cut * PPM // requests),
        rung_use=_rung_use(setting, draws, repeats),
        is_overloaded=is_overloaded(setting.arrivals, repeats),
    )


def _rung_use(setting: Setting, draws: Draws, repeats: Sequence[Outcome]) -> RungUse:
    used = [
        outcome.rung_times(setting.load.work_ns[one.order])
        for one, outcome in zip(draws.repeats, repeats, strict=True)
    ]
    left_on = zip(*(times.left_on for times in used), strict=True)
    return RungUse(
        _milli(times.threads for times in used),
        _milli(times.longest for times in used),
        _milli(times.shortest for times in used),
        tuple(round(fmean(shares) * PPM) for shares in left_on),
    )


def _milli(values: Iterable[float]) -> int:
    return round(fmean(values) * _MILLI)


def never_keeps_up(repeats: Sequence[Outcome]) -> bool:
    """Whether every replay was given up; its latencies then only tell when that was."""
    return all(outcome.was_cut_off for outcome in repeats)


def is_overloaded(arrivals: Arrivals, repeats: Sequence[Outcome]) -> bool:
    """Whether the server cannot keep up (rule: docs/verdicts.md)."""
    if any(outcome.was_cut_off for outcome in repeats):
        return True
    used = [o.utilization for o in repeats if o.utilization is not None]
    if used and fmean(used) >= _SATURATED:
        return True
    # Where the rate changes the number in the system does too, whoever keeps up.
    return arrivals.has_constant_rate and _is_growing(repeats)


def _is_growing(repeats: Sequence[Outcome]) -> bool:
    halves = [outcome.mean_in_system_by_half for outcome in repeats]
    first, second = (fmean(half) for half in zip(*halves, strict=True))
    return second > _GROWTH * max(first, 1.0)
