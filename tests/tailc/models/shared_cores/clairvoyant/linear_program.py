"""The least target that any schedule meets on a few requests, by linear programs.

Between two of all arrivals and due times a request may as well keep one mean number of cores and
one mean speed: the hull is concave. So who can be in time together is a linear program in core-time
and work by request and stretch: the greatest part of their work that all can do by then is 1 or
more.
"""

import itertools

import numpy as np
from scipy.optimize import linprog

from tests.tailc.models.shared_cores.clairvoyant.requests import Instance


def least_target_ms(instance: Instance, in_time: int, precision: float) -> float:
    """The least time after arrival within which so many requests can be done, from above."""
    missed, met = 0.0, 10 * sum(instance.work_ms)
    while met - missed > precision * met:
        target = (missed + met) / 2
        if can_be_met(instance, in_time, target):
            met = target
        else:
            missed = target
    return met


def can_be_met(instance: Instance, in_time: int, target_ms: float) -> bool:
    everybody = range(len(instance.work_ms))
    chosen = itertools.combinations(everybody, in_time)
    return any(_part_done(instance, some, target_ms) >= 1 for some in chosen)


def _part_done(instance: Instance, some: tuple[int, ...], target_ms: float) -> float:
    """Variables: core-time and work of each request in each stretch, and the part of its work."""
    due = [instance.arrival_ms[j] + target_ms for j in some]
    times = sorted({instance.arrival_ms[j] for j in some} | set(due))
    spans = np.diff(times)
    size = len(some) * len(spans)
    rows, limits = [], []

    def limit(terms: dict[int, float], most: float) -> None:
        row = np.zeros(2 * size + 1)
        for at, factor in terms.items():
            row[at] = factor
        rows.append(row)
        limits.append(most)

    for i, j in enumerate(some):
        work = {}
        for k, span in enumerate(spans):
            at = i * len(spans) + k
            own_span = span if instance.arrival_ms[j] <= times[k] < due[i] else 0.0
            for slope, height in _lines(instance.speeds):
                limit({size + at: 1.0, at: -slope}, height * own_span)
            limit({at: 1.0}, len(instance.speeds) * own_span)
            work[size + at] = -1.0
        limit({**work, 2 * size: instance.work_ms[j]}, 0.0)
    for k, span in enumerate(spans):
        limit({i * len(spans) + k: 1.0 for i in range(len(some))}, instance.cores * span)
    least = np.zeros(2 * size + 1)
    least[-1] = -1.0
    return -linprog(least, A_ub=np.array(rows), b_ub=limits).fun


def _lines(speeds: tuple[float, ...]) -> list[tuple[float, float]]:
    """Slope and height at no cores of what bounds a concave speed on 0, 1, 2, ... cores."""
    known = (0.0, *speeds)
    slopes = np.diff(known)
    return [(slope, known[i] - slope * i) for i, slope in enumerate(slopes)]
