"""Interval tables as Haque et al. (ASPLOS 2015, figures 6 and 7) describe them, in plain Python.

What a reader of the paper would write in an afternoon, and what `make bench` compares the exact
search with: every load, every schedule of the grid, every request, floats and lists. The only
choice that is ours is among schedules of equal tail and mean: the first one stays, as printed.
The enumerator beside this file is the oracle for ties and tolerances; this one is for speed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Schedule = tuple[float, ...]


@dataclass(frozen=True)
class Entry:
    """The result of one load; tail and mean are inf where no schedule is feasible."""

    schedule: Schedule | None
    tail_ms: float
    mean_ms: float


def interval_table(
    seq_ms: Sequence[float],
    speedup: Sequence[float],
    target_p: float,
    req_max: int,
    y_ms: float,
    step_ms: float,
    beta: float = 0.99,
) -> list[Entry]:
    """Figure 7: for each load 1 .. `req_max`, the best of all schedules on the grid."""
    entries = []
    for load in range(1, req_max + 1):
        least_tail = least_mean = math.inf
        result = None
        for schedule in schedules(len(speedup), y_ms, step_ms):
            if total_parallelism(seq_ms, speedup, schedule, load) <= target_p:
                tail = tail_ms(seq_ms, speedup, schedule, beta)
                mean = mean_ms(seq_ms, speedup, schedule)
                if tail < least_tail or (tail == least_tail and mean < least_mean):
                    least_tail, least_mean, result = tail, mean, schedule
        entries.append(Entry(result, least_tail, least_mean))
    return entries


def schedules(n: int, y_ms: float, step_ms: float) -> Iterator[Schedule]:
    """The nested loops: every v_0, .., v_(n-1) from 0 to y, the last one fastest."""
    if n == 0:
        yield ()
        return
    for first in range(int(y_ms / step_ms) + 1):
        for others in schedules(n - 1, y_ms, step_ms):
            yield (first * step_ms, *others)


def time_ms(seq_ms: float, speedup: Sequence[float], v: Schedule) -> float:
    """Equation 1: how long a request takes."""
    passed = v[0]
    left = seq_ms
    for degree in range(1, len(speedup)):
        speed = speedup[degree - 1]
        if left <= speed * v[degree]:
            return passed + left / speed
        passed += v[degree]
        left -= speed * v[degree]
    return passed + left / speedup[-1]


def thread_time_ms(seq_ms: float, speedup: Sequence[float], v: Schedule) -> float:
    """The numerator of equation 2: threads times the time that the request has them."""
    used = 0.0
    left = seq_ms
    for degree in range(1, len(speedup)):
        speed = speedup[degree - 1]
        if left <= speed * v[degree]:
            return used + degree * left / speed
        used += degree * v[degree]
        left -= speed * v[degree]
    return used + len(speedup) * left / speedup[-1]


def total_parallelism(
    seq_ms: Sequence[float], speedup: Sequence[float], v: Schedule, load: int
) -> float:
    """Equation 3; time_r times ap_r is the thread-time of equation 2."""
    threads = sum(thread_time_ms(seq, speedup, v) for seq in seq_ms)
    return threads / sum(time_ms(seq, speedup, v) for seq in seq_ms) * load


def mean_ms(seq_ms: Sequence[float], speedup: Sequence[float], v: Schedule) -> float:
    """Equation 4."""
    return sum(time_ms(seq, speedup, v) for seq in seq_ms) / len(seq_ms)


def tail_ms(seq_ms: Sequence[float], speedup: Sequence[float], v: Schedule, beta: float) -> float:
    """Equation 5: number ceil(beta |R|) of the times in order."""
    times = sorted(time_ms(seq, speedup, v) for seq in seq_ms)
    return times[math.ceil(beta * len(times)) - 1]
