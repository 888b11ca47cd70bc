"""How busy a replayed server was, and whether it could keep up."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

from tailc.replay.lowered import NEVER_NS, PPM
from tailc.replay.outcome import Outcome, nearest_us
from tailc.verify.verdict import Load

# A server that keeps up is never quite busy; one that does not is, but for its warm-up.
_SATURATED = 0.995
# In a growing backlog the second half of the arrivals meets about 2.6 times the requests that the
# first half meets; where it is stationary, as many.
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


def load(repeats: tuple[Outcome, ...]) -> Load:
    """Means over all repeats, and whether the server is overloaded (rule: docs/verdicts.md)."""
    latency_ns = sum(int(o.latency_ns[o.measured].sum()) for o in repeats)
    requests = sum(len(o.latency_ns[o.measured]) for o in repeats)
    is_limited = repeats[0].capacity_ppm < NEVER_NS
    utilization = _mean(repeats, lambda o: o.utilization)
    return Load(
        mean_latency_us=nearest_us(latency_ns // requests),
        utilization_ppm=round(utilization * PPM) if is_limited else None,
        threads_milli=round(_mean(repeats, lambda o: o.mean_threads) * _MILLI),
        in_system_milli=round(_mean(repeats, lambda o: o.mean_in_system) * _MILLI),
        is_overloaded=_is_overloaded(repeats, utilization),
    )


def never_keeps_up(repeats: tuple[Outcome, ...]) -> bool:
    """Whether every replay was given up; its latencies then only tell when that was."""
    return all(outcome.was_cut_off for outcome in repeats)


def _is_overloaded(repeats: tuple[Outcome, ...], utilization: float) -> bool:
    if any(outcome.was_cut_off for outcome in repeats):
        return True
    first = _mean(repeats, lambda o: o.mean_in_system_by_half[0])
    second = _mean(repeats, lambda o: o.mean_in_system_by_half[1])
    return utilization >= _SATURATED or second > _GROWTH * max(first, 1.0)


def _mean(repeats: tuple[Outcome, ...], quantity: Callable[[Outcome], float]) -> float:
    return fmean(quantity(outcome) for outcome in repeats)
