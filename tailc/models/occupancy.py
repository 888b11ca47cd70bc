"""Occupancy: how much of their run time requests spend at each load and age.

A runtime looks a running request up again and again, so occupancy is also how often it looks up
each cell of a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder, LoadAxis, Rule
from tailc.models.outcome import NS_PER_US, Outcome
from tailc.percentiles import PPM


@dataclass(frozen=True)
class Occupancy:
    """Fraction of the run time of requests in each cell of a table, by load and age.

    share_ppm: (loads, ages), for 0, 1, 2, ... requests in the system, and in steps of `step_us`.
    The last entry of each axis includes all beyond it. Rounded down.
    """

    step_us: int
    share_ppm: tuple[tuple[int, ...], ...]


# Sampling: one request in this many, at this many ages up to the last separate age.
_EVERY = 8
AGES = 60
# Higher loads count as this one.
MOST_IN_SYSTEM = 400
# The last separate age, relative to the greatest age at which a request climbs.
_BEYOND = 1.5

Counts = NDArray[np.int64]


def age_step_us(ladder: Ladder) -> int | None:
    """The step of ages in which occupancy of a table's cells is counted [us]; None if it cannot be.

    It cannot be if the load is a rate, or if an age counts the time of several requests.
    """
    if ladder.load_axis is not LoadAxis.IN_SYSTEM or Rule.BUSY_PERIOD_AGE in ladder.rules:
        return None
    last_us = max(row.climbs[-1].age_us for row in ladder.rows)
    return -(-round(_BEYOND * last_us) // AGES) if last_us else None


def occupancy_counts(
    ladder: Ladder, outcome: Outcome, climbs: NDArray[np.bool_] | None = None
) -> Counts | None:
    """Count how often requests of a replay were observed at each load and age; see `Occupancy`.

    climbs: bool, which of the requests climb this ladder, in order of arrival; None: all. Requests
    are observed in the middle of each step of their age. None if `age_step_us` is None.
    """
    step_us = age_step_us(ladder)
    if step_us is None:
        return None
    step_ns = step_us * NS_PER_US
    part = _sample(outcome, climbs)
    start, end, wait = _times(outcome, part)
    since = start - wait if Rule.AGE_FROM_ARRIVAL in ladder.rules else start
    first = -(-(start - since - step_ns // 2) // step_ns)
    steps = np.maximum(-(-(end - since - step_ns // 2) // step_ns) - first, 0)
    age = _concatenate_ranges(first, steps)
    at_ns = np.repeat(since, steps) + age * step_ns + step_ns // 2
    load = np.minimum(_in_system(outcome, at_ns), MOST_IN_SYSTEM)
    cell = load * AGES + np.minimum(age, AGES - 1)
    return np.bincount(cell, minlength=(MOST_IN_SYSTEM + 1) * AGES)


def occupancy(ladder: Ladder, counts: Iterable[Counts | None]) -> Occupancy | None:
    """Share of the run time of requests in each cell of a ladder, from counts of all replications.

    None if there are no counts.
    """
    counted = [one for one in counts if one is not None]
    step_us = age_step_us(ladder)
    if step_us is None or not counted:
        return None
    total = np.sum(counted, axis=0)
    if not total.any():
        return None
    share = (total * PPM // total.sum()).reshape(MOST_IN_SYSTEM + 1, AGES)
    last = int(np.flatnonzero(share.any(axis=1)).max(initial=0))
    return Occupancy(step_us, tuple(tuple(row) for row in share[: last + 1].tolist()))


def _sample(outcome: Outcome, climbs: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Indices of a sample of the measured requests, in order of arrival."""
    first, last, _ = outcome.measured.indices(len(outcome.arrival_ns))
    part = np.arange(first, last)[outcome.served]
    return (part if climbs is None else part[climbs[part]])[::_EVERY]


def _times(outcome: Outcome, part: NDArray[np.int64]) -> tuple[Counts, Counts, Counts]:
    """Start, end and wait of these requests [ns]."""
    arrival, wait = outcome.arrival_ns[part], outcome.wait_ns[part]
    return arrival + wait, arrival + outcome.latency_ns[part], wait


def _concatenate_ranges(first: Counts, counts: Counts) -> Counts:
    """Concatenate ranges of consecutive numbers, given the first number and length of each."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts - first, counts)


def _in_system(outcome: Outcome, at_ns: Counts) -> Counts:
    """Requests in the system at each moment; refused requests do not count."""
    ends = np.sort(outcome.arrival_ns + outcome.latency_ns)
    came = np.searchsorted(outcome.arrival_ns, at_ns, side="right")
    return came - np.searchsorted(ends, at_ns, side="right")
