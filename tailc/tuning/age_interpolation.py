"""Interpolate the climb ages of a table between a few loads."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import AdmissionKind, Climb, Ladder
from tailc.models.shared_cores.arrays import rows_by_load

# An age that is never reached, in tails.
NEVER = 3.0


def loads_at(parts: tuple[float, ...], cores: int) -> NDArray[np.float64]:
    """Loads at given fractions of the number of cores, at least one request apart."""
    loads = [max(1.0, round(part * cores)) for part in parts]
    apart = itertools.accumulate(loads, lambda before, load: max(load, before + 1))
    return np.array(list(apart), np.float64)


def between(
    at_knots: NDArray[np.float64], knots: NDArray[np.float64], loads: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interpolate climb ages linearly from the loads `knots` to the loads `loads`.

    at_knots: ages at the knots, (climbs, knots). Returns (climbs, loads).
    """
    piece = np.clip(np.searchsorted(knots, loads) - 1, 0, len(knots) - 2)
    low, high = knots[piece], knots[piece + 1]
    share = (loads - low) / (high - low)
    return at_knots[:, piece] * (1 - share) + at_knots[:, piece + 1] * share


def formula_ages(
    base: Ladder, knots: NDArray[np.float64], tail_us: int, never: float = NEVER
) -> NDArray[np.float64]:
    """Climb ages of a ladder at the loads `knots`, relative to the tail, (climbs, knots).

    The age of a rung is that of the first climb to it or to a higher rung. never: an age that
    represents no climb, larger than all others.
    """
    rows, row_of_load = rows_by_load([base], 0, int(knots[-1]))
    ages = np.full((len(base.rungs) - 1, len(knots)), never)
    for knot, load in enumerate(knots.astype(int).tolist()):
        row = rows[row_of_load[0, min(load, row_of_load.shape[1] - 1)]]
        for rung in range(1, len(base.rungs)):
            reached = [climb.age_us for climb in row.climbs if climb.rung >= rung]
            if reached:
                ages[rung - 1, knot] = min(min(reached) / tail_us, never)
    return ages


def delays_at(base: Ladder, knots: NDArray[np.float64], tail_us: int) -> NDArray[np.float64]:
    """Delays before requests start, at the loads `knots`, as parts of the tail latency; (knots,).

    base: the ladder with the delays. Where a request waits until another one ends, the delay of the
    load before is used.
    """
    rows, row_of_load = rows_by_load([base], 0, int(knots[-1]))
    delays = [0.0]
    for knot in knots.astype(int).tolist():
        admission = rows[row_of_load[0, min(knot, row_of_load.shape[1] - 1)]].admission
        waits = admission.kind is AdmissionKind.ON_EXIT
        delays.append(delays[-1] if waits else admission.delay_us / tail_us)
    return np.array(delays[1:])


def climbs_of(ages_us: list[int], never_us: float) -> tuple[Climb, ...]:
    """Make a climb for each age that is reached; of equal ages only the highest rung's."""
    climbs = [Climb(0, 0)]
    for rung, age_us in enumerate(ages_us, start=1):
        if age_us >= never_us:
            break
        if age_us == climbs[-1].age_us:
            climbs.pop()
        climbs.append(Climb(age_us, rung))
    return tuple(climbs)
